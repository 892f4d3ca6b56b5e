import { LhsError } from '@lakehouse-search/contract';
import { LakeError } from '@lakehouse-search/lake';
import { RESTORED } from '../storage/cold-file.ts';
import { sourceError } from './source-errors.ts';

/**
 * The result of work on the objects of a repository. A fault of the store is about the target, not
 * about a table: unreachable, permission_denied, not_found (no such bucket), invalid_argument,
 * disk_full, unsupported (another store), interrupted.
 */
export async function inStore<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storeError(error);
  }
}

function storeError(error: unknown): unknown {
  const known = sourceError(error);
  if (!(error instanceof LakeError) || !(known instanceof LhsError)) return known;
  const { message, details } = known;
  switch (error.reason) {
    case 'storage_unreachable':
      return new LhsError('unreachable', message, { details, cause: error });
    case 'table_not_found':
      return new LhsError('not_found', message, { details, cause: error });
    case 'path_refused':
      return new LhsError('invalid_argument', message, { details, cause: error });
    case 'internal':
      return new LhsError('io_error', message, { details, cause: error });
    default:
      return known;
  }
}

/** The result of reading a published index; damage says what restores it. */
export function inPublished<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof LhsError) || error.code !== 'corrupt_index') throw error;
    const { code, message, details, cause } = error;
    throw new LhsError(code, message, { ...RESTORED, details, cause });
  }
}

/** An object of a published index that is not as it was written, or is gone. */
export function damagedHome(path: string, what: string, cause?: unknown): LhsError {
  return new LhsError('corrupt_index', `"${path}" of a published index ${what}`, {
    ...RESTORED,
    details: { file: path },
    cause,
  });
}

/** A backup or a repository that is not as it was written. */
export function damaged(place: string, what: string, cause?: unknown): LhsError {
  return new LhsError('corrupt_index', `backup "${place}" is damaged: ${what}`, {
    hint: 'restore another backup, or build the index from its table',
    details: { file: place },
    cause,
  });
}
