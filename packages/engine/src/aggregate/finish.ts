/** Merged partials become answers, as they go over the wire. */
import type { AggResult, Json } from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';
import { doubleFromOrdered } from '../base/ordered-double.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { doubleToJson, fieldValueToJson, longToJson } from '../schema/values.ts';
import type { AggRange, Aggregation, BucketAggregation, BucketKey } from './aggregation.ts';
import {
  figureToJson,
  rising,
  type StepBucket,
  selectBuckets,
  withSteps,
} from './bucket-figure.ts';
import { tooManyBuckets } from './bucket-limit.ts';
import { nextClockStart } from './calendar.ts';
import { distinctCount } from './distinct.ts';
import { STANDARD_ERROR } from './hyperloglog.ts';
import { bucketStart } from './number-buckets.ts';
import type { AggPartial, PartialBucket } from './partial.ts';
import { emptyBucket } from './partial.ts';
import { statsResult } from './stats-result.ts';
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
        const only = aggregation as Of<'filter' | 'missing'>;
        const [own] = withSteps([[0n, partial.buckets.get(0n)!]], only.steps);
        return this.#bucket(only, {}, own);
      }
    }
  }

  #terms(aggregation: Of<'terms'>, { buckets, left, error }: Buckets): AggResult {
    const all = withSteps([...buckets], aggregation.steps);
    const shown = selectBuckets(all, aggregation);
    const sum = (some: typeof all) => some.reduce((count, own) => count + own.bucket.count, 0);
    return {
      buckets: shown.map((own) =>
        this.#bucket(aggregation, { key: this.#key(aggregation, own.key) }, own),
      ),
      sum_other_doc_count: left + sum(all) - sum(shown),
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
    const { least, steps, interval } = aggregation;
    const keyOf = (start: bigint): Json =>
      interval.kind === 'numbers' ? bucketStart(start, interval.width) : longToJson(start);
    const known = ([...buckets] as LineBucket[]).sort(([a], [b]) => rising(a, b));
    const line =
      least === 0
        ? withoutGaps(aggregation, known)
        : known.filter(([, { count }]) => count >= least);
    const shown = selectBuckets(withSteps(line, steps), aggregation);
    return { buckets: shown.map((own) => this.#bucket(aggregation, { key: keyOf(own.key) }, own)) };
  }

  #ranges(aggregation: Of<'range'>, { buckets }: Buckets): AggResult {
    const { field, ranges, steps } = aggregation;
    const line = ranges.map((range, i) => [range, buckets.get(BigInt(i))!] as const);
    return {
      buckets: withSteps(line, steps).map((own) =>
        this.#bucket(aggregation, rangeHead(field, own.key), own),
      ),
    };
  }

  #bucket<Head extends object>(
    { name, subs, steps }: BucketAggregation,
    head: Head,
    { bucket, steps: values }: StepBucket<unknown>,
  ): Head & { doc_count: number; aggs?: Record<string, AggResult> } {
    if (++this.#buckets > LIMITS.aggBuckets) throw tooManyBuckets(name);
    const { count } = bucket;
    if (subs.length + steps.length === 0) return { ...head, doc_count: count };
    const computed = steps.map((step, i) => [step.name, { value: figureToJson(values[i]) }]);
    const aggs = { ...this.results(subs, bucket.subs), ...Object.fromEntries(computed) };
    return { ...head, doc_count: count, aggs };
  }
}

type LineBucket = [bigint, PartialBucket];

/** Buckets with empty ones between them. Throws limit_exceeded for too many. */
function withoutGaps(aggregation: Of<'histogram'>, known: readonly LineBucket[]): LineBucket[] {
  const line: LineBucket[] = [];
  for (const bucket of known) {
    for (let next = line.at(-1)?.[0]; next !== undefined; ) {
      next = nextStart(aggregation, next);
      if (next >= bucket[0]) break;
      if (line.length >= LIMITS.aggBuckets) throw tooManyBuckets(aggregation.name);
      line.push([next, emptyBucket(aggregation.subs)]);
    }
    line.push(bucket);
  }
  return line;
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
  if (interval.kind === 'numbers' || interval.kind === 'part') return start + 1n;
  return BigInt(nextClockStart(Number(start / 1000n), interval)) * 1000n;
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
