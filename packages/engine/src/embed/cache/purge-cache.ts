/**
 * Reading and purging the cache files of one model without the model: all pairs of a folder, also
 * those that a crash left beside the newest one.
 */
import {
  closeSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { ioError, systemCode } from '../../storage/io-errors.ts';
import { syncFolder } from '../../storage/make-folder.ts';
import {
  CACHE_HEADER_BYTES,
  type CacheFileKind,
  cacheFile,
  KEY_BYTES,
  RECORD_HEAD_BYTES,
  recordBytes,
} from './cache-format.ts';

const FILE = /^(\d{6,})\.(keys|vectors)$/;
/** Bytes of records that are read at once. */
const RUN_BYTES = 4 * 2 ** 20;

/** An entry: valid only during the call that it is passed to. */
export interface CacheEntry {
  /** 16 bytes (text-keys.ts). */
  readonly key: Uint8Array;
  readonly scale: number;
  readonly codes: Int16Array;
}

/** The files of a folder: whole pairs by number, and names that belong to none. */
export interface CachePairs {
  readonly pairs: readonly number[];
  readonly others: readonly string[];
}

/** Lists the cache files of a model. Throws io_error. */
export function cachePairs(folder: string): CachePairs {
  try {
    const names = readdirSync(folder);
    const pairs = names.flatMap((name) => {
      const match = FILE.exec(name);
      const number = Number(match?.[1]);
      const whole = match?.[2] === 'keys' && names.includes(cacheFile(number, 'vectors'));
      return whole ? [number] : [];
    });
    const own = new Set(pairs.flatMap((n) => [cacheFile(n, 'keys'), cacheFile(n, 'vectors')]));
    return { pairs: pairs.sort((a, b) => a - b), others: names.filter((name) => !own.has(name)) };
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return { pairs: [], others: [] };
    throw ioError(error, 'list', folder);
  }
}

/** Calls `visit` for each entry of a pair, damaged ones too. Returns their number. */
export function eachCacheEntry(
  folder: string,
  number: number,
  visit: (entry: CacheEntry, place: number) => void,
): number {
  try {
    const keys = readFileSync(join(folder, cacheFile(number, 'keys')));
    const vectors = readFileSync(join(folder, cacheFile(number, 'vectors')));
    return eachOf(keys, vectors, visit);
  } catch (error) {
    throw ioError(error, 'read', join(folder, cacheFile(number, 'vectors')));
  }
}

function eachOf(
  keys: Buffer,
  vectors: Buffer,
  visit: (entry: CacheEntry, place: number) => void,
): number {
  const dims = dimsOf(vectors);
  const size = recordBytes(dims);
  const count = entriesIn(keys, vectors, dims);
  const codes = new Int16Array(dims);
  const into = Buffer.from(codes.buffer);
  for (let i = 0; i < count; i++) {
    const at = CACHE_HEADER_BYTES + i * size;
    const keyAt = CACHE_HEADER_BYTES + i * KEY_BYTES;
    vectors.copy(into, 0, at + RECORD_HEAD_BYTES, at + size);
    const key = keys.subarray(keyAt, keyAt + KEY_BYTES);
    visit({ key, scale: vectors.readFloatLE(at + 4), codes }, i);
  }
  return count;
}

/** A file of a pair may be cut within its header. */
function dimsOf(vectors: Buffer): number {
  return vectors.length < CACHE_HEADER_BYTES ? 0 : vectors.readUInt32LE(12);
}

function entriesIn(keys: Buffer, vectors: Buffer, dims: number): number {
  if (dims === 0) return 0;
  const entries = (bytes: Buffer, size: number) =>
    Math.floor(Math.max(0, bytes.length - CACHE_HEADER_BYTES) / size);
  return Math.min(entries(keys, KEY_BYTES), entries(vectors, recordBytes(dims)));
}

/**
 * Writes a new pair without the entries that `drop` accepts, then removes all former files of the
 * folder. Of a folder with several pairs only the newest one stays. Killed at any time, either the
 * former pair or the new one counts, and the next purge removes the other. The caller holds the
 * lock of the caches. Returns the number of entries that were dropped. Throws io_error, disk_full.
 */
export function purgeCache(folder: string, drop: (entry: CacheEntry) => boolean): number {
  const { pairs, others } = cachePairs(folder);
  const newest = pairs.at(-1);
  try {
    for (const name of others) rmSync(join(folder, name), { recursive: true, force: true });
    if (newest === undefined) return 0;
    const keys = readFileSync(join(folder, cacheFile(newest, 'keys')));
    const vectors = readFileSync(join(folder, cacheFile(newest, 'vectors')));
    const kept: number[] = [];
    const count = eachOf(keys, vectors, (entry, place) => {
      if (!drop(entry)) kept.push(place);
    });
    if (kept.length === count && pairs.length === 1) return 0;
    replacePair(folder, newest + 1, { keys, vectors }, kept);
    for (const number of pairs) {
      for (const kind of ['keys', 'vectors'] as const) {
        rmSync(join(folder, cacheFile(number, kind)), { force: true });
      }
    }
    syncFolder(folder);
    return count - kept.length;
  } catch (error) {
    throw ioError(error, 'rewrite', folder);
  }
}

function replacePair(
  folder: string,
  number: number,
  files: Readonly<Record<CacheFileKind, Buffer>>,
  kept: readonly number[],
): void {
  const size = { keys: KEY_BYTES, vectors: recordBytes(dimsOf(files.vectors)) };
  for (const kind of ['vectors', 'keys'] as const) {
    writeEntries(join(folder, `${cacheFile(number, kind)}.tmp`), files[kind], size[kind], kept);
  }
  for (const kind of ['vectors', 'keys'] as const) {
    const path = join(folder, cacheFile(number, kind));
    renameSync(`${path}.tmp`, path);
  }
  syncFolder(folder);
}

function writeEntries(path: string, from: Buffer, size: number, kept: readonly number[]): void {
  const descriptor = openSync(path, 'w', 0o600);
  try {
    writeWhole(descriptor, from.subarray(0, CACHE_HEADER_BYTES));
    const most = Math.max(1, Math.floor(RUN_BYTES / size));
    for (let first = 0; first < kept.length; first += most) {
      const run = kept.slice(first, first + most).map((place) => {
        const at = CACHE_HEADER_BYTES + place * size;
        return from.subarray(at, at + size);
      });
      writeWhole(descriptor, Buffer.concat(run));
    }
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function writeWhole(descriptor: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(descriptor, bytes, at);
}
