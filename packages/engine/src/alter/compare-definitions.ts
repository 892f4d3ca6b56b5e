/**
 * The differences between two definitions of one index, and what each of them needs.
 *
 * `live`: segments stay as they are; the change takes effect with the next read or write.
 * `field`: the files of a field are built, dropped or named in another order.
 * `reindex`: documents, keys or locations would be others.
 */
import type { AlterChange, AlterStrategy, Json } from '@lakehouse-search/contract';
import type {
  AnalyzerDefinition,
  Definition,
  FieldDefinition,
  VariantDefinition,
} from '../schema/definition.ts';
import { originalsField } from '../schema/values/folded-keyword.ts';

type Work = Pick<AlterChange, 'columns' | 'texts'>;

/** Facts of the live generation that a comparison depends on. */
export interface LiveFacts {
  /** Rows that lost to another row of their key (`on_duplicate_key: last`). */
  readonly droppedDuplicates: number;
  /** Rows that cannot be indexed and have no document (`on_bad_row: skip`). */
  readonly skippedRows: number;
  /** Both sources name the same table, by its UUID, and the same branch or tag. */
  readonly sameTable: boolean;
  /** Rows of the table: what a VECTOR field has to embed at most. */
  readonly rows: number;
  /** Fields of the new definition whose vectors a model makes. */
  readonly embedded: ReadonlySet<string>;
  /** Fields of the new definition that the live commit cannot serve. */
  readonly built: ReadonlySet<string>;
  /** Why fields cannot be built one by one; null: they can. */
  readonly obstacle: string | null;
}

/**
 * Every difference, in the order of the definition's keys; empty: they mean the same. Relative
 * paths in both are resolved (`resolvedDefinition`).
 */
export function compareDefinitions(
  now: Definition,
  next: Definition,
  facts: LiveFacts,
): readonly AlterChange[] {
  const fields = compareFields(now, next, facts);
  const all = [
    ...renamed(now, next),
    ...words(now, next),
    ...source(now, next, facts),
    ...keys(now, next),
    ...duplicates(now, next, facts),
    ...badRows(now, next, facts),
    ...freshness(now, next),
    ...keeping(now, next),
    ...bareWords(now, next),
    ...synonyms(now, next),
    ...fusion(now, next),
    ...tenant(now, next, fields),
    ...shards(now, next),
    ...windows(now, next),
    ...replicas(now, next),
    ...fields,
    ...order(now, next),
    ...variants(now, next),
    ...analyzers(now, next),
  ];
  const { obstacle } = facts;
  if (obstacle === null) return all;
  return all.map((one) =>
    one.strategy === 'field' ? { ...one, strategy: 'reindex', reason: obstacle } : one,
  );
}

function renamed(now: Definition, next: Definition): readonly AlterChange[] {
  const reason = 'aliases, saved queries and points in time follow the new name';
  return change('index', now.index, next.index, 'live', reason);
}

function words(now: Definition, next: Definition): readonly AlterChange[] {
  return change('description', now.description, next.description, 'live', 'it describes the rows');
}

function source(now: Definition, next: Definition, { sameTable }: LiveFacts) {
  if (sameTable) {
    return change('source', now.source, next.source, 'live', 'it is the same table, by its UUID');
  }
  const ref = differs({ ...now.source, ref: null }, { ...next.source, ref: null }) ? '' : '.ref';
  const reason =
    ref === '' ? 'the rows are those of another table' : 'other snapshots are followed';
  return change(`source${ref}`, now.source, next.source, 'reindex', reason);
}

function keys(now: Definition, next: Definition): readonly AlterChange[] {
  return change('key', now.key, next.key, 'reindex', 'every document is stored under its key');
}

function duplicates(now: Definition, next: Definition, { droppedDuplicates }: LiveFacts) {
  const [from, to] = [now.onDuplicateKey, next.onDuplicateKey];
  const strict = to === 'refuse' && droppedDuplicates > 0;
  return strict
    ? change('on_duplicate_key', from, to, 'reindex', `${droppedDuplicates} rows share a key`)
    : change('on_duplicate_key', from, to, 'live', 'no two rows share a key now');
}

function badRows(now: Definition, next: Definition, { skippedRows }: LiveFacts) {
  const [from, to] = [now.onBadRow, next.onBadRow];
  return to === 'refuse' && skippedRows > 0
    ? change('on_bad_row', from, to, 'reindex', `rows that were skipped: ${skippedRows}`)
    : change('on_bad_row', from, to, 'live', 'every row has a document now');
}

