import {
  type AggBucket,
  type AggResult,
  type AggResults,
  type AggSpecs,
  type FieldDescription,
  type IndexDescription,
  type Json,
  type JsonObject,
  LhsError,
} from '@lakehouse-search/contract';
import { isPlain, withDates } from '@lakehouse-search/contract/internal';
import type { AgentContext } from '../../base/agent-backend.ts';
import { cutText } from '../../base/tokens.ts';
import { visible } from '../../base/visible.ts';
import { shortDates } from '../hits/hit-view.ts';
import { foldedPaths } from './fold-names.ts';

/** Fields whose values are shown, values of each if they are all, others, and tokens of a value. */
const FIELDS = 40;
const ALL_VALUES = 12;
const VALUES = 5;
const VALUE_TOKENS = 12;
/** Fields of one request, which the engine's limit of aggregations allows. */
const TOGETHER = 15;
/** Rows whose paths are shown, and paths of a column. */
const SAMPLE = 50;
const PATHS = 30;

/** What is in the fields of an index. */
export interface Contents {
  /** By field: the most frequent values with their counts, or the smallest and largest one. */
  readonly values: ReadonlyMap<string, JsonObject>;
  /** By flattened column: paths in some rows, as clauses name them. */
  readonly paths: JsonObject;
  /** What is not shown, and why. */
  readonly notes: readonly string[];
}

/** The contents of an index, with the reasons why some are missing. */
export async function contentsOf(
  index: IndexDescription,
  context: AgentContext,
): Promise<Contents> {
  const able = index.fields.filter(
    ({ fast, type }) => fast && [...RANGES, ...LISTS].includes(type),
  );
  const topFirst = able.toSorted((a, b) => Number(isNested(a)) - Number(isNested(b)));
  const shown = topFirst.slice(0, FIELDS);
  const values = await orReason('values', valuesOf(index, shown, context));
  const paths = await orReason('paths', pathsOf(index, context));
  const left = able.length - shown.length;
  const note = `values of ${left} more fields are not shown: aggregate terms=FIELD`;
  return {
    values: new Map(values.found),
    paths: Object.fromEntries(paths.found),
    notes: [...(left === 0 ? [] : [note]), ...values.notes, ...paths.notes],
  };
}

const isNested = ({ name, path }: FieldDescription) => path !== undefined || name.includes('.');

async function orReason<T>(what: string, reading: Promise<readonly T[]>) {
  try {
    return { found: await reading, notes: [] };
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    return { found: [], notes: [`${what} not shown: ${visible(error.message)}`] };
  }
}

const RANGES = ['LONG', 'DOUBLE', 'DATE'];
const LISTS = ['KEYWORD', 'BOOL'];

async function valuesOf(
  { index }: Pick<IndexDescription, 'index'>,
  shown: readonly FieldDescription[],
  { backend, call }: AgentContext,
): Promise<readonly [string, JsonObject][]> {
  if (shown.length === 0) return [];
  const fields = shown.slice(0, TOGETHER);
  const aggs: AggSpecs = Object.fromEntries(fields.flatMap(specsOf));
  const { results } = await backend.aggregate({ index, aggs }, call);
  const dates = fields.filter(({ type }) => type === 'DATE').map(({ name }) => name);
  const dated = withDates(results, aggs, new Set(dates));
  const found = fields.map((field): [string, JsonObject] => [field.name, contentOf(field, dated)]);
  return [...found, ...(await valuesOf({ index }, shown.slice(TOGETHER), { backend, call }))];
}

/** `min` and `max`, or the first values and the number of them; rows without a value. */
function specsOf({ name: field, type }: FieldDescription): [string, AggSpecs[string]][] {
  const rows: [string, AggSpecs[string]][] = [
    [`missing ${field}`, { missing: { field } }],
    [`future ${field}`, { filter: { range: { field, gt: 'now' } } }],
  ];
  if (RANGES.includes(type)) {
    return [
      [`min ${field}`, { min: { field } }],
      [`max ${field}`, { max: { field } }],
      ...rows.slice(0, type === 'DATE' ? 2 : 1),
    ];
  }
  return [
    [`terms ${field}`, { terms: { field, size: ALL_VALUES } }],
    [`count ${field}`, { cardinality: { field } }],
    ...rows.slice(0, 1),
  ];
}

/** Counts of rows that have no value, or a date in the future; none is not named. */
function oddRows(name: string, results: Record<string, AggResult>): JsonObject {
  const counts = ['missing', 'future'].map((kind): [string, number] => {
    const result = results[`${kind} ${name}`];
    return [kind, result !== undefined && 'doc_count' in result ? result.doc_count : 0];
  });
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}

