import { LakeError, type LakeErrorCode } from '../errors.ts';

const CODES: Readonly<Record<string, readonly [LakeErrorCode, string]>> = Object.freeze({
  ENOSPC: ['disk_full', 'the disk is full'],
  EDQUOT: ['disk_full', 'the disk quota is used up'],
  EACCES: ['permission_denied', 'permission denied'],
  EPERM: ['permission_denied', 'not permitted'],
  EROFS: ['permission_denied', 'the file system is read-only'],
  EEXIST: ['invalid_argument', 'another file has its name'],
  ENOTDIR: ['invalid_argument', 'a file is in the place of its folder'],
  ENOENT: ['invalid_argument', 'its folder is not there or cannot hold it'],
});

/** Whether a system error means that this user lacks the permission. */
export function isForbidden(error: unknown): boolean {
  return CODES[(error as NodeJS.ErrnoException).code ?? '']?.[0] === 'permission_denied';
}

/**
 * The error for a file or folder that cannot be written: disk_full, permission_denied,
 * invalid_argument (its place is taken or cannot hold it), else internal. A LakeError stays as it
 * is.
 */
export function writeFault(path: string, error: unknown): LakeError {
  if (error instanceof LakeError) return error;
  const reason = (error as NodeJS.ErrnoException).code ?? String(error);
  const [code, why] = CODES[reason] ?? ['internal', 'the system refuses it'];
  return new LakeError(code, `"${path}" cannot be written: ${why} (${reason})`, {
    file: path,
    cause: error,
  });
}
