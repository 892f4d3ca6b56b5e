import { LhsError, type Progress } from '@lakehouse-search/contract';
import { type ClusterContext, jobService } from '../cluster-context.ts';
import { formerNodes, isRestricted } from './level-nodes.ts';
import type { LivingNode } from './route-over.ts';

/** Interval at which a build looks whether a job of the index has begun. */
const LOOK_MS = 500;

/**
 * Builds the shards of a routed index on nodes that hold shards of it and have no commit (their
 * disks are new, or they took over the shards of a node that has left), or whose rows were read
 * under other read restrictions. A new writer of a shared index gets its newest commit instead. The
 * first build of an index is a job. A job that begins meanwhile builds these shards itself. Throws
 * what a node throws.
 */
export async function buildMissing(
  context: ClusterContext,
  index: string,
  nodes: readonly LivingNode[],
  { signal, note }: { readonly signal: AbortSignal; readonly note: Note },
): Promise<void> {
  const { store, logger } = context;
  const route = await store.routes.get(index);
  if (route === undefined) return;
  const hidden = formerNodes(route, nodes).filter((node) => isRestricted(route, node));
  const unbuilt = [...nodes.filter((node) => lacksCommits(index, node)), ...hidden];
  if (unbuilt.length === 0 || (await isBusy(context, index))) return;
  const shown = new Map<string, string>();
  const builds = unbuilt.map(async ({ node, address, indexes }) => {
    logger.info({ index, node }, 'shards have no data on this node: it builds them');
    const { ordinals, copies } = indexes.find((own) => own.index === index)!;
    const progress = async (percent: number) => {
      const words = `node "${node}" has no data of ${namedShards(ordinals)}`;
      shown.set(node, `${words} and builds from the table (${percent} %)`);
      await note([...shown.values()].join('; '));
    };
    const build = { context, index, address, signal, progress };
    try {
      if (copies > 0 && (await isFetched(build))) return;
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

/** Stores what is done about shards without data, for the status of the index. */
type Note = (message: string) => Promise<void>;

const namedShards = (ordinals: readonly number[]): string =>
  `${ordinals.length === 1 ? 'shard' : 'shards'} ${ordinals.join(', ')}`;

interface NodeBuild {
  readonly context: ClusterContext;
  readonly index: string;
  readonly address: string;
  readonly signal: AbortSignal;
  /** Called with the part of the rows that is built, in percent. */
  readonly progress: (percent: number) => Promise<void>;
}

/** Brings the commits of its store to a node, which goes on from there; false: it has none. */
async function isFetched({ context, index, address, signal }: NodeBuild): Promise<boolean> {
  const service = await jobService(context, index, address);
  try {
    await service.sync({ index }, { signal });
    return true;
  } catch (error) {
    if (!(error instanceof LhsError) || error.code !== 'index_not_built') throw error;
    return false;
  }
}

/** Builds on one node and promotes what it built; nothing if a job of the index has begun. */
async function buildOn(
  { context, index, address, signal, progress }: NodeBuild,
  snapshot: string | null,
): Promise<void> {
  const client = context.nodes.at(address);
  let looked = Number.NEGATIVE_INFINITY;
  for await (const step of client.build(index, snapshot, { signal })) {
    const isDue = 'staged' in step || performance.now() - looked >= LOOK_MS;
    if (isDue && (await isBusy(context, index))) return;
    if (isDue) looked = performance.now();
    if (!('staged' in step)) {
      if (isDue) await progress(percentOf(step.progress));
      continue;
    }
    await client.endBuild(index, step.staged.generation, true, { signal });
    return;
  }
}

const percentOf = ({ docs_done, docs_total }: Progress): number =>
  docs_total === 0 ? 0 : Math.min(99, Math.floor((100 * docs_done) / docs_total));
