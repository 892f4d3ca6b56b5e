import type { Merged, MergeField } from '../../segment/merge.ts';
import {
  divideSegment,
  isEmptyShare,
  joinShares,
  type SegmentShare,
} from '../../segment/segment-share.ts';
import type { Directory } from '../../storage/directory.ts';
import type { MergeRunner } from './background-merges.ts';
import { jobBytes, type MergeJob, runJob } from './merge-plan.ts';
import { MergeThread, type MergeThreadOptions } from './merge-threads.ts';

/**
 * Merges in this thread, before the promise is given back: for tests, and where nothing else runs.
 */
export function inlineRunner(directory: Directory): MergeRunner {
  return async (job, _, report) => runJob(job, directory, report);
}

/**
 * Merges in threads of their own, one for each job: its memory goes back to the system with it. For
 * folders of this machine.
 */
export function workerRunner(options?: MergeThreadOptions): MergeRunner {
  return async (...merge) => {
    const thread = new MergeThread(options);
    try {
      return await thread.run(...merge);
    } finally {
      await thread.end();
    }
  };
}

/** Bytes below which a merge takes about as long as starting a thread for it: 50 ms. */
const SMALL_MERGE_BYTES = 2 ** 20;

/** Runs small merges by `small`, the others by `large`. */
export function bySize(small: MergeRunner, large: MergeRunner): MergeRunner {
  return (job, signal, report) =>
    (jobBytes(job) < SMALL_MERGE_BYTES ? small : large)(job, signal, report);
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
