import { type ClusterContext, connectorLease, jobService } from './cluster-context.ts';
import type { LivingNode } from './route-over.ts';

/**
 * Brings nodes of an index that are behind to the snapshot of the newest one. A job that ends
 * between two nodes leaves them at different snapshots: no state is visible on all, and searches
 * depend on commits that the nodes keep for a while. A connector levels nodes by its own steps;
 * this is for indexes without one. Throws what a node throws.
 */
export async function levelNodes(
  context: ClusterContext,
  index: string,
  nodes: readonly LivingNode[],
  signal: AbortSignal,
): Promise<void> {
  const { store } = context;
  const behind = nodesBehind(index, nodes);
  if (behind.length === 0) return;
  if ((await store.leases.current(connectorLease(index))) !== undefined) return;
  const running = await store.jobs.list({ running: true });
  if (running.some((job) => job.index === index)) return;
  for (const { node, until } of behind) {
    context.logger.info({ index, node: node.node, snapshot: until }, 'node is behind');
    const service = await jobService(context, index, node.address);
    await service.sync({ index, until }, { signal });
  }
}

/** A node to level, and the snapshot that it has to reach. */
interface NodeBehind {
  readonly node: LivingNode;
  readonly until: string;
}

/** The nodes of an index whose newest commit is older than that of another one. */
export function nodesBehind(index: string, nodes: readonly LivingNode[]): readonly NodeBehind[] {
  const newest = nodes.flatMap((node) => {
    const own = node.isSilent ? undefined : node.indexes.find((each) => each.index === index);
    const commit = own?.commits[0];
    return commit === undefined ? [] : [{ node, commit, sequence: BigInt(commit.sequence) }];
  });
  const [first, ...others] = newest;
  if (first === undefined) return [];
  const head = others.reduce((best, each) => (each.sequence > best.sequence ? each : best), first);
  const { snapshot, definition } = head.commit;
  if (snapshot === null || newest.some(({ commit }) => commit.definition !== definition)) return [];
  return newest
    .filter(({ sequence }) => sequence < head.sequence)
    .map(({ node }) => ({ node, until: snapshot }));
}
