import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** The `code` of the error for a path that names something else than a regular file. */
export const NOT_A_FILE = 'ENOTAFILE';

/** An open regular file and its size in bytes when it was opened. */
export interface RegularFile {
  readonly handle: FileHandle;
  readonly size: number;
}

/**
 * Opens a regular file for reading. A named pipe, a device, a socket or a folder is refused with an
 * Error of code `ENOTAFILE`, without waiting for a writer. Other errors are the system's.
 */
export async function openRegularFile(path: string): Promise<RegularFile> {
  const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = constants;
  const handle = await open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  const stat = await handle.stat();
  if (stat.isFile()) return { handle, size: stat.size };
  await handle.close();
  throw Object.assign(new Error(`"${path}" is not a regular file but ${kindOf(stat)}`), {
    code: NOT_A_FILE,
  });
}

function kindOf(stat: Stats): string {
  if (stat.isDirectory()) return 'a folder';
  if (stat.isFIFO()) return 'a named pipe';
  return stat.isSocket() ? 'a socket' : 'a device';
}

/** Bytes of the buffer for a file that grows while it is read, at least. */
const LEAST_GROWTH = 65_536;

/**
 * All bytes of an open file, or null if there are more than `maxBytes`. Never holds more than
 * `maxBytes` + 1 bytes, also while the file grows.
 */
export async function readAtMost(
  { handle, size }: RegularFile,
  maxBytes: number,
): Promise<Buffer | null> {
  if (size > maxBytes) return null;
  let buffer = Buffer.allocUnsafeSlow(size + 1);
  for (let length = 0; ; ) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
    length += bytesRead;
    if (length > maxBytes) return null;
    if (bytesRead === 0 || length === size) return buffer.subarray(0, length);
    if (length === buffer.length) {
      const more = Math.min(Math.max(2 * length, LEAST_GROWTH), maxBytes);
      const larger = Buffer.allocUnsafeSlow(more + 1);
      buffer.copy(larger);
      buffer = larger;
    }
  }
}