function freshness(now: Definition, next: Definition): readonly AlterChange[] {
  const reason = 'the next look at the table heeds it';
  return change('freshness_ms', now.freshnessMs, next.freshnessMs, 'live', reason);
}

function keeping(now: Definition, next: Definition): readonly AlterChange[] {
  const reason = 'it holds for the generations that are kept now, too';
  return change('keep_previous', now.keepPrevious, next.keepPrevious, 'live', reason);
}

const EXPANDS = 'the next search expands words so';

function bareWords(now: Definition, next: Definition): readonly AlterChange[] {
  const reason = 'the next search reads bare words so';
  return change('default_fields', now.defaultFields, next.defaultFields, 'live', reason);
}

function synonyms(now: Definition, next: Definition): readonly AlterChange[] {
  return change('synonyms', now.synonyms, next.synonyms, 'live', EXPANDS);
}

function fusion(now: Definition, next: Definition): readonly AlterChange[] {
  return change('hybrid', now.hybrid, next.hybrid, 'live', 'the next hybrid search fuses so');
}

function tenant(now: Definition, next: Definition, fields: readonly AlterChange[]) {
  const [from, to] = [now.tenantField, next.tenantField];
  const own = fields.filter(({ setting }) => setting.split('.')[1] === to);
  const strategy = (['reindex', 'field'] as const).find((one) =>
    own.some((field) => field.strategy === one),
  );
  return strategy === undefined
    ? change('tenant_field', from, to, 'live', 'every read filters by the field')
    : change('tenant_field', from, to, strategy, `field "${to}" changes as well`);
}

function shards(now: Definition, next: Definition): readonly AlterChange[] {
  const isWhole = now.only === undefined && next.only === undefined;
  const [strategy, reason] = isWhole
    ? (['live', 'one commit gives the segments to other shards'] as const)
    : (['reindex', 'some of the shards are held'] as const);
  return [
    ...change('sharding.shards', now.shards ?? 1, next.shards ?? 1, strategy, reason),
    ...change('sharding.map', now.map, next.map, strategy, reason),
    ...change('sharding.only', now.only, next.only, strategy, reason),
  ];
}

function replicas(now: Definition, next: Definition): readonly AlterChange[] {
  const reason = 'searches wait for as many nodes from the next commit on';
  return change('replicas', now.replicas ?? 1, next.replicas ?? 1, 'live', reason);
}

const TIERS = 'windows change their tiers when the tiers are applied';

function windows(now: Definition, next: Definition): readonly AlterChange[] {
  const cut = ({ windows: own }: Definition) => own && { field: own.field, every: own.every };
  return [
    ...change('windows', cut(now), cut(next), 'reindex', 'documents are stored by their dates'),
    ...change('windows.hot', now.windows?.hot, next.windows?.hot, 'live', TIERS),
    ...change('storage', now.storage, next.storage, 'live', 'cooled windows and commits go there'),
  ];
}

function compareFields(now: Definition, next: Definition, facts: LiveFacts) {
  const before = byName(now.fields);
  const after = byName(next.fields);
  const names = [...new Set([...before.keys(), ...after.keys()])];
  return names.flatMap((name) => {
    const [from, to] = [before.get(name), after.get(name)];
    if (to === undefined) return dropped(name, from, facts);
    if (from === undefined) {
      return change(`fields.${name}`, null, to, 'field', 'no segment has it', work(to, facts));
    }
    return fieldSettings(from, to, facts);
  });
}

function dropped(name: string, from: FieldDefinition | undefined, { skippedRows }: LiveFacts) {
  const path = `fields.${name}`;
  return skippedRows > 0
    ? change(path, from, null, 'reindex', mayBeGood(skippedRows))
    : change(path, from, null, 'field', 'its files go with a new generation');
}

const mayBeGood = (skippedRows: number): string =>
  `rows that were skipped may be good without it: ${skippedRows}`;

/**
 * Whether another limit of a KEYWORD field changes which rows can be indexed. Without a limit, rows
 * whose value it left out cannot: their documents have to go, or the build has to refuse them.
 */
function changesBadRows(key: string, to: FieldDefinition, { skippedRows }: LiveFacts) {
  if (key !== 'maxBytes' || to.type !== 'KEYWORD') return false;
  return skippedRows > 0 || to.maxBytes === undefined;
}

/** Settings of a field that say nothing of its files, and what a change of each does. */
const LIVE_SETTINGS: Readonly<Record<string, string>> = {
  description: 'it describes the field',
  sensitive: 'it describes the field',
  maxBytes: 'it holds for rows that are indexed from now on',
  search: 'the next search of the vectors heeds it',
  synonyms: EXPANDS,
};

