import { LhsError } from '@lakehouse-search/contract';
import { type BucketSpread, sameSpread, shardTable } from '../schema/sharding/bucket-map.ts';
import { type ShardTable, shardOfKey } from '../schema/sharding/key-buckets.ts';
import { sameFiles, shardParts } from '../segment/entry.ts';
import { SegmentReader } from '../segment/segment-reader.ts';
import type { Directory } from '../storage/directory.ts';
import { Verification } from '../storage/verification.ts';
import { type Checkpoint, type Commit, commitBytes, readCommit } from './commits/commit.ts';
import type { DataFiles } from './commits/data-files.ts';

/**
 * A commit may be replaced and its files unlinked while they are being opened: then the newer one
 * is opened.
 */
const OPEN_ATTEMPTS = 20;

/**
 * Checking so much takes less time than writing down that it was done: who follows an index's
 * commits does not write after each.
 */
const WORTH_REMEMBERING_BYTES = 4 * 2 ** 20;

/**
 * A shard of a commit: the segments whose documents have the keys of its buckets (key-buckets.ts).
 */
export interface SnapshotShard {
  /** 0 .. number of shards - 1. */
  readonly shard: number;
  /** In the order of the commit. */
  readonly segments: readonly SegmentReader[];
}

/**
 * An index at one commit, open for reading. It stays as it is, whatever is committed, merged or
 * deleted beside it: files are mapped and only ever unlinked. Several may be open at once.
 * `release` gives the files back when the last holder lets go.
 */
export class IndexSnapshot {
  /** Number of the generation (`index_generation` of answers). */
  readonly generation: number;
  readonly commit: Commit;
  /** All segments, in the order of the commit. */
  readonly segments: readonly SegmentReader[];
  /**
   * The same segments by shard: at least one shard; a shard may have no segment. One that several
   * shards have is in each of them, with the documents of that shard (`SegmentReader.ofShard`).
   */
  readonly shards: readonly SnapshotShard[];
  readonly #shardTable: ShardTable;
  readonly #verification: Verification;
  readonly #onRelease: (() => void)[] = [];
  #holders = 1;

  constructor(
    generation: number,
    commit: Commit,
    segments: readonly SegmentReader[],
    verification: Verification,
  ) {
    this.generation = generation;
    this.commit = commit;
    this.segments = segments;
    this.#shardTable = shardTable(spreadOf(commit));
    this.shards = shardsOf(commit, segments, this.#shardTable);
    this.#verification = verification;
  }

  /** Up to where the index has followed its table; null before the first commit with one. */
  get checkpoint(): Checkpoint | null {
    return this.commit.checkpoint;
  }

  /** The data files of the table. */
  get files(): DataFiles {
    return this.commit.files;
  }

  get liveDocs(): number {
    return this.segments.reduce((sum, segment) => sum + segment.liveDocs, 0);
  }

  get deletedDocs(): number {
    return this.segments.reduce((sum, segment) => sum + segment.deletedDocs, 0);
  }

  /** Bytes of all segments on disk. */
  get bytes(): number {
    return commitBytes(this.commit);
  }

  /** The live document with a key (schema/keys/key.ts) and its segment, or null. */
  find(key: Uint8Array): { readonly segment: SegmentReader; readonly doc: number } | null {
    const shard = this.shards[shardOfKey(key, this.#shardTable)];
    for (const { whole: segment } of shard.segments) {
      const doc = segment.keys.find(key);
      if (doc >= 0) return { segment, doc };
    }
    return null;
  }

  /** The shard of a live document. */
  shardOf(segment: SegmentReader, doc: number): number {
    const { parts, shard = 0 } = segment.entry;
    return parts === undefined ? shard : this.#shardTable[segment.buckets[doc]];
  }

  /** Calls `listener` once, when the last holder lets go. */
  whenReleased(listener: () => void): void {
    this.#onRelease.push(listener);
  }

  /** One holder more; each calls `release` once. */
  retain(): this {
    if (this.#holders === 0) throw new LhsError('internal', 'a released snapshot was asked for');
    this.#holders++;
    return this;
  }

  /** One holder less; the last one gives the files back and remembers which were found whole. */
  release(): void {
    if (this.#holders === 0 || --this.#holders > 0) return;
    this.#verification.remember(WORTH_REMEMBERING_BYTES);
    for (const segment of this.segments) segment.release();
    for (const listener of this.#onRelease) listener();
  }
}

/**
 * Opens the newest commit of a generation's directory. Throws index_not_built if there is none,
 * corrupt_index if a file is missing or damaged. `former`: an open commit of the same directory;
 * segments that have not changed since are shared with it.
 */
export function openSnapshot(
  directory: Directory,
  options: {
    readonly generation?: number;
    readonly former?: IndexSnapshot;
  } = {},
): IndexSnapshot {
  const verification = new Verification(directory);
  for (let attempt = 1; ; attempt++) {
    const commit = readCommit(directory, options.former?.commit);
    if (commit === null) {
      throw new LhsError('index_not_built', `"${directory.path}" holds no commit`, {
        hint: 'a reindex builds the index',
        next: [{ step: 'reindex' }],
      });
    }
    try {
      const segments = openSegments(directory, commit, verification, options.former);
      return new IndexSnapshot(options.generation ?? 1, commit, segments, verification);
    } catch (error) {
      const replaced = readCommit(directory)?.number !== commit.number;
      if (!replaced || attempt === OPEN_ATTEMPTS) throw error;
    }
  }
}

/**
 * Opens all files of a commit, or none; segments of `former` that it names too are shared, unless
 * other shards see other documents of them.
 */
export function openSegments(
  directory: Directory,
  commit: Commit,
  verification: Verification,
  former?: IndexSnapshot,
): readonly SegmentReader[] {
  const readers: SegmentReader[] = [];
  const isSame = former !== undefined && sameSpread(spreadOf(former.commit), spreadOf(commit));
  const known = former?.segments.filter(({ entry }) => isSame || entry.parts === undefined);
  try {
    commit.files.hold();
    for (const entry of commit.segments) {
      const shared = known?.find((reader) => sameFiles(reader.entry, entry));
      readers.push(shared?.retain() ?? SegmentReader.open(directory, entry, verification));
    }
    return readers;
  } catch (error) {
    for (const reader of readers) reader.release();
    throw error;
  }
}

const spreadOf = ({ shards, shard_map: map }: Commit): BucketSpread => ({ shards, map });

function shardsOf(
  { shards = 1 }: Commit,
  segments: readonly SegmentReader[],
  table: ShardTable,
): readonly SnapshotShard[] {
  const found = Array.from({ length: shards }, () => [] as SegmentReader[]);
  for (const segment of segments) {
    for (const { shard } of shardParts(segment.entry)) {
      found[shard]?.push(segment.ofShard(shard, table));
    }
  }
  return found.map((own, shard) => ({ shard, segments: own }));
}
