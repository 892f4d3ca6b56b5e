import { type ErrorCode, type HealReason, LhsError } from '@lakehouse-search/contract';
import { isFileMissing } from './file-missing.ts';

/**
 * Why a sync goes past a snapshot that it failed to apply, to the head in one step; null if it
 * cannot: the error is not one of the snapshot's rows or files.
 */
export function reasonToPass(error: unknown): HealReason | null {
  if (isFileMissing(error)) return 'files_missing';
  const isInvalid = error instanceof LhsError && error.code === 'source_invalid';
  return isInvalid ? 'snapshot_invalid' : null;
}

/** Whether a snapshot cannot be indexed for its rows or columns: those before it may be. */
export const stopsAtSnapshot = (error: unknown): boolean =>
  !isFileMissing(error) && error instanceof LhsError && STOPS.has(error.code);

const STOPS: ReadonlySet<ErrorCode> = new Set(['schema_changed', 'source_invalid']);
