import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { extendCrc } from '../base/bytes/extend-crc.ts';
import { type FileSeal, FRAME_FOOTER_BYTES } from '../storage/frame.ts';
import { ioError, missing, systemCode } from '../storage/io-errors.ts';
import { readObject, type StoredObject } from '../tier/fetch-blocks.ts';
import type { ChunkWriter } from './chunk-writer.ts';
import type { BackupChunk, BackupFile } from './manifest.ts';

const CHUNK_BYTES = 4 * 2 ** 20;
/** Embedding caches grow at their end: each backup copies their last chunk again. */
const CACHE_CHUNK_BYTES = 2 ** 20;
const CACHE_ATTEMPTS = 5;

/** Is called after each chunk that was read. */
type Step = (bytes: number) => Promise<void>;

/** Bytes of a component file, from the disk or from the store of a cold window. */
export interface ComponentSource {
  /** For messages. */
  readonly path: string;
  /** The bytes in pieces, each in memory of its own; more than `most` are not needed. */
  readonly pieces: (most: number) => AsyncIterable<Uint8Array>;
}

/** A component file in the folder of a generation. */
export const localSource = (folder: string, name: string): ComponentSource => ({
  path: join(folder, name),
  async *pieces(most) {
    await using handle = await openFile(folder, name);
    yield* piecesOf(handle, join(folder, name), most, CHUNK_BYTES);
  },
});

/** A file of a cold window, whose bytes are an object. */
export const coldSource = (object: StoredObject): ComponentSource => ({
  path: `${object.place}/${object.key}`,
  async *pieces() {
    for (let at = 0; at < object.length; at += CHUNK_BYTES) {
      yield await readObject(object, at, Math.min(CHUNK_BYTES, object.length - at));
    }
  },
});

/** Copies a component file. Throws as `sealedPieces`. */
export async function copyComponent(
  source: ComponentSource,
  name: string,
  seal: FileSeal,
  writer: ChunkWriter,
  step: Step,
): Promise<BackupFile> {
  const chunks: BackupChunk[] = [];
  for await (const bytes of sealedPieces(source, seal)) {
    chunks.push(await writer.add(bytes));
    await step(bytes.length);
  }
  return { path: `generation/${name}`, ...seal, chunks };
}

/**
 * The bytes of a component file, which never changes. Throws corrupt_index, at its end, if it is
 * not the file that the commit names.
 */
export async function* sealedPieces(
  { path, pieces }: ComponentSource,
  seal: FileSeal,
): AsyncGenerator<Uint8Array> {
  const summed = seal.length - FRAME_FOOTER_BYTES;
  let crc = 0;
  let at = 0;
  for await (const bytes of pieces(seal.length + 1)) {
    crc = extendCrc(crc, bytes.subarray(0, Math.max(0, Math.min(bytes.length, summed - at))));
    at += bytes.length;
    if (at > seal.length) break;
    yield bytes;
  }
  if (at === seal.length && crc === seal.crc) return;
  const message = `"${path}" is not the file that the commit names (length or checksum differ)`;
  throw new LhsError('corrupt_index', message, {
    hint: 'build the index again from its table, then back it up',
    next: [{ step: 'reindex' }],
    details: { file: path },
  });
}

/** Copies bytes under a name of the generation: the commit. */
export async function copyBytes(
  name: string,
  bytes: Uint8Array,
  writer: ChunkWriter,
): Promise<BackupFile> {
  const chunks: BackupChunk[] = [];
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
    chunks.push(await writer.add(bytes.subarray(from, from + CHUNK_BYTES)));
  }
  return { path: `generation/${name}`, length: bytes.length, chunks };
}

/** Copies the embedding caches of an index folder. */
export async function copyCaches(
  folder: string,
  writer: ChunkWriter,
  step: Step,
): Promise<readonly BackupFile[]> {
  const files: BackupFile[] = [];
  for await (const { name: path, pieces } of cachesOf(folder)) {
    const chunks: BackupChunk[] = [];
    for await (const bytes of pieces) {
      chunks.push(await writer.add(bytes));
      await step(bytes.length);
    }
    const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
    files.push({ path, length, chunks });
  }
  return files;
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
        const pieces = piecesOf(handle, join(home, model, name), length, CACHE_CHUNK_BYTES);
        yield { name: `embeddings/${model}/${name}`, pieces };
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

/** The first `length` bytes of a file in pieces, each in memory of its own; fewer at its end. */
async function* piecesOf(
  handle: FileHandle,
  path: string,
  length: number,
  pieceBytes: number,
): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < length; ) {
    const bytes = Buffer.allocUnsafeSlow(Math.min(pieceBytes, length - at));
    const read = await readPiece(handle, bytes, at).catch((error: unknown) => {
      throw ioError(error, 'read', path);
    });
    if (read === 0) return;
    yield bytes.subarray(0, read);
    at += read;
  }
}

/** Fills `bytes` as far as the file goes. */
async function readPiece(handle: FileHandle, bytes: Buffer, at: number): Promise<number> {
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, at + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}
