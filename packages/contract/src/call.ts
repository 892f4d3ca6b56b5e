/** Told to the caller while long work goes on. */
export interface Progress {
  readonly phase:
    | 'reading'
    | 'flushing'
    | 'merging'
    | 'committing'
    | 'syncing'
    | 'checking'
    | 'comparing';
  readonly docs_done: number;
  readonly docs_total: number;
  readonly snapshot?: string;
  readonly operation?: string;
  readonly inserted?: number;
  readonly updated?: number;
  readonly deleted?: number;
  /** Vectors that were taken from the cache and that a model has made, so far. */
  readonly embeddings?: { readonly reused: number; readonly computed: number };
}

/** For long work: who is told how it goes, and what stops it. */
export interface WorkOptions {
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}

/** How the table is polled. */
export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** Longest pause between two looks at the catalog while nothing happens. Default 5,000. */
  readonly pollMs?: number;
}
