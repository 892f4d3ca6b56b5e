/**
 * Threads that build shares of the segments of one writer. The writer sends every block to all of
 * them and makes its own share itself; a segment is complete when each has written its components.
 */
import { abortedBy } from '@lakehouse-search/contract/internal';
import type { DocumentBlock } from '../schema/field-block.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { Component } from '../segment/entry.ts';
import type { SegmentShare } from '../segment/segment-share.ts';

/** A thread that builds one share of every segment. */
export interface BuildThread {
  /** Bytes of memory of the documents that it has and that are on their way to it, about. */
  readonly bytes: number;
  /** Null: it can take more documents; else it ends when it can. Throws what the thread threw. */
  ready(): Promise<void> | null;
  /** Adds documents to those of a buffer: of the segment of one shard and window. */
  add(buffer: string, block: DocumentBlock): void;
  /**
   * Writes its share of a buffer's documents as components of segment `id` and forgets them. Throws
   * what the thread threw.
   */
  finish(buffer: string, id: string): Promise<readonly Component[]>;
  /** Forgets all documents. */
  clear(): void;
}

/** The threads of a build. Close them before the writer. */
export interface BuildThreads {
  /** What the writer builds itself. */
  readonly own: SegmentShare;
  readonly threads: readonly BuildThread[];
  /** Ends the threads; when it has ended, they write no file any more. Idempotent. */
  close(): Promise<void>;
}

/** Starts the threads that build segments with these fields in a folder; null: none are used. */
export type OpenBuildThreads = (plans: readonly FieldPlan[], path: string) => BuildThreads | null;

/** The result of `work`, or interrupted as soon as `signal` aborts. */
export async function unlessStopped<T>(
  work: Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  if (signal === undefined) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = () => reject(abortedBy(signal));
  signal.addEventListener('abort', stop);
  if (signal.aborted) stop();
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
