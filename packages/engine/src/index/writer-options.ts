import type { BucketMap } from '../schema/sharding/bucket-map.ts';
import type { WindowLayout } from '../schema/windows.ts';
import type { BuildThreads } from './build-threads.ts';
import type { PublishCommit } from './commits/commit.ts';
import type { MergeSettings } from './merges/merge-policy.ts';

/** Settings of a writer. */
export interface IndexWriterOptions {
  /** Bytes that documents may take in memory before a segment is flushed. Default 256 MiB. */
  readonly memoryBytes?: number;
  readonly definitionVersion?: number;
  /** Number of shards that keys are spread over. Default: as the index was built, or 1. */
  readonly shards?: number;
  /** The buckets of each shard. Default: as the index was built, or equal ranges. */
  readonly map?: BucketMap | undefined;
  /** How documents are cut into windows; null: not. Default: as the index was built, or not. */
  readonly windows?: WindowLayout | null;
  /** Key columns whose numbers are in sorting form. Default: as the index was built, or none. */
  readonly keyNumbers?: readonly number[];
  readonly merge?: MergeSettings;
  /**
   * Threads that build shares of its segments. With them documents are added and flushed in steps
   * only (`addInSteps`, `flushInSteps`).
   */
  readonly threads?: BuildThreads | null;
  /** The number of the first segment of a new index. Default: 1. */
  readonly firstSegment?: number | undefined;
  /** Milliseconds since 1970. */
  readonly now?: (() => number) | undefined;
  /** Decides over commits of `commitPublished`. Absent: they are in force at once. */
  readonly publish?: PublishCommit | undefined;
}