function contentOf(
  { name, type }: FieldDescription,
  results: Record<string, AggResult>,
): JsonObject {
  if (RANGES.includes(type)) {
    const [min, max] = ['min', 'max'].map((kind) => figureOf(results[`${kind} ${name}`]));
    return { min, max, ...epochOf(min, max), ...oddRows(name, results) };
  }
  const terms = results[`terms ${name}`];
  const buckets = 'buckets' in terms ? terms.buckets : [];
  const distinct = figureOf(results[`count ${name}`]);
  const first = distinct === buckets.length ? buckets : buckets.slice(0, VALUES);
  const values = first.map(({ key, doc_count }): [string, Json] => [
    visible(cutText(String(key), VALUE_TOKENS)),
    doc_count,
  ]);
  return { distinct, values: Object.fromEntries(values), ...oddRows(name, results) };
}

/** Milliseconds since 1970 of the years 2001 to 2096. */
const EPOCH_MS = { least: 1e12, most: 4e12 };

/** The range of numbers as dates, if they may be milliseconds since 1970. */
function epochOf(min: Json, max: Json): JsonObject {
  const [first, last] = [epochDate(min), epochDate(max)];
  const isEpoch = first !== undefined && last !== undefined;
  return isEpoch ? { looks_like_epoch_ms: `${first} to ${last}` } : {};
}

/** A number as a date, if it may be milliseconds since 1970. */
export const epochDate = (value: Json | undefined): Json | undefined =>
  typeof value === 'number' && value >= EPOCH_MS.least && value <= EPOCH_MS.most
    ? shortDates(new Date(value).toISOString())
    : undefined;

const figureOf = (result: AggResult): Json => ('value' in result ? shortDates(result.value) : null);

/** Paths in the first rows, for columns whose paths are in no list. */
async function pathsOf(
  { index, variants }: IndexDescription,
  context: AgentContext,
): Promise<readonly [string, Json][]> {
  const { backend, call } = context;
  const columns = variants.filter(({ flatten }) => flatten).map(({ column }) => column);
  if (columns.length === 0) return [];
  const { hits } = await backend.search({ index, limit: SAMPLE, fields: [] }, call);
  const keys = hits.map(({ coordinates }) => coordinates);
  if (keys.length === 0) return [];
  const { rows } = await backend.getKeys({ index, keys, columns }, call);
  const found: [string, Json][] = [];
  for (const column of columns) {
    const values = rows.map(({ fields }) => fields[column]);
    const paths = await indexedPaths(index, column, values, context);
    found.push([column, paths.map((path) => visible(path))]);
  }
  return found;
}

/**
 * The first paths of values; `…` stands for more. Rows do not tell a map from a list of pairs, so
 * of the paths of both the index counts those that it has.
 */
async function indexedPaths(
  index: string,
  column: string,
  values: readonly (Json | undefined)[],
  { backend, call }: AgentContext,
): Promise<readonly string[]> {
  const leaves = new Map(values.flatMap((value) => [...leafPaths(value, column, true)]));
  const paths = [...leaves.keys()];
  const unsure = paths.filter((path) => leaves.get(path) === false);
  const counted = unsure.slice(0, 2 * PATHS);
  const aggs: AggSpecs = Object.fromEntries(
    counted.map((path) => [path, { filter: { exists: { field: path } } }]),
  );
  const results: AggResults =
    counted.length === 0 ? {} : (await backend.aggregate({ index, aggs }, call)).results;
  const found = counted.filter((path) => (results[path] as AggBucket).doc_count > 0);
  const all = [...paths.filter((path) => leaves.get(path) === true), ...found].sort();
  const sorted = foldedPaths(all);
  const isCut = sorted.length > PATHS || counted.length < unsure.length;
  return [...sorted.slice(0, PATHS), ...(isCut ? ['…'] : [])];
}

const isPair = (value: Json): boolean =>
  isPlain(value) &&
  Object.keys(value as JsonObject)
    .toSorted()
    .join() === 'key,value';

/** Paths of leaves; false: whether it is one depends on what a list of pairs is. */
function* leafPaths(
  value: Json | undefined,
  path: string,
  isSure: boolean,
): Generator<[string, boolean]> {
  if (Array.isArray(value)) {
    for (const part of value as readonly Json[]) {
      yield* leafPaths(part, path, isSure && !isPair(part));
      if (!isPair(part)) continue;
      const { key, value: inner } = part as JsonObject;
      yield* leafPaths(inner, `${path}.${key}`, false);
    }
  } else if (isPlain(value)) {
    for (const [name, part] of Object.entries(value as JsonObject)) {
      yield* leafPaths(part, `${path}.${name}`, isSure);
    }
  } else if (value !== undefined && value !== null) yield [path, isSure];
}
