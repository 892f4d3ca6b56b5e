/** Reads blocks of cold files from their object stores, by ranges. */
import { crc32 } from 'node:zlib';
import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import { LakeError } from '@lakehouse-search/lake';
import { eachOf, type ObjectStore, openObjectStore } from '@lakehouse-search/lake/internal';
import { formatDay } from '../../schema/values/date-value.ts';
import type { BlockDemand, FetchBlocks } from '../../storage/cold-cache.ts';
import { type ColdObject, coldFigures, damagedBlock, RESTORED } from '../../storage/cold-file.ts';

/** One request reads at most so many blocks. */
const BLOCKS_AT_ONCE = 64;
/** So many blocks that nobody needs cost less than another request. */
const BLOCKS_BETWEEN = 4;
/** Of all objects that a read waits for. */
const REQUESTS_AT_ONCE = 24;
/** Time for the bytes of one request, less than a query may take. */
const READ_MS = 8000;

const stores = new Map<string, Promise<ObjectStore>>();

/** Reads blocks of objects and hands over each. Throws unreachable, corrupt_index, … */
export const fetchColdBlocks: FetchBlocks = async (demands) => {
  const runs = demands.flatMap(({ blocks, ...demand }) =>
    runsOf(blocks).map((run) => ({ ...demand, run })),
  );
  await eachOf(runs, REQUESTS_AT_ONCE, fetchRun);
};

/** Blocks that are read together: neighbors, and those between which few blocks are not needed. */
function runsOf(blocks: readonly number[]): readonly (readonly number[])[] {
  const runs: number[][] = [];
  for (const block of blocks) {
    const run = runs.at(-1);
    const next = run === undefined ? block : run[run.length - 1] + 1;
    const isNear = block <= next + BLOCKS_BETWEEN;
    if (run === undefined || !isNear || run.length >= BLOCKS_AT_ONCE) runs.push([block]);
    else for (let one = next; one <= block; one++) run.push(one);
  }
  return runs;
}

async function fetchRun({
  object,
  run,
  take,
}: Omit<BlockDemand, 'blocks'> & { readonly run: readonly number[] }): Promise<void> {
  const { blockBytes } = object;
  const offset = run[0] * blockBytes;
  const end = Math.min(object.length, (run[run.length - 1] + 1) * blockBytes);
  const read = async () => {
    const got = await readObject(object, offset, end - offset, AbortSignal.timeout(READ_MS));
    coldFigures.requests++;
    coldFigures.bytesRead += got.length;
    return got;
  };
  const first = await read();
  // bits may flip on the way: an object counts as damaged if a second read says so
  const bytes = firstDamaged(object, run, first) === undefined ? first : await read();
  const damaged = firstDamaged(object, run, bytes);
  if (damaged !== undefined) throw damagedBlock(object, damaged);
  for (const [i, block] of run.entries()) {
    take(block, bytes.subarray(i * blockBytes, (i + 1) * blockBytes));
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
export type StoredObject = Pick<ColdObject, 'place' | 'key' | 'offset' | 'length' | 'window'>;

/**
 * A range of an object. `limit`: when it aborts, the store counts as unreachable. Throws an error
 * that names window and store.
 */
export async function readObject(
  { place, key, offset: begin, length: size, window }: StoredObject,
  offset: number,
  length: number,
  limit?: AbortSignal,
): Promise<Uint8Array> {
  let isMissing = false;
  try {
    const store = await storeOf(place);
    const span = { offset: (begin ?? 0) + offset, length };
    const got = await store.get(key, { span, maxBytes: length, signal: limit }).catch((error) => {
      if (limit?.aborted) throw silentStore(key);
      throw error;
    });
    isMissing = got === 'missing';
    if (typeof got === 'string') throw new LakeError('internal', `object "${key}" is ${got}`);
    const isWhole = begin !== undefined || got.size === size;
    if (!isWhole || got.bytes.length !== length) {
      throw new LakeError('internal', `object "${key}" has ${got.size} bytes, expected ${size}`);
    }
    return got.bytes;
  } catch (error) {
    if (!(error instanceof LakeError)) throw error;
    const code = codeOf(error);
    if (window === undefined) {
      const message = `the index in "${place}" cannot be read: ${error.message}`;
      const hint = 'open it again: a commit that was replaced is there for an hour';
      throw new LhsError(code, message, { hint, details: { place }, cause: error });
    }
    const from = window === null ? 'without a date' : `from ${formatDay(window)} on`;
    throw new LhsError(code, `the cold window ${from} cannot be read: ${error.message}`, {
      hint: `its files are in "${place}"; a filter on the date leaves the window out`,
      ...(isMissing ? RESTORED : {}),
      details: {
        ...{ place, window: window === null ? null : formatDay(window) },
        ...(isMissing ? { object: 'missing' } : {}),
      },
      cause: error,
    });
  }
}

function codeOf({ code }: LakeError): ErrorCode {
  if (code === 'permission_denied') return code;
  return code === 'internal' ? 'io_error' : 'unreachable';
}

/** Whether an error of `readObject` says that the object of a cold window is missing. */
export const isMissingObject = (error: unknown): boolean =>
  error instanceof LhsError && error.details.object === 'missing';

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
