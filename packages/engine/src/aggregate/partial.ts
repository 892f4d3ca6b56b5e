/**
 * What an aggregation knows of some documents: of a segment, of a shard, of all. Partials are plain
 * values that merge in any order. A partial holds every bucket, at most LIMITS.aggNestedBuckets of
 * an aggregation, so that merging is exact.
 */
import type { BucketKey } from './bucket-key.ts';
import type { Distinct } from './figures/distinct.ts';
import type { StatsPartial } from './figures/stats-partial.ts';
import type { Digest } from './figures/t-digest.ts';

/** Number of documents of a bucket, and the partials of its nested aggregations (as in `subs`). */
export interface PartialBucket {
  count: number;
  subs: AggPartial[];
}

/** Buckets by key. */
export interface BucketsPartial {
  readonly buckets: Map<BucketKey, PartialBucket>;
  /** Documents in buckets that the response does not show, where these were left out. */
  left: number;
}

/** What any aggregation knows. `counted`: the number of distinct values of all documents. */
export type AggPartial = BucketsPartial | StatsPartial | Distinct | { counted: number } | Digest;
