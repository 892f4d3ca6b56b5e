import { LakeError, type LakeErrorCode } from '../errors.ts';
import { NOT_A_FILE, openRegularFile, readAtMost } from './regular-file.ts';
import { isForbidden } from './write-fault.ts';

/**
 * All bytes of a regular local file. `missing` is the code if it is not there, cannot be read, or
 * is a pipe, a device or a folder. Throws permission_denied if this user may not read it. A file
 * of more than `maxBytes` is limit_exceeded.
 */
export async function readLocalFile(
  path: string,
  missing: LakeErrorCode,
  maxBytes: number,
): Promise<Buffer> {
  const bytes = await readRegular(path, maxBytes).catch((error: unknown) => {
    throw fileFault(error, path, missing);
  });
  if (bytes !== null) return bytes;
  throw new LakeError('limit_exceeded', `file "${path}" is larger than ${maxBytes} bytes`, {
    file: path,
  });
}

async function readRegular(path: string, maxBytes: number): Promise<Buffer | null> {
  const file = await openRegularFile(path);
  await using _ = file.handle;
  return await readAtMost(file, maxBytes);
}

/** The error for a file that could not be read. */
export function fileFault(error: unknown, path: string, missing: LakeErrorCode): LakeError {
  const { code, message } = error as NodeJS.ErrnoException;
  const kind = isForbidden(error) ? 'permission_denied' : missing;
  const what = code === 'ENOENT' ? 'is not there' : `could not be read (${code ?? String(error)})`;
  const text = code === NOT_A_FILE ? message : `file "${path}" ${what}`;
  return new LakeError(kind, text, { file: path, cause: error });
}
