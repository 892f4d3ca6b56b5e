import { errorBody, LhsError } from '@lakehouse-search/contract';
import { sourceError } from '@lakehouse-search/engine';
import type { ClusterJob, ClusterJobRecord } from '../store/cluster-jobs.ts';
import type { Lease } from '../store/leases.ts';
import type { ClusterStore } from '../store/open-store.ts';
import { alterShards } from './alter-shards.ts';
import type { ClusterContext } from './cluster-context.ts';
import { pause } from './leadership.ts';
import { rebuildShards } from './rebuild-shards.ts';
import { interrupted } from './running-job.ts';

/** Interval at which the store is checked for a request to stop the job. */
const POLL_MS = 250;

/**
 * Runs a job until it ends. If the lease is lost, nothing more is written: the next leader ends the
 * job. Throws nothing.
 */
export async function runJob(
  context: ClusterContext,
  lease: Lease,
  job: ClusterJob,
  leading: AbortSignal,
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
    const work = job.kind === 'alter' ? alterShards : rebuildShards;
    await work({
      ...{ context, job, signal },
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
