import { setTimeout as sleep } from 'node:timers/promises';
import { type CallContext, LhsError } from '@lakehouse-search/contract';
import type { Logger } from 'pino';
import { isSpread } from '../cluster/copies.ts';
import type { NodeClient } from '../cluster/node-client.ts';
import { type NodeIndex, type NodeState, readableIndex } from '../cluster/node-state.ts';
import { type NodeWatch, watchOver } from '../cluster/node-watch.ts';
import type { RepeatedFaults } from '../observe/repeated-faults.ts';
import type { Lease } from '../store/leases.ts';
import type { ClusterStore, Store } from '../store/open-store.ts';
import type { Route } from '../store/routes.ts';
import { type LivingNode, routeOver } from './placement/route-over.ts';

/** What control planes and connectors work with. */
export interface ClusterContext {
  readonly store: Store;
  readonly nodes: NodePool;
  readonly logger: Logger;
  /** Notes failures of calls that are made again and again. */
  readonly repeated: RepeatedFaults;
}

/** Connections to nodes by address. They are opened with the first call. */
export class NodePool {
  readonly #connect: (address: string) => NodeClient;
  readonly #clients = new Map<string, NodeClient>();
  /** Ends reads of nodes that are stopped. */
  readonly watch: NodeWatch;

  /** `silenceMs`: a node that answers neither a read nor a probe in this time is stopped. */
  constructor(connect: (address: string) => NodeClient, silenceMs?: number) {
    this.#connect = connect;
    this.watch = watchOver((address) => this.at(address), silenceMs);
  }

  at(address: string): NodeClient {
    const known = this.#clients.get(address);
    if (known !== undefined) return known;
    const client = this.#connect(address);
    this.#clients.set(address, client);
    return client;
  }

