/**
 * `date_histogram` and `histogram`: our histograms; with an `offset` or a fraction as `interval`,
 * ranges of numbers between the least and the greatest value.
 */
import type { AggBucket, AggResults, Json, JsonObject } from '@lakehouse-search/contract';
import type { ClockInterval } from '@lakehouse-search/engine/internal';
import { type DateFormat, dateFormat, isoOfMicros } from '../base/date-format.ts';
import { numberIn, objectIn, onlyKnown, textIn, wholeIn } from '../base/read-json.ts';
import type { TableField } from '../query/field-table.ts';
import { illegal } from '../query/refusal.ts';
import {
  type AggPart,
  type AggSource,
  type AggTranslator,
  aggField,
  bucketsOf,
  refuseOptions,
  type ValueFormat,
  valueFormat,
  wireNumber,
  withSubs,
} from './agg-part.ts';
import { bucketStart, nextStart, ourInterval, readInterval, zoneOffset } from './date-interval.ts';
import {
  type Bounds,
  type Counted,
  histogramOf,
  readBounds,
  startsOf,
} from './histogram-buckets.ts';
import { joined } from './several-indexes.ts';

const OPTIONS = [
  ...['field', 'offset', 'min_doc_count', 'keyed', 'order', 'extended_bounds', 'hard_bounds'],
  'missing',
];
const DATE_OPTIONS = ['fixed_interval', 'calendar_interval', 'time_zone', 'format'];
const MOST_RANGES = 256;
const MOST_PARTS = 64;

/** Buckets of a histogram by their starts. */
interface BucketLine {
  /** The start of the bucket of a value. */
  start(value: number): number;
  next(start: number): number;
  /** A start as our engine takes it as a bound of a range. */
  bound(start: number): Json;
  head(start: number): JsonObject;
  /** A value as our engine has it, in the terms of the line. */
  value(json: Json): number;
}

/** What is read of a histogram besides its buckets. */
interface HistogramPlan {
  readonly body: JsonObject;
  readonly field: TableField;
  readonly line: BucketLine;
  readonly least: number;
  readonly extended: Bounds | undefined;
  readonly hard: Bounds | undefined;
  /** The value of documents without one. */
  readonly missing: number | undefined;
}

const dateHistogram: AggTranslator = (source, kind) => {
  const body = objectIn(source.body, kind);
  refuseOptions(body, kind, ['script', 'interval']);
  onlyKnown(body, kind, [...OPTIONS, ...DATE_OPTIONS]);
  const field = aggField(body.field, kind, source.index);
  const interval = readInterval(body);
  const pattern = body.format === undefined ? undefined : textIn(body.format, 'format');
  const dates = { format: pattern, now: source.index.table.now };
  const plan: HistogramPlan = {
    ...{ body, field, line: dateLine(interval, dateFormat(pattern)) },
    least: wholeIn(body.min_doc_count ?? 0, 'min_doc_count'),
    extended: readBounds(body.extended_bounds, 'extended_bounds', dates),
    hard: readBounds(body.hard_bounds, 'hard_bounds', dates, true),
    missing: readBounds({ min: body.missing ?? null }, 'missing', dates)?.min,
  };
  return native(source, kind, plan, { date_histogram: ourInterval(interval) });
};

function dateLine(interval: ClockInterval, format: DateFormat): BucketLine {
  return {
    start: (value) => bucketStart(interval, value),
    next: (start) => nextStart(interval, start),
    bound: (start) => isoOfMicros(start * 1000),
    value: (json) => Number(json) / 1000,
    head: (start) => ({
      key_as_string: format(start * 1000, zoneOffset(interval.zone, start)),
      key: start,
    }),
  };
}

const histogram: AggTranslator = (source, kind) => {
  const body = objectIn(source.body, kind);
  refuseOptions(body, kind, ['script']);
  onlyKnown(body, kind, [...OPTIONS, 'interval', 'format']);
  const field = aggField(body.field, kind, source.index);
  const interval = numberIn(body.interval, 'interval');
  if (interval <= 0) throw illegal('[interval] must be >0 for histogram aggregation [histogram]');
  const offset = numberIn(body.offset ?? 0, 'offset');
  const format = valueFormat(body.format, field);
  const plan: HistogramPlan = {
    ...{ body, field, line: numberLine(interval, offset, field.type === 'LONG', format) },
    least: wholeIn(body.min_doc_count ?? 0, 'min_doc_count'),
    extended: readBounds(body.extended_bounds, 'extended_bounds'),
    hard: readBounds(body.hard_bounds, 'hard_bounds'),
    missing: body.missing === undefined ? undefined : numberIn(body.missing, 'missing'),
  };
  const isNative = offset === 0 && Number.isSafeInteger(interval);
  return isNative
    ? native(source, kind, plan, { histogram: { interval } })
    : ranged(source, kind, plan);
};

