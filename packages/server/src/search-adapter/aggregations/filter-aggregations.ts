/** `filter`, `filters`, `missing`, `range`, `date_range`. */
import type { AggBucket, AggResults, Json, JsonObject } from '@lakehouse-search/contract';
import { isoOfMicros } from '../base/date-format.ts';
import {
  flagIn,
  listIn,
  numberIn,
  objectIn,
  onlyKnown,
  repeatedIn,
  textIn,
} from '../base/read-json.ts';
import { isObject } from '../query/body.ts';
import { type DateReading, millisInstant, readInstant } from '../query/date-instant.ts';
import { illegal, malformed } from '../query/refusal.ts';
import {
  type AggTranslator,
  aggField,
  bucketOf,
  bucketsOf,
  doubleText,
  refuseOptions,
  type ValueFormat,
  valueFormat,
  withSubs,
} from './agg-part.ts';
import { treeOf } from './several-indexes.ts';

type Single = Pick<AggBucket, 'doc_count' | 'aggs'>;
const singleOf = (results: AggResults, name: string) => results[name] as Single;

const filter: AggTranslator = ({ name, body, subs, index }, kind) => ({
  type: kind,
  specs: { [name]: withSubs({ filter: treeOf(body, index) }, subs) },
  finish: (results) => bucketOf({}, singleOf(results, name), subs),
});

const missing: AggTranslator = ({ name, body, subs, index }, kind) => {
  const { field } = onlyKnown(objectIn(body, kind), kind, ['field']);
  const spec = { missing: { field: aggField(field, kind, index).name } };
  return {
    type: kind,
    specs: { [name]: withSubs(spec, subs) },
    finish: (results) => bucketOf({}, singleOf(results, name), subs),
  };
};

/** One of ours per filter, and one for the documents that none matches. */
const filters: AggTranslator = ({ name, body, subs, index }, kind) => {
  const json = objectIn(body, kind);
  onlyKnown(json, kind, ['filters', 'other_bucket', 'other_bucket_key', 'keyed']);
  const list = json.filters;
  const isKeyed = isObject(list) && flagIn(json.keyed ?? true, 'keyed');
  if (list === undefined) throw malformed('[filters] requires [filters]');
  const entries = Array.isArray(list)
    ? list.map((query: Json, at) => [String(at), query] as const)
    : Object.entries(objectIn(list, kind));
  const trees = entries.map(
    ([key, query]) => [repeatedIn(key, 'filters'), treeOf(query, index)] as const,
  );
  const other = json.other_bucket_key ?? (json.other_bucket === true ? '_other_' : undefined);
  repeatedIn(String(other), 'other_bucket_key');
  const isNamed = typeof other === 'string';
  const none = { bool: { must_not: trees.map(([, tree]) => tree) } };
  const all = isNamed ? [...trees, [other, none] as const] : trees;
  return {
    type: kind,
    specs: Object.fromEntries(
      all.map(([, tree], at) => [`${name}.${at}`, withSubs({ filter: tree }, subs)] as const),
    ),
    finish(results) {
      const found = all.map(([key], at) => {
        const own = bucketOf({}, singleOf(results, `${name}.${at}`), subs);
        return [key, own] as const;
      });
      if (isKeyed) return { buckets: Object.fromEntries(found) };
      return { buckets: found.map(([, bucket]) => bucket) };
    },
  };
};

/** A bound of a range, in our terms and as a number of theirs. */
interface Bound {
  readonly ours: Json;
  readonly theirs: number;
}
interface BoundRange {
  readonly key: string | undefined;
  readonly from: Bound | undefined;
  readonly to: Bound | undefined;
}

