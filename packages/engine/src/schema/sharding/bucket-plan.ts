/**
 * Another number of shards with as few moved buckets as possible. Every shard gets 1,024 / shards
 * buckets, rounded down or up. The shards that have the most keep one more. A shard with too many
 * gives its last ones, the first shard with too few takes the first of them. The same table and
 * number of shards always give the same result; from one shard, it is equal ranges.
 */
import { KEY_BUCKETS, type ShardTable } from './key-buckets.ts';

/** A bucket that gets another shard. */
export interface BucketMove {
  readonly bucket: number;
  readonly from: number;
  readonly to: number;
}

/** The table for `shards` shards, from the one in force. */
export function balancedTable(table: ShardTable, shards: number): ShardTable {
  const sizes = targetSizes(table, shards);
  const counts = bucketCounts(table, shards);
  const next = Uint16Array.from(table);
  const moving: number[] = [];
  for (let bucket = KEY_BUCKETS - 1; bucket >= 0; bucket--) {
    const shard = table[bucket];
    if (shard < shards && counts[shard] <= sizes[shard]) continue;
    if (shard < shards) counts[shard]--;
    moving.push(bucket);
  }
  let to = 0;
  for (const bucket of moving.reverse()) {
    while (counts[to] >= sizes[to]) to++;
    next[bucket] = to;
    counts[to]++;
  }
  return next;
}

/** The buckets whose shard differs, ascending. */
export function movesBetween(former: ShardTable, next: ShardTable): readonly BucketMove[] {
  return Array.from(former.keys())
    .filter((bucket) => former[bucket] !== next[bucket])
    .map((bucket) => ({ bucket, from: former[bucket], to: next[bucket] }));
}

/** Number of buckets of each of the first `shards` shards. */
export function bucketCounts(table: ShardTable, shards: number): number[] {
  const counts = new Array<number>(shards).fill(0);
  for (const shard of table) if (shard < shards) counts[shard]++;
  return counts;
}

/** The shards with the most buckets keep one more; the first ones among equals. */
function targetSizes(table: ShardTable, shards: number): readonly number[] {
  const counts = bucketCounts(table, shards);
  const equal = (shard: number) =>
    Math.ceil(((shard + 1) * KEY_BUCKETS) / shards) - Math.ceil((shard * KEY_BUCKETS) / shards);
  const order = [...counts.keys()].sort(
    (a, b) => counts[b] - counts[a] || equal(b) - equal(a) || a - b,
  );
  const larger = new Set(order.slice(0, KEY_BUCKETS % shards));
  const least = Math.floor(KEY_BUCKETS / shards);
  return counts.map((_, shard) => (larger.has(shard) ? least + 1 : least));
}
