import type { FileHandle } from 'node:fs/promises';
import { LakeError, type LakeErrorCode } from '../errors.ts';
import { NOT_A_FILE, openRegularFile } from './regular-file.ts';
import { isForbidden } from './write-fault.ts';

/** A file that is read by range. `path` is for messages. */
export interface RandomAccessFile {
  readonly path: string;
  readonly size: number;
  /** Exactly `length` bytes from `offset`; throws if the file has fewer. */
  read(offset: number, length: number): Promise<Uint8Array>;
  /**
   * Where each read costs a request: begins to read ranges side by side that are read soon, at most
   * `LIMITS.readAheadBytes`. Returns a function that drops what was not read.
   */
  readonly readAhead?: (ranges: readonly FileRange[]) => () => void;
  close(): Promise<void>;
}

/** Bytes of a file. */
export interface FileRange {
  readonly offset: number;
  readonly length: number;
}

/** What to call the file in errors: its role decides between `data_file_*` and `delete_file_*`. */
export type FileRole = 'data' | 'delete';

/** The error code for a file of this role that is not there. */
export function missingCode(role: FileRole): LakeErrorCode {
  return role === 'data' ? 'data_file_missing' : 'delete_file_missing';
}

/** The error code for a file of this role whose bytes are wrong. */
export function invalidCode(role: FileRole): LakeErrorCode {
  return role === 'data' ? 'data_file_invalid' : 'delete_file_invalid';
}

class LocalFile implements RandomAccessFile {
  readonly path: string;
  readonly size: number;
  readonly #handle: FileHandle;
  readonly #role: FileRole;

  constructor(path: string, size: number, handle: FileHandle, role: FileRole) {
    this.path = path;
    this.size = size;
    this.#handle = handle;
    this.#role = role;
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    if (!(offset >= 0 && length >= 0 && offset + length <= this.size)) {
      throw new LakeError(
        invalidCode(this.#role),
        `range ${offset}..${offset + length} lies outside the file of ${this.size} ` +
          `bytes; the file is damaged or was replaced`,
        { file: this.path },
      );
    }
    const bytes = new Uint8Array(length);
    for (let done = 0; done < length; ) {
      const { bytesRead } = await this.#handle.read(bytes, done, length - done, offset + done);
      if (bytesRead === 0) {
        throw new LakeError(
          invalidCode(this.#role),
          `the file ended at byte ${offset + done}, expected ${this.size} bytes; it was ` +
            `cut while it was read`,
          { file: this.path },
        );
      }
      done += bytesRead;
    }
    return bytes;
  }

  async close(): Promise<void> {
    await this.#handle.close();
  }
}

/**
 * Opens a regular local file, a copy of the file `name` if that is given. Throws
 * `data_file_missing` or `delete_file_missing` (by `role`) if it cannot be opened,
 * `data_file_invalid` or `delete_file_invalid` for a pipe, a device or a folder.
 */
export async function openLocalFile(
  path: string,
  role: FileRole = 'data',
  name = path,
): Promise<RandomAccessFile> {
  try {
    const { handle, size } = await openRegularFile(path);
    return new LocalFile(name, size, handle, role);
  } catch (cause) {
    throw openFailed(name, role, cause);
  }
}

function openFailed(path: string, role: FileRole, cause: unknown): LakeError {
  const why = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown error';
  if (why === NOT_A_FILE) {
    return new LakeError(invalidCode(role), (cause as Error).message, { file: path, cause });
  }
  return new LakeError(
    isForbidden(cause) ? 'permission_denied' : missingCode(role),
    `${role} file "${path}" cannot be opened (${why}); the table names it, so restore ` +
      `it or expire the snapshots that need it`,
    { file: path, cause },
  );
}
