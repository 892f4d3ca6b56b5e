/**
 * A thread of merges: it receives a `MergeJob` for each and answers with `MergeAnswer`s. Merges
 * that nobody waits for take what is left of the processor: the nice value of a Linux thread is its
 * own.
 */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { LhsError } from '@lakehouse-search/contract';
import { atIntervals } from '../../base/steps.ts';
import { openLocalDirectory } from '../../storage/local-directory.ts';
import { type MergeJob, runJob } from './merge-plan.ts';
import type { MergeAnswer, MergeThreadData } from './merge-threads.ts';

const NICE = 10;

function lowerPriority(): void {
  if (process.platform !== 'linux') return;
  try {
    setPriority(0, NICE);
  } catch {
    // A system that refuses: the merge runs all the same.
  }
}

const report = atIntervals((part) => {
  const message: MergeAnswer = { kind: 'progress', part };
  parentPort?.postMessage(message);
});

function answer(job: MergeJob): { message: MergeAnswer; transfer: ArrayBuffer[] } {
  try {
    const merged = runJob(job, openLocalDirectory(job.path), report);
    const transfer = merged.docMaps.map(({ buffer }) => buffer as ArrayBuffer);
    return { message: { kind: 'merged', merged }, transfer };
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    return { message: { kind: 'failed', code: error.code, message: error.message }, transfer: [] };
  }
}

if ((workerData as MergeThreadData).aside) lowerPriority();
parentPort?.on('message', (job: MergeJob) => {
  const { message, transfer } = answer(job);
  parentPort?.postMessage(message, transfer);
});
