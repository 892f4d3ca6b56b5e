import { Worker } from 'node:worker_threads';
import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import type { Merged } from '../segment/merge.ts';
import type { Directory } from '../storage/directory.ts';
import type { MergeRunner } from './background-merges.ts';
import { type MergeJob, runJob } from './merge-plan.ts';

/** What a worker says: how far it is, and at its end the merged segment, or why there is none. */
export type MergeAnswer =
  | { readonly kind: 'progress'; readonly part: number }
  | { readonly kind: 'merged'; readonly merged: Merged }
  | { readonly kind: 'failed'; readonly code: ErrorCode; readonly message: string };

/**
 * What a worker is given. `aside`: nobody waits for the merge, so it leaves the processor to
 * others.
 */
export interface MergeTask {
  readonly job: MergeJob;
  readonly aside: boolean;
}

/** Heap of a worker, MiB: postings and columns lie outside of it. */
const HEAP_MB = 512;

/**
 * Merges in this thread, before the promise is given back: for tests, and where nothing else runs.
 */
export function inlineRunner(directory: Directory): MergeRunner {
  return async (job, _, report) => runJob(job, directory, report);
}

/**
 * Merges in a worker thread, one for each job: its memory goes back to the system with it, and
 * signals end it at any time. For folders of this machine. `aside` (the default) gives it a low
 * priority.
 */
export function workerRunner(
  options: { readonly entry?: URL; readonly heapMb?: number; readonly aside?: boolean } = {},
): MergeRunner {
  const { entry = workerEntry(), heapMb = HEAP_MB, aside = true } = options;
  return (job, signal, report) => {
    const { promise, resolve, reject } = Promise.withResolvers<Merged>();
    const worker = new Worker(entry, {
      workerData: { job, aside } satisfies MergeTask,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMb },
      name: 'lhs merge',
    });
    const stop = () => void worker.terminate();
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
    let answer: MergeAnswer | null = null;
    let cause: unknown;
    worker.on('message', (message: MergeAnswer) => {
      if (message.kind === 'progress') report?.(message.part);
      else answer = message;
    });
    worker.on('error', (error) => {
      cause = error;
    });
    worker.on('exit', () => {
      signal.removeEventListener('abort', stop);
      if (answer?.kind === 'merged') resolve(answer.merged);
      else reject(failure(job, answer, cause));
    });
    return promise;
  };
}

/** Bytes below which a merge takes about as long as starting a thread for it: 50 ms. */
const SMALL_MERGE_BYTES = 2 ** 20;

/** Runs small merges by `small`, the others by `large`. */
export function bySize(small: MergeRunner, large: MergeRunner): MergeRunner {
  return (job, signal, report) => {
    const components = job.inputs.flatMap(({ entry }) => entry.components);
    const bytes = components.reduce((sum, { length }) => sum + length, 0);
    return (bytes < SMALL_MERGE_BYTES ? small : large)(job, signal, report);
  };
}

/** The worker's entry: beside this file, as source or as built. */
function workerEntry(): URL {
  const ending = import.meta.url.endsWith('.ts') ? 'ts' : 'js';
  return new URL(`./merge-worker.${ending}`, import.meta.url);
}

function failure(job: MergeJob, answer: MergeAnswer | null, cause: unknown): LhsError {
  if (answer?.kind === 'failed') return new LhsError(answer.code, answer.message);
  const why = cause instanceof Error ? cause.message : 'its thread ended';
  return new LhsError('internal', `the merge "${job.path}/${job.id}" failed: ${why}`, { cause });
}
