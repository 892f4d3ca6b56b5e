import {
  type AggResult,
  type AggSpecs,
  type FieldDescription,
  type IndexDescription,
  isPlain,
  type Json,
  type JsonObject,
  LhsError,
  withDates,
} from '@lakehouse-search/contract';
import type { AgentContext } from '../base/agent-backend.ts';
import { cutText } from '../base/tokens.ts';
import { visible } from '../base/visible.ts';
import { shortDates } from './hit-view.ts';

/** Fields whose values are shown, values of each, and tokens of a value. */
const FIELDS = 40;
const VALUES = 8;
const VALUE_TOKENS = 12;
/** Rows whose paths are shown, and paths of a column. */
const SAMPLE = 50;
const PATHS = 30;

/** What is in the fields of an index. */
export interface Contents {
  /** By field: the most frequent values with their counts, or the smallest and largest one. */
  readonly values: ReadonlyMap<string, JsonObject>;
  /** By flattened column: paths in some rows, as clauses name them. */
  readonly paths: JsonObject;
}

/** The contents of an index; nothing if the caller may not search it. */
export async function contentsOf(
  index: IndexDescription,
  context: AgentContext,
): Promise<Contents> {
  try {
    const [values, paths] = [await valuesOf(index, context), await pathsOf(index, context)];
    return { values, paths };
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    return { values: new Map(), paths: {} };
  }
}

const RANGES = ['LONG', 'DOUBLE', 'DATE'];
const LISTS = ['KEYWORD', 'BOOL'];

async function valuesOf({ index, fields }: IndexDescription, { backend, call }: AgentContext) {
  const able = fields.filter(({ fast, type }) => fast && [...RANGES, ...LISTS].includes(type));
  const shown = able.slice(0, FIELDS);
  if (shown.length === 0) return new Map<string, JsonObject>();
  const aggs: AggSpecs = Object.fromEntries(shown.flatMap(specsOf));
  const { results } = await backend.aggregate({ index, aggs }, call);
  const dates = shown.filter(({ type }) => type === 'DATE').map(({ name }) => name);
  const dated = withDates(results, aggs, new Set(dates));
  return new Map(shown.map((field) => [field.name, contentOf(field, dated)]));
}

/** `min` and `max`, or the first values and the number of them. */
function specsOf({ name: field, type }: FieldDescription): [string, AggSpecs[string]][] {
  if (RANGES.includes(type)) {
    return [
      [`min ${field}`, { min: { field } }],
      [`max ${field}`, { max: { field } }],
    ];
  }
  return [
    [`terms ${field}`, { terms: { field, size: VALUES } }],
    [`count ${field}`, { cardinality: { field } }],
  ];
}

function contentOf(
  { name, type }: FieldDescription,
  results: Record<string, AggResult>,
): JsonObject {
  if (RANGES.includes(type)) {
    return { min: figureOf(results[`min ${name}`]), max: figureOf(results[`max ${name}`]) };
  }
  const terms = results[`terms ${name}`];
  const buckets = 'buckets' in terms ? terms.buckets : [];
  const values = buckets.map(({ key, doc_count }): [string, Json] => [
    visible(cutText(String(key), VALUE_TOKENS)),
    doc_count,
  ]);
  return { distinct: figureOf(results[`count ${name}`]), values: Object.fromEntries(values) };
}

const figureOf = (result: AggResult): Json => ('value' in result ? shortDates(result.value) : null);

/** Paths in the first rows, for columns whose paths are in no list. */
async function pathsOf(
  { index, variants }: IndexDescription,
  { backend, call }: AgentContext,
): Promise<JsonObject> {
  const columns = variants.filter(({ flatten }) => flatten).map(({ column }) => column);
  if (columns.length === 0) return {};
  const { hits } = await backend.search({ index, limit: SAMPLE, fields: [] }, call);
  const keys = hits.map(({ coordinates }) => coordinates);
  if (keys.length === 0) return {};
  const { rows } = await backend.getKeys({ index, keys, columns }, call);
  const found = columns.map((column): [string, Json] => {
    const paths = new Set(rows.flatMap(({ fields }) => [...leafPaths(fields[column], column)]));
    return [
      column,
      [...paths]
        .sort()
        .slice(0, PATHS)
        .map((path) => visible(path)),
    ];
  });
  return Object.fromEntries(found);
}

function* leafPaths(value: Json | undefined, path: string): Generator<string> {
  if (Array.isArray(value)) for (const part of value) yield* leafPaths(part, path);
  else if (isPlain(value)) {
    for (const [name, part] of Object.entries(value as JsonObject)) {
      yield* leafPaths(part, `${path}.${name}`);
    }
  } else if (value !== undefined && value !== null) yield path;
}
