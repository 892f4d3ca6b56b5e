import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { namedIndex } from '@lakehouse-search/contract/internal';
import {
  type AskCommit,
  nodeAnswer,
  nodeRequest,
  notBuilt,
  openRemoteCommit,
  type RemoteCommit,
  type RemoteIndex,
  type RemoteRead,
  type RemoteTarget,
  unlessAborted,
} from '@lakehouse-search/engine/internal';
import { preferred } from '../cluster/copies.ts';
import type { NodeClient } from '../cluster/node-client.ts';
import { type NodeWatch, watchOver } from '../cluster/node-watch.ts';
import type { Replica, RoutedIndex, RoutingSource } from '../cluster/routing.ts';
import type { NodeSpans } from '../observe/node-spans.ts';
import { pitReplicas } from './cluster-pits.ts';
import { Hedging } from './hedging.ts';
import {
  type CopyRead,
  isOfNode,
  isOutdated,
  noData,
  type ReadReach,
  readable,
  readCopies,
  STATUS_HINT,
} from './read-copies.ts';
import { readTime, timeOfEachStep } from './read-time.ts';
import { replicatedShard } from './replicated-shard.ts';

/** What reads of a cluster are made of. */
export interface ClusterReadsOptions {
  readonly routing: RoutingSource;
  readonly node: (address: string) => NodeClient;
  /** A node that has not answered all steps of a read in this time has failed. Default 5,000. */
  readonly shardTimeoutMs?: number;
  /** Ends reads of nodes that are stopped. Default: after a second. */
  readonly watch?: NodeWatch;
  /** Says when a read is sent to a second node. Default: as the reads of this object need. */
  readonly hedging?: Hedging;
  /** Age in milliseconds from which the lag of an index is read again. Default 1,000. */
  readonly freshnessMs?: number;
  /** Makes spans of the reads of nodes. Absent: there are none. */
  readonly nodeSpans?: NodeSpans;
}

const SHARD_TIMEOUT_MS = 5000;
const FRESHNESS_MS = 1000;
/** Open commits that are kept. */
const MOST_COMMITS = 256;

/** Whether the steps of a read share the time of a node, or each of them has it. */
export type ReadSteps = 'together' | 'each';

/** The commits of a cluster that reads are answered from. */
export class ClusterReads {
  readonly #options: ClusterReadsOptions;
  readonly #watch: NodeWatch;
  readonly #hedging: Hedging;
  /** By the replicas that show the commit. */
  readonly #commits = new Map<string, Promise<RemoteCommit>>();

  constructor(options: ClusterReadsOptions) {
    this.#options = options;
    this.#watch = options.watch ?? watchOver(options.node);
    this.#hedging = options.hedging ?? new Hedging();
  }

  /**
   * The shards of an index for one read. Throws index_not_found, invalid_argument,
   * permission_denied, index_not_built, unreachable.
   */
  async open(
    { index, pit_id }: RemoteTarget,
    call: CallContext,
    steps: ReadSteps = 'together',
  ): Promise<RemoteIndex> {
    const route = this.#route({ index, pit_id }, call);
    const { freshnessMs = FRESHNESS_MS } = this.#options;
    const { shards, ask } = this.shardsOf(route, call, steps);
    const commit = await this.#commit(route, ask, call.signal);
    const { principal } = call;
    const { ask: askShared } = this.shardsOf(route, principal === undefined ? {} : { principal });
    return { commit, shards, ask, askShared, freshnessMs };
  }

  /**
   * The answer of a node that has all shards at one commit, which takes one message; undefined: no
   * node answers for all of them. Throws as the read, and as `open`.
   */
  async whole(
    name: RemoteRead,
    request: RemoteTarget,
    call: CallContext,
  ): Promise<object | undefined> {
    const route = this.#route(request, call);
    const copies = readable(rankedFor(request, wholeCopies(route)), this.#options.routing);
    if (copies.length === 0) return undefined;
    const reach = this.#reach(route.index, call, 'together');
    try {
      const read = commitRead<WholeAnswer>(`answer:${name}`, request);
      const { answer } = await readCopies(reach, copies, read);
      return isWhole(answer) ? answer : undefined;
    } catch (error) {
      const isOver = isOfNode(error) && isOutdated(error) && !hasOthers(route);
      if (!isOver && (isOfNode(error) || isUnsupported(error))) return undefined;
      throw error;
    }
  }

  #route({ index, pit_id }: RemoteTarget, call: CallContext): Omit<RoutedIndex, 'generation'> {
    const { routed } = this.routed(index, call);
    return pit_id === undefined ? routed : pitRoute(routed, pit_id);
  }

