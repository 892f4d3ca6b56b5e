import { availableParallelism } from 'node:os';
import { LhsError, type ReindexRequest } from '@lakehouse-search/contract';
import { REQUEST_LIMITS } from '@lakehouse-search/contract/internal';
import { usableMemory } from '@lakehouse-search/lake/internal';
import type { OpenEmbedder } from '../../embed/embedder.ts';
import type { OpenBuildThreads } from '../../index/build-threads.ts';
import {
  BACKGROUND_SETTINGS,
  MERGE_SETTINGS,
  type MergeSettings,
} from '../../index/merges/merge-policy.ts';
import { ENCODING_FACTOR } from '../../segment/field-writer.ts';

/** The least memory of a process that builds an index with one thread. */
export const BUILD_MEMORY = REQUEST_LIMITS.buildMemoryBytes;
/** Memory of a process that runs the code of the engine and does nothing. */
export const NODE_MEMORY = 64 * 2 ** 20;
/** Memory of a build unless a request or a server names it. */
const MEMORY_BYTES = 2 ** 30;
/**
 * What a process takes besides documents and segments: its code and heap, the rows that are read,
 * and, per further thread, a heap of its own. Measured: builds of 446,015 rows, docs/operations.md.
 */
const BASE_BYTES = 184 * 2 ** 20;
const THREAD_BYTES = 64 * 2 ** 20;
/** A build that names no memory may take so much of what the process may use. */
const OF_USABLE = 0.9;
/** Documents may take so much however little memory there is. */
const LEAST_SEGMENT_BYTES = 16 * 2 ** 20;
/** Documents of a sync, a repair or a scratch index: at most so much, and so much of the memory. */
const SEGMENT_BYTES = 256 * 2 ** 20;
const SEGMENT_OF_USABLE = 1 / 16;
/** Memory of a merge per document: keys and their order, lengths, impacts. */
const MERGED_DOC_BYTES = 120;
/** Merges make segments of so many documents however little memory there is. */
const LEAST_MERGED_DOCS = 262_144;
/** A table with fewer rows is built by one thread unless the request names a number. */
const FEW_ROWS = 65_536;

/** Threads and memory of a build. */
export interface BuildResources {
  /** Threads that build, the caller's among them. */
  readonly threads: number;
  /** Rows from which other threads are started. */
  readonly threadsFromRows: number;
  /** Starts the other threads. */
  readonly openThreads: OpenBuildThreads;
  /** Lets threads embed the texts of models. */
  readonly embedThreads: (open: OpenEmbedder) => OpenEmbedder;
  /** Bytes of memory that the build may take. */
  readonly memoryBytes: number;
}

/** How a number of threads is started. */
export interface ThreadKinds {
  readonly build: (threads: number) => OpenBuildThreads;
  /** `threads` besides the caller's. */
  readonly embed: (open: OpenEmbedder, threads: number) => OpenEmbedder;
}

type Wanted = Pick<ReindexRequest, 'threads' | 'memory_bytes'>;

/**
 * The resources that a request names. Default: `roomBytes`, or 1 GiB in a process that has no
 * budget for builds, and as many threads as there are cores and this memory allows. Throws as
 * `requireMemory`.
 */
export function buildResources(
  request: Wanted,
  kinds: ThreadKinds,
  roomBytes?: number,
): BuildResources {
  const { threads } = request;
  const memoryBytes = requireMemory(request, roomBytes);
  const count = threads ?? Math.min(availableParallelism(), threadsIn(memoryBytes));
  return {
    threads: count,
    threadsFromRows: threads === undefined ? FEW_ROWS : 0,
    openThreads: kinds.build(count),
    embedThreads: (open) => kinds.embed(open, count - 1),
    memoryBytes,
  };
}

/**
 * The memory of a build. Throws limit_exceeded if it needs more than `roomBytes`, than the process
 * may use, or than the request names.
 */
export function requireMemory({ threads = 1, memory_bytes }: Wanted, roomBytes?: number): number {
  const memoryBytes = memory_bytes ?? roomBytes ?? usualBytes();
  const room = roomBytes ?? usableMemory();
  const least = leastMemory(threads);
  if (Math.max(memoryBytes, least) > room) throw noRoom(Math.max(memory_bytes ?? 0, least), room);
  if (memoryBytes < least) throw tooLittle(least, memoryBytes, threads);
  return memoryBytes;
}

/** The least memory of a process that builds with so many threads. */
const leastMemory = (threads: number): number => BUILD_MEMORY + (threads - 1) * THREAD_BYTES;

const threadsIn = (memoryBytes: number): number =>
  1 + Math.floor((memoryBytes - BUILD_MEMORY) / THREAD_BYTES);

const usualBytes = (): number => Math.min(MEMORY_BYTES, Math.floor(usableMemory() * OF_USABLE));

const mib = (bytes: number): string => `${Math.floor(bytes / 2 ** 20)} MiB`;

function noRoom(needed: number, room: number): LhsError {
  const message = `a build needs ${mib(needed)} of memory, and may use ${mib(room)} here`;
  return new LhsError('limit_exceeded', message, {
    hint:
      'raise "memory" of the server or the limit of its container, use less memory or fewer ' +
      'threads, or build the index in a process without a server',
  });
}

function tooLittle(needed: number, memoryBytes: number, threads: number): LhsError {
  const message = `a build with ${threads} threads needs ${mib(needed)} of memory`;
  const hint = 'raise "memory_bytes" or use fewer "threads"';
  return new LhsError('limit_exceeded', `${message}, not ${mib(memoryBytes)}`, { hint });
}

/** Bytes of documents that may be in memory before a segment is flushed. */
export function segmentMemory({ memoryBytes, threads }: BuildResources): number {
  const free = memoryBytes - BASE_BYTES - (threads - 1) * THREAD_BYTES;
  return Math.max(LEAST_SEGMENT_BYTES, Math.floor(free / ENCODING_FACTOR));
}

/** The same of a writer that is no build. */
export const usualSegmentMemory = (): number =>
  Math.max(LEAST_SEGMENT_BYTES, Math.min(SEGMENT_BYTES, usableMemory() * SEGMENT_OF_USABLE));

/** Limits of the segments that the merges at the end of a build make. */
export function mergeSettings({ memoryBytes }: BuildResources): MergeSettings {
  const docs = Math.floor((memoryBytes - BASE_BYTES) / MERGED_DOC_BYTES);
  const maxDocs = Math.min(MERGE_SETTINGS.maxDocs, Math.max(LEAST_MERGED_DOCS, docs));
  return { ...MERGE_SETTINGS, maxDocs };
}

/**
 * Limits of merges beside syncs and searches, whose memory is about three times the size of their
 * segment: they have three eighths of the memory of the process at most.
 */
export const backgroundSettings = (): MergeSettings => settingsIn(BACKGROUND_SETTINGS, 1 / 8);

/** The same of a compaction, which has three quarters. */
export const compactionSettings = (): MergeSettings => settingsIn(MERGE_SETTINGS, 1 / 4);

function settingsIn(most: MergeSettings, share: number): MergeSettings {
  const bytes = usableMemory() * share;
  const docs = Math.floor((2 * bytes) / MERGED_DOC_BYTES);
  return {
    ...most,
    maxBytes: Math.min(most.maxBytes, bytes),
    maxDocs: Math.min(most.maxDocs, docs),
  };
}
