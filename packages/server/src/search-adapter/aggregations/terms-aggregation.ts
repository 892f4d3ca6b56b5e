/** `terms`: order, least counts, included and excluded values, keys of each type. */
import type { AggBucket, AggResults, Json, JsonObject } from '@lakehouse-search/contract';
import { microsOfIso } from '../base/date-format.ts';
import {
  flagIn,
  listIn,
  objectIn,
  onlyKnown,
  repeatedIn,
  textIn,
  wholeIn,
} from '../base/read-json.ts';
import type { ServedIndex } from '../base/served-index.ts';
import { isObject } from '../query/body.ts';
import type { TableField } from '../query/field-table.ts';
import { clipped, illegal, malformed, unserved } from '../query/refusal.ts';
import {
  type AggLevel,
  type AggSource,
  type AggTranslator,
  aggField,
  bucketOf,
  isMultiValued,
  MOST_VALUES,
  refuseOptions,
  type ValueFormat,
  valueFormat,
  wireNumber,
  withSubs,
} from './agg-part.ts';

const OPTIONS = [
  ...['field', 'size', 'order', 'min_doc_count', 'missing', 'include', 'exclude', 'format'],
  ...['shard_size', 'shard_min_doc_count', 'show_term_doc_count_error', 'execution_hint'],
  ...['collect_mode', 'value_type'],
];
const SIZE = 10;

/** One key of an order. */
interface OrderKey {
  readonly path: string;
  readonly desc: boolean;
}

/** What is read of a `terms`. */
interface TermsPlan {
  readonly field: TableField;
  readonly order: readonly OrderKey[];
  /** The order as our engine has it; undefined: buckets are ordered here. */
  readonly engine: JsonObject | undefined;
  readonly least: number;
  readonly size: number;
  readonly format: ValueFormat | undefined;
  readonly showError: boolean;
  /** Several indexes were searched. */
  readonly isMerged: boolean;
}

/** `terms`. */
export const termsAggregation: AggTranslator = async (source, kind) => {
  const { name, subs, index } = source;
  const body = objectIn(source.body, kind);
  refuseOptions(body, kind, ['script']);
  onlyKnown(body, kind, OPTIONS);
  const plan = readTerms(body, source, kind);
  const { field, engine, size } = plan;
  const options = {
    field: field.name,
    size: engine === undefined ? MOST_VALUES : size,
    ...(engine === undefined ? {} : { order: engine }),
  };
  const missing: JsonObject = body.missing === undefined ? {} : { missing: body.missing };
  if (typeof body.missing === 'string') repeatedIn(body.missing, 'missing');
  const filter = valueFilter(body, field, index);
  const within = (spec: JsonObject): JsonObject =>
    filter === undefined ? spec : { filter, aggs: { t: spec } };
  const all = plan.least > 0 ? [] : await everyValue(source, options, within);
  return {
    type: typedName(field),
    specs: { [name]: within(withSubs({ terms: { ...options, ...missing } }, subs)) },
    finish: (results) => termsResult(termsOf(results, name, filter), all, plan, subs),
  };
};

function readTerms(body: JsonObject, { index, subs }: AggSource, kind: string): TermsPlan {
  const order = readOrder(body.order);
  const least = wholeIn(body.min_doc_count ?? 1, 'min_doc_count');
  const size = wholeIn(body.size ?? SIZE, 'size');
  if (least < 0) throw illegal(`[min_doc_count] must be at least 0, found [${least}] in [terms]`);
  if (size < 1) throw illegal('[size] must be greater than 0. Found [0] in [terms]');
  const isMerged = index.isSeveral === true;
  const hasSubs = Object.keys(subs.specs).length > 0;
  const engine = isMerged || least === 0 ? undefined : engineOrder(order, least, hasSubs);
  const field = aggField(body.field, kind, index);
  return {
    ...{ order, least, size, isMerged, engine, field },
    format: valueFormat(body.format, field),
    showError: flagIn(body.show_term_doc_count_error ?? false, 'show_term_doc_count_error'),
  };
}

