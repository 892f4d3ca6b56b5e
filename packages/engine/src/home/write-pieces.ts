import { closeSync, existsSync, fstatSync, openSync, readSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type FileSeal, FRAME_FOOTER_BYTES } from '../storage/frame.ts';
import { ioError } from '../storage/io-errors.ts';
import { makeFolder } from '../storage/make-folder.ts';

/** Bytes of a file in a row. */
export type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>;

/** Writes a file unless it is there, durably. Throws as `writePieces`, and what `pieces` throws. */
export async function writeMissing(
  path: string,
  seal: FileSeal,
  pieces: Pieces,
  step: (bytes: number) => void = () => undefined,
): Promise<void> {
  if (isHere(path, seal)) return;
  rmSync(path, { force: true });
  await writePieces(path, pieces, step);
}

/** Whether a file is there with its length and the checksum of its footer. */
export function isHere(path: string, { length, crc }: FileSeal): boolean {
  if (!existsSync(path)) return false;
  const descriptor = openSync(path, 'r');
  try {
    if (fstatSync(descriptor).size !== length) return false;
    const footer = Buffer.alloc(FRAME_FOOTER_BYTES);
    readSync(descriptor, footer, 0, footer.length, length - footer.length);
    return footer.readUInt32LE(0) === crc;
  } finally {
    closeSync(descriptor);
  }
}

/** Writes a new file, durably; `step` is called after each piece. Throws io_error, disk_full. */
export async function writePieces(
  path: string,
  pieces: Pieces,
  step: (bytes: number) => void,
): Promise<void> {
  makeFolder(dirname(path));
  try {
    await using handle = await open(path, 'wx', 0o600);
    for await (const bytes of pieces) {
      await writeAll(handle, bytes);
      step(bytes.length);
    }
    await handle.sync();
  } catch (error) {
    throw ioError(error, 'write', path);
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    at += (await handle.write(bytes, at, bytes.length - at)).bytesWritten;
  }
}
