/** `date_histogram`, and `histogram` as ranges between the least and the greatest value. */
import type { AggBucket, AggResults, Json, JsonObject } from '@lakehouse-search/contract';
import { type DateFormat, dateFormat } from '../base/date-format.ts';
import {
  flagIn,
  listIn,
  numberIn,
  objectIn,
  onlyKnown,
  textIn,
  wholeIn,
} from '../base/read-json.ts';
import { type DateReading, readInstant } from '../query/date-instant.ts';
import { illegal, type RefusedDsl, unserved } from '../query/refusal.ts';
import {
  type AggLevel,
  type AggSource,
  type AggTranslator,
  aggField,
  bucketOf,
  bucketsOf,
  doubleText,
  keyedBuckets,
  refuseOptions,
  wireNumber,
  withSubs,
} from './agg-part.ts';
import {
  bucketStart,
  type DateInterval,
  isUtc,
  nextStart,
  ourInterval,
  readInterval,
  zoneOffset,
} from './date-interval.ts';

/** Most buckets of one histogram, as of the imitated engine's requests. */
const MOST_BUCKETS = 65_536;
const MOST_RANGES = 256;
const UNSERVED = ['script', 'missing', 'hard_bounds'];
const DATE_OPTIONS = [
  ...['field', 'fixed_interval', 'calendar_interval', 'time_zone', 'format', 'min_doc_count'],
  ...['keyed', 'order', 'extended_bounds', 'offset'],
];

/** Buckets by their start, milliseconds or a number. */
type Counted = Pick<AggBucket, 'doc_count' | 'aggs'> & { readonly start: number };

const dateHistogram: AggTranslator = (source, kind) => {
  const { name, subs, index } = source;
  const body = objectIn(source.body, kind);
  refuseOptions(body, kind, [...UNSERVED, ...(isZero(body.offset) ? [] : ['offset'])]);
  onlyKnown(body, kind, DATE_OPTIONS);
  const { name: field } = aggField(body.field, kind, index);
  const interval = readInterval(body);
  const least = wholeIn(body.min_doc_count ?? 0, 'min_doc_count');
  const pattern = body.format === undefined ? undefined : textIn(body.format, 'format');
  const format = dateFormat(pattern);
  const bounds = extendedBounds(body, interval, least, { format: pattern, now: index.table.now });
  const spec = { date_histogram: { field, ...ourInterval(interval), min_doc_count: least } };
  return {
    type: kind,
    specs: { [name]: withSubs(spec, subs) },
    finish(results) {
      const found = bucketsOf(results, name).map(
        (bucket): Counted => ({ ...bucket, start: wireNumber(bucket.key)! / 1000 }),
      );
      const all = bounds === undefined ? found : extended(found, interval, bounds);
      return histogramOf(body, all, subs, (start) => dateHead(start, interval.zone, format));
    },
  };
};

const isZero = (offset: Json | undefined): boolean =>
  offset === undefined || offset === 0 || /^[+-]?0(ms|s|m|h|d)?$/.test(String(offset));

const dateHead = (start: number, zone: string, format: DateFormat): JsonObject => ({
  key_as_string: format(start * 1000, zoneOffset(zone, start)),
  key: start,
});

function histogramOf(
  body: JsonObject,
  all: readonly Counted[],
  subs: AggLevel,
  head: (start: number) => JsonObject,
): JsonObject {
  const buckets = all.map((bucket) => bucketOf(head(bucket.start), bucket, subs));
  const ordered = inOrder(buckets, body.order);
  const isKeyed = flagIn(body.keyed ?? false, 'keyed');
  return {
    buckets: keyedBuckets(ordered, isKeyed, ({ key_as_string, key }) =>
      String(key_as_string ?? doubleText(Number(key))),
    ),
  };
}

function inOrder(buckets: JsonObject[], order: Json | undefined): readonly JsonObject[] {
  if (order === undefined) return buckets;
  const keys = listIn(order).flatMap((one) => Object.entries(objectIn(one, 'order')));
  const [[path, direction] = ['_key', 'asc'], ...more] = keys;
  const by = path === '_count' ? 'doc_count' : path === '_key' ? 'key' : undefined;
  const others = more.filter(([name]) => name !== '_key');
  if (by === undefined || others.length > 0) {
    throw unserved('a histogram that is ordered by anything but [_key] or [_count] is not served');
  }
  const sign = direction === 'desc' ? -1 : 1;
  return buckets.sort((a, b) => sign * (Number(a[by]) - Number(b[by])));
}

interface Bounds {
  readonly min: number | undefined;
  readonly max: number | undefined;
}

function extendedBounds(
  { extended_bounds }: JsonObject,
  interval: DateInterval,
  least: number,
  dates: DateReading,
): Bounds | undefined {
  if (extended_bounds === undefined) return undefined;
  const bounds = onlyKnown(objectIn(extended_bounds, 'extended_bounds'), 'extended_bounds', [
    ...['min', 'max'],
  ]);
  if (least > 0) return undefined;
  if (!isUtc(interval)) {
    throw unserved('[extended_bounds] with a [time_zone] other than UTC is not served');
  }
  return { min: boundOf(bounds.min, dates), max: boundOf(bounds.max, dates) };
}