function fieldSettings(from: FieldDefinition, to: FieldDefinition, facts: LiveFacts) {
  const [before, after] = [settingsOf(from), settingsOf(to)];
  const settings = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  return settings.flatMap((key) => {
    const [a, b] = [before[key], after[key]];
    const path = `fields.${from.name}.${snake(key)}`;
    if (changesBadRows(key, to, facts)) {
      return change(path, a, b, 'reindex', 'it decides which rows have a document');
    }
    const live = LIVE_SETTINGS[key];
    return live === undefined
      ? change(path, a, b, ...rebuilding(to, facts))
      : change(path, a, b, 'live', live);
  });
}

/** The settings of a field by name, those of its vectors beside the others. */
function settingsOf({ vector, ...settings }: FieldDefinition): Readonly<Record<string, unknown>> {
  return { ...settings, ...vector };
}

/** What a change of a field's structures needs. */
function rebuilding(
  to: FieldDefinition,
  facts: LiveFacts,
): readonly [AlterStrategy, string, Work?] {
  const { built, skippedRows } = facts;
  if (!built.has(to.name) && !built.has(originalsField(to.name)))
    return ['field', 'its other files stay'];
  if (skippedRows > 0) return ['reindex', mayBeGood(skippedRows), work(to, facts)];
  return ['field', 'the field is built again', work(to, facts)];
}

/** What building a field reads and embeds. */
function work({ name, source: columns }: FieldDefinition, { rows, embedded }: LiveFacts): Work {
  return embedded.has(name) ? { columns, texts: rows } : { columns };
}

/** Fields in another order: the first analysed TEXT field is the default one. */
function order(now: Definition, next: Definition): readonly AlterChange[] {
  const [before, after] = [byName(now.fields), byName(next.fields)];
  const from = [...before.keys()].filter((name) => after.has(name));
  const to = [...after.keys()].filter((name) => before.has(name));
  return change('fields', from, to, 'field', 'a commit names its fields in this order');
}

function variants(now: Definition, next: Definition): readonly AlterChange[] {
  const of = ({ variants: all }: Definition) =>
    new Map(all.map((one: VariantDefinition) => [one.column, one]));
  const [before, after] = [of(now), of(next)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((column) => {
    const [from, to] = [before.get(column), after.get(column)];
    const reason = 'its paths and texts are indexed again';
    return change(`variants.${column}`, from, to, 'reindex', reason, { columns: [column] });
  });
}

function analyzers(now: Definition, next: Definition): readonly AlterChange[] {
  const [before, after] = [byName(now.analyzers), byName(next.analyzers)];
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [from, to] = [before.get(name), after.get(name)];
    const users = next.fields.filter(({ analyzer }) => analyzer === name);
    const variants = next.variants.filter(({ analyzer }) => analyzer === name);
    const flattened = variants.map(({ column }) => column);
    const path = `analyzers.${name}`;
    const names = [...users.map((field) => field.name), ...flattened];
    if (names.length === 0) return change(path, from, to, 'live', 'no field uses it');
    const columns = [...new Set([...users.flatMap((field) => field.source), ...flattened])];
    const reason = `the texts of ${names.join(', ')} are analysed again`;
    const strategy = flattened.length === 0 ? 'field' : 'reindex';
    return change(path, from, to, strategy, reason, { columns });
  });
}

const byName = <T extends FieldDefinition | AnalyzerDefinition>(all: readonly T[]) =>
  new Map(all.map((one) => [one.name, one]));

function change(
  setting: string,
  from: unknown,
  to: unknown,
  strategy: AlterStrategy,
  reason: string,
  work: Work = {},
): readonly AlterChange[] {
  if (!differs(from, to)) return [];
  return [{ setting, from: json(from), to: json(to), strategy, reason, ...work }];
}

const differs = (a: unknown, b: unknown): boolean =>
  JSON.stringify(json(a)) !== JSON.stringify(json(b));

/** A value of a definition as JSON, properties by name; null for none. */
function json(value: unknown): Json {
  if (value === undefined || value === null) return null;
  if (Array.isArray(value)) return value.map(json);
  if (typeof value !== 'object') return value as Json;
  const entries = Object.entries(value).filter(([, one]) => one !== undefined);
  return Object.fromEntries(
    entries
      .map(([key, one]): [string, Json] => [snake(key), json(one)])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}

/** The definition's spelling of a property: `maxBytes` is `max_bytes`. */
const snake = (key: string): string => key.replace(/[A-Z]/g, (one) => `_${one.toLowerCase()}`);
