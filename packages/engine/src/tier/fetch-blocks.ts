/**
 * Reads blocks of cold files: from the cache on the local disk, which all processes of a user
 * share, or from the object store by ranges. A block that is damaged in the cache is fetched again.
 */
import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { LhsError } from '@lakehouse-search/contract';
import { LakeError, type ObjectStore, openObjectStore } from '@lakehouse-search/lake';
import { formatDay } from '../schema/date-value.ts';
import type { FetchBlocks } from '../storage/cold-cache.ts';
import { type ColdObject, coldFigures, damagedBlock } from '../storage/cold-file.ts';

/** One request reads at most this many neighboring blocks. */
const BLOCKS_AT_ONCE = 64;
const REQUESTS_AT_ONCE = 16;
/** Time for the bytes of one request, less than a query may take. */
const READ_MS = 8000;
/** Bytes of blocks on disk, at most; LHS_COLD_CACHE_BYTES sets others. */
const DISK_BYTES = 2 ** 30;
/** Blocks that are written between two looks at the size of the cache. */
const SWEEP_EVERY = 256;

const stores = new Map<string, Promise<ObjectStore>>();
let written = 0;

/** Reads blocks of an object and hands each to `take`. Throws unreachable, corrupt_index, … */
export const fetchColdBlocks: FetchBlocks = async (object, blocks, take) => {
  const missing: number[] = [];
  for (const block of blocks) {
    const bytes = await readKept(object, block);
    if (bytes === null) missing.push(block);
    else take(block, bytes);
  }
  const runs = runsOf(missing);
  for (let i = 0; i < runs.length; i += REQUESTS_AT_ONCE) {
    const some = runs.slice(i, i + REQUESTS_AT_ONCE);
    await Promise.all(some.map((run) => fetchRun(object, run, take)));
  }
};

/** Neighboring blocks together. */
function runsOf(blocks: readonly number[]): readonly (readonly number[])[] {
  const runs: number[][] = [];
  for (const block of blocks) {
    const last = runs.at(-1);
    if (last?.at(-1) === block - 1 && last.length < BLOCKS_AT_ONCE) last.push(block);
    else runs.push([block]);
  }
  return runs;
}

async function fetchRun(
  object: ColdObject,
  run: readonly number[],
  take: (block: number, bytes: Uint8Array) => void,
): Promise<void> {
  const { blockBytes } = object;
  const offset = run[0] * blockBytes;
  const end = Math.min(object.length, (run[run.length - 1] + 1) * blockBytes);
  const read = async () => {
    const got = await readObject(object, offset, end - offset, AbortSignal.timeout(READ_MS));
    coldFigures.bytesRead += got.length;
    return got;
  };
  const first = await read();
  // bits may flip on the way: an object counts as damaged if a second read says so
  const bytes = firstDamaged(object, run, first) === undefined ? first : await read();
  const damaged = firstDamaged(object, run, bytes);
  if (damaged !== undefined) throw damagedBlock(object, damaged);
  for (const [i, block] of run.entries()) {
    const own = bytes.subarray(i * blockBytes, (i + 1) * blockBytes);
    take(block, own);
    await keep(object, block, own);
  }
}

/** The first block of a run whose bytes have another checksum. */
const firstDamaged = (
  { blockBytes, crcs }: ColdObject,
  run: readonly number[],
  bytes: Uint8Array,
): number | undefined =>
  run.find(
    (block, i) => crc32(bytes.subarray(i * blockBytes, (i + 1) * blockBytes)) !== crcs[block],
  );

/** An object of a cold window. */
export type StoredObject = Pick<ColdObject, 'place' | 'key' | 'length' | 'window'>;

/**
 * A range of an object. `limit`: when it aborts, the store counts as unreachable. Throws an error
 * that names window and store.
 */
