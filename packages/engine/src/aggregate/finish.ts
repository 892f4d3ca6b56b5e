/** Merged partials become answers, as they go over the wire. */
import type { AggBucket, AggResult, Json, StatsResult } from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';
import { doubleFromOrdered } from '../base/ordered-double.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { doubleToJson, fieldValueToJson, longToJson } from '../schema/values.ts';
import type { AggRange, Aggregation, BucketKey, TermsOrder } from './aggregation.ts';
import { tooManyBuckets } from './bucket-limit.ts';
import { nextClockStart } from './calendar.ts';
import { distinctCount } from './distinct.ts';
import { doubleSum } from './exact-sum.ts';
import { STANDARD_ERROR } from './hyperloglog.ts';
import { bucketStart } from './number-buckets.ts';
import type { AggPartial, PartialBucket, StatsPartial } from './partial.ts';
import { emptyBucket } from './partial.ts';
import { type Digest, digestValues } from './t-digest.ts';

type Of<Kind extends Aggregation['kind']> = Extract<Aggregation, { readonly kind: Kind }>;
type Buckets = Extract<AggPartial, { readonly kind: 'buckets' }>;

/** The text of a value of a field as it is shown. */
export type ShowText = (field: FieldPlan, value: string) => string;

/** The answers in order. Throws limit_exceeded where they would hold too many buckets. */
export function finishAggregations(
  aggregations: readonly Aggregation[],
  partials: readonly AggPartial[],
  show: ShowText = (_, value) => value,
): readonly AggResult[] {
  const finish = new Finish(show);
  return aggregations.map((aggregation, i) => finish.result(aggregation, partials[i]));
}

/** One answer in the making: it knows how many buckets it has. */
class Finish {
  readonly #show: ShowText;
  #buckets = 0;

  constructor(show: ShowText) {
    this.#show = show;
  }

  results(
    aggregations: readonly Aggregation[],
    partials: readonly AggPartial[],
  ): Record<string, AggResult> {
    const entries = aggregations.map((a, i) => [a.name, this.result(a, partials[i])] as const);
    return Object.fromEntries(entries);
  }

  result(aggregation: Aggregation, partial: AggPartial): AggResult {
    if (partial.kind === 'stats') {
      const { field, only } = aggregation as Of<'stats'>;
      const figures = statsResult(field, partial);
      return only === null ? figures : { value: figures[only] };
    }
    if (partial.kind === 'counted') return { value: partial.value, exact: true };
    if (partial.kind === 'distinct') {
      const { distinct } = partial;
      const value = distinctCount(distinct);
      if (distinct.values !== null) return { value, exact: true };
      return { value, exact: false, standard_error: Number(STANDARD_ERROR.toFixed(4)) };
    }
    if (partial.kind === 'digest') {
      return percentilesResult(aggregation as Of<'percentiles'>, partial.digest);
    }
    switch (aggregation.kind) {
      case 'terms':
        return this.#terms(aggregation, partial);
      case 'histogram':
        return this.#histogram(aggregation, partial);
      case 'range':
        return this.#ranges(aggregation, partial);
      default: {
        const { subs } = aggregation as Of<'filter' | 'missing'>;
        return this.#bucket(aggregation.name, {}, partial.buckets.get(0n)!, subs);
      }
    }
  }

