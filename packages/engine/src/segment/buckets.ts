/**
 * The buckets of the keys of a segment (schema/sharding/key-buckets.ts), from the first reshard
 * that leaves its documents in several shards: component `buckets`. Payload: sections
 *
 *   0 head, 16 bytes: i32 docs | zero
 *   1 buckets u16[docs]: bucket of the key, by document
 */

import type { Steps } from '../base/steps.ts';
import { wordsOf } from '../bitmap/bitmap.ts';
import { bucketOfKey, type ShardTable } from '../schema/sharding/key-buckets.ts';
import type { Region } from '../storage/directory.ts';
import { corrupt } from '../storage/frame.ts';
import { openSections, packSections } from '../storage/sections.ts';
import type { SegmentKeys } from './keys/keys.ts';

/** Keys that are hashed in one step: some milliseconds. */
const STEP = 16_384;

/** Buckets by document. */
export interface BucketColumn {
  readonly docs: number;
  readonly buckets: Uint16Array;
}

/** The buckets of all keys. */
export function* findingBuckets(keys: SegmentKeys): Steps<Uint16Array> {
  const { docs } = keys;
  const buckets = new Uint16Array(docs);
  for (let from = 0; from < docs; from += STEP) {
    const to = Math.min(from + STEP, docs);
    const put = (bytes: Uint8Array, length: number, doc: number): void => {
      buckets[doc] = bucketOfKey(bytes, 0, length);
    };
    keys.forEach(put, from, to);
    yield to / docs;
  }
  return buckets;
}

/** The payload's parts. */
export const encodeBuckets = (buckets: Uint16Array): Uint8Array[] =>
  packSections([Int32Array.of(buckets.length, 0, 0, 0), buckets]);

/** Opens a payload; `path` is for messages. Throws corrupt_index. */
export function openBuckets(payload: Region, path: string): BucketColumn {
  const sections = openSections(payload, 2, path);
  const [docs] = sections.i32(0);
  const buckets = sections.u16(1);
  if (buckets.length !== docs) throw corrupt(path, 'its buckets do not fit its head');
  return { docs, buckets };
}

/** Number of live documents of each shard. */
export function countByShard(
  buckets: Uint16Array,
  deleted: Int32Array | null,
  table: ShardTable,
): ReadonlyMap<number, number> {
  const byBucket = new Int32Array(table.length);
  for (let doc = 0; doc < buckets.length; doc++) {
    if (deleted === null || (deleted[doc >> 5] & (1 << (doc & 31))) === 0) byBucket[buckets[doc]]++;
  }
  const found = new Map<number, number>();
  byBucket.forEach((docs, bucket) => {
    if (docs > 0) found.set(table[bucket], (found.get(table[bucket]) ?? 0) + docs);
  });
  return new Map([...found].sort(([a], [b]) => a - b));
}

/** Bits of the documents that are deleted or of another shard. */
export function outsideShard(
  buckets: Uint16Array,
  deleted: Int32Array | null,
  table: ShardTable,
  shard: number,
): Int32Array {
  const bits = deleted?.slice() ?? new Int32Array(wordsOf(buckets.length));
  for (let doc = 0; doc < buckets.length; doc++) {
    if (table[buckets[doc]] !== shard) bits[doc >> 5] |= 1 << (doc & 31);
  }
  return bits;
}
