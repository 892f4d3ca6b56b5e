/** The memory of a server process, divided over what takes it. */
import { totalmem } from 'node:os';
import { constrainedMemory } from 'node:process';
import { getHeapStatistics } from 'node:v8';

/** Bytes by purpose. Their sum, a heap per search thread, is at most `total`. */
export interface MemoryPlan {
  readonly total: number;
  /** A reindex that names no memory. */
  readonly build: number;
  /** The heap of one search thread. */
  readonly threadHeap: number;
  readonly coldBlocks: number;
  readonly filters: number;
  readonly results: number;
}

/** Parts of the budget. The rest is for the main thread and the match sets of running queries. */
const SHARES = { build: 0.3, threads: 0.3, coldBlocks: 0.1, filters: 0.05, results: 0.05 };
/** Part of the memory of the machine, or of its control group, that a server takes. */
const OF_MACHINE = 0.6;
/** A search thread needs so much for its code, and is not given more than `MOST_HEAP`. */
const LEAST_HEAP = 64 * 2 ** 20;
const MOST_HEAP = 2 ** 30;
const MOST_BUILD = 2 ** 31;
const MOST_COLD = 2 ** 30;
const MOST_FILTERS = 512 * 2 ** 20;
const NO_LIMIT = 2 ** 50;

/** The budget of a server that names none: a part of what the process may use. */
export function usualMemory(): number {
  const limit = constrainedMemory();
  const whole = limit > 0 && limit < NO_LIMIT ? Math.min(limit, totalmem()) : totalmem();
  return Math.floor(whole * OF_MACHINE);
}

/** Divides `total` bytes. Answers are values of the main thread, so they take part of its heap. */
export function memoryPlan(total: number, threads: number): MemoryPlan {
  const heap = getHeapStatistics().heap_size_limit;
  const part = (share: number, most: number) => Math.floor(Math.min(total * share, most));
  const each = part(SHARES.threads / Math.max(1, threads), MOST_HEAP);
  return {
    total,
    build: part(SHARES.build, MOST_BUILD),
    threadHeap: threads === 0 ? 0 : Math.max(LEAST_HEAP, each),
    coldBlocks: part(SHARES.coldBlocks, MOST_COLD),
    filters: part(SHARES.filters, MOST_FILTERS),
    results: part(SHARES.results, heap / 8),
  };
}
