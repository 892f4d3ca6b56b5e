import { Worker } from 'node:worker_threads';
import { LhsError } from '@lakehouse-search/contract';
import { hasWorker, workerEntry } from '../base/worker-entry.ts';
import type { Commit } from '../index/commits/commit.ts';
import { refuseAborted } from '../source/source-errors.ts';
import { checkHere, type StructureCheck } from './structures.ts';

/** What a thread checks: the segments of a commit in a generation's folder. */
export interface CheckJob extends Pick<Commit, 'segments' | 'shards' | 'windows'> {
  readonly path: string;
  /** Number of numbers of data files. */
  readonly files: number;
  readonly map: Commit['shard_map'];
}
/** Its message: the problems, or that files of the commit are missing. */
export type CheckAnswer =
  | { readonly kind: 'checked'; readonly problems: readonly string[] }
  | { readonly kind: 'unopened' };

const jobOf = (
  path: string,
  { segments, shards, shard_map: map, windows, files }: Commit,
): CheckJob => ({ path, segments, shards, map, windows, files: files.size });

const ENTRY = workerEntry('verify-worker', import.meta.url);
/** Heap of a thread in MiB, without the index. */
const HEAP_MB = 512;

/**
 * The check of an index in a folder of this machine, in a thread of its own beside the comparison.
 * A commit whose files were replaced before the thread had them open is checked here: there they
 * are.
 */
export function checkInThread(path: string): StructureCheck {
  if (!hasWorker(ENTRY)) return checkHere;
  return async (snapshot, work) => {
    const { signal } = work;
    const { promise, resolve, reject } = Promise.withResolvers<CheckAnswer | null>();
    const worker = new Worker(ENTRY, {
      workerData: jobOf(path, snapshot.commit),
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      name: 'lhs verify',
    });
    const stop = () => void worker.terminate();
    signal?.addEventListener('abort', stop);
    if (signal?.aborted) stop();
    let answer: CheckAnswer | null = null;
    let failure: unknown;
    worker.on('message', (message: CheckAnswer) => {
      answer = message;
    });
    worker.on('error', (error) => {
      failure = error;
    });
    worker.on('exit', () => (failure === undefined ? resolve(answer) : reject(failure)));
    const said = await promise.finally(() => signal?.removeEventListener('abort', stop));
    refuseAborted(signal);
    if (said === null) throw new LhsError('internal', 'the thread of the self check ended early');
    return said.kind === 'checked' ? said.problems : checkHere(snapshot, work);
  };
}
