/** Reads blocks of cold files from their object stores, by ranges. */
import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import { LakeError } from '@lakehouse-search/lake';
import { eachOf, type ObjectStore, openObjectStore } from '@lakehouse-search/lake/internal';
import { formatDay } from '../../schema/values/date-value.ts';
import type { BlockDemand, FetchBlocks } from '../../storage/cold-cache.ts';
import { type ColdObject, coldFigures, RESTORED } from '../../storage/cold-file.ts';
import {
  BYTES_BETWEEN,
  bytesOf,
  chosen,
  copyOf,
  type Piece,
  placeOf,
  type ReadSpan,
  readPlaced,
  spansOf,
} from '../layout/plan-reads.ts';

/** Of all objects that a read waits for. */
const REQUESTS_AT_ONCE = 24;
/** Time for the bytes of one request, less than a query may take. */
const READ_MS = 8000;

const stores = new Map<string, Promise<ObjectStore>>();

/** Reads blocks of objects and hands over each. Throws unreachable, corrupt_index, … */
export const fetchColdBlocks: FetchBlocks = async (demands) => {
  const objects = Map.groupBy(demands, ({ object: { place, key } }) => `${place}\n${key}`);
  const spans = [...objects.values()].flatMap((own) => spansOf(placedBlocks(own)));
  await eachOf(spans, REQUESTS_AT_ONCE, fetchSpan);
};

/** A block that is fetched. */
interface FetchedBlock extends Piece {
  readonly demand: BlockDemand;
  readonly block: number;
  readonly copy: number | undefined;
}

/** The blocks of one object, each where it costs least. */
function placedBlocks(demands: readonly BlockDemand[]): readonly FetchedBlock[] {
  const all = demands.flatMap((demand): FetchedBlock[] => {
    const { object } = demand;
    const { blockBytes, length } = object;
    return withNeighbors(demand).map((block) => ({
      ...{ demand, block, at: placeOf(object, block, blockBytes), copy: copyOf(object, block) },
      length: Math.min(blockBytes, length - block * blockBytes),
    }));
  });
  return chosen(all);
}

/** Blocks with those between which are read with them, unless others lie between. */
function withNeighbors({ object, blocks }: BlockDemand): readonly number[] {
  if (object.places !== undefined || object.copies !== undefined) return blocks;
  const between = Math.floor(BYTES_BETWEEN / object.blockBytes);
  return blocks.flatMap((block, i) => {
    const from = i > 0 && block - blocks[i - 1] <= between ? blocks[i - 1] + 1 : block;
    return Array.from({ length: block - from + 1 }, (_, k) => from + k);
  });
}

async function fetchSpan(span: ReadSpan<FetchedBlock>): Promise<void> {
  const { object } = span.pieces[0].demand;
  const read = async (): Promise<Uint8Array> => {
    const got = await readObject(object, span, AbortSignal.timeout(READ_MS));
    coldFigures.requests++;
    coldFigures.bytesRead += got.length;
    return got;
  };
  const take = (bytes: Uint8Array): void => {
    for (const piece of span.pieces) piece.demand.take(piece.block, bytesOf(piece, span, bytes));
  };
  const bytes = await read();
  try {
    take(bytes);
  } catch (error) {
    // bits may flip on the way: an object counts as damaged if a second read says so
    if (!isDamage(error)) throw error;
    take(await read());
  }
}

const isDamage = (error: unknown): boolean =>
  error instanceof LhsError && error.code === 'corrupt_index';

/** An object of a cold window. */
export type StoredObject = Omit<ColdObject, 'crcs'>;

/** Bytes of a file from an offset on. Throws as `readObject`. */
export const readFile = (object: StoredObject, at: number, length: number): Promise<Uint8Array> =>
  readPlaced(object, object.blockBytes, { at, length }, (span) => readObject(object, span));

/**
 * A range of an object. `limit`: when it aborts, the store counts as unreachable. Throws an error
 * that names window and store.
 */
async function readObject(
  { place, key, offset: begin, length: size, window }: StoredObject,
  { at: offset, length }: Piece,
  limit?: AbortSignal,
): Promise<Uint8Array> {
  let isMissing = false;
  try {
    const store = await storeOf(place);
    const span = { offset, length };
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
