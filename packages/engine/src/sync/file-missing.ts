import { LhsError } from '@lakehouse-search/contract';

/**
 * Whether an error says that a file which a snapshot needs (data, deletes, manifests) is not there:
 * it was removed when the snapshot was forgotten, or behind the table's back.
 */
export function isFileMissing(error: unknown): boolean {
  if (!(error instanceof LhsError)) return false;
  const { source_code } = error.details;
  if (source_code === 'data_file_missing' || source_code === 'delete_file_missing') return true;
  const { cause } = error;
  const reason = cause instanceof Error ? cause.cause : undefined;
  return (reason as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
}
