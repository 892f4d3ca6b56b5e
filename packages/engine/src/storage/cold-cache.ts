/**
 * The memory of cold files (cold-file.ts): fetches demanded blocks, and gives memory back when no
 * read of cold files runs. One per process, for all indexes.
 */
import { LhsError } from '@lakehouse-search/contract';
import { withCommas } from '@lakehouse-search/contract/internal';
import { cacheLimit, trimCacheNow } from './cache-folder.ts';
import {
  type BlockFetch,
  type ColdFile,
  ColdMiss,
  type ColdObject,
  coldFigures,
  collectDemands,
  demanded,
  held,
} from './cold-file.ts';

/**
 * Blocks of an object that are fetched, ascending, and what receives each: it throws corrupt_index
 * for other bytes.
 */
export interface BlockDemand {
  readonly object: ColdObject;
  readonly blocks: readonly number[];
  readonly take: (block: number, bytes: Uint8Array) => void;
}

/** Fetches blocks of several objects side by side; neighbors of them may be handed over, too. */
export type FetchBlocks = (demands: readonly BlockDemand[]) => Promise<void>;

/** Demands what work will need; `component`: one that was missing as a whole. */
export type Prepare = (component: string | null) => void;

/** Bytes of blocks in memory while no read runs, at most, unless the process sets a limit. */
export const COLD_MEMORY_BYTES = 256 * 2 ** 20;
/** A read that demands more and more has an error. */
const MOST_ROUNDS = 10_000;

let fetchBlocks: FetchBlocks = () => {
  throw new LhsError('unsupported', 'this engine has no object store for cold windows');
};
let limitBytes = COLD_MEMORY_BYTES;
let reads = 0;

/** Sets what fetches blocks. */
export function useColdStore(fetch: FetchBlocks): void {
  fetchBlocks = fetch;
}

/** Sets the bytes that blocks may take in this thread while no read runs. */
export function limitColdBytes(bytes: number): void {
  limitBytes = bytes;
}

/** The bytes that blocks may take in this thread; its search threads share as much. */
export const coldBytesLimit = (): number => limitBytes;

/**
 * Figures of the cache since the process began; `bytes`: in memory now. `threads`: what search
 * threads have published (`publishColdFigures`).
 */
export function coldCacheFigures(threads: readonly Float64Array[] = []) {
  const [, hits, misses, bytes_read, bytes] = summedFigures(threads);
  const limit_bytes = (threads.length > 0 ? 2 : 1) * limitBytes;
  return { hits, misses, bytes_read, bytes, limit_bytes };
}

/** What this process has fetched from stores; `threads`: as above. */
export function coldReads(threads: readonly Float64Array[] = []) {
  const [requests, , , bytes] = summedFigures(threads);
  return { requests, bytes };
}

function summedFigures(threads: readonly Float64Array[]): Float64Array {
  const own = new Float64Array(COLD_FIGURES);
  publishColdFigures(own);
  return own.map((figure, i) => threads.reduce((sum, figures) => sum + figures[i], figure));
}

/** Numbers of `publishColdFigures`. The last one is of what is in memory now. */
export const COLD_FIGURES = 5;

/** Writes the figures of this thread where another thread reads them. */
export function publishColdFigures(target: Float64Array): void {
  const { requests, hits, misses, bytesRead, heldBytes } = coldFigures;
  target.set([requests, hits, misses, bytesRead, heldBytes]);
}

/**
 * Fetches all demanded blocks, of all files side by side, and waits for those that others fetch.
 * Throws what the store throws.
 */
export async function fetchDemanded(): Promise<void> {
  const files = [...demanded];
  coldFigures.rounds++;
  demanded.clear();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const fetch: BlockFetch = { ended, others: new Set() };
  try {
    await fetchFiles(files, fetch);
  } finally {
    for (const file of files) file.endFetch(fetch);
    end();
  }
  await Promise.all(fetch.others);
  await trimCacheNow();
}

async function fetchFiles(files: readonly ColdFile[], fetch: BlockFetch): Promise<void> {
  const demands = await Promise.all(
    files.map(async (file): Promise<BlockDemand> => {
      const blocks = await file.takeDemanded(fetch);
      const take = (block: number, bytes: Uint8Array) => file.put(block, bytes);
      return { object: file.object, blocks, take };
    }),
  );
  const missing = demands.filter(({ blocks }) => blocks.length > 0);
  if (missing.length > 0) await fetchBlocks(missing);
}

/**
 * Runs `work` again and again, each time with the bytes that it demanded before. After a miss,
 * `prepare` demands what `work` will need, so that all of it is fetched at once. Memory is kept as
 * long as `work` or another one runs.
 */
export async function withColdBytes<T>(
  work: () => T | Promise<T>,
  prepare: Prepare = () => {},
): Promise<T> {
  return holdingColdBytes(async () => {
    for (let round = 0; ; round++) {
      if (demanded.size > 0) await fetchDemanded();
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof ColdMiss) || round === MOST_ROUNDS) throw error;
        collectDemands(() => prepare(error.component));
      }
    }
  });
}

/** Runs `work`; cold bytes that it has read stay until it ends. */
export async function holdingColdBytes<T>(work: () => Promise<T>): Promise<T> {
  const end = holdColdBytes();
  try {
    return await work();
  } finally {
    end();
  }
}

/** Attempts of a query that is late because of what it fetches: the next one has these bytes. */
const ATTEMPTS = 3;

/**
 * Runs a query again if it took too long because it fetched bytes. The error of the last attempt
 * says how many; the caller holds cold bytes.
 */
export async function withTimeToFetch<T>(query: () => Promise<T>, attempts = ATTEMPTS): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const before = coldFigures.bytesRead;
    try {
      return await query();
    } catch (error) {
      if (!(error instanceof LhsError) || error.details.limit !== 'queryMillis') throw error;
      const fetched = coldFigures.bytesRead - before;
      const isLate = fetched > 0 || error.details.fetched_bytes !== undefined;
      if (!isLate || attempt === attempts) throw fetched > 0 ? lateBy(error, fetched) : error;
    }
  }
}

function lateBy(error: LhsError, fetched: number): LhsError {
  const megabytes = withCommas(Math.ceil(fetched / 1e6));
  const message = `${error.message}: ${megabytes} MB that were not in the cache had to be fetched`;
  const hasRoom = fetched <= cacheLimit();
  return new LhsError(error.code, message, {
    hint: hasRoom
      ? 'run the same query again: the cache has these bytes now'
      : `run the query with a larger cache: LHS_COLD_CACHE_BYTES=${2 * fetched}`,
    details: { ...error.details, fetched_bytes: fetched },
    cause: error,
  });
}

/** Cold bytes that are read from now on stay until the result is called, once. */
export function holdColdBytes(): () => void {
  reads++;
  return () => {
    if (--reads === 0) evictColdBytes();
  };
}

/** Evicts the files that were not used for longest until the others fit into `limit`. */
export function evictColdBytes(limit = limitBytes): void {
  if (coldFigures.heldBytes <= limit) return;
  for (const file of [...held].sort((a, b) => a.lastUse - b.lastUse)) {
    if (coldFigures.heldBytes <= limit) return;
    file.evict();
  }
}
