/** A backup in a list. */
export interface BackupSummary {
  readonly backup: string;
  /** The index's name when it was backed up. */
  readonly index: string;
  readonly created_ms: number;
  /** Source snapshot of the index; null: the empty table. */
  readonly snapshot: string | null;
  readonly index_generation: number;
  readonly num_docs: number;
  readonly file_count: number;
  /** Bytes of all its files, shared ones too. */
  readonly bytes: number;
  /** Why the backup cannot be restored, if its manifest cannot be read. Then the rest is zero. */
  readonly error?: string;
}

/** `POST /v1/index:backup`. */
export interface BackupResponse extends BackupSummary {
  readonly target: string;
  /** The folder in the target; empty if the request named none. */
  readonly prefix: string;
  /** Files of which at least one byte was copied. */
  readonly files_copied: number;
  /** Bytes that were copied; the others were in the target. */
  readonly bytes_copied: number;
  /** Files were read again and compared. */
  readonly verified: boolean;
  readonly took_ms: number;
}

/** `POST /v1/index:backup-status`: the newest backup of an index. */
export interface BackupStatus {
  /** The backend or the request names a target. */
  readonly configured: boolean;
  /** The index has a backup there. The fields below are absent if not. */
  readonly present: boolean;
  readonly backup?: string;
  readonly snapshot?: string | null;
  readonly created_ms?: number;
  readonly file_count?: number;
}

/** What a prune deleted. */
export interface PruneResponse {
  readonly backups_removed: readonly string[];
  readonly backups_kept: number;
  readonly files_removed: number;
  readonly bytes_removed: number;
  /** A backup is running: files that are no longer used remain until the next prune. */
  readonly deferred: boolean;
}

/** An index that was made from a backup. */
export interface RestoreResponse {
  readonly index: string;
  readonly backup: string;
  readonly created_ms: number;
  readonly snapshot: string | null;
  readonly index_generation: number;
  readonly num_docs: number;
  readonly file_count: number;
  readonly bytes: number;
  readonly aliases: readonly string[];
  readonly saved_queries: readonly string[];
  /** Aliases and saved queries of the backup that were not restored. */
  readonly left_out: readonly string[];
  readonly took_ms: number;
}
