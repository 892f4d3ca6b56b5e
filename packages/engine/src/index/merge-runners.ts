import { Worker } from 'node:worker_threads';
import { type ErrorCode, LhsError } from '@lakehouse-search/contract';
import type { Merged, MergeField } from '../segment/merge.ts';
import {
  divideSegment,
  isEmptyShare,
  joinShares,
  type SegmentShare,
} from '../segment/segment-share.ts';
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

/** Text of fewer bytes is merged by one thread: a thread and its files take some 0.1 s. */
const DIVIDED_BYTES = 16 * 2 ** 20;

/** How a merge is divided. */
export interface SharedOptions {
  /** Bytes of a text field from which several threads merge its terms. Default: 16 MiB. */
  readonly dividedBytes?: number;
}

/**
 * Runs each merge as several jobs, at most `threads` at once. A job makes some components of the
 * segment, or merges a part of the terms of a large text field; the parts are joined by one more
 * job. If one fails, the others are stopped.
 */
export function sharedRunner(
  runner: MergeRunner,
  threads: number,
  { dividedBytes = DIVIDED_BYTES }: SharedOptions = {},
): MergeRunner {
  if (threads === 1) return runner;
  return async (job, signal, report) => {
    const { parts, others, joins } = dividedJob(job, threads, dividedBytes);
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const done = new Map<MergeJob, number>();
    const count = parts.length + others.length + joins.length;
    const run = async (own: MergeJob): Promise<Merged> => {
      const reportOwn = (part: number) => {
        done.set(own, part);
        report?.(done.values().reduce((sum, each) => sum + each, 0) / count);
      };
      try {
        return await runner(own, either, reportOwn);
      } catch (error) {
        stop.abort();
        throw error;
      }
    };
    // Parts first: they are what the joins wait for.
    const merged = await atMost(threads, [...parts, ...others], run);
    merged.push(...(await atMost(threads, joins, run)));
    return { entry: joinShares(merged.map(({ entry }) => entry)), docMaps: merged[0].docMaps };
  };
}

/** Runs jobs in their order, at most `most` at once; throws the first error when all have ended. */
async function atMost(
  most: number,
  jobs: readonly MergeJob[],
  run: (job: MergeJob) => Promise<Merged>,
): Promise<Merged[]> {
  const results = new Map<MergeJob, Merged>();
  const waiting = [...jobs];
  const work = async () => {
    for (let job = waiting.shift(); job !== undefined; job = waiting.shift()) {
      results.set(job, await run(job));
    }
  };
  const running = Array.from({ length: Math.min(most, jobs.length) }, async () => {
    try {
      await work();
    } catch (error) {
      waiting.length = 0;
      throw error;
    }
  });
  await Promise.allSettled(running);
  await Promise.all(running);
  return jobs.map((job) => results.get(job)!);
}

interface DividedJob {
  /** Parts of the terms of large text fields. */
  readonly parts: readonly MergeJob[];
  /** Shares of everything else, by the bytes that they read. */
  readonly others: readonly MergeJob[];
  /** Joins of the parts, one per field. */
  readonly joins: readonly MergeJob[];
}

function dividedJob(job: MergeJob, threads: number, dividedBytes: number): DividedJob {
  const components = job.inputs.flatMap(({ entry }) => entry.components);
  const bytesOf = (id: number) =>
    components.reduce((sum, { field, length }) => sum + (field === id ? length : 0), 0);
  const isDivided = ({ id, inverted }: MergeField) =>
    inverted === 'text' && bytesOf(id) >= dividedBytes;
  const divided = job.fields.filter(isDivided).map(({ id }) => id);
  const whole = job.fields.filter((field) => !isDivided(field));
  const fields = whole.map(({ id }) => ({ field: id, cost: bytesOf(id) }));
  const items = [...fields, { field: null, cost: bytesOf(-1) }];
  const shares = divideSegment(items, new Array<number>(threads).fill(0));
  const own = (field: number, more: Partial<SegmentShare>): MergeJob => ({
    ...job,
    share: { fields: [field], rows: false, ...more },
  });
  return {
    parts: divided.flatMap((field) =>
      Array.from({ length: threads }, (_, part) => own(field, { part: { part, parts: threads } })),
    ),
    others: shares.filter((share) => !isEmptyShare(share)).map((share) => ({ ...job, share })),
    joins: divided.map((field) => own(field, { parts: threads })),
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
