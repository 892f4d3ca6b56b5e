import { type ErrorCode, LhsError } from '@lakehouse-search/contract';

/** What went wrong with a table, more closely than the codes of the contract say. Closed. */
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

/** The code of the contract for each of them: the one table. */
const CODES: Readonly<Record<LakeErrorCode, ErrorCode>> = Object.freeze({
  catalog_unreachable: 'source_unreachable',
  catalog_refused: 'permission_denied',
  catalog_invalid: 'source_invalid',
  storage_unreachable: 'source_unreachable',
  table_not_found: 'source_not_found',
  table_exists: 'invalid_argument',
  snapshot_not_found: 'not_found',
  column_not_found: 'invalid_argument',
  metadata_invalid: 'source_invalid',
  manifest_invalid: 'source_invalid',
  data_file_missing: 'source_invalid',
  data_file_invalid: 'source_invalid',
  delete_file_missing: 'source_invalid',
  delete_file_invalid: 'source_invalid',
  path_refused: 'source_invalid',
  permission_denied: 'permission_denied',
  unsupported: 'unsupported',
  duplicate_key: 'source_invalid',
  null_key: 'source_invalid',
  commit_conflict: 'source_changed',
  invalid_argument: 'invalid_argument',
  input_not_found: 'not_found',
  limit_exceeded: 'limit_exceeded',
  out_of_memory: 'limit_exceeded',
  disk_full: 'disk_full',
  internal: 'internal',
});

/**
 * The error class of this package, an `LhsError`: `code` is one of the contract's, `reason` says
 * more closely what went wrong. `message` is lower case, quotes the offending value, and names the
 * expected value and the way out; `file` is the path of the file at fault, if there is one.
 */
export class LakeError extends LhsError {
  readonly reason: LakeErrorCode;
  readonly file: string | undefined;

  /** An error, with the file at fault. */
  constructor(
    reason: LakeErrorCode,
    message: string,
    options: { file?: string; cause?: unknown; details?: Record<string, unknown> } = {},
  ) {
    super(CODES[reason], message, { cause: options.cause, details: options.details });
    this.reason = reason;
    this.file = options.file;
  }
}
