import { homePlace, registeredDefinition } from '@lakehouse-search/engine/internal';
import type { StoredDefinition } from '../../store/definitions.ts';
import type { Lease } from '../../store/leases.ts';
import type { StoredNode } from '../../store/nodes.ts';
import type { Placement } from '../../store/placements.ts';
import { type ClusterContext, currentNodes, publishRoute } from '../cluster-context.ts';
import { type JobWorks, runJob } from '../jobs/run-job.ts';
import { assignIndexes } from '../placement/assign-indexes.ts';
import { pause } from './leadership.ts';
import type { LoopFaults } from './loop-faults.ts';
import type { WorkWatch } from './work-watch.ts';

/** Pause between two rounds of the leader. */
const ROUND_MS = 250;
/** Rounds between two looks at the nodes. */
const LOOK_EVERY = 4;
/** Time after the start of a node in which each round looks: it opens what it can read. */
const OPENING_MS = 10_000;
/** Time for nodes that could not renew their leases. */
const REGISTER_MS = 10_000;
const LOOP = 'leader';

/** What the leader of the control planes does. */
export interface LeaderOptions {
  readonly context: ClusterContext;
  readonly faults: LoopFaults;
  /** The time of a node's lease. */
  readonly nodeMs: number;
  /** A node without a lease for this time has left for good: indexes on its disk move. */
  readonly leaveMs: number;
  /** What jobs run besides builds and changes of definitions. */
  readonly works?: JobWorks;
  /** Notes the rounds. */
  readonly watch?: WorkWatch;
}

/**
 * Leads the cluster until the lease is lost: ends the jobs of former leaders, places indexes,
 * publishes routes and runs jobs. Everything that it writes is fenced by its lease. Leases of nodes
 * may have ended while nobody could renew them: these nodes stay in the routes, and keep their
 * indexes, until they had time to register again.
 */
export async function lead(
  { context, faults, nodeMs, leaveMs, works, watch }: LeaderOptions,
  lease: Lease,
  signal: AbortSignal,
): Promise<void> {
  const settled = performance.now() + Math.min(nodeMs, REGISTER_MS);
  const running = new Map<string, Promise<void>>();
  let started = { instances: '', until: 0 };
  try {
    for (let round = 0; !signal.aborted; round++) {
      watch?.round(LOOP);
      try {
        await startJobs(context, lease, signal, { running, works });
        if (round % LOOK_EVERY === 0) await endFormerJobs(context, lease);
        const instances = (await context.store.nodes.list()).map((own) => own.instance).join();
        if (instances !== started.instances) {
          started = { instances, until: performance.now() + OPENING_MS };
        }
        if (round % LOOK_EVERY === 0 || performance.now() < started.until) {
          const isSettled = performance.now() >= settled;
          await place(context, lease, isSettled ? leaveMs : undefined);
          await publish(context, lease, isSettled ? 0 : leaveMs);
          await faults.succeeded({ work: LOOP });
        }
      } catch (error) {
        if (signal.aborted) return;
        await faults.failed({ work: LOOP }, error);
      }
      await pause(ROUND_MS, signal);
    }
  } finally {
    watch?.forget(LOOP);
    await Promise.all(running.values());
  }
}

/**
 * Jobs of a former leader have ended with it: nodes end what its calls have begun. One that has
 * another definition than the one in force gets that with its heartbeats.
 */
async function endFormerJobs(context: ClusterContext, lease: Lease): Promise<void> {
  const { store, logger } = context;
  for (const job of await store.jobs.list({ running: true })) {
    if (job.epoch >= lease.epoch) continue;
    const message = 'the control plane that ran the job has ended';
    const error = { code: 'closed', message, details: {} };
    await store.change(lease, ({ jobs }) => jobs.apply(job.id, 'owner_gone', { error }));
    logger.warn({ job: job.id, index: job.index }, message);
  }
}

async function startJobs(
  context: ClusterContext,
  lease: Lease,
  signal: AbortSignal,
  { running, works }: { running: Map<string, Promise<void>>; works: JobWorks | undefined },
): Promise<void> {
  for (const job of await context.store.jobs.list({ running: true })) {
    if (running.has(job.id) || job.epoch !== lease.epoch) continue;
    const work = runJob(context, lease, job, signal, works);
    running.set(
      job.id,
      work.finally(() => running.delete(job.id)),
    );
  }
}

/**
 * Places indexes. A node without a lease has left indexes in a store, others after `leaveMs`;
 * undefined: none.
 */
async function place({ store, logger }: ClusterContext, lease: Lease, leaveMs?: number) {
  await store.change(lease, async ({ definitions, nodes, placements }) => {
    const living = (await nodes.list()).map(nameOf);
    const known = (await nodes.list(leaveMs)).map(nameOf);
    const all = await definitions.list();
    const indexes = all.map(({ index }) => index);
    const stored = new Set(all.filter(isStored).map(({ index }) => index));
    const hasLeft = ({ index, node }: Placement) =>
      leaveMs !== undefined && !(stored.has(index) ? living : known).includes(node);
    for (const placement of assignIndexes(indexes, living, await placements.list(), hasLeft)) {
      await placements.set(placement);
      logger.info(placement, 'index placed');
    }
  });
}

const nameOf = ({ node }: StoredNode): string => node;

const isStored = ({ definition }: StoredDefinition): boolean =>
  homePlace(registeredDefinition(definition)) !== null;

async function publish(context: ClusterContext, lease: Lease, graceMs: number): Promise<void> {
  const { store } = context;
  const definitions = await store.definitions.list();
  const nodes = await currentNodes(context, {}, graceMs);
  for (const { index, definition, version } of definitions) {
    const { shards = 1 } = registeredDefinition(definition);
    await publishRoute(store, lease, { index, shards, version }, nodes);
  }
}