/** The values of all documents, for `min_doc_count: 0`. */
async function everyValue(
  { runOverAll }: AggSource,
  options: JsonObject,
  within: (spec: JsonObject) => JsonObject,
): Promise<readonly AggBucket[]> {
  const spec = within({ terms: options });
  const results = await runOverAll({ v: spec });
  const found = termsOf(results, 'v', spec.filter as JsonObject | undefined);
  if (found.sum_other_doc_count === 0) return found.buckets;
  throw unserved(`[terms] with [min_doc_count: 0] is served up to ${MOST_VALUES} values`);
}

/** Our result of a `terms`, which is inside of a filter if values are chosen. */
interface FoundTerms {
  readonly buckets: readonly AggBucket[];
  readonly sum_other_doc_count: number;
  readonly doc_count_error_upper_bound: number;
}

function termsOf(results: AggResults, name: string, filter: JsonObject | undefined): FoundTerms {
  const own = filter === undefined ? results : innerOf(results, name);
  const found = own[filter === undefined ? name : 't'] as FoundTerms | undefined;
  return found ?? { buckets: [], sum_other_doc_count: 0, doc_count_error_upper_bound: 0 };
}

function termsResult(
  found: FoundTerms,
  all: readonly AggBucket[],
  plan: TermsPlan,
  subs: AggLevel,
): JsonObject {
  const { field, order, engine, least, size, format, showError, isMerged } = plan;
  // values that were not read have as many documents as the last one at most
  const isWhole = (found.buckets.at(-1)?.doc_count ?? 0) < least;
  const others = isWhole ? 0 : found.sum_other_doc_count;
  if (engine === undefined && others > 0 && !isMerged) {
    throw illegal(`[terms] orders more than ${MOST_VALUES} values of [${field.name}] itself`);
  }
  const error = found.doc_count_error_upper_bound;
  const counted = found.buckets.filter(({ doc_count }) => doc_count >= least);
  const known = new Set(all.length === 0 ? [] : counted.map(({ key }) => JSON.stringify(key)));
  const none = all.filter(({ key }) => !known.has(JSON.stringify(key)));
  const buckets = [...counted, ...none.map(({ key }) => ({ key, doc_count: 0 }))].map(
    (bucket): JsonObject => {
      const extra: JsonObject = showError ? { doc_count_error_upper_bound: error } : {};
      return { ...bucketOf(keyHead(bucket, field, format), bucket, subs), ...extra };
    },
  );
  const ordered = engine === undefined ? buckets.sort(byOrder(order)) : buckets;
  const cut = ordered.slice(size).reduce((sum, one) => sum + Number(one.doc_count), 0);
  return {
    doc_count_error_upper_bound: error,
    sum_other_doc_count: others + cut,
    buckets: ordered.slice(0, size),
  };
}

const innerOf = (results: AggResults, name: string): AggResults =>
  (results[name] as { readonly aggs?: AggResults }).aggs ?? {};

const typedName = ({ type }: TableField): string =>
  type === 'DOUBLE' ? 'dterms' : type === 'KEYWORD' || type === 'IP' ? 'sterms' : 'lterms';

/** The key of a bucket, and its text if the type has one. */
export function keyHead(
  { key }: Pick<AggBucket, 'key'>,
  { type }: TableField,
  format: ValueFormat | undefined,
): JsonObject {
  if (type === 'BOOL') return { key: key === true ? 1 : 0, key_as_string: String(key) };
  if (type !== 'DATE') {
    return { key, ...(format === undefined ? {} : { key_as_string: format(formattedKey(key)) }) };
  }
  const micros = typeof key === 'string' ? (microsOfIso(key) ?? wireNumber(key)!) : Number(key);
  return { key: micros / 1000, ...(format === undefined ? {} : { key_as_string: format(micros) }) };
}

