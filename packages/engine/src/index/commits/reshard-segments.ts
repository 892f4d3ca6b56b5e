/**
 * Other shards for the keys of an index (ADR "shards"): files stay, and a segment whose live
 * documents belong to several shards gets the buckets of its keys. Merges give each shard segments
 * of its own later.
 */
import { partOf, type Steps } from '../../base/steps.ts';
import { type BucketSpread, shardTable } from '../../schema/sharding/bucket-map.ts';
import type { ShardTable } from '../../schema/sharding/key-buckets.ts';
import { countByShard, encodeBuckets, findingBuckets } from '../../segment/buckets.ts';
import { type SegmentEntry, withParts, writeComponent } from '../../segment/entry.ts';
import { SegmentReader } from '../../segment/segment-reader.ts';
import { isFormatOne, upgradingSegment } from '../../segment/upgrade.ts';
import type { Directory } from '../../storage/directory.ts';
import { Verification } from '../../storage/verification.ts';
import type { Commit } from './commit.ts';

/** The buckets of the keys of segments, by id, as far as they were found before. */
export type KnownBuckets = ReadonlyMap<string, Uint16Array>;

const UNKNOWN: KnownBuckets = new Map();

/**
 * The commit with its keys spread in another way; files of buckets are written, nothing is
 * committed. Throws corrupt_index, disk_full, io_error.
 */
export function* resharding(
  directory: Directory,
  commit: Commit,
  spread: BucketSpread,
  known: KnownBuckets = UNKNOWN,
): Steps<Commit> {
  const { shards: _, shard_map: __, ...rest } = commit;
  const { shards = 1, map } = spread;
  const writing = {
    directory,
    table: shardTable(spread),
    verification: new Verification(directory),
  };
  const segments: SegmentEntry[] = [];
  for (const [i, entry] of commit.segments.entries()) {
    const count = commit.segments.length;
    const steps = reshardingSegment(writing, entry, known.get(entry.id));
    segments.push(yield* partOf(steps, i / count, (i + 1) / count));
  }
  return {
    ...rest,
    segments,
    ...(shards === 1 ? {} : { shards }),
    ...(map === undefined ? {} : { shard_map: map }),
  };
}

/** The buckets of the keys of segments that do not have them, up to so many documents. */
export function* findingAllBuckets(
  segments: readonly SegmentReader[],
  mostDocs: number,
): Steps<KnownBuckets> {
  const found = new Map<string, Uint16Array>();
  let left = mostDocs;
  for (const [i, { entry, keys, docs }] of segments.entries()) {
    if (hasBuckets(entry) || docs > left) continue;
    left -= docs;
    const { length } = segments;
    found.set(entry.id, yield* partOf(findingBuckets(keys), i / length, (i + 1) / length));
  }
  return found;
}

interface Writing {
  readonly directory: Directory;
  readonly table: ShardTable;
  readonly verification: Verification;
}

function* reshardingSegment(
  { directory, table, verification }: Writing,
  own: SegmentEntry,
  known: Uint16Array | undefined,
): Steps<SegmentEntry> {
  const reader = SegmentReader.open(directory, own, verification);
  try {
    const entry = isFormatOne(own) ? yield* upgradingSegment(reader, own, directory) : own;
    const buckets = hasBuckets(entry)
      ? reader.buckets
      : (known ?? (yield* findingBuckets(reader.keys)));
    const next = withParts(entry, countByShard(buckets, reader.deleted, table));
    if (next.parts === undefined || hasBuckets(entry)) return next;
    const component = writeComponent(
      directory,
      own.id,
      { kind: 'buckets' },
      encodeBuckets(buckets),
    );
    return { ...next, components: [...next.components, component] };
  } finally {
    reader.release();
  }
}

const hasBuckets = ({ components }: SegmentEntry): boolean =>
  components.some(({ kind }) => kind === 'buckets');
