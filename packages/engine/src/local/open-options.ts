import type { OpenEmbedder } from '../embed/embedder.ts';

/** How a data folder is opened. */
export interface LocalOptions {
  /** true: a missing data folder is made by the first change. Default: it is refused. */
  readonly create?: boolean;
  /** Opens the models of VECTOR fields. Default: the static ones, and transformers on disk. */
  readonly openEmbedder?: OpenEmbedder;
  /**
   * Age in milliseconds from which the last look at a table is renewed, in the background; 0: every
   * answer waits for a look of its own. Default: the definition's `freshness_ms`, then 1,000.
   */
  readonly freshnessMs?: number;
  /**
   * Milliseconds between two looks for newer commits of a published index that is opened by its
   * location, in the background of reads; 0: each read waits for one. Default: 1,000.
   */
  readonly refreshMs?: number;
  /**
   * Bytes that documents may take in memory before they are flushed as a segment. Default: 512 MiB
   * for a reindex, twice that with vectors; 256 MiB for a sync.
   */
  readonly memoryBytes?: number;
  /**
   * Milliseconds after which a build commits its finished data files, so that a crash keeps them.
   * Default: one minute.
   */
  readonly saveMs?: number;
  /**
   * Milliseconds that writers of an index wait for each other before they fail with index_busy.
   * Default: 30,000.
   */
  readonly lockWaitMs?: number;
  /**
   * Threads that run searches, so that a heavy query never blocks this thread. 0: searches run in
   * this thread, and no abort is seen while one computes. Default: 1, or 0 in a bundle that has no
   * `shard-worker` beside it.
   */
  readonly threads?: number;
  /** Where backups are stored: a folder, or `s3://bucket/prefix`. Requests may name another. */
  readonly backupTarget?: string;
}
