import { LhsError } from '@lakehouse-search/contract';

/** The system's error code of a thrown value (`ENOSPC`, …), or '' where it has none. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * A failed system call as an LhsError that names the file: disk_full for a disk or quota without
 * room, io_error for all else, each with what to do next. An LhsError passes through as it is.
 */
export function ioError(error: unknown, action: string, path: string): LhsError {
  if (error instanceof LhsError) return error;
  const code = systemCode(error);
  const what = `cannot ${action} "${path}"`;
  const details = { path, errno: code };
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    const why = code === 'ENOSPC' ? 'no space left on its disk' : 'the disk quota is used up';
    const hint = `free space on the disk that holds "${path}", then run the command again`;
    return new LhsError('disk_full', `${what}: ${why}`, { hint, details, cause: error });
  }
  const reason = error instanceof Error ? error.message : String(error);
  const message = `${what}: ${code === '' ? reason : (REASONS[code] ?? reason)}`;
  return new LhsError('io_error', message, { hint: HINTS[code], details, cause: error });
}

const REASONS: Readonly<Record<string, string>> = {
  EMFILE: 'too many open files in this process (EMFILE)',
  ENFILE: 'too many open files on this machine (ENFILE)',
  EACCES: 'permission denied (EACCES)',
  EPERM: 'not permitted (EPERM)',
  EROFS: 'the file system is read-only (EROFS)',
  EEXIST: 'it exists already (EEXIST)',
  EIO: 'the disk reports an error (EIO)',
};
const HINTS: Readonly<Record<string, string>> = {
  EMFILE: 'raise the limit of open files (ulimit -n) or close other indexes',
  ENFILE: 'raise the limit of open files of the machine (fs.file-max)',
  EACCES: 'check who owns the data folder and its permissions',
  EPERM: 'check who owns the data folder and its permissions',
  EROFS: 'mount the file system read-write, or choose another data folder',
  EIO: 'check the disk; nothing of this operation has become visible',
};

const UNWRITABLE: ReadonlySet<unknown> = new Set(['EROFS', 'EACCES', 'EPERM']);

/** Whether an error says that nothing can be written: no room, read-only, no permission. */
export function isUnwritable(error: unknown): boolean {
  if (!(error instanceof LhsError)) return false;
  return (
    error.code === 'disk_full' || (error.code === 'io_error' && UNWRITABLE.has(error.details.errno))
  );
}

/** The error of a file that a commit names and that is not there. */
export function missing(path: string, name: string): LhsError {
  return new LhsError('corrupt_index', `"${path}/${name}" is missing`, {
    hint: 'the index folder has lost a file: build the index again from its table',
    next: [{ step: 'reindex' }],
    details: { file: `${path}/${name}`, missing: true },
  });
}

/** The result of `call`, whose error becomes that of `ioError`. */
export function attempt<T>(action: string, path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw ioError(error, action, path);
  }
}
