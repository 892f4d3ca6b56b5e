/** Names of indexes in paths: one name, an alias, lists and patterns. */
import { type IndexDescription, LhsError } from '@lakehouse-search/contract';
import { type FieldTable, fieldTable } from '../query/field-table.ts';
import { illegal } from '../query/refusal.ts';
import { matches } from './filter-path.ts';
import type { Reads } from './reads.ts';

/** An index of a request. */
export interface ServedIndex {
  /** Its own name, also if the request names an alias. */
  readonly name: string;
  readonly description: IndexDescription;
  readonly table: FieldTable;
  /** True if it combines several indexes: it has the fields of all of them. */
  readonly isSeveral?: boolean;
  /** Fields whose types differ between them. */
  readonly mixed?: ReadonlySet<string>;
}

/** Most indexes of one search. */
export const SEARCHED = 64;

/** Names and patterns of one expression: the list of indexes is read for each of them. */
const MOST_PARTS = 1024;

/** How a request treats names that match nothing. */
export interface IndexOptions {
  readonly ignoreUnavailable: boolean;
  readonly allowNoIndices: boolean;
}

/** An index by its name or alias. Throws index_not_found, permission_denied. */
export async function openIndex(reads: Reads, index: string, now: number): Promise<ServedIndex> {
  const description = await reads.describeIndex({ index });
  return { name: description.index, description, table: fieldTable(description, now) };
}

/** Indexes by their names or aliases, each once. Throws for more than one search reads. */
export async function openIndexes(
  reads: Reads,
  names: readonly string[],
): Promise<readonly ServedIndex[]> {
  requireFew(names);
  const now = Date.now();
  const found = await Promise.all(names.map((name) => openIndex(reads, name, now)));
  return found.filter(({ name }, at) => found.findIndex((one) => one.name === name) === at);
}

/** Throws for more indexes than one search reads. */
export function requireFew(names: readonly string[]): void {
  if (names.length <= SEARCHED) return;
  throw illegal(`a search reads at most ${SEARCHED} indexes, and it names ${names.length}`);
}

function partsOf(expression = '_all'): readonly string[] {
  const parts = expression.split(',').filter((part) => part !== '');
  if (parts.length <= MOST_PARTS) return parts;
  throw illegal(`an expression has at most ${MOST_PARTS} names and patterns`);
}

/**
 * The names and aliases that an expression selects; without one, all. Only an expression with a
 * pattern or an exclusion needs the list of indexes, which is closed to callers of a tenant. Throws
 * index_not_found.
 */
export async function indexNames(
  reads: Reads,
  expression: string | undefined,
  options: IndexOptions,
): Promise<readonly string[]> {
  const parts = partsOf(expression);
  const isPlain = parts.every((part) => !isPattern(part) && !part.startsWith('-'));
  if (!isPlain || options.ignoreUnavailable || parts.length > SEARCHED) {
    return listedNames(reads, expression, options);
  }
  if (parts.length === 1) return parts;
  const found = await Promise.all(parts.map((index) => reads.describeIndex({ index })));
  return [...new Set(found.map(({ index }) => index))];
}

/** The indexes that an expression selects, from the list; without one, all. */
export async function listedNames(
  reads: Reads,
  expression: string | undefined,
  { ignoreUnavailable, allowNoIndices }: IndexOptions,
): Promise<readonly string[]> {
  const parts = partsOf(expression);
  const known = (await reads.listIndexes()).map(({ name }) => name);
  const byAlias = new Map<string, string>();
  for (const { alias, index } of await reads.listAliases()) byAlias.set(alias, index);
  const names = new Set<string>();
  for (const part of parts) {
    if (part.startsWith('-') && names.size > 0) {
      for (const name of matching(part.slice(1), known, byAlias)) names.delete(name);
      continue;
    }
    const found = isPattern(part) ? matching(part, known, byAlias) : named(part, known, byAlias);
    const isMissing = found.length === 0 && (isPattern(part) ? !allowNoIndices : true);
    if (isMissing && !ignoreUnavailable) throw noIndex(part);
    for (const name of found) names.add(name);
  }
  return [...names];
}

/** The one index of a request for a document; undefined: nothing matches. Throws for several. */
export async function oneIndex(
  reads: Reads,
  expression: string | undefined,
  options: IndexOptions,
): Promise<string | undefined> {
  const names = await indexNames(reads, expression, options);
  if (names.length <= 1) return names[0];
  throw illegal(
    `a document is read from one index, and the request selects ${names.length}: ` +
      `[${names.slice(0, 10).join(', ')}]`,
  );
}

const isPattern = (part: string): boolean => part === '_all' || part.includes('*');

function matching(
  part: string,
  known: readonly string[],
  byAlias: ReadonlyMap<string, string>,
): readonly string[] {
  const pattern = part === '_all' ? '*' : part;
  const aliases = [...byAlias].filter(([alias]) => matches(pattern, alias));
  return [...known.filter((name) => matches(pattern, name)), ...aliases.map(([, name]) => name)];
}

function named(
  part: string,
  known: readonly string[],
  byAlias: ReadonlyMap<string, string>,
): readonly string[] {
  if (known.includes(part)) return [part];
  const target = byAlias.get(part);
  return target === undefined ? [] : [target];
}

/** The error of a name that no index and no alias has. */
export const noIndex = (index: string): LhsError =>
  new LhsError('index_not_found', `no such index [${index}]`, { details: { index } });