  async close(): Promise<void> {
    const clients = [...this.#clients.values()];
    this.#clients.clear();
    await Promise.all(clients.map((client) => client.close()));
  }
}

/** Time for a node to say what it holds. */
const STATE_MS = 5000;

/**
 * The nodes with a lease, and what they held at their last heartbeats, but for indexes that were
 * dropped.
 */
export async function livingNodes(
  store: Pick<ClusterStore, 'nodes' | 'dropped'>,
): Promise<readonly LivingNode[]> {
  return registeredNodes(store, await droppedUuids(store), 0);
}

const droppedUuids = async ({ dropped }: Pick<ClusterStore, 'dropped'>) =>
  new Set((await dropped.list()).map(({ uuid }) => uuid));

async function registeredNodes(
  { nodes }: Pick<ClusterStore, 'nodes'>,
  gone: ReadonlySet<string>,
  graceMs: number,
): Promise<readonly LivingNode[]> {
  return (await nodes.list(graceMs)).map(({ node, address, state }): LivingNode => {
    const { indexes, followed = [] } = JSON.parse(state) as Partial<NodeState>;
    return { node, address, indexes: withoutGone(indexes, gone), followed };
  });
}

const withoutGone = (indexes: readonly NodeIndex[] = [], gone: ReadonlySet<string>) =>
  indexes.filter(({ uuid }) => !gone.has(uuid));

/** The same, as the nodes say now. A lease that ended within `graceMs` counts. */
export async function currentNodes(
  context: ClusterContext,
  { signal, deadline = Number.POSITIVE_INFINITY }: CallContext = {},
  graceMs = 0,
): Promise<readonly LivingNode[]> {
  const { nodes } = context;
  return nodesSaying(context, graceMs, signal, (address) => {
    const until = Math.min(deadline, Date.now() + STATE_MS);
    const call = { deadline: until, ...(signal === undefined ? {} : { signal }) };
    return nodes.at(address).state(call);
  });
}

/** The same for an answer that does not wait for nodes that are stopped. */
export async function awakeNodes(
  context: ClusterContext,
  { signal }: CallContext = {},
): Promise<readonly LivingNode[]> {
  const { nodes } = context;
  return nodesSaying(context, 0, signal, (address) =>
    nodes.watch.whileAlive(address, signal, (own) => nodes.at(address).state({ signal: own })),
  );
}

const STATE = 'read of a node';

async function nodesSaying(
  { store, repeated }: ClusterContext,
  graceMs: number,
  signal: AbortSignal | undefined,
  stateOf: (address: string) => Promise<NodeState>,
): Promise<readonly LivingNode[]> {
  const gone = await droppedUuids(store);
  const known = await registeredNodes(store, gone, graceMs);
  const ask = async (node: LivingNode): Promise<LivingNode> => {
    const of = { node: node.node };
    try {
      const { indexes, followed } = await stateOf(node.address);
      repeated.succeeded(STATE, of);
      return { ...node, indexes: withoutGone(indexes, gone), followed };
    } catch (error) {
      if (signal?.aborted !== true) repeated.failed(STATE, error, of);
      return { ...node, isSilent: true };
    }
  };
  return Promise.all(known.map(ask));
}

/** Pause between two looks at the nodes that follow a commit. */
const FOLLOW_MS = 100;

/**
 * The nodes, once enough of them have the newest commit of an index that they read from a store, or
 * after a bounded time.
 */
export async function followingNodes(context: ClusterContext, index: string) {
  for (;;) {
    const nodes = await currentNodes(context);
    const awake = nodes.filter(({ isSilent }) => !isSilent);
    const held = awake.flatMap((node) => readableIndex(node, index) ?? []);
    const written = awake.flatMap((node) => node.indexes.filter((own) => own.index === index));
    const newest = written.flatMap(({ commits }) => commits.slice(0, 1));
    if (newest.every((commit) => isSpread(commit, held))) return nodes;
    await sleep(FOLLOW_MS);
  }
}

/** The node that writes an index, and the index as it has it. */
export interface Writer extends Pick<LivingNode, 'node' | 'address'> {
  readonly own: NodeIndex;
}

/** Throws unreachable if the node of an index does not answer, or has not taken it over yet. */
export async function writerOf(
  context: ClusterContext,
  index: string,
  call: CallContext = {},
): Promise<Writer> {
  const name = await context.store.placements.nodeOf(index);
  const nodes = await currentNodes(context, call);
  const found = nodes.find(({ node, isSilent }) => node === name && !isSilent);
  const own = found?.indexes.find((each) => each.index === index);
  if (found !== undefined && own?.ordinals.length === own?.shards && own !== undefined) {
    return { ...found, own };
  }
  const [why, hint] =
    found === undefined
      ? [
          name === undefined ? 'no node is there for it' : `node "${name}" does not answer`,
          'start the node again, or wait until its indexes have moved to other nodes',
        ]
      : [`node "${name}" has not taken it over`, `the log of ${found.address} says why`];
  throw new LhsError('unreachable', `index "${index}" cannot be written: ${why}`, { hint });
}

/** The same of an index that is built. Throws index_not_built, too. */
export async function builtWriter(
  context: ClusterContext,
  index: string,
  call: CallContext,
): Promise<Writer> {
  const writer = await writerOf(context, index, call);
  if (writer.own.commits.length > 0) return writer;
  const next = [{ step: 'reindex' as const, index }];
  throw new LhsError('index_not_built', `no node has built "${index}"`, { next });
}

/** An index as its definition has it. */
export interface RoutableIndex {
  readonly index: string;
  readonly shards: number;
  /** Of the definition, which was read before the nodes: if there is a newer one, nothing changes. */
  readonly version?: number;
}

/**
 * Stores the route of an index over its nodes. Under a lease, it is stored only while the lease is
 * in force. The route that is in force then; undefined: the index is not built.
 */
export async function publishRoute(
  store: Store,
  lease: Lease | null,
  index: RoutableIndex,
  nodes: readonly LivingNode[],
): Promise<Route | undefined> {
  return store.change(lease, (cluster) => publishWithin(cluster, index, nodes));
}

/** The same, within a transaction. */
export async function publishWithin(
  { routes, definitions, placements }: Pick<ClusterStore, 'routes' | 'definitions' | 'placements'>,
  { version, ...index }: RoutableIndex,
  nodes: readonly LivingNode[],
): Promise<Route | undefined> {
  const former = await routes.get(index.index);
  const isStale = async () => (await definitions.get(index.index))?.version !== version;
  if (version !== undefined && (await isStale())) return former;
  const writer = await placements.nodeOf(index.index);
  const next = routeOver({ ...index, writer }, nodes, former);
  if (next === undefined || !(await routes.advance(next))) return former;
  return next;
}

/** Name of the lease of an index's connector. Writes on nodes carry its epoch. */
export const connectorLease = (index: string): string => `connector/${index}`;

/** The operations of a node for jobs of an index: a connector that has the lease may go on. */
export async function jobService({ store, nodes }: ClusterContext, index: string, address: string) {
  return nodes.at(address).service(await store.leases.epochOf(connectorLease(index)));
}
