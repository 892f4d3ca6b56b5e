/** Where data of an erased row can remain. */
export type ErasurePlace =
  /** The index has not applied the deletion yet. */
  | 'live_document'
  /** A segment of the newest commit, in which the document is marked as deleted. */
  | 'deleted_document'
  /** The list of skipped rows in a commit. */
  | 'skipped_row'
  /** A commit that a point in time, a backup or an export needs. */
  | 'pinned_commit'
  /** A former generation that is kept for a rollback. */
  | 'kept_generation'
  /** A generation that a reindex builds, or left behind when it crashed. */
  | 'staged_generation'
  /** Files of the index that no commit names. */
  | 'unreferenced_file'
  | 'embedding_cache'
  | 'saved_query'
  /** Past queries of the screen. */
  | 'query_history'
  | 'job_record'
  | 'backup'
  /** A cold window: its deleted documents, and objects or cached blocks that no commit needs. */
  | 'cold_window'
  /** A commit in a store that was replaced, or in a place that the index has left. */
  | 'published_commit'
  /** Any other file of the data folder (only a deep check finds these). */
  | 'other_file';

/** What removes the data without an erasure run. */
export type ErasureEnd =
  | 'sync'
  /** The next commit or open of the index. */
  | 'commit'
  /** A merge of the segment; there may never be one. */
  | 'merge'
  /** At `until`. */
  | 'expiry'
  | 'job_end'
  /** Pruning the backup repository. */
  | 'prune'
  /** Nothing: an erasure run, or a person. */
  | 'erase';

/** What a segment has of one document in one field. */
export interface ErasedField {
  readonly field: string;
  readonly parts: readonly ('terms' | 'column' | 'stored' | 'vector' | 'graph')[];
  /** Terms of the field's dictionary that no live document of the segment has. */
  readonly own_terms?: number;
}

/** One place where data remains. Contains no values of the row. */
export interface ErasureRemain {
  readonly place: ErasurePlace;
  /** Position in the request's `keys`; null if the data cannot be attributed to one of them. */
  readonly key: number | null;
  /** File, folder or id. */
  readonly where: string;
  readonly detail: string;
  readonly fields?: readonly ErasedField[];
  readonly goes: ErasureEnd;
  /** ISO 8601, UTC. */
  readonly until?: string;
}

/** A snapshot of the table that still holds rows. Erasing them there is up to the table's owner. */
export interface ErasureSnapshot {
  readonly snapshot: string;
  /** ISO 8601, UTC. */
  readonly committed_at: string;
  /** Positions in the request's `keys`. */
  readonly keys: readonly number[];
}

/** What a check has examined. */
export interface ErasureScope {
  readonly generations: number;
  readonly commits: number;
  readonly segments: number;
  readonly documents: number;
  readonly cache_entries: number;
  readonly saved_queries: number;
  readonly history_lines: number;
  readonly job_records: number;
  readonly backups: number;
  readonly snapshots: number;
  /** Texts whose vectors were looked for. */
  readonly texts: number;
  /** Files and bytes that a deep check read. */
  readonly files: number;
  readonly bytes: number;
}

/** `POST /v1/erasure:check`. */
export interface ErasureReport {
  readonly index: string;
  /** ISO 8601, UTC. */
  readonly checked_at: string;
  readonly keys: number;
  /** Nothing remains in the index and its surroundings, and the table's head has no such row. */
  readonly clean: boolean;
  /** Positions in the request's `keys` of rows that the table's head still has. */
  readonly in_table: readonly number[];
  /** The snapshot of the table that was examined as its head. */
  readonly snapshot: string | null;
  readonly remains: readonly ErasureRemain[];
  /** Older snapshots that hold the rows. They do not make a check fail. */
  readonly table_snapshots: readonly ErasureSnapshot[];
  readonly examined: ErasureScope;
  /** Sentences about what was not examined or is not certain. */
  readonly notes: readonly string[];
  readonly took_ms: number;
}

/** What an erasure did. */
export interface ErasureActions {
  readonly points_in_time_closed: number;
  readonly segments_rewritten: number;
  readonly generations_removed: number;
  /** Objects of cold windows; absent in receipts of earlier versions. */
  readonly cold_objects_removed?: number;
  readonly cache_entries_removed: number;
  readonly saved_queries_removed: number;
  readonly history_lines_removed: number;
  readonly job_records_removed: number;
  readonly backups_made: number;
  readonly backups_removed: number;
}

/** A file of the index that was examined, by its bytes. */
export interface ErasureDigest {
  readonly where: string;
  readonly sha256: string;
}

/** Objects of the stores in which an index is published or backed up, by location. */
export interface ErasureObjects {
  /** Those that were there before a run, and are in no store after it. */
  readonly deleted: readonly string[];
  readonly written: readonly string[];
}

/** A remain as a receipt lists it: without paths and details. */
export interface SignedRemain {
  readonly place: ErasurePlace;
  /** Position in the list of keys; null if the data cannot be attributed to one of them. */
  readonly key: number | null;
  readonly goes: ErasureEnd;
  /** ISO 8601, UTC. */
  readonly until?: string;
}

/** The signed part of a receipt. */
export interface ErasureStatement {
  readonly index: string;
  readonly index_uuid: string;
  readonly table_uuid: string;
  readonly snapshot: string | null;
  /** ISO 8601, UTC. */
  readonly started_at: string;
  readonly ended_at: string;
  /**
   * The erased keys, not in plain text: scrypt (N 16384, r 8, p 1, 32 bytes) with the salt, in
   * hexadecimal and in the order of the request, of the key as a JSON object of its columns, sorted
   * by name and without blanks.
   */
  readonly keys: { readonly salt: string; readonly hashes: readonly string[] };
  readonly clean: boolean;
  readonly deep: boolean;
  readonly actions: ErasureActions;
  readonly examined: ErasureScope;
  /** Remains after the run, without paths. */
  readonly remains: readonly SignedRemain[];
  readonly table_snapshots: readonly ErasureSnapshot[];
  /** Commits in force after the run, and one digest over the seals of all files that they name. */
  readonly commits: readonly ErasureDigest[];
  readonly files: ErasureDigest;
  /** Absent in receipts of earlier versions, and of indexes without a store. */
  readonly objects?: ErasureObjects;
  readonly notes: readonly string[];
}

/** A receipt: a statement with an Ed25519 signature over its canonical JSON. */
export interface ErasureReceipt {
  readonly format: 'lhs-erasure-receipt';
  readonly version: 1;
  readonly statement: ErasureStatement;
  /** The first 16 hexadecimal digits of the SHA-256 of the public key (DER). */
  readonly key_id: string;
  /** Base64. */
  readonly signature: string;
}

/** `POST /v1/erasure:run`. */
export interface ErasureResponse {
  /** The check after the run. */
  readonly report: ErasureReport;
  readonly actions: ErasureActions;
  readonly receipt: ErasureReceipt;
  readonly took_ms: number;
}

/** The key that signs receipts. */
export interface ErasureKey {
  readonly key_id: string;
  /** PEM (SPKI). */
  readonly public_key: string;
}

/** `POST /v1/erasure:verify`. */
export interface ReceiptVerdict {
  /** The signature fits the statement and the public key. */
  readonly valid: boolean;
  /** Why it is not valid. */
  readonly reason?: string;
  readonly key_id?: string;
  /** Present if valid. */
  readonly statement?: ErasureStatement;
  /** For each key of the request: whether the receipt covers it. Empty if not valid. */
  readonly covered: readonly boolean[];
}
