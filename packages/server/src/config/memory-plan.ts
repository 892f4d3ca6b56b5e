/** The memory of a server process, divided over what takes it. */
import { availableParallelism } from 'node:os';
import { getHeapStatistics } from 'node:v8';
import { LhsError } from '@lakehouse-search/contract';
import { memoryBytes } from '@lakehouse-search/contract/internal';
import { BUILD_MEMORY, keepHeapsSmall, NODE_MEMORY } from '@lakehouse-search/engine/internal';
import { controlGroupMemory, limitMemory, systemMemory } from '@lakehouse-search/lake/internal';

/** Bytes by purpose. Their sum, a heap per search thread, is at most `total`. */
export interface MemoryPlan {
  readonly total: number;
  /** Code, heaps and connections of a server before its first search, as measured. */
  readonly base: number;
  /** A reindex that names no memory, and the most for all that run; 0: none fits. */
  readonly build: number;
  /** The heap of one search thread. */
  readonly threadHeap: number;
  readonly coldBlocks: number;
  readonly filters: number;
  readonly results: number;
}

const MIB = 2 ** 20;
/** Code, connections and the heap of the main thread. */
const MAIN_BASE = 112 * MIB;
/** The least heap of a search thread: its code and compiled queries. */
const THREAD_BASE = 64 * MIB;
/** The least budget of a server, as measured with look-ups, verifies and exports beside searches. */
const LEAST_TOTAL = 304 * MIB;
/** The least that caches and running queries share. */
const LEAST_FREE = 64 * MIB;
/**
 * Parts of what base and builds leave. The rest is for the main thread, rows of tables and the
 * match sets of running queries.
 */
const SHARES = { threads: 0.4, coldBlocks: 0.15, filters: 0.08, results: 0.08 };
/** Part of what is free that builds take. */
const BUILD_SHARE = 0.35;
/** Parts that a server takes of the memory of a machine, and of its control group. */
const OF_MACHINE = 0.6;
const OF_CONTROL_GROUP = 0.8;
const MAX_HEAP = 1024 * MIB;
const MAX_BUILD = 2048 * MIB;
const MAX_COLD = 1024 * MIB;
const MAX_FILTERS = 512 * MIB;

/** The budget of a server that names none: a part of what the process may use. */
export function usualMemory(): number {
  const share = controlGroupMemory() === null ? OF_MACHINE : OF_CONTROL_GROUP;
  return Math.floor(systemMemory() * share);
}

/**
 * The search threads and the memory of a server whose settings are `memory` and `threads`. Without
 * a number of threads, they are one per core, less one, and not more than the memory holds. Throws
 * limit_exceeded if the memory holds no server, or the control group not the memory.
 */
export function serverMemory(
  memory: string | undefined,
  threads: number | undefined,
): { readonly threads: number; readonly memory: MemoryPlan } {
  const total = memory === undefined ? usualMemory() : memoryBytes(memory);
  const group = controlGroupMemory();
  if (group !== null && total > group) {
    const allowed = `the control group (container) allows ${mib(group)}`;
    throw new LhsError('limit_exceeded', `"memory" is ${mib(total)}, and ${allowed}`);
  }
  if (group !== null && usualMemory() < LEAST_TOTAL) throw tooLittle(usualMemory(), threads ?? 0);
  const fitting = Math.max(0, 1 + Math.floor((total - LEAST_TOTAL) / THREAD_BASE));
  const count = threads ?? Math.min(availableParallelism() - 1, fitting);
  return { threads: count, memory: memoryPlan(total, count) };
}

/** The least budget of a server with so many search threads. */
export const leastMemory = (threads: number): number =>
  Math.max(LEAST_TOTAL, MAIN_BASE + threads * THREAD_BASE + LEAST_FREE);

/**
 * Divides `total` bytes. Answers are values of the main thread, so they take part of its heap.
 * Throws limit_exceeded for less than `leastMemory`.
 */
export function memoryPlan(total: number, threads: number): MemoryPlan {
  if (total < leastMemory(threads)) throw tooLittle(total, threads);
  const base = MAIN_BASE + threads * THREAD_BASE;
  const build = buildPart(total - base);
  // The process of a build is the server itself: its code is part of the base.
  const free = total - base - Math.max(0, build - NODE_MEMORY);
  const part = (share: number, most: number) => Math.floor(Math.min(free * share, most));
  return {
    ...{ total, base, build },
    threadHeap:
      threads === 0 ? 0 : part(SHARES.threads / threads, MAX_HEAP - THREAD_BASE) + THREAD_BASE,
    coldBlocks: part(SHARES.coldBlocks, MAX_COLD),
    filters: part(SHARES.filters, MAX_FILTERS),
    results: part(SHARES.results, getHeapStatistics().heap_size_limit / 8),
  };
}

/** Memory of builds; 0 if the least build leaves less than `LEAST_FREE`. */
function buildPart(free: number): number {
  const build = Math.max(BUILD_MEMORY, Math.min(MAX_BUILD, free * BUILD_SHARE + NODE_MEMORY));
  return free - (build - NODE_MEMORY) < LEAST_FREE ? 0 : Math.floor(build);
}

/** Below this budget, the heap that V8 allows the main thread is too much. */
const SMALL_BUDGET = 512 * MIB;

/** Bounds this process by a plan until the returned function is called. */
export function boundMemory({ total }: MemoryPlan): () => void {
  const release = limitMemory(total);
  const grow = total < SMALL_BUDGET ? keepHeapsSmall() : () => {};
  return () => {
    grow();
    release();
  };
}

const mib = (bytes: number): string => `${Math.floor(bytes / MIB)} MiB`;

function tooLittle(total: number, threads: number): LhsError {
  const group = controlGroupMemory();
  const why = group === null ? '' : ` (its control group, or container, allows ${mib(group)})`;
  const what = `a server with ${threads} search ${threads === 1 ? 'thread' : 'threads'}`;
  const message = `${what} needs ${mib(leastMemory(threads))} of memory, not ${mib(total)}${why}`;
  const least = `${mib(LEAST_TOTAL / OF_CONTROL_GROUP)} for a container is the least`;
  const fewer = threads === 0 ? '' : `; "threads": 0 needs ${mib(leastMemory(0))}`;
  const hint = `raise "memory" or the limit of the container (${least})${fewer}`;
  return new LhsError('limit_exceeded', message, { hint });
}
