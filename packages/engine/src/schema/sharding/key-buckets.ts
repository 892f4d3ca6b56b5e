/**
 * Which shard a key belongs to. Part of the disk format; docs/format.md has fixed vectors.
 *
 *   key hash  two lanes (bytes/two-lane-hash.ts) from KEY_SEEDS: mix(length of the encoded key in
 *             bytes), then its words; finished
 *   bucket    the low ten bits of the key hash's low lane: 0 .. 1,023
 *   shard     floor(bucket * shards / 1,024), so each shard has a contiguous range of buckets; or
 *             what the definition's map of buckets says (schema/sharding/bucket-map.ts)
 *
 * Keys are encoded as schema/keys/key.ts says. The content digest uses the same buckets, so a shard
 * contributes to the digest of its own buckets only. Segments look keys up by another hash
 * (base/bytes/hash-bytes.ts): within a shard its values are still spread evenly.
 */
import { finishLane, mixBytes, mixHigh, mixLow } from '../../base/bytes/two-lane-hash.ts';

/** Number of buckets that keys are spread over. */
export const KEY_BUCKETS = 1024;
const KEY_SEEDS = [0x6c686b31, 0x6b657931] as const;

/** The 64-bit hash of an encoded key, bytes[from .. to), into `out[at]` (low) and `out[at + 1]`. */
export function hashKey(
  bytes: DataView,
  from: number,
  to: number,
  out: Int32Array,
  at: number,
): void {
  out[at] = mixLow(KEY_SEEDS[0], to - from);
  out[at + 1] = mixHigh(KEY_SEEDS[1], to - from);
  mixBytes(out, at, bytes, from, to);
  out[at] = finishLane(out[at]);
  out[at + 1] = finishLane(out[at + 1]);
}

/** The bucket of a key by the low lane of its hash. */
export const bucketOfHash = (low: number): number => low & (KEY_BUCKETS - 1);

/** The bucket of the encoded key bytes[from .. to). */
export function bucketOfKey(bytes: Uint8Array, from: number, to: number): number {
  let hash = mixLow(KEY_SEEDS[0], to - from);
  let at = from;
  for (; at + 4 <= to; at += 4) {
    const word = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24);
    hash = mixLow(hash, word);
  }
  if (at < to) {
    let word = 0;
    for (let i = to - 1; i >= at; i--) word = (word << 8) | bytes[i];
    hash = mixLow(hash, word);
  }
  return bucketOfHash(finishLane(hash));
}

/** The shard that a bucket belongs to without a map, 0 .. shards - 1. */
export const shardOfBucket = (bucket: number, shards: number): number =>
  Math.floor((bucket * shards) / KEY_BUCKETS);

/** The shard of each bucket. */
export type ShardTable = Uint16Array;

/** The table of an index of one shard: its keys are not hashed. */
export const ONE_SHARD: ShardTable = new Uint16Array(KEY_BUCKETS);

/** The shard of the encoded key bytes[from .. to). */
export function shardOfKey(
  bytes: Uint8Array,
  table: ShardTable,
  from = 0,
  to = bytes.length,
): number {
  return table === ONE_SHARD ? 0 : table[bucketOfKey(bytes, from, to)];
}
