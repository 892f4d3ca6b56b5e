import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { extendCrc } from '../base/bytes/extend-crc.ts';
import { type FileSeal, FRAME_FOOTER_BYTES } from '../storage/frame.ts';
import { ioError, missing, systemCode } from '../storage/io-errors.ts';
import { readFile, type StoredObject } from './windows/fetch-blocks.ts';
import type { Pieces } from './write-pieces.ts';

/** Bytes of a file that are read at once. */
export const PIECE_BYTES = 4 * 2 ** 20;
const CACHE_ATTEMPTS = 5;

/** A file on the disk, or in the store of a cold window. */
export interface FileSource {
  /** For messages. */
  readonly path: string;
  /** The path is one of this disk, which a link can share. */
  readonly isLocal: boolean;
  /** At most `most` bytes from `offset` on, in memory of their own; fewer at the end of the file. */
  readonly read: (offset: number, most: number) => Promise<Uint8Array>;
}

/** A component file in the folder of a generation. */
export const localSource = (folder: string, name: string): FileSource => ({
  path: join(folder, name),
  isLocal: true,
  async read(offset, most) {
    await using handle = await openFile(folder, name);
    return await readPiece(handle, join(folder, name), offset, most);
  },
});

/** A file of a cold window, whose bytes are an object. */
export const coldSource = (object: StoredObject): FileSource => ({
  path: `${object.place}/${object.key}`,
  isLocal: false,
  async read(offset, most) {
    const length = Math.min(most, object.length - offset);
    return length > 0 ? readFile(object, offset, length) : Buffer.alloc(0);
  },
});

/**
 * The bytes of a component file, which never changes. Throws corrupt_index, at its end, if it is
 * not the file that the commit names.
 */
export const sealedPieces = (source: FileSource, seal: FileSeal): AsyncGenerator<Uint8Array> =>
  checkedPieces(piecesFrom(source, seal.length + 1), seal, () => {
    const message = `"${source.path}" is not the file that the commit names`;
    return new LhsError('corrupt_index', `${message} (length or checksum differ)`, {
      hint: 'build the index again from its table, then back it up',
      next: [{ step: 'reindex' }],
      details: { file: source.path },
    });
  });

/** The pieces of a file; throws `fault` at its end if they do not fit its seal. */
export async function* checkedPieces(
  pieces: Pieces,
  { length, crc: expected }: FileSeal,
  fault: () => LhsError,
): AsyncGenerator<Uint8Array> {
  const summed = length - FRAME_FOOTER_BYTES;
  let crc = 0;
  let at = 0;
  for await (const bytes of pieces) {
    crc = extendCrc(crc, bytes.subarray(0, Math.max(0, Math.min(bytes.length, summed - at))));
    at += bytes.length;
    if (at > length) break;
    yield bytes;
  }
  if (at !== length || crc !== expected) throw fault();
}

/** The first `most` bytes of a file. */
async function* piecesFrom(
  { read }: Pick<FileSource, 'read'>,
  most: number,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < most; ) {
    const bytes = await read(at, Math.min(PIECE_BYTES, most - at));
    if (bytes.length === 0) return;
    yield bytes;
    at += bytes.length;
  }
}

/** A file of an embedding cache. */
export interface CacheFile {
  /** Its path in the folder of the index. */
  readonly name: string;
  readonly pieces: AsyncIterable<Uint8Array>;
}

/** The embedding caches of an index folder. A writer may append to them meanwhile. */
export async function* cachesOf(folder: string): AsyncGenerator<CacheFile> {
  const home = join(folder, 'embeddings');
  for (const model of await namesIn(home)) {
    if (!/^[0-9a-f]{32}$/.test(model)) continue;
    const pair = await openPair(join(home, model));
    if (pair === null) continue;
    try {
      for (const { name, handle, length } of pair) {
        const path = join(home, model, name);
        const read = (at: number, most: number) => readPiece(handle, path, at, most);
        yield { name: `embeddings/${model}/${name}`, pieces: piecesFrom({ read }, length) };
      }
    } finally {
      for (const { handle } of pair) await handle.close();
    }
  }
}

interface OpenFile {
  readonly name: string;
  readonly handle: FileHandle;
  readonly length: number;
}

/**
 * The newest pair of a cache, the keys first: records are written before their keys, so that what
 * is read afterwards has a record for every key. A cache may be rewritten meanwhile, under the next
 * number. Null if there is no pair.
 */
async function openPair(folder: string): Promise<readonly OpenFile[] | null> {
  for (let attempt = 1; ; attempt++) {
    const numbers = (await namesIn(folder)).flatMap(
      (name) => /^(\d+)\.keys$/.exec(name)?.[1] ?? [],
    );
    const newest = numbers.sort().at(-1);
    if (newest === undefined) return null;
    const opened: OpenFile[] = [];
    try {
      for (const name of [`${newest}.keys`, `${newest}.vectors`]) {
        const handle = await open(join(folder, name), 'r');
        opened.push({ name, handle, length: (await handle.stat()).size });
      }
      return opened;
    } catch (error) {
      for (const { handle } of opened) await handle.close();
      if (systemCode(error) !== 'ENOENT') throw ioError(error, 'read', folder);
      if (attempt === CACHE_ATTEMPTS) return null;
    }
  }
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return (await readdir(folder)).sort();
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw ioError(error, 'list', folder);
  }
}

async function openFile(folder: string, name: string): Promise<FileHandle> {
  try {
    return await open(join(folder, name), 'r');
  } catch (error) {
    if (systemCode(error) === 'ENOENT') throw missing(folder, name);
    throw ioError(error, 'read', join(folder, name));
  }
}

/** At most `most` bytes of a file, in memory of their own. Throws io_error. */
async function readPiece(
  handle: FileHandle,
  path: string,
  at: number,
  most: number,
): Promise<Uint8Array> {
  const bytes = Buffer.allocUnsafeSlow(most);
  let filled = 0;
  while (filled < most) {
    const left = most - filled;
    const { bytesRead } = await handle
      .read(bytes, filled, left, at + filled)
      .catch((error: unknown) => {
        throw ioError(error, 'read', path);
      });
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
