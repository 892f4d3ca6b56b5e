import { hasCold } from '../index/cold-segments.ts';
import type { IndexSnapshot } from '../index/index-snapshot.ts';
import type { Mapping } from '../schema/mapping.ts';
import { QUERY_SEGMENTS } from '../scoring/kernel/kernel-memory.ts';
import { LocalShard, type LocalShardOptions } from './local-shard.ts';
import type { DocAddress, Shard } from './shard.ts';

/** A segment of a shard. */
export interface ShardSegment extends Pick<DocAddress, 'segment'> {
  readonly shard: number;
}

/**
 * All shards of a commit as one that has the segments of all. A search over it fills one page,
 * whose threshold the segments share, and describes the query once.
 */
export interface JoinedShards {
  readonly whole: Shard;
  /** The segment with a number of `whole`. */
  readonly segmentOf: (number: number) => ShardSegment;
}

/**
 * The shards of a commit as one; null: they are searched apart. That is so if there is one, if
 * their segments are too many for one call of the query kernel, or if the bytes of some of them
 * have to be fetched, which shards that need none do not wait for.
 */
export function joinShards(
  { segments, shards, files }: Pick<IndexSnapshot, 'segments' | 'shards' | 'files'>,
  mapping: Mapping,
  options?: LocalShardOptions,
): JoinedShards | null {
  const areSomeCold = hasCold(segments) && !segments.every(({ isCold }) => isCold);
  if (shards.length === 1 || segments.length > QUERY_SEGMENTS || areSomeCold) return null;
  const whole = new LocalShard({ segments }, files, mapping, options);
  const segmentOf = (number: number): ShardSegment => {
    const reader = segments[number];
    const shard = reader.entry.shard ?? 0;
    return { shard, segment: shards[shard].segments.indexOf(reader) };
  };
  return { whole, segmentOf };
}