/** Buckets are numbered from the one that begins at the offset, so that starts do not drift. */
function numberLine(
  interval: number,
  offset: number,
  isWhole: boolean,
  format: ValueFormat | undefined,
): BucketLine {
  const startOf = (bucket: number) => bucket * interval + offset;
  return {
    start: (value) => startOf(Math.floor((value - offset) / interval)),
    next: (start) => startOf(Math.round((start - offset) / interval) + 1),
    bound: (start) => (isWhole ? Math.ceil(start) : start),
    value: Number,
    head: (key): JsonObject =>
      format === undefined ? { key } : { key, key_as_string: format(key) },
  };
}

/** A histogram that our engine has. Empty buckets are added here. */
function native(
  source: AggSource,
  kind: string,
  plan: HistogramPlan,
  interval: JsonObject,
): AggPart {
  const { name, subs } = source;
  const [[own, options]] = Object.entries(interval);
  const spec = { field: plan.field.name, ...(options as JsonObject), min_doc_count: 1 };
  return {
    type: kind,
    specs: { [name]: withSubs({ [own]: spec }, subs), ...missingSpec(source, plan) },
    finish(results) {
      const found = bucketsOf(results, name).map(
        (bucket): Counted => ({ ...bucket, start: plan.line.value(bucket.key) }),
      );
      return finished(found, results, source, plan);
    },
  };
}

/** A histogram as ranges: the least and the greatest value are read first. */
async function ranged(source: AggSource, kind: string, plan: HistogramPlan): Promise<AggPart> {
  const { name, subs, run } = source;
  const { line, field } = plan;
  const { s } = (await run({ s: { stats: { field: field.name } } })) as AggResults & {
    readonly s: { readonly count: number; readonly min: Json; readonly max: Json };
  };
  const [min, max] = [wireNumber(s.min), wireNumber(s.max)];
  const starts =
    s.count === 0 ? [] : startsOf(line.start(line.value(min)), line.start(line.value(max)), line);
  if (starts.length > MOST_PARTS * MOST_RANGES) {
    throw illegal(`[${kind}] has more than ${MOST_PARTS * MOST_RANGES} buckets`);
  }
  const ranges = starts.map((start) => ({
    from: line.bound(start),
    to: line.bound(line.next(start)),
  }));
  const parts = Array.from({ length: Math.ceil(ranges.length / MOST_RANGES) }, (_, part) =>
    ranges.slice(part * MOST_RANGES, (part + 1) * MOST_RANGES),
  );
  const specs = parts.map((part, at) => {
    const spec = withSubs({ range: { field: field.name, ranges: part } }, subs);
    return [`${name}.${at}`, spec] as const;
  });
  return {
    type: kind,
    specs: { ...Object.fromEntries(specs), ...missingSpec(source, plan) },
    finish(results) {
      const all = parts.flatMap((_, at) => bucketsOf(results, `${name}.${at}`));
      const found = all
        .map((bucket, at): Counted => ({ ...bucket, start: starts[at] }))
        .filter(({ doc_count }) => doc_count > 0);
      return finished(found, results, source, plan);
    },
  };
}

function missingSpec(
  { name, subs }: AggSource,
  { missing, field }: HistogramPlan,
): Record<string, JsonObject> {
  if (missing === undefined) return {};
  return { [`${name}.m`]: withSubs({ missing: { field: field.name } }, subs) };
}

function finished(
  found: readonly Counted[],
  results: AggResults,
  source: AggSource,
  plan: HistogramPlan,
): JsonObject {
  return histogramOf(withMissing(found, results, source, plan), plan, source.subs);
}

/** The documents without a value, in the bucket of `missing`. */
function withMissing(
  found: readonly Counted[],
  results: AggResults,
  { name, subs, index }: AggSource,
  { missing, line }: HistogramPlan,
): readonly Counted[] {
  if (missing === undefined) return found;
  const own = results[`${name}.m`] as Pick<AggBucket, 'doc_count' | 'aggs'>;
  if (own.doc_count === 0) return found;
  const start = line.start(missing);
  const same = found.filter((bucket) => bucket.start === start);
  const specs = Object.keys(subs.specs).length === 0 ? undefined : subs.specs;
  const all = { ...joined([...same, own], specs, index), start };
  return [...found.filter((bucket) => bucket.start !== start), all].sort(
    (a, b) => a.start - b.start,
  );
}

/** The translators by kind. */
export const HISTOGRAM_AGGREGATIONS: ReadonlyMap<string, AggTranslator> = new Map([
  ['date_histogram', dateHistogram],
  ['histogram', histogram],
]);
