import type { IndexRequest } from '../index-request.ts';

/** Where backups are stored. */
export interface BackupTarget {
  /** An absolute folder, or `s3://bucket/prefix`. Absent: the backup target of the backend. */
  readonly target?: string | undefined;
  /** A folder in the target, for example `nightly`. */
  readonly prefix?: string | undefined;
}

/** `POST /v1/index:backup`. */
export interface BackupRequest extends IndexRequest, BackupTarget {
  /** Read every file of the backup again before the backup becomes visible. */
  readonly verify?: boolean | undefined;
}

/** `POST /v1/index:backup-status`. */
export interface BackupStatusRequest extends IndexRequest, BackupTarget {}

/** The backups of a target; of one index if it is named, which may have been dropped. */
export interface ListBackupsRequest extends BackupTarget {
  readonly index?: string | undefined;
}

/** Deletes old backups, and the files that only they use. */
export interface PruneBackupsRequest extends BackupTarget {
  /** Only backups of this index, which may have been dropped. Absent: of each index. */
  readonly index?: string | undefined;
  /** How many backups of each index remain; the newest ones do. */
  readonly keep: number;
}

/** Which aliases and saved queries to restore: all of them, those whose names are free, none. */
export type RestoredNames = 'all' | 'free' | 'none';

/** Makes an index from a backup. */
export interface RestoreRequest extends BackupTarget {
  /** The index that was backed up. Required if the target has backups of several indexes. */
  readonly index?: string | undefined;
  /** The id of the backup. Absent: the newest one. */
  readonly backup?: string | undefined;
  /** The name of the new index. Absent: the name that it had. */
  readonly as?: string | undefined;
  /** Default `all`: a name that is taken refuses the restore. */
  readonly aliases?: RestoredNames | undefined;
  /** Absolute path of the folder that relative paths of the definition begin at, if it moved. */
  readonly base_dir?: string | undefined;
  /**
   * The definition of the new index, in place of that of the backup. A control plane sends it to
   * its nodes; over the network it is refused.
   */
  readonly definition?: string | undefined;
}