  #terms(aggregation: Of<'terms'>, { buckets, left, error }: Buckets): AggResult {
    const { name, size, order, subs } = aggregation;
    const all = [...buckets].sort(byOrder(order));
    const others = all.slice(size).reduce((sum, [, { count }]) => sum + count, left);
    return {
      buckets: all
        .slice(0, size)
        .map(([key, bucket]) =>
          this.#bucket(name, { key: this.#key(aggregation, key) }, bucket, subs),
        ),
      sum_other_doc_count: others,
      doc_count_error_upper_bound: error,
    };
  }

  /** A terms bucket's key as it travels. */
  #key({ field, missing, missingText }: Of<'terms'>, key: BucketKey): Json {
    if (typeof key !== 'string') return orderedToJson(field, key);
    const value = fieldValueToJson(field.type, Buffer.from(key, 'latin1'));
    if (typeof value !== 'string') return value;
    const shown = this.#show(field, value);
    return key === missing && shown === value ? (missingText ?? shown) : shown;
  }

  #histogram(aggregation: Of<'histogram'>, { buckets }: Buckets): AggResult {
    const { name, least, subs, interval } = aggregation;
    const keyOf = (start: bigint): Json =>
      interval.kind === 'numbers' ? bucketStart(start, interval.width) : longToJson(start);
    const starts = ([...buckets.keys()] as bigint[]).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    const shown: AggBucket[] = [];
    let next: bigint | null = null;
    for (const start of starts) {
      for (; least === 0 && next !== null && next < start; next = nextStart(aggregation, next)) {
        shown.push(this.#bucket(name, { key: keyOf(next) }, emptyBucket(subs), subs));
      }
      const bucket = buckets.get(start)!;
      if (bucket.count >= least) {
        shown.push(this.#bucket(name, { key: keyOf(start) }, bucket, subs));
      }
      if (least === 0) next = nextStart(aggregation, start);
    }
    return { buckets: shown };
  }

  #ranges({ name, field, ranges, subs }: Of<'range'>, { buckets }: Buckets): AggResult {
    return {
      buckets: ranges.map((range, i) =>
        this.#bucket(name, rangeHead(field, range), buckets.get(BigInt(i))!, subs),
      ),
    };
  }

  #bucket<Head extends object>(
    name: string,
    head: Head,
    { count, subs }: PartialBucket,
    aggregations: readonly Aggregation[],
  ): Head & { doc_count: number; aggs?: Record<string, AggResult> } {
    if (++this.#buckets > LIMITS.aggBuckets) throw tooManyBuckets(name);
    if (aggregations.length === 0) return { ...head, doc_count: count };
    return { ...head, doc_count: count, aggs: this.results(aggregations, subs) };
  }
}

type Entry = readonly [BucketKey, PartialBucket];

function byOrder({ by, desc }: TermsOrder): (a: Entry, b: Entry) => number {
  const rising = (a: BucketKey, b: BucketKey) => (a < b ? -1 : a > b ? 1 : 0);
  if (by === 'key') return ([a], [b]) => (desc ? rising(b, a) : rising(a, b));
  return ([a, { count: x }], [b, { count: y }]) => (desc ? y - x : x - y) || rising(a, b);
}

function orderedToJson(field: FieldPlan, value: bigint): Json {
  return fieldValueToJson(field.type, field.type === 'DOUBLE' ? doubleFromOrdered(value) : value);
}

function rangeHead(field: FieldPlan, { key, from, to }: AggRange) {
  const bound = (value: bigint | null) => (value === null ? null : orderedToJson(field, value));
  const [low, high] = [bound(from), bound(to)];
  return {
    key: key ?? `${low ?? '*'}-${high ?? '*'}`,
    ...(low === null ? {} : { from: low }),
    ...(high === null ? {} : { to: high }),
  };
}

function nextStart({ interval }: Of<'histogram'>, start: bigint): bigint {
  if (interval.kind === 'fixed') return start + interval.width;
  if (interval.kind === 'numbers') return start + 1n;
  return BigInt(nextClockStart(Number(start / 1000n), interval)) * 1000n;
}

function statsResult(field: FieldPlan, stats: StatsPartial): StatsResult {
  const { count, min, max, whole } = stats;
  if (field.type === 'DOUBLE') {
    const sum = doubleSum(stats.double);
    const bound = (value: bigint | null) =>
      value === null ? null : doubleToJson(doubleFromOrdered(value));
    const avg = count === 0 ? null : doubleToJson(sum / count);
    return { count, min: bound(min), max: bound(max), sum: doubleToJson(sum), avg };
  }
  const bound = (value: bigint | null) => (value === null ? null : longToJson(value));
  const avg = count === 0 ? null : average(whole, BigInt(count));
  return { count, min: bound(min), max: bound(max), sum: longToJson(whole), avg };
}

/** A quotient of integers as the nearest double or its neighbour, however large they are. */
function average(sum: bigint, count: bigint): number {
  return Number(sum / count) + Number(sum % count) / Number(count);
}

function percentilesResult({ percents }: Of<'percentiles'>, digest: Digest): AggResult {
  const values = digestValues(digest, percents);
  return {
    values: percents.map((percent, i) => {
      const value = values[i];
      return { percent, value: value === null ? null : doubleToJson(value) };
    }),
    exact: digest.weights === null,
    ...(digest.nans > 0 ? { nan_count: digest.nans } : {}),
  };
}
