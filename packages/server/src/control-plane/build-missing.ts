import { LhsError } from '@lakehouse-search/contract';
import type { ClusterContext } from './cluster-context.ts';
import { formerNodes, isRestricted } from './level-nodes.ts';
import type { LivingNode } from './route-over.ts';

/** Interval at which a build looks whether a job of the index has begun. */
const LOOK_MS = 500;

/**
 * Builds the shards of a routed index on nodes that hold shards of it and have no commit (their
 * disks are new, or they took over the shards of a node that has left), or whose rows were read
 * under other read restrictions. The first build of an index
 * is a job. A job that begins meanwhile builds these shards itself. Throws what a node throws.
 */
export async function buildMissing(
  context: ClusterContext,
  index: string,
  nodes: readonly LivingNode[],
  signal: AbortSignal,
): Promise<void> {
  const { store, logger } = context;
  const route = await store.routes.get(index);
  if (route === undefined) return;
  const hidden = formerNodes(route, nodes).filter((node) => isRestricted(route, node));
  const unbuilt = [...nodes.filter((node) => lacksCommits(index, node)), ...hidden];
  if (unbuilt.length === 0 || (await isBusy(context, index))) return;
  const builds = unbuilt.map(async ({ node, address }) => {
    logger.info({ index, node }, 'shards have no data on this node: it builds them');
    const build = { context, index, address, signal };
    try {
      await buildOn(build, route.snapshot);
    } catch (error) {
      if (route.snapshot === null || signal.aborted || !isOfSource(error)) throw error;
      // the table may have expired the snapshot that searches see
      await buildOn(build, null);
    }
    logger.info({ index, node }, 'shards built');
  });
  const failed = (await Promise.allSettled(builds)).find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason;
}

/** A node that is to hold shards of an index, and has never built them. */
const lacksCommits = (index: string, { isSilent, indexes }: LivingNode): boolean =>
  !isSilent && indexes.some((own) => own.index === index && own.commits.length === 0);

const isBusy = async ({ store }: ClusterContext, index: string): Promise<boolean> =>
  (await store.jobs.list({ running: true })).some((job) => job.index === index);

const isOfSource = (error: unknown): boolean =>
  error instanceof LhsError && !['interrupted', 'unreachable', 'index_busy'].includes(error.code);

interface NodeBuild {
  readonly context: ClusterContext;
  readonly index: string;
  readonly address: string;
  readonly signal: AbortSignal;
}

/** Builds on one node and promotes what it built; nothing if a job of the index has begun. */
async function buildOn(
  { context, index, address, signal }: NodeBuild,
  snapshot: string | null,
): Promise<void> {
  const client = context.nodes.at(address);
  let looked = performance.now();
  for await (const step of client.build(index, snapshot, { signal })) {
    const isDue = 'staged' in step || performance.now() - looked >= LOOK_MS;
    if (isDue && (await isBusy(context, index))) return;
    if (isDue) looked = performance.now();
    if (!('staged' in step)) continue;
    await client.endBuild(index, step.staged.generation, true, { signal });
    return;
  }
}