const range: AggTranslator = ({ name, body, subs, index }, kind) => {
  const json = objectIn(body, kind);
  refuseOptions(json, kind, ['script', 'missing', 'time_zone']);
  onlyKnown(json, kind, ['field', 'ranges', 'keyed', 'format']);
  const field = aggField(json.field, kind, index);
  const isDate = kind === 'date_range';
  const format =
    isDate || json.format !== undefined
      ? valueFormat(json.format, isDate ? { ...field, type: 'DATE' } : field)
      : undefined;
  const isWhole = field.type === 'LONG';
  const dates = { format: formatText(json.format), now: index.table.now };
  const ranges = listIn(json.ranges ?? [])
    .map((one) => readRange(objectIn(one, 'ranges'), isDate ? dates : undefined, isWhole))
    .sort(byBounds);
  if (ranges.length === 0) throw illegal(`No [ranges] specified for the [${name}] aggregation`);
  const ours = ranges.map(({ from, to }) => ({
    ...(from === undefined ? {} : { from: from.ours }),
    ...(to === undefined ? {} : { to: to.ours }),
  }));
  const isKeyed = flagIn(json.keyed ?? false, 'keyed');
  return {
    type: kind,
    specs: { [name]: withSubs({ range: { field: field.name, ranges: ours } }, subs) },
    finish(results) {
      const found = bucketsOf(results, name).map((bucket, at) =>
        bucketOf(rangeHead(ranges[at], format, isDate), bucket, subs),
      );
      if (!isKeyed) return { buckets: found };
      return {
        buckets: Object.fromEntries(found.map(({ key, ...bucket }) => [String(key), bucket])),
      };
    },
  };
};

const formatText = (json: Json | undefined): string | undefined =>
  json === undefined ? undefined : textIn(json, 'format');

function readRange(json: JsonObject, dates: DateReading | undefined, isWhole: boolean): BoundRange {
  onlyKnown(json, 'ranges', ['key', 'from', 'to']);
  const bound = (value: Json | undefined): Bound | undefined => {
    if (value === undefined || value === null) return undefined;
    if (dates !== undefined) return dateBound(value, dates);
    const theirs = numberIn(value, 'ranges');
    return { ours: isWhole ? wholeBound(value, theirs) : theirs, theirs };
  };
  const key = json.key === undefined ? undefined : repeatedIn(textIn(json.key, 'key'), 'key');
  return { key, from: bound(json.from), to: bound(json.to) };
}

/** The least whole number from a bound on; digits that a double may round stay a text. */
const wholeBound = (value: Json, number: number): Json =>
  typeof value === 'string' && /^-?\d+$/.test(value) ? value : Math.ceil(number);

/** Numbers are milliseconds since 1970; texts are dates or date math. */
function dateBound(value: Json, dates: DateReading): Bound {
  const { first } =
    typeof value === 'number'
      ? millisInstant(value)
      : readInstant(textIn(value, 'ranges'), dates, 'ranges');
  const micros = Number(first);
  return { ours: isoOfMicros(micros), theirs: micros / 1000 };
}

function byBounds(a: BoundRange, b: BoundRange): number {
  const [x, y] = [a.from?.theirs ?? -Infinity, b.from?.theirs ?? -Infinity];
  if (x !== y) return x < y ? -1 : 1;
  const [u, v] = [a.to?.theirs ?? Infinity, b.to?.theirs ?? Infinity];
  return u === v ? 0 : u < v ? -1 : 1;
}

function rangeHead(
  { key, from, to }: BoundRange,
  format: ValueFormat | undefined,
  isDate: boolean,
): JsonObject {
  const text = (bound: Bound | undefined) => {
    if (bound === undefined) return '*';
    if (format === undefined) return doubleText(bound.theirs);
    return format(isDate ? Math.round(bound.theirs * 1000) : bound.theirs);
  };
  const asText = (name: string, bound: Bound) =>
    format === undefined ? {} : { [`${name}_as_string`]: text(bound) };
  return {
    key: key ?? `${text(from)}-${text(to)}`,
    ...(from === undefined ? {} : { from: from.theirs, ...asText('from', from) }),
    ...(to === undefined ? {} : { to: to.theirs, ...asText('to', to) }),
  };
}

/** The translators by kind. */
export const FILTER_AGGREGATIONS: ReadonlyMap<string, AggTranslator> = new Map([
  ['filter', filter],
  ['filters', filters],
  ['missing', missing],
  ['range', range],
  ['date_range', range],
]);
