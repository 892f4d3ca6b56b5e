import { definitionDigest, registeredDefinition } from '@lakehouse-search/engine/internal';
import { definitionOf } from '../../cluster/node-state.ts';
import type { Route } from '../../store/routes.ts';
import { type ClusterContext, connectorLease, jobService } from '../cluster-context.ts';
import { alterPart } from '../jobs/put-back.ts';
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

/**
 * Puts the definition in force on nodes that were away while it came into force: nothing else
 * would, as they hold the shards that they are to hold. `nodes` were seen before this call. Throws
 * what a node throws.
 */
export async function renewNodes(
  context: ClusterContext,
  index: string,
  nodes: readonly LivingNode[],
  signal: AbortSignal,
): Promise<void> {
  const { store, logger } = context;
  const route = await store.routes.get(index);
  if (route === undefined) return;
  const former = formerNodes(route, nodes).filter((node) => !isRestricted(route, node));
  if (former.length === 0) return;
  const running = await store.jobs.list({ running: true });
  if (running.some((job) => job.index === index)) return;
  const stored = (await store.definitions.get(index))?.definition;
  if (stored === undefined) return;
  if (definitionDigest(registeredDefinition(stored)) !== definitionOf(route)) return;
  for (const { node, address, indexes } of former) {
    const { ordinals } = indexes.find((own) => own.index === index)!;
    logger.info({ index, node }, 'node has a former definition');
    await alterPart(context, stored, { address, index, ordinals }, { signal });
  }
}

/**
 * The nodes that have built shards of a routed index under another definition than the route's,
 * where other nodes have every shard under that one. They cannot be read, and may lack columns of
 * the table that the definition in force does not use.
 */
export function formerNodes(
  route: Pick<Route, 'index' | 'shards' | 'definition'> | undefined,
  nodes: readonly LivingNode[],
): readonly LivingNode[] {
  if (route === undefined) return [];
  const former: LivingNode[] = [];
  const held = new Set<number>();
  for (const node of nodes) {
    const own = node.indexes.find(({ index }) => index === route.index);
    const commit = own?.commits[0];
    if (commit === undefined || own?.shards !== route.shards) continue;
    if (commit.definition === route.definition) for (const shard of own.ordinals) held.add(shard);
    else if (!node.isSilent) former.push(node);
  }
  return held.size === route.shards ? former : [];
}

/** Whether a former node has the definition of the route, and rows under other read restrictions. */
export function isRestricted(
  route: Pick<Route, 'index' | 'definition'>,
  { indexes }: LivingNode,
): boolean {
  const newest = indexes.find(({ index }) => index === route.index)?.commits[0];
  return newest !== undefined && definitionOf(newest) === definitionOf(route);
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
