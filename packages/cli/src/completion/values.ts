/** The values that a flag or an argument can have. */
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { searchableNames } from '../config/searchable-names.ts';
import { SETTING_KEYS } from '../config/setting-keys.ts';
import { queryCompletions, withoutCopies } from './query-completions.ts';

/** Words to offer, and which paths fit as well. */
export interface Candidates {
  readonly words: readonly string[];
  readonly paths?: 'files' | 'folders';
}

/** The reads of a backend that completion needs. */
export type NamedThings = Pick<
  BackendApi,
  | 'listIndexes'
  | 'listAliases'
  | 'listJobs'
  | 'listSavedQueries'
  | 'describeIndex'
  | 'suggest'
  | 'search'
>;

/** Where names come from that no manifest has. */
export interface NameSources {
  /** The backend of the command line; undefined if it cannot be opened. */
  readonly backend: () => Promise<NamedThings | undefined>;
  readonly profiles: () => readonly string[];
  readonly catalogs: () => readonly string[];
  /** The tables of the catalog that the command line or the settings name; none without one. */
  readonly tables: () => Promise<readonly string[]>;
}

/** The flag or argument at the cursor. */
export interface Slot {
  readonly command: string;
  readonly name: string;
  readonly index: string | undefined;
  /** The part of the value that is typed so far. */
  readonly current: string;
  readonly options?: readonly string[];
  readonly helpValue?: string | readonly string[];
}

/** Flags and arguments whose values are names of fast fields; lists go on after a comma. */
const FAST_FIELDS: ReadonlySet<string> = new Set([
  ...['collapse', 'facet', 'terms', 'significant', 'cardinality'],
]);
/** Those of fast fields with numbers, and with numbers or dates. */
const NUMBERS: ReadonlySet<string> = new Set(['avg', 'sum', 'stats', 'percentiles']);
const ORDERED: ReadonlySet<string> = new Set(['min', 'max', 'histogram']);
/** Those that take fields without a column too. */
const ANY_FIELD: ReadonlySet<string> = new Set([
  ...['fields', 'columns', 'field', 'vector-field', 'lexical-fields', 'highlight-fields'],
]);
/** Keys that are offered. */
const KEYS = 20;
/** What the help says of values that are files or folders. */
const FILE_VALUE = /FILE|DIR|PLACE/;
/** Arguments that are. */
const FILE_NAMES: ReadonlySet<string> = new Set([
  ...['file', 'files', 'folder', 'place', 'from', 'to', 'receipt', 'model'],
]);

/** The candidates for a value. */
export async function valuesOf(slot: Slot, from: NameSources): Promise<Candidates> {
  const { options = [], name, helpValue } = slot;
  if (options.length > 0) return { words: options };
  const names = await namesOf(slot, from);
  if (names !== undefined) return { words: names, ...(name === 'catalog' && { paths: 'files' }) };
  // a table's path may be its metadata file
  if (helpValue === 'DIR' && name !== 'path') return { words: [], paths: 'folders' };
  const isFile = helpValue === undefined ? FILE_NAMES.has(name) : FILE_VALUE.test(`${helpValue}`);
  return { words: [], ...(isFile && { paths: 'files' }) };
}

/** The names of things that a value refers to; undefined if it refers to none. */
async function namesOf(slot: Slot, from: NameSources): Promise<readonly string[] | undefined> {
  const { name, command, current, index } = slot;
  if (name === 'profile' || (name === 'name' && command.startsWith('config:')))
    return from.profiles();
  if (name === 'key' && command.startsWith('config:')) return SETTING_KEYS;
  if (name === 'catalog') return from.catalogs();
  if (name === 'table') return from.tables();
  if (name === 'sort' && /:[a-z]*$/.test(current)) return orders(current);
  const backend = await from.backend();
  if (backend === undefined) return [];
  if (name === 'index') return searchableNames(backend);
  if (name === 'alias') return (await backend.listAliases()).map(({ alias }) => alias);
  if (name === 'job') return (await backend.listJobs()).map(({ job_id }) => job_id);
  if (name === 'name' && command.startsWith('query:'))
    return (await backend.listSavedQueries()).map((query) => query.name);
  if (index === undefined) return undefined;
  if (name === 'query' || name === 'filter') return queryCompletions(backend, index, current);
  if (name === 'key' || name === 'like') return firstKeys(backend, index);
  const fields = await fieldNames(backend, index, slot);
  return fields === undefined ? undefined : listWords(current, fields);
}

/** The keys of the first rows of an index. */
async function firstKeys(backend: NamedThings, index: string): Promise<readonly string[]> {
  const { hits } = await backend.search({ index, query: '*:*', limit: KEYS, fields: [] });
  return hits.flatMap(({ key }) => key ?? []);
}

/** Names for the last part of a list: `title,op` offers `title,opened_at`, and no `title,title`. */
function listWords(current: string, names: readonly string[]): string[] {
  const [head] = /^(?:.*,)?-?/s.exec(current)!;
  const done = new Set(head.split(',').map((part) => part.replace(/^-|[: ].*$/g, '')));
  const [last] = /[^,-]*$/.exec(current)!;
  const free = withoutCopies(names, last).filter((name) => !done.has(name));
  return free.map((name) => head + name);
}

/** Both orders of the last field: `rating:` offers `rating:asc`. */
function orders(current: string): string[] {
  const field = current.slice(0, current.lastIndexOf(':') + 1);
  return ['asc', 'desc'].map((order) => field + order);
}

async function fieldNames(
  backend: NamedThings,
  index: string,
  { name, command }: Slot,
): Promise<readonly string[] | undefined> {
  const isNumber = NUMBERS.has(name) || ORDERED.has(name);
  const isFast = isNumber || FAST_FIELDS.has(name) || command === 'index:facets';
  if (name !== 'sort' && !isFast && !ANY_FIELD.has(name)) return undefined;
  const { fields, sort_fields } = await backend.describeIndex({ index });
  if (name === 'sort') return ['_score', '_key', ...sort_fields];
  const types = ['LONG', 'DOUBLE', ...(ORDERED.has(name) ? ['DATE'] : [])];
  return fields
    .filter(({ fast, type }) => (!isFast || fast) && (!isNumber || types.includes(type)))
    .map((field) => field.name);
}
