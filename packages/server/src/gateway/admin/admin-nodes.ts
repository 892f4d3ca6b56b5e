import { type CallContext, type ErrorCode, LhsError } from '@lakehouse-search/contract';
import {
  ACCOUNT_OPERATIONS,
  type BackendApi,
  CLUSTER_OPERATIONS,
  isUnreachable,
  type Methods,
  OPERATIONS,
  type Operation,
  type OperationOver,
  type RequestOf,
  type ResponseOf,
} from '@lakehouse-search/contract/internal';
import type { NodeClient } from '../../cluster/node-client.ts';
import type { NodeIndex, NodeState } from '../../cluster/node-state.ts';
import { type NodeWatch, watchOver } from '../../cluster/node-watch.ts';
import type { SeenNode } from '../../cluster/route-of.ts';
import type { RoutingSource } from '../../cluster/routing.ts';
import { resolveIndex } from '../cluster-reads.ts';

/** An operation of a backend that is no read of shards. */
export type AdminName = Exclude<keyof BackendApi, OperationOver<'shards'> | 'close'>;

/** True for an operation of a backend that is no read of shards. */
export const isAdmin = (name: Operation): name is AdminName =>
  OPERATIONS[name].nodes !== 'shards' &&
  !Object.hasOwn(ACCOUNT_OPERATIONS, name) &&
  !Object.hasOwn(CLUSTER_OPERATIONS, name);

/** Some of these operations. */
export type AdminMethods = Partial<Methods<AdminName>>;

/** A routing that knows the nodes themselves. */
export interface AdminRouting extends RoutingSource {
  /** The nodes as they were seen last. */
  readonly seen: readonly SeenNode[];
  /** Throws unreachable while it is not known where the indexes are. */
  requireReady(): void;
}

/** Another node may have what a node with this error has not. */
export const ELSEWHERE: ReadonlySet<ErrorCode> = new Set(['not_found', 'unreachable']);

/** The nodes as administration sees them. */
export class AdminNodes {
  readonly routing: AdminRouting;
  readonly #node: (address: string) => NodeClient;
  readonly #watch: NodeWatch;

  constructor(
    routing: AdminRouting,
    node: (address: string) => NodeClient,
    watch: NodeWatch = watchOver(node),
  ) {
    this.routing = routing;
    this.#node = node;
    this.#watch = watch;
  }

  /** The public operations of a node, by name. */
  at(address: string): Methods<AdminName> {
    return this.#node(address).service();
  }

  /** A read of a node. Throws unreachable for a node that is down, or answers no probe either. */
  async read<K extends AdminName>(
    address: string,
    name: K,
    request: RequestOf<K>,
    call: CallContext,
  ): Promise<ResponseOf<K>> {
    const { routing } = this;
    if (routing.isDown(address)) throw routing.faultOf(address) ?? silent(address);
    try {
      return await this.#watch.whileAlive(address, call.signal, async (signal) => {
        return await this.at(address)[name](request, { ...call, signal });
      });
    } catch (error) {
      if (isUnreachable(error)) routing.failed(address, error);
      throw error;
    }
  }

  /** The client of a node. */
  client(address: string): NodeClient {
    return this.#node(address);
  }

  /** The addresses of nodes that answer. Throws unreachable if there is none. */
  up(): readonly string[] {
    const up = this.routing.seen.filter((seen) => seen.up).map(({ address }) => address);
    if (up.length > 0) return up;
    throw new LhsError('unreachable', 'no node of the cluster is reachable');
  }

  /**
   * The nodes that hold shards of an index, with their ordinals; of an index that nodes only read
   * from a store, one that answers. Throws index_not_built.
   */
  async owners(index: string | undefined, call: CallContext) {
    const name = await this.resolve(index, call);
    const owners = this.routing.seen.flatMap(({ address, state }) => {
      const own = state?.indexes.find((one) => one.index === name);
      return own === undefined
        ? []
        : [{ address, ordinals: own.ordinals, shards: own.shards, name }];
    });
    if (owners.length > 0) return owners;
    const reader = this.routing.seen.find(({ up, state }) => up && followedBy(state, name));
    const followed = reader && followedBy(reader.state, name);
    if (followed !== undefined) return [{ ...followed, address: reader!.address, name }];
    const next = [{ step: 'reindex' as const, index: name }];
    throw new LhsError('index_not_built', `no node has built "${name}"`, { next });
  }

  /** Throws unreachable if one of these nodes does not answer. */
  requireUp(owners: readonly { readonly address: string }[]): void {
    const up = new Set(this.up());
    const away = owners.find(({ address }) => !up.has(address));
    if (away === undefined) return;
    throw silent(away.address);
  }

  /** The index of a name; the nodes are looked at again before a name is unknown. */
  async resolve(index: string | undefined, call: CallContext): Promise<string> {
    try {
      return resolveIndex(this.routing, index, call);
    } catch {
      await this.routing.refresh();
      return resolveIndex(this.routing, index, call);
    }
  }

  /**
   * The answer of the first node that has what the request names; a node with an error of
   * `elsewhere` has not. Throws unreachable where a node that does not answer may have it, else
   * not_found.
   */
  async first<K extends AdminName, T>(
    name: K,
    request: RequestOf<K>,
    call: CallContext,
    then: (address: string, answer: ResponseOf<K>) => T,
    elsewhere: ReadonlySet<ErrorCode> = ELSEWHERE,
  ): Promise<T> {
    let last: LhsError | undefined;
    for (const { address } of this.routing.seen) {
      try {
        return then(address, await this.at(address)[name](request, call));
      } catch (error) {
        if (!(error instanceof LhsError) || !elsewhere.has(error.code)) throw error;
        const isWeaker = last === undefined || last.code === 'permission_denied';
        if (isWeaker || error.code === 'unreachable') last = error;
      }
    }
    throw last;
  }

  /** The answers of all nodes that answer. */
  async each<K extends AdminName>(name: K, request: RequestOf<K>, call: CallContext) {
    return Promise.all(this.up().map((address) => this.read(address, name, request, call)));
  }
}

const followedBy = (state: NodeState | null, name: string): NodeIndex | undefined =>
  state?.followed.find(({ index }) => index === name);

const silent = (address: string): LhsError =>
  new LhsError('unreachable', `the node at ${address} does not answer`, {
    hint: 'start it again, or take its address off the list of nodes',
  });

/** The error of an operation that is not defined over several nodes. */
export function overSeveral(name: string, count: number): LhsError {
  const message = `${name} is not possible for an index over ${count} nodes`;
  return new LhsError('unsupported', message, {
    hint: 'drop it, then create it with "storage": one node has all of its shards then',
  });
}
