import { LakeError } from '../base/errors.ts';
import type { FileStore } from '../base/files/file-store.ts';
import type { TableFiles } from '../base/files/table-files.ts';
import type { TableMetadata } from '../metadata/table-metadata.ts';
import type { S3Config } from '../objects/s3/s3-settings.ts';
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
  /** null if there is no way to commit: a bare metadata file, or a table with restrictions. */
  readonly commit: TableCommit | null;
  /** The table at the newest version; the same handle if nothing changed. */
  refresh(): Promise<TableHandle>;
}

/** How the next metadata version of a table becomes the current one. */
export interface TableCommit {
  /**
   * Writes `json` (the text of the next table metadata) as a new metadata file and makes it
   * current, if the table is still at the handle's version. Returns the new handle. Throws
   * commit_conflict if another writer was faster: refresh, rebase, retry; and `isOutcomeUnknown`
   * errors.
   */
  commitMetadata(json: string): Promise<TableHandle>;
}

/** The error of a commit that may have come about, or may yet: its answer was lost. */
export function outcomeUnknown(error: LakeError): LakeError {
  const message = `${error.message}; whether the commit came about is not known`;
  const details = { ...error.details, outcome: 'unknown' };
  return new LakeError(error.reason, message, { ...fileOf(error), cause: error, details });
}

const fileOf = ({ file }: LakeError) => (file === undefined ? {} : { file });

/** Whether an error is one of `outcomeUnknown`. */
export const isOutcomeUnknown = (error: unknown): error is LakeError =>
  error instanceof LakeError && error.details.outcome === 'unknown';

/**
 * The result of what follows a commit that came about: other faults than a conflict say nothing
 * about the commit, and are those of `outcomeUnknown`.
 */
export function afterCommit<T>(work: () => Promise<T>): Promise<T> {
  return work().catch((error: unknown) => {
    const isConflict = error instanceof LakeError && error.reason === 'commit_conflict';
    throw error instanceof LakeError && !isConflict ? outcomeUnknown(error) : error;
  });
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