/** Digits that a double may round are formatted as they are. */
const formattedKey = (key: Json): number | bigint =>
  typeof key === 'string' && /^-?\d+$/.test(key) ? BigInt(key) : Number(key);

function readOrder(json: Json | undefined): readonly OrderKey[] {
  if (json === undefined) return [{ path: '_count', desc: true }];
  return listIn(json).flatMap((one) =>
    Object.entries(objectIn(one, 'order')).map(([path, direction]): OrderKey => {
      const text = textIn(direction, 'order').toLowerCase();
      if (text !== 'asc' && text !== 'desc') {
        throw illegal(`Unknown order direction [${clipped(text)}]`);
      }
      return { path: path === '_term' ? '_key' : path, desc: text === 'desc' };
    }),
  );
}

/**
 * The order as our engine has it; undefined: we order its buckets. Without aggregations inside,
 * values below the least count are read too, and left out of the count of other documents.
 */
function engineOrder(
  order: readonly OrderKey[],
  least: number,
  hasSubs: boolean,
): JsonObject | undefined {
  const [first, second] = order;
  const { path, desc } = first;
  const isPlain =
    order.length === 1 || (path === '_count' && second.path === '_key' && !second.desc);
  if (!isPlain || (path !== '_count' && path !== '_key')) return undefined;
  if (least > 1 && !(hasSubs && path === '_count' && desc)) return undefined;
  return { [path]: desc ? 'desc' : 'asc' };
}

function byOrder(order: readonly OrderKey[]) {
  return (a: JsonObject, b: JsonObject): number => {
    for (const { path, desc } of [...order, { path: '_key', desc: false }]) {
      const [x, y] = [orderValue(a, path), orderValue(b, path)];
      if (x === y) continue;
      const isLess = x === null || (y !== null && isBelow(x, y));
      return isLess === desc ? 1 : -1;
    }
    return 0;
  };
}

/** Texts are in the order of their code points. */
function isBelow(x: string | number, y: string | number): boolean {
  if (typeof x === 'string' && typeof y === 'string') {
    return Buffer.compare(Buffer.from(x), Buffer.from(y)) < 0;
  }
  return x < y;
}

/** The value that a bucket is ordered by: its count, its key, or a metric such as `cost.avg`. */
function orderValue(bucket: JsonObject, path: string): string | number | null {
  if (path === '_count') return Number(bucket.doc_count);
  if (path === '_key') return bucket.key as string | number;
  const [name, stat = 'value'] = path.split('.');
  const metric = bucket[name];
  if (isObject(metric) && (stat in metric || 'doc_count' in metric)) {
    return (metric[stat] ?? metric.doc_count ?? null) as number | null;
  }
  throw illegal(`Invalid aggregation order path [${clipped(path)}]`);
}

/** The documents whose value is included and not excluded; undefined: all. */
function valueFilter(body: JsonObject, field: TableField, index: ServedIndex) {
  const { include, exclude, missing } = body;
  if (include === undefined && exclude === undefined) return undefined;
  if (isMultiValued(index, field.name) || missing !== undefined) {
    const reason = missing === undefined ? 'a field with several values' : '[missing]';
    throw unserved(`[terms] with [include] or [exclude] on ${reason} is not served`);
  }
  const clause = (json: Json | undefined) => (json === undefined ? [] : [valuesOf(json, field)]);
  return { bool: { filter: clause(include), must_not: clause(exclude) } };
}

function valuesOf(json: Json, { name, type }: TableField): JsonObject {
  if (Array.isArray(json)) return { terms: { field: name, values: json.map(String) } };
  if (typeof json === 'string') {
    if (type === 'KEYWORD') return { regex: { field: name, value: json } };
    throw illegal(`[terms] with a regular expression needs a keyword field, not [${name}]`);
  }
  if (isObject(json)) throw unserved('[terms] with partitions is not served by this adapter');
  throw malformed('[terms] include and exclude are a text or a list');
}
