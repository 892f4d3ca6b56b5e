/**
 * What went wrong, in words a program can switch on. Closed: a new code is added here and in the
 * docs.
 */
export type LakeErrorCode =
  | 'catalog_unreachable'
  | 'catalog_refused'
  | 'catalog_invalid'
  | 'storage_unreachable'
  | 'table_not_found'
  | 'table_exists'
  | 'snapshot_not_found'
  | 'column_not_found'
  | 'metadata_invalid'
  | 'manifest_invalid'
  | 'data_file_missing'
  | 'data_file_invalid'
  | 'delete_file_missing'
  | 'delete_file_invalid'
  | 'path_refused'
  | 'permission_denied'
  | 'unsupported'
  | 'duplicate_key'
  | 'null_key'
  | 'commit_conflict'
  | 'invalid_argument'
  | 'input_not_found'
  | 'limit_exceeded'
  | 'out_of_memory'
  | 'disk_full'
  | 'internal';

/**
 * The one error class of this package. `message` is lower case, quotes the offending value, and
 * names the expected value and the way out; `file` is the path of the file at fault, if there is
 * one.
 */
export class LakeError extends Error {
  readonly code: LakeErrorCode;
  readonly file: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: LakeErrorCode,
    message: string,
    options: { file?: string; cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'LakeError';
    this.code = code;
    this.file = options.file;
    this.details = Object.freeze({ ...options.details });
  }
}
