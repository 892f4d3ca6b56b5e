/**
 * The threads of merges. A new thread loads its program and compiles it for longer than a small
 * merge takes (0.3 of 0.4 s of processor time for 2 MiB), so the thread of a small merge waits for
 * the next one. That of a large merge ends: its memory goes back to the system with it.
 */
import { Worker } from 'node:worker_threads';
import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import { hasWorker, workerEntry } from '../../base/worker-entry.ts';
import type { Merged } from '../../segment/merge.ts';
import type { Directory } from '../../storage/directory.ts';
import { openLocalDirectory } from '../../storage/local-directory.ts';
import type { MergeRunner } from './background-merges.ts';
import { jobBytes, type MergeJob } from './merge-plan.ts';

/** What a worker says: how far it is, and at its end the merged segment, or why there is none. */
export type MergeAnswer =
  | { readonly kind: 'progress'; readonly part: number }
  | { readonly kind: 'merged'; readonly merged: Merged }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string };

/** How threads of merges are started. */
export interface MergeThreadOptions {
  readonly entry?: URL;
  /** Heap, MiB: postings and columns lie outside of it. */
  readonly heapMb?: number;
  /** Nobody waits for the merges, so the threads leave the processor to others. */
  readonly aside?: boolean;
}

/** The program of the threads. */
export const MERGE_WORKER = workerEntry('merge-worker', import.meta.url);

const HEAP_MB = 512;
/** The thread of a merge that reads more ends with it. */
const KEPT_BYTES = 32 * 2 ** 20;
/** So long a thread waits for its next merge. */
const IDLE_MS = 5000;

/** Whether threads merge the segments of a folder: they open it themselves. */
export const mergesInThreads = (openDirectory: (path: string) => Directory): boolean =>
  openDirectory === openLocalDirectory && hasWorker(MERGE_WORKER);

/** A thread that runs one merge at a time. Signals end it at any time. */
export class MergeThread {
  readonly #worker: Worker;
  #ended = false;

  constructor({ entry = MERGE_WORKER, heapMb = HEAP_MB, aside = true }: MergeThreadOptions = {}) {
    this.#worker = new Worker(entry, {
      workerData: { aside } satisfies MergeThreadData,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      name: 'lhs merge',
    });
    this.#worker.once('exit', () => {
      this.#ended = true;
    });
  }

  /** False once it has ended, or ends. */
  get isAlive(): boolean {
    return !this.#ended;
  }

  /** Runs a merge. No file of it is written any more when the promise settles. */
  readonly run: MergeRunner = async (job, signal, report) => {
    const { promise, resolve, reject } = Promise.withResolvers<Merged>();
    let cause: unknown;
    const listeners = {
      message: (answer: MergeAnswer) => {
        if (answer.kind === 'progress') report?.(answer.part);
        else if (answer.kind === 'merged') resolve(answer.merged);
        else reject(new LhsError(answer.code, answer.message));
      },
      error: (error: unknown) => {
        cause = error;
      },
      exit: () => reject(failure(job, cause)),
    };
    const events = Object.entries(listeners);
    for (const [event, listener] of events) this.#worker.on(event, listener);
    const stop = () => void this.end();
    signal.addEventListener('abort', stop);
    this.#worker.ref();
    if (signal.aborted) stop();
    else this.#worker.postMessage(job);
    try {
      return await promise;
    } finally {
      signal.removeEventListener('abort', stop);
      for (const [event, listener] of events) this.#worker.off(event, listener);
      this.#worker.unref();
    }
  };

  /** Ends it, and the merge that it runs; its memory is free when the promise settles. */
  async end(): Promise<void> {
    this.#ended = true;
    await this.#worker.terminate();
  }
}

/** What a thread is started with. */
export interface MergeThreadData {
  readonly aside: boolean;
}

/** The thread that waits for the next merge; null: none does. */
let waiting: { readonly thread: MergeThread; readonly timer: NodeJS.Timeout } | null = null;

/** Runs a merge in the thread that waits, or in a new one. */
export const runInThread: MergeRunner = async (...merge) => {
  const thread = takeWaiting() ?? new MergeThread();
  try {
    return await thread.run(...merge);
  } finally {
    if (waiting === null && thread.isAlive && jobBytes(merge[0]) <= KEPT_BYTES) wait(thread);
    else await thread.end();
  }
};

function takeWaiting(): MergeThread | null {
  if (waiting === null) return null;
  const { thread, timer } = waiting;
  clearTimeout(timer);
  waiting = null;
  return thread.isAlive ? thread : null;
}

function wait(thread: MergeThread): void {
  const end = () => {
    waiting = null;
    void thread.end();
  };
  waiting = { thread, timer: setTimeout(end, IDLE_MS).unref() };
}

function failure(job: MergeJob, cause: unknown): LhsError {
  const why = cause instanceof Error ? cause.message : 'its thread ended';
  return new LhsError('internal', `the merge "${job.path}/${job.id}" failed: ${why}`, { cause });
}
