import { Worker } from 'node:worker_threads';
import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import type { Merged } from '../segment/merge.ts';
import { divideSegment, isEmptyShare, joinShares } from '../segment/segment-share.ts';
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

/**
 * Runs each merge as at most `threads` jobs that run at once, each of which makes a share of the
 * segment, of about as many bytes. If one fails, the others are stopped.
 */
export function sharedRunner(runner: MergeRunner, threads: number): MergeRunner {
  return async (job, signal, report) => {
    const jobs = dividedJob(job, threads);
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const parts = jobs.map(() => 0);
    const running = jobs.map(async (own, at) => {
      const reportOwn = (part: number) => {
        parts[at] = part;
        report?.(parts.reduce((sum, done) => sum + done, 0) / parts.length);
      };
      try {
        return await runner(own, either, reportOwn);
      } catch (error) {
        stop.abort();
        throw error;
      }
    });
    await Promise.allSettled(running);
    const merged = await Promise.all(running);
    return { entry: joinShares(merged.map(({ entry }) => entry)), docMaps: merged[0].docMaps };
  };
}

/** The shares of a merge as jobs of their own, by the bytes that they read. */
function dividedJob(job: MergeJob, threads: number): readonly MergeJob[] {
  const components = job.inputs.flatMap(({ entry }) => entry.components);
  const bytesOf = (id: number) =>
    components.reduce((sum, { field, length }) => sum + (field === id ? length : 0), 0);
  const fields = job.fields.map(({ id }) => ({ field: id, cost: bytesOf(id) }));
  const items = [...fields, { field: null, cost: bytesOf(-1) }];
  const shares = divideSegment(items, new Array<number>(threads).fill(0));
  return shares.filter((share) => !isEmptyShare(share)).map((share) => ({ ...job, share }));
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
