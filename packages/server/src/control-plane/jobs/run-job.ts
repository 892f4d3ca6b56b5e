import { type CallContext, errorBody, type JobKind, LhsError } from '@lakehouse-search/contract';
import { sourceError } from '@lakehouse-search/engine/internal';
import type { ClusterJob, ClusterJobRecord } from '../../store/cluster-jobs.ts';
import type { Lease } from '../../store/leases.ts';
import type { ClusterStore } from '../../store/open-store.ts';
import type { ClusterContext } from '../cluster-context.ts';
import { pause } from '../leader/leadership.ts';
import { alterIndex } from './alter-index.ts';
import { rebuildIndex } from './rebuild-index.ts';
import { interrupted, type RunningJob } from './running-job.ts';

/** Interval at which the store is checked for a request to stop the job. */
const POLL_MS = 250;

/** Operations over all nodes that run as jobs, by kind; each is called with the job's request. */
export type JobWorks = Partial<
  Readonly<Record<JobKind, (request: object, call: CallContext) => Promise<unknown>>>
>;

/**
 * Runs a job until it ends. If the lease is lost, nothing more is written: the next leader ends the
 * job. Throws nothing.
 */
export async function runJob(
  context: ClusterContext,
  lease: Lease,
  job: ClusterJob,
  leading: AbortSignal,
  works: JobWorks = {},
): Promise<void> {
  const { store, logger } = context;
  const stop = new AbortController();
  const signal = AbortSignal.any([leading, stop.signal]);
  const ended = new AbortController();
  const watch = watchCancel(context, job.id, AbortSignal.any([ended.signal, leading]), () =>
    stop.abort(),
  );
  const apply = (...[event, changes]: Tail<Parameters<ClusterStore['jobs']['apply']>>) =>
    store.change(lease, ({ jobs }) => jobs.apply(job.id, event, changes));
  try {
    await apply('build_started');
    await workOf(
      job,
      works,
    )({
      ...{ context, job, signal },
      change: (change) => store.change(lease, change),
      progress: (record) => store.change(lease, ({ jobs }) => jobs.progress(job.id, record)),
      built: async () => void (await apply('build_finished')),
      finish: (changes) =>
        store.change(lease, async (cluster) => {
          const result = await changes(cluster);
          const after = await cluster.jobs.apply(job.id, 'cutover_finished', { result });
          if (after?.state !== 'done') throw interrupted();
        }),
    });
  } catch (error) {
    if (!leading.aborted) {
      const end = stop.signal.aborted ? apply('canceled') : apply('build_failed', failure(error));
      await end.catch((fault: unknown) => logger.warn({ err: fault }, 'cannot end a job'));
    }
  } finally {
    ended.abort();
    await watch;
  }
}

function workOf({ kind }: ClusterJob, works: JobWorks): (run: RunningJob) => Promise<void> {
  if (kind === 'alter') return alterIndex;
  const work = works[kind];
  return work === undefined ? rebuildIndex : (run) => runOperation(run, work);
}

/** A job of one operation: its response is the result of the job. */
async function runOperation(
  { job, signal, built, finish }: RunningJob,
  work: NonNullable<JobWorks[JobKind]>,
): Promise<void> {
  const result = await work(job.request, { signal });
  await built();
  await finish(async () => result);
}

type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest]
  ? Rest
  : never;

function failure(error: unknown): Pick<ClusterJobRecord, 'error'> {
  const known = sourceError(error);
  const shown =
    known instanceof LhsError ? known : new LhsError('internal', String(error), { cause: error });
  const { code, message, details } = errorBody(shown).error;
  return { error: { code, message, details } };
}

async function watchCancel(
  { store }: ClusterContext,
  id: string,
  until: AbortSignal,
  cancel: () => void,
): Promise<void> {
  while (!until.aborted) {
    const job = await store.jobs.get(id).catch(() => undefined);
    if (job !== undefined && job.cancelMs !== null) return cancel();
    await pause(POLL_MS, until);
  }
}