function boundOf(json: Json | undefined, dates: DateReading): number | undefined {
  if (json === undefined || json === null) return undefined;
  if (typeof json === 'number') return json;
  const { first } = readInstant(textIn(json, 'extended_bounds'), dates, 'extended_bounds');
  return Number(first) / 1000;
}

/** The buckets with empty ones as far as the bounds reach. */
function extended(
  found: readonly Counted[],
  interval: DateInterval,
  { min, max }: Bounds,
): readonly Counted[] {
  const starts = found.map(({ start }) => start);
  const first = Math.min(...starts, ...(min === undefined ? [] : [bucketStart(interval, min)]));
  const last = Math.max(...starts, ...(max === undefined ? [] : [bucketStart(interval, max)]));
  if (!Number.isFinite(first) || !Number.isFinite(last)) return found;
  const byStart = new Map(found.map((bucket) => [bucket.start, bucket]));
  const all: Counted[] = [];
  for (let start = first; start <= last; start = nextStart(interval, start)) {
    all.push(byStart.get(start) ?? { start, doc_count: 0 });
    if (all.length > MOST_BUCKETS) throw tooManyBuckets();
  }
  return all;
}

function tooManyBuckets(): RefusedDsl {
  return illegal(
    `Trying to create too many buckets. Must be less than or equal to: [${MOST_BUCKETS}].`,
  );
}

const HISTOGRAM_OPTIONS = [
  ...['field', 'interval', 'offset', 'min_doc_count', 'keyed', 'order', 'extended_bounds'],
];

/** The least and the greatest value are read first. */
const histogram: AggTranslator = async (source, kind) => {
  const { name, subs, index } = source;
  const body = objectIn(source.body, kind);
  refuseOptions(body, kind, [...UNSERVED, 'format']);
  onlyKnown(body, kind, HISTOGRAM_OPTIONS);
  const field = aggField(body.field, kind, index);
  const interval = numberIn(body.interval, 'interval');
  if (interval <= 0) throw illegal('[interval] must be >0 for histogram aggregation [histogram]');
  const offset = numberIn(body.offset ?? 0, 'offset');
  const least = wholeIn(body.min_doc_count ?? 0, 'min_doc_count');
  const [first, last] = await reachOf(source, field.name, body, (value) =>
    Math.floor((value - offset) / interval),
  );
  const count = last - first + 1;
  if (count > 64 * MOST_RANGES) throw tooManyBuckets();
  const startOf = (at: number) => (first + at) * interval + offset;
  const ours = (value: number) => (field.type === 'LONG' ? Math.ceil(value) : value);
  const ranges = Array.from({ length: Math.max(0, count) }, (_, at) => ({
    from: ours(startOf(at)),
    to: ours(startOf(at + 1)),
  }));
  const parts = Array.from({ length: Math.ceil(ranges.length / MOST_RANGES) }, (_, part) =>
    ranges.slice(part * MOST_RANGES, (part + 1) * MOST_RANGES),
  );
  return {
    type: kind,
    specs: Object.fromEntries(
      parts.map((part, at) => [
        `${name}.${at}`,
        withSubs({ range: { field: field.name, ranges: part } }, subs),
      ]),
    ),
    finish(results) {
      const all = parts.flatMap((_, at) => bucketsOf(results, `${name}.${at}`));
      const counted = all.map((bucket, at): Counted => ({ ...bucket, start: startOf(at) }));
      const shown =
        least > 0 ? counted.filter((one) => one.doc_count >= least) : filled(counted, body);
      return histogramOf(body, shown, subs, (key) => ({ key }));
    },
  };
};

/** Numbers of the first and the last bucket of all documents of the search. */
async function reachOf(
  { run }: AggSource,
  field: string,
  { extended_bounds }: JsonObject,
  bucketAt: (value: number) => number,
): Promise<readonly [number, number]> {
  const { s } = (await run({ s: { stats: { field } } })) as AggResults & {
    readonly s: { readonly count: number; readonly min: Json; readonly max: Json };
  };
  const bounds = extended_bounds === undefined ? {} : objectIn(extended_bounds, 'extended_bounds');
  const named = [bounds.min, bounds.max]
    .filter((value) => value !== undefined && value !== null)
    .map((value) => numberIn(value, 'extended_bounds'));
  const values = [...named, ...(s.count === 0 ? [] : [Number(s.min), Number(s.max)])];
  if (values.length === 0) return [0, -1];
  return [bucketAt(Math.min(...values)), bucketAt(Math.max(...values))];
}

/** Without the empty buckets before the first and after the last that has documents. */
function filled(counted: readonly Counted[], { extended_bounds }: JsonObject): readonly Counted[] {
  if (extended_bounds !== undefined) return counted;
  const first = counted.findIndex(({ doc_count }) => doc_count > 0);
  const last = counted.findLastIndex(({ doc_count }) => doc_count > 0);
  return first < 0 ? [] : counted.slice(first, last + 1);
}

/** The translators by kind. */
export const HISTOGRAM_AGGREGATIONS: ReadonlyMap<string, AggTranslator> = new Map([
  ['date_histogram', dateHistogram],
  ['histogram', histogram],
]);
