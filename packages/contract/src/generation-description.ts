/**
 * A generation of an index: the live one answers searches; a kept one was live before and is synced
 * too, so that a rollback loses nothing.
 */
export interface GenerationDescription {
  readonly generation: number;
  readonly state: 'live' | 'kept';
  /** Version of the definition that it follows. */
  readonly definition_version: number;
  /** Source snapshot that it has reached; null: the empty table, or its commit cannot be read. */
  readonly snapshot: string | null;
  readonly num_docs: number;
  /** Bytes of its folder. */
  readonly bytes: number;
  /** ISO 8601, UTC: the end of its time. Absent: live, or kept until newer ones replace it. */
  readonly until?: string;
  /** Why the last sync could not bring it along; absent if it could. The next sync tries again. */
  readonly fallen_behind?: {
    readonly code: string;
    readonly message: string;
    /** ISO 8601, UTC. */
    readonly since: string;
  };
}

/** Where the commits of an index are published, and the newest of them. */
export interface PublishedState {
  /** Place and name: `s3://bucket/prefix/NAME`, or the path of a folder. */
  readonly place: string;
  /** Number of the newest published commit that this data folder knows; null: there is none. */
  readonly commit: number | null;
  /** Source snapshot of that commit; null: the empty table, or nothing is published. */
  readonly snapshot: string | null;
  /** Present if the commit in force here is another one: a sync publishes it. */
  readonly pending?: true;
}

/** Why the background work that keeps an index equal to its table fails. */
export interface SyncFailure {
  readonly code: string;
  readonly message: string;
  /** ISO 8601, UTC: the first failure since the last success. */
  readonly since: string;
}

/** Why merges of segments fail. The index works on, with more and more segments. */
export interface MergeFailure {
  readonly code: string;
  readonly message: string;
  /** ISO 8601, UTC: the first failure since the last success. */
  readonly since: string;
}
