/** What a role permits (interface, Authentication). */
export type Scope = 'search' | 'index_read' | 'ops' | 'admin';

/** The authenticated caller of an operation. Absent: the owner of the process. */
export interface Principal {
  /** Name of the user or token. Saved queries belong to it. */
  readonly subject: string;
  /** Restricts every read to the rows of this tenant. All other operations are refused. */
  readonly tenant?: string | undefined;
  /** Names of the indexes that the caller may use. Absent: all of them. */
  readonly indexes?: readonly string[] | undefined;
  readonly scopes: readonly Scope[];
}

/** How far the generation of one shard is. */
export interface ShardProgress {
  /** Ordinal, from 0. */
  readonly shard: number;
  readonly docs_done: number;
  /** Estimated until all rows have been read: each shard gets an equal share of the keys. */
  readonly docs_total: number;
  /** The generation that is being built. */
  readonly generation: number;
}

/** How far the generation of one window is. */
export interface WindowProgress {
  readonly window: string;
  readonly docs_done: number;
}

/** Progress of a long operation. */
export interface Progress {
  readonly phase:
    | 'reading'
    | 'flushing'
    | 'merging'
    | 'upgrading'
    | 'committing'
    | 'syncing'
    | 'checking'
    | 'comparing'
    | 'copying';
  readonly docs_done: number;
  readonly docs_total: number;
  /** Present in the phase `copying`, which counts no documents. */
  readonly bytes_done?: number | undefined;
  readonly bytes_total?: number | undefined;
  readonly snapshot?: string | undefined;
  readonly operation?: string | undefined;
  readonly inserted?: number | undefined;
  readonly updated?: number | undefined;
  readonly deleted?: number | undefined;
  /** Vectors that came from the cache, and vectors that a model has computed, so far. */
  readonly embeddings?: { readonly reused: number; readonly computed: number };
  /** Present in a reindex of several shards. */
  readonly shards?: readonly ShardProgress[] | undefined;
  /** Present in a reindex of an index with windows: those that have documents so far. */
  readonly windows?: readonly WindowProgress[] | undefined;
}

/** The part of a call that is not its request: the second argument of every operation. */
export interface CallContext {
  /** Aborts the operation, which then throws `interrupted`, with the signal's reason as `cause`. */
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds since 1970. A read that is not done by then throws `deadline_exceeded`. */
  readonly deadline?: number | undefined;
  /** Milliseconds from now, as another form of `deadline`; the earlier one counts. 0: no limit. */
  readonly timeoutMs?: number | undefined;
  readonly principal?: Principal | undefined;
  /** Receives the progress of a long operation, a few times per second. */
  readonly progress?: ((progress: Progress) => void) | undefined;
}