  /** The route of the index that a request names. Throws as `open`. */
  routed(index: string | undefined, call: CallContext) {
    const name = resolveIndex(this.#options.routing, index, call);
    const routed = this.#options.routing.current(name);
    if (routed === undefined) throw notBuilt({ index: name });
    return { name, routed };
  }

  /** The shards of a route for one read, and reads of its whole commit. */
  shardsOf(
    route: Omit<RoutedIndex, 'generation'>,
    call: CallContext,
    steps: ReadSteps = 'together',
  ): Pick<RemoteIndex, 'shards' | 'ask'> {
    const reach = this.#reach(route.index, call, steps);
    return {
      shards: route.shards.map((shard) => replicatedShard(shard, reach)),
      ask: (operation, request) => askAny(route, reach, operation, request),
    };
  }

  /** The client of a node. */
  node(address: string): NodeClient {
    return this.#options.node(address);
  }

  /** True while a node does not answer. */
  isDown(address: string): boolean {
    return this.#options.routing.isDown(address);
  }

  #reach(index: string, call: CallContext, steps: ReadSteps): ReadReach {
    const { routing, node, shardTimeoutMs = SHARD_TIMEOUT_MS, nodeSpans } = this.#options;
    const time =
      steps === 'together' ? readTime(shardTimeoutMs, call) : timeOfEachStep(shardTimeoutMs);
    const own = { watch: this.#watch, hedging: this.#hedging };
    return { index, routing, node, ...own, time, call, nodeSpans };
  }

  /** Calls share it. What ends the call that opens it does not end the others. */
  async #commit(
    { index, shards }: Omit<RoutedIndex, 'generation'>,
    ask: AskCommit,
    signal: AbortSignal | undefined,
  ): Promise<RemoteCommit> {
    const commits = shards.map(({ replicas }) => replicas.map(({ commit }) => commit));
    const key = JSON.stringify([index, commits]);
    const known = this.#commits.get(key);
    const opened = known?.catch(() => undefined);
    const shared = opened === undefined ? undefined : await unlessAborted(() => opened, signal);
    if (shared !== undefined) return shared;
    const opening = openRemoteCommit(ask);
    if (this.#commits.size >= MOST_COMMITS) this.#commits.clear();
    this.#commits.set(key, opening);
    opening.catch(() => {
      if (this.#commits.get(key) === opening) this.#commits.delete(key);
    });
    return opening;
  }
}

/**
 * The index that a request names by its name or an alias. Throws invalid_argument if it has to be
 * named, index_not_found, permission_denied, unreachable.
 */
export function resolveIndex(
  routing: RoutingSource,
  index: string | undefined,
  call: CallContext,
): string {
  try {
    return namedIndex(index, routing.names(), (alias) => routing.aliases().get(alias), call);
  } catch (error) {
    if (error instanceof LhsError && error.code === 'index_not_found') routing.requireComplete();
    throw error;
  }
}

/** The routing of a point in time: the commits that its nodes have pinned. */
function pitRoute(routed: RoutedIndex, pitId: string): Omit<RoutedIndex, 'generation'> {
  const pinned = pitReplicas(routed, pitId);
  const shards = routed.shards.map(({ ordinal, replicas }) => ({
    ordinal,
    replicas: replicas.flatMap((replica): Replica[] => {
      const pit = pinned.get(replica.address);
      return pit === undefined ? [] : [{ ...replica, commit: `pit:${pit}` }];
    }),
  }));
  return { index: routed.index, snapshot: routed.snapshot, shards };
}

/** Copies of all shards at one commit, by the route. */
const whole = new WeakMap<object, readonly Replica[]>();

/** The nodes that have all shards, each at one commit. */
function wholeCopies(route: Omit<RoutedIndex, 'generation'>): readonly Replica[] {
  const known = whole.get(route);
  if (known !== undefined) return known;
  const [first, ...others] = route.shards.map(({ replicas }) => replicas);
  const isIn = (copy: Replica) => (replicas: readonly Replica[]) =>
    replicas.some(({ address, commit }) => address === copy.address && commit === copy.commit);
  const found = (first ?? []).filter((copy) => others.every(isIn(copy)));
  whole.set(route, found);
  return found;
}

/** Whether a shard has copies on nodes that do not have all shards. */
const hasOthers = (route: Omit<RoutedIndex, 'generation'>): boolean =>
  route.shards.some(({ replicas }) => replicas.length > wholeCopies(route).length);

/** Pages of one query go to one node, which has read its blocks; other queries to other nodes. */
function rankedFor(request: object, copies: readonly Replica[]): readonly Replica[] {
  if (copies.length === 1) return copies;
  const query = JSON.stringify({ ...request, offset: undefined, search_after: undefined });
  return preferred(
    query,
    copies.map((copy) => ({ ...copy, up: true })),
  );
}

/** What an answer says of shards that failed. */
interface WholeAnswer {
  readonly partial?: boolean;
  readonly failed_shards?: number;
}

const isWhole = ({ partial, failed_shards = 0 }: WholeAnswer): boolean =>
  partial !== true && failed_shards === 0;

/** A node of an earlier version answers for its shards alone. */
const isUnsupported = (error: unknown): boolean =>
  error instanceof LhsError && error.code === 'unsupported';

/** A read of the whole commit by the first node that answers. */
async function askAny<T>(
  { shards, index }: Omit<RoutedIndex, 'generation'>,
  reach: ReadReach,
  operation: string,
  request: object,
): Promise<T> {
  const copies = new Map(shards.flatMap((s) => s.replicas).map((one) => [one.address, one]));
  const found = readable([...copies.values()], reach.routing);
  if (copies.size === 0) throw noData(`index "${index}"`);
  if (found.length === 0) {
    const message = `no node of index "${index}" is reachable`;
    throw new LhsError('unreachable', message, { hint: STATUS_HINT });
  }
  const read = commitRead<T>(operation, request);
  return (await readCopies(reach, found, read)).answer;
}

const commitRead = <T>(operation: string, request: object): CopyRead<T> => ({
  ...{ shards: [], operation },
  request: nodeRequest(operation, request),
  decode: (bytes) => nodeAnswer<T>(operation, bytes),
});
