/** How the memory of an engine is divided, in bytes. Absent values have the defaults of an engine. */
export interface EngineMemory {
  /** Answers of repeated reads (result-cache.ts). Default: 0, none is kept. */
  readonly results?: number;
  /** Matches of filters. Default: `LIMITS.filterCacheBytes`. */
  readonly filters?: number;
  /** Blocks of cold windows, in the whole process. Default: 256 MiB. */
  readonly coldBlocks?: number;
  /** A reindex that names no memory, and the most for all that run. Default: 1 GiB, and no most. */
  readonly build?: number;
  /** The heap of a search thread. Default: 1 GiB. */
  readonly threadHeap?: number;
}
