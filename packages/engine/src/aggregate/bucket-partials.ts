/** Partials of buckets: empty ones, and merging. */
import type { Aggregation } from './aggregation.ts';
import type { AggPartial, BucketsPartial, PartialBucket } from './partial.ts';

/** No bucket. */
export const noBuckets = (): BucketsPartial => ({ buckets: new Map(), left: 0 });

/** A bucket without documents. */
export const emptyBucket = (subs: readonly Aggregation[]): PartialBucket => ({
  count: 0,
  subs: subs.map((sub) => sub.empty()),
});

/** Buckets without documents under the keys 0 to `count` - 1. */
export function emptyBuckets(count: number, subs: readonly Aggregation[]): BucketsPartial {
  const buckets = Array.from({ length: count }, (_, i) => [BigInt(i), emptyBucket(subs)] as const);
  return { buckets: new Map(buckets), left: 0 };
}

/** Merges `other` into `into`. */
export function mergeBuckets(
  subs: readonly Aggregation[],
  into: BucketsPartial,
  other: BucketsPartial,
): void {
  into.left += other.left;
  for (const [key, bucket] of other.buckets) {
    const known = into.buckets.get(key);
    if (known === undefined) into.buckets.set(key, bucket);
    else {
      known.count += bucket.count;
      mergeAll(subs, known.subs, bucket.subs);
    }
  }
}

/** Merges the partials of several aggregations, one by one. */
export function mergeAll(
  aggregations: readonly Aggregation[],
  into: readonly AggPartial[],
  other: readonly AggPartial[],
): void {
  aggregations.forEach((aggregation, i) => {
    aggregation.merge(into[i], other[i]);
  });
}
