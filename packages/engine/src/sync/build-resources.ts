import { availableParallelism } from 'node:os';
import type { ReindexRequest } from '@lakehouse-search/contract';
import type { OpenEmbedder } from '../embed/embedder.ts';
import type { OpenBuildThreads } from '../index/build-threads.ts';
import { MERGE_SETTINGS, type MergeSettings } from '../index/merge-policy.ts';
import { ENCODING_FACTOR } from '../segment/field-writer.ts';

/** Memory of a build. */
const MEMORY_BYTES = 2 ** 30;
/**
 * What a process takes besides documents and segments: its code and heap, the rows that are read,
 * and, per further thread, a heap of its own.
 */
const BASE_BYTES = 160 * 2 ** 20;
const THREAD_BYTES = 48 * 2 ** 20;
/** Documents may take so much however little memory there is. */
const LEAST_SEGMENT_BYTES = 16 * 2 ** 20;
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

/** The resources that a request names, or `usualBytes` and the cores of this machine. */
export function buildResources(
  { threads, memory_bytes }: Pick<ReindexRequest, 'threads' | 'memory_bytes'>,
  kinds: ThreadKinds,
  usualBytes = MEMORY_BYTES,
): BuildResources {
  const count = threads ?? availableParallelism();
  return {
    threads: count,
    threadsFromRows: threads === undefined ? FEW_ROWS : 0,
    openThreads: kinds.build(count),
    embedThreads: (open) => kinds.embed(open, count - 1),
    memoryBytes: memory_bytes ?? usualBytes,
  };
}

/** Bytes of documents that may be in memory before a segment is flushed. */
export function segmentMemory({ memoryBytes, threads }: BuildResources): number {
  const free = memoryBytes - BASE_BYTES - (threads - 1) * THREAD_BYTES;
  return Math.max(LEAST_SEGMENT_BYTES, Math.floor(free / ENCODING_FACTOR));
}

/** Limits of the segments that the merges at the end of a build make. */
export function mergeSettings({ memoryBytes }: BuildResources): MergeSettings {
  const docs = Math.floor((memoryBytes - BASE_BYTES) / MERGED_DOC_BYTES);
  const maxDocs = Math.min(MERGE_SETTINGS.maxDocs, Math.max(LEAST_MERGED_DOCS, docs));
  return { ...MERGE_SETTINGS, maxDocs };
}
