import { hasCold } from '../index/cold-segments.ts';
import type { IndexSnapshot } from '../index/index-snapshot.ts';
import type { Mapping } from '../schema/mapping.ts';
import { QUERY_SEGMENTS } from '../scoring/kernel/kernel-memory.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
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
  /** The segment of a document of `whole` in its shard. */
  readonly segmentOf: (address: DocAddress) => ShardSegment;
}

/**
 * The shards of a commit as one; null: they are searched apart. That is so if there is one, if
 * their segments are too many for one call of the query kernel, or if the bytes of some of them
 * have to be fetched, which shards that need none do not wait for.
 */
export function joinShards(
  snapshot: IndexSnapshot,
  mapping: Mapping,
  options?: LocalShardOptions,
): JoinedShards | null {
  const { segments, shards, files } = snapshot;
  const areSomeCold = hasCold(segments) && !segments.every(({ isCold }) => isCold);
  if (shards.length === 1 || segments.length > QUERY_SEGMENTS || areSomeCold) return null;
  const whole = new LocalShard({ segments }, files, mapping, options);
  const segmentOf = ({ segment, doc }: DocAddress): ShardSegment => {
    const reader = segments[segment];
    const shard = snapshot.shardOf(reader, doc);
    const isOwn = ({ whole: own }: SegmentReader) => own === reader;
    return { shard, segment: shards[shard].segments.findIndex(isOwn) };
  };
  return { whole, segmentOf };
}