export async function readObject(
  { place, key, length: size, window }: StoredObject,
  offset: number,
  length: number,
  limit?: AbortSignal,
): Promise<Uint8Array> {
  try {
    const store = await storeOf(place);
    const span = { offset, length };
    const got = await store.get(key, { span, maxBytes: length, signal: limit }).catch((error) => {
      if (limit?.aborted) throw silentStore(key);
      throw error;
    });
    if (typeof got === 'string') throw new LakeError('internal', `object "${key}" is ${got}`);
    if (got.size !== size || got.bytes.length !== length) {
      throw new LakeError('internal', `object "${key}" has ${got.size} bytes, expected ${size}`);
    }
    return got.bytes;
  } catch (error) {
    if (!(error instanceof LakeError)) throw error;
    const from = window === null ? 'without a date' : `from ${formatDay(window)} on`;
    const code = error.code === 'internal' ? 'io_error' : 'unreachable';
    throw new LhsError(code, `the cold window ${from} cannot be read: ${error.message}`, {
      hint: `its files are in "${place}"; a filter on the date leaves the window out`,
      details: { place, window: window === null ? null : formatDay(window) },
      cause: error,
    });
  }
}

const silentStore = (key: string): LakeError =>
  new LakeError(
    'storage_unreachable',
    `the object store has not answered for ${READ_MS / 1000} s (object "${key}")`,
  );

/** The store of a place; opened once. */
export function storeOf(place: string): Promise<ObjectStore> {
  let store = stores.get(place);
  if (store === undefined) {
    store = openObjectStore(place);
    stores.set(place, store);
    store.catch(() => stores.delete(place));
  }
  return store;
}

/** The folder of the cache on disk. */
export const cacheFolder = (): string =>
  process.env.LHS_COLD_CACHE_DIR ||
  join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'lhs', 'cold');

/** Bytes that the cache on disk may have. */
export const coldDiskLimit = (): number =>
  Number(process.env.LHS_COLD_CACHE_BYTES || DISK_BYTES) || 0;

/**
 * Files of the cache: `<uuid of the index>.<object>.<bytes of a block>.<block>`. Keys of objects
 * begin with the UUID.
 */
const keptPath = (object: ColdObject, block: number): string =>
  join(cacheFolder(), `${keptName(object)}.${object.blockBytes}.${block}`);

function keptName({ place, key }: Pick<ColdObject, 'place' | 'key'>): string {
  const [uuid] = key.split('/');
  const hash = createHash('sha256').update(`${place}\n${key}`).digest('hex');
  return `${uuid}.${hash.slice(0, 32)}`;
}

/** Paths of the kept blocks of an index whose objects are not `needed`. */
export async function unneededBlocks(
  uuid: string,
  needed: readonly StoredObject[],
): Promise<readonly string[]> {
  const names = new Set(needed.map(keptName));
  const isNeeded = (name: string) => names.has(name.split('.', 2).join('.'));
  const own = await readdir(cacheFolder()).catch(() => []);
  return own
    .filter((name) => name.startsWith(`${uuid}.`) && !isNeeded(name))
    .map((name) => join(cacheFolder(), name));
}

async function readKept(object: ColdObject, block: number): Promise<Uint8Array | null> {
  const path = keptPath(object, block);
  const bytes = await readFile(path).catch(() => null);
  if (bytes === null || crc32(bytes) !== object.crcs[block]) return null;
  const now = new Date();
  await utimes(path, now, now).catch(() => {});
  return bytes;
}

/** A cache that cannot be written keeps nothing. */
async function keep(object: ColdObject, block: number, bytes: Uint8Array): Promise<void> {
  if (coldDiskLimit() === 0) return;
  const path = keptPath(object, block);
  const draft = `${path}.${randomUUID()}`;
  try {
    await mkdir(cacheFolder(), { recursive: true, mode: 0o700 });
    await writeFile(draft, bytes, { mode: 0o600 });
    await rename(draft, path);
    if (++written % SWEEP_EVERY === 0) await sweepCache();
  } catch {
    await rm(draft, { force: true }).catch(() => {});
  }
}

/** Removes the blocks that were not used for longest until the others fit. */
export async function sweepCache(limit = coldDiskLimit()): Promise<void> {
  const folder = cacheFolder();
  const names = await readdir(folder).catch(() => []);
  const found = await Promise.all(
    names.map(async (name) => ({ name, info: await stat(join(folder, name)).catch(() => null) })),
  );
  const files = found.flatMap(({ name, info }) => (info === null ? [] : [{ name, info }]));
  let total = files.reduce((sum, { info }) => sum + info.size, 0);
  for (const { name, info } of files.sort((a, b) => a.info.mtimeMs - b.info.mtimeMs)) {
    if (total <= limit) return;
    await rm(join(folder, name), { force: true });
    total -= info.size;
  }
}
