/**
 * What an aggregation knows of some documents: of a segment, of a shard, of all. Partials merge in
 * any order and travel as JSON (partial-json.ts); `finish.ts` makes the answer.
 */
import type { Aggregation, BucketKey } from './aggregation.ts';
import { type Distinct, mergeDistinct, noDistinct } from './distinct.ts';
import { addDouble, type DoubleSum } from './exact-sum.ts';
import { type Digest, mergeDigests, noDigest } from './t-digest.ts';

/** A bucket's documents, and the partials of what is asked of them (in the order of `subs`). */
export interface PartialBucket {
  count: number;
  subs: AggPartial[];
}
/** Sum, least and greatest value in the column's ordered space; null: no value. */
export interface StatsPartial {
  readonly kind: 'stats';
  count: number;
  min: bigint | null;
  max: bigint | null;
  /** Integers. */
  whole: bigint;
  /** Doubles. */
  double: DoubleSum;
}
export type AggPartial =
  | {
      readonly kind: 'buckets';
      readonly buckets: Map<BucketKey, PartialBucket>;
      /** Documents in buckets that the answer does not show, where these were left out. */
      left: number;
      /** The most that a bucket's count may be too small by. */
      error: number;
    }
  | StatsPartial
  | { readonly kind: 'distinct'; readonly distinct: Distinct }
  /** The number of distinct values of all documents there are; not to be merged. */
  | { readonly kind: 'counted'; readonly value: number }
  | { readonly kind: 'digest'; readonly digest: Digest };

export const noStats = (): StatsPartial => ({
  kind: 'stats',
  count: 0,
  min: null,
  max: null,
  whole: 0n,
  double: { sum: 0, compensation: 0 },
});

/** Merges `other` into `into`; both are of one aggregation. `other` is not used afterwards. */
export function mergePartials(into: AggPartial, other: AggPartial): void {
  if (into.kind === 'buckets' && other.kind === 'buckets') {
    into.left += other.left;
    into.error += other.error;
    for (const [key, bucket] of other.buckets) addBucket(into.buckets, key, bucket);
  } else if (into.kind === 'stats' && other.kind === 'stats') mergeStats(into, other);
  else if (into.kind === 'distinct' && other.kind === 'distinct') {
    mergeDistinct(into.distinct, other.distinct);
  } else if (into.kind === 'digest' && other.kind === 'digest') {
    mergeDigests(into.digest, other.digest);
  }
}

/** Adds a bucket to those of its key. */
export function addBucket(
  buckets: Map<BucketKey, PartialBucket>,
  key: BucketKey,
  bucket: PartialBucket,
): void {
  const own = buckets.get(key);
  if (own === undefined) {
    buckets.set(key, bucket);
    return;
  }
  own.count += bucket.count;
  own.subs.forEach((sub, i) => {
    mergePartials(sub, bucket.subs[i]);
  });
}

function mergeStats(into: StatsPartial, other: StatsPartial): void {
  into.count += other.count;
  if (into.min === null || (other.min !== null && other.min < into.min)) into.min = other.min;
  if (into.max === null || (other.max !== null && other.max > into.max)) into.max = other.max;
  into.whole += other.whole;
  addDouble(into.double, other.double.sum);
  addDouble(into.double, other.double.compensation);
}

/** What an aggregation knows of no document. */
export function emptyPartial(aggregation: Aggregation): AggPartial {
  switch (aggregation.kind) {
    case 'stats':
      return noStats();
    case 'cardinality':
      return { kind: 'distinct', distinct: noDistinct() };
    case 'percentiles':
      return { kind: 'digest', digest: noDigest() };
    case 'terms':
    case 'histogram':
      return { kind: 'buckets', buckets: new Map(), left: 0, error: 0 };
    case 'range':
    case 'filter':
    case 'missing': {
      const count = aggregation.kind === 'range' ? aggregation.ranges.length : 1;
      const empty = (): PartialBucket => emptyBucket(aggregation.subs);
      const buckets = Array.from({ length: count }, (_, i) => [BigInt(i), empty()] as const);
      return { kind: 'buckets', buckets: new Map(buckets), left: 0, error: 0 };
    }
  }
}

/** A bucket without documents. */
export const emptyBucket = (subs: readonly Aggregation[]): PartialBucket => ({
  count: 0,
  subs: subs.map(emptyPartial),
});
