import type { FileStore } from '../base/file-store.ts';
import type { TableFiles } from '../base/table-files.ts';
import type { TableMetadata } from '../metadata/table-metadata.ts';
import type { S3Config } from '../objects/s3-settings.ts';
import type { ReadRestrictions } from '../restrictions/read-restrictions.ts';

/**
 * A table at one metadata version, with what is needed to read its files, look again, and commit.
 */
export interface TableHandle {
  /** `namespace.table`, or the folder's name for a bare path. */
  readonly name: string;
  readonly metadata: TableMetadata;
  readonly files: TableFiles;
  /** Settings that a REST catalog sent for this table; empty elsewhere. */
  readonly config: Readonly<Record<string, string>>;
  /** What the catalog lets its caller read; absent: everything. */
  readonly restrictions?: ReadRestrictions | undefined;
  /** null if the catalog takes no commits from us (REST, a bare metadata file). */
  readonly commit: TableCommit | null;
  /** The table at the newest version; the same handle if nothing changed. */
  refresh(): Promise<TableHandle>;
}

/** How the next metadata version of a table becomes the current one. */
export interface TableCommit {
  /**
   * Writes `json` (the text of the next table metadata) as a new metadata file and makes it
   * current, if the table is still at the handle's version. Returns the new handle. Throws
   * commit_conflict if another writer was faster: refresh, rebase, retry.
   */
  commitMetadata(json: string): Promise<TableHandle>;
}

/** What a caller may decide about loading. */
export interface LoadOptions {
  /**
   * Local folders in which recorded paths may be, besides the table's own folder and the warehouse.
   * Default: those of the environment variable LHS_ALLOWED_ROOTS.
   */
  readonly allowedRoots?: readonly string[];
  /** Environment to take tokens from; default process.env. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Whether tokens and credentials may travel over plain http to other machines. Default false.
   */
  readonly insecureHttp?: boolean;
  /** How `s3://` is reached, over what the catalog and the environment say. */
  readonly s3?: S3Config;
  readonly signal?: AbortSignal;
}

/** Options with their defaults: where files may be, and which store reads them. */
export interface SettledOptions extends LoadOptions {
  readonly allowedRoots: readonly string[];
  readonly store: FileStore;
}
