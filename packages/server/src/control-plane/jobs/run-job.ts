import { type CallContext, errorBody, type JobKind, LhsError } from '@lakehouse-search/contract';
import { registeredDefinition, sourceError } from '@lakehouse-search/engine/internal';
import type { ClusterJob, ClusterJobRecord } from '../../store/cluster-jobs.ts';
import type { Lease } from '../../store/leases.ts';
import type { ClusterStore } from '../../store/open-store.ts';
import { type ClusterContext, followingNodes, publishWithin } from '../cluster-context.ts';
import { pause } from '../leader/leadership.ts';
import { alterIndex } from './alter-index.ts';
import { rebuildIndex } from './rebuild-index.ts';
import { interrupted, type JobEnd, type RunningJob, refuseStopped } from './running-job.ts';

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
    const progress: RunningJob['progress'] = (record) =>
      store.change(lease, ({ jobs }) => jobs.progress(job.id, record));
    const end = await workOf(job, works)({ context, job, signal, progress });
    refuseStopped({ signal });
    await apply('build_finished');
    await finish(context, lease, job, end);
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

/** The end of a job, and what comes in force with it, are one transaction. */
async function finish(
  context: ClusterContext,
  lease: Lease,
  { id, index }: ClusterJob,
  { result, built }: JobEnd,
): Promise<void> {
  const nodes = built === undefined ? [] : await followingNodes(context, index);
  await context.store.change(lease, async (cluster) => {
    if (built !== undefined) {
      const { definition, replaces } = built;
      const { definitions } = cluster;
      if (replaces !== undefined && !(await definitions.replace(index, definition, replaces))) {
        throw new LhsError('index_busy', `the definition of "${index}" was changed meanwhile`);
      }
      const { shards = 1 } = registeredDefinition(definition);
      await publishWithin(cluster, { index, shards }, nodes);
    }
    const after = await cluster.jobs.apply(id, 'cutover_finished', { result });
    if (after?.state !== 'done') throw interrupted();
  });
}

/** A job of one operation: its response is the result of the job. */
function workOf({ kind }: ClusterJob, works: JobWorks): (run: RunningJob) => Promise<JobEnd> {
  if (kind === 'alter') return alterIndex;
  const work = works[kind];
  if (work === undefined) return rebuildIndex;
  return async ({ job, signal }) => ({ result: await work(job.request, { signal }) });
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
