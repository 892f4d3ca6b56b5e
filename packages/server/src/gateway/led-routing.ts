import { create } from '@bufbuild/protobuf';
import { CONTROL_PLANE_METHODS, type RoutingReply } from '@lakehouse-search/client/internal';
import { LhsError } from '@lakehouse-search/contract';
import { isUnreachable } from '@lakehouse-search/contract/internal';
import type { NodeClient } from '../cluster/node-client.ts';
import type { NodeState } from '../cluster/node-state.ts';
import type { SeenNode } from '../cluster/route-of.ts';
import type { RoutedIndex } from '../cluster/routing.ts';
import { SilentNodes } from '../cluster/silent-nodes.ts';
import {
  CALL_MS,
  type ControlPlaneClientOptions,
  ControlPlanes,
} from '../control-plane/control-plane-client.ts';
import { pause } from '../control-plane/leader/leadership.ts';
import { type RepeatedFaults, shownError } from '../observe/repeated-faults.ts';
import type { AdminRouting } from './admin/admin-nodes.ts';
import { withKeptReplicas } from './kept-replicas.ts';
import { OutdatedRoutes } from './outdated-routes.ts';
import type { StaticRouting } from './static-routing.ts';

const WAIT_MS = 10_000;
const RETRY_MS = 250;
const WATCH = 'watch of routes';
/** What a gateway knows that looks at nodes: they may have newer commits than a remembered route. */
const OF_NODES = 'nodes';

/** What a gateway under control planes routes by. */
export interface LedRoutingOptions {
  readonly node: (address: string) => NodeClient;
  /** Nodes that are looked at until a control plane has answered for the first time; closed then. */
  readonly nodes?: StaticRouting | undefined;
  /** Notes control planes and nodes that do not answer. */
  readonly faults?: RepeatedFaults | undefined;
}

/**
 * The routing of control planes. It is there when the promise resolves, unless none can be reached
 * yet. Throws what one answers, such as unauthenticated.
 */
export async function openLedRouting(
  planes: ControlPlaneClientOptions,
  options: LedRoutingOptions,
): Promise<LedRouting> {
  const routing = new LedRouting(new ControlPlanes(planes), options);
  await routing.start();
  return routing;
}

/**
 * The routing that the control planes publish; its nodes are those that a route names. A node stays
 * readable after its lease has ended, until its shards are elsewhere or have changed.
 */
export class LedRouting implements AdminRouting {
  readonly #planes: Pick<ControlPlanes, 'call' | 'close'>;
  readonly #silent: SilentNodes;
  readonly #outdated: OutdatedRoutes;
  readonly #faults: RepeatedFaults | undefined;
  readonly #stop = new AbortController();
  /** Until a control plane has answered. */
  #nodes: StaticRouting | undefined;
  #version = '';
  #fault: unknown;
  #names: readonly string[] = [];
  #aliases: ReadonlyMap<string, string> = new Map();
  #routes: ReadonlyMap<string, RoutedIndex> = new Map();
  #watching: Promise<void> = Promise.resolve();

  constructor(
    planes: Pick<ControlPlanes, 'call' | 'close'>,
    { node, nodes, faults }: LedRoutingOptions,
  ) {
    this.#planes = planes;
    const probe = (address: string, deadline: number) => node(address).state({ deadline });
    this.#silent = new SilentNodes(probe, undefined, faults);
    this.#outdated = new OutdatedRoutes(node, this);
    this.#faults = faults;
    this.#nodes = nodes;
  }

  /** Throws what a control plane answers. */
  async start(): Promise<void> {
    try {
      this.#take(await this.#get(0));
    } catch (error) {
      if (!isUnreachable(error)) throw error;
      this.#fault = error;
      await this.#nodes?.refresh();
    }
    this.#watching = this.#watch();
  }

  /** Throws unreachable until something has said where the indexes are. */
  requireReady(): void {
    if (this.#nodes === undefined) this.requireComplete();
    else this.#nodes.requireReady();
  }

  requireComplete(): void {
    if (this.#version !== '') return;
    const why = shownError(this.#fault).message;
    throw new LhsError('unreachable', `no control plane has answered yet: ${why}`, {
      hint: 'start the control plane, or name the right one in "cluster.control_plane"',
    });
  }

  get seen(): readonly SeenNode[] {
    if (this.#nodes !== undefined) return this.#nodes.seen;
    const routes = [...this.#routes.values()];
    const replicas = routes.flatMap(({ shards }) => shards.flatMap((shard) => shard.replicas));
    const byAddress = new Map(replicas.map(({ address, node }) => [address, node]));
    return [...byAddress].map(([address, node]) => {
      return { address, state: stateOf(node, address, routes), up: !this.isDown(address) };
    });
  }

  names = (): readonly string[] => this.#nodes?.names() ?? this.#names;
  aliases = (): ReadonlyMap<string, string> => this.#nodes?.aliases() ?? this.#aliases;
  faultOf = (address: string): LhsError | undefined =>
    (this.#nodes ?? this.#silent).faultOf(address);
  isDown = (address: string): boolean =>
    this.#nodes?.isDown(address) ?? this.faultOf(address) !== undefined;
  failed = (address: string, error: LhsError): void =>
    (this.#nodes ?? this.#silent).failed(address, error);

  current(index: string): RoutedIndex | undefined {
    if (this.#nodes !== undefined) return this.#nodes.current(index);
    const published = this.#routes.get(index);
    return published && this.#outdated.insteadOf(published);
  }

  /** A control plane that is away is not waited for if the nodes have said enough. */
  async refresh(): Promise<void> {
    if (this.#nodes !== undefined) return this.#nodes.refresh();
    if (await this.#outdated.look()) return;
    await this.#get(0).then(
      (reply) => this.#take(reply),
      () => {},
    );
  }

  outdated(index: string): void {
    const published = this.#routes.get(index);
    if (published !== undefined) this.#outdated.add(published);
  }

  async close(): Promise<void> {
    this.#stop.abort();
    this.#silent.close();
    this.#planes.close();
    await Promise.all([this.#watching, this.#nodes?.close()]);
  }

  async #watch(): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        this.#take(await this.#get(WAIT_MS));
        this.#faults?.succeeded(WATCH);
      } catch (error) {
        // The routing that is known stays in force while no control plane answers.
        this.#fault = error;
        if (!signal.aborted) this.#faults?.failed(WATCH, error);
        await pause(RETRY_MS, signal);
      }
    }
  }

  #get(waitMs: number): Promise<RoutingReply> {
    const { routing } = CONTROL_PLANE_METHODS;
    const known = this.#nodes === undefined ? this.#version : OF_NODES;
    const request = create(routing.input, { known, waitMs });
    return this.#planes.call(routing, request, waitMs + CALL_MS);
  }

  #take({ version, names, aliases, indexes }: RoutingReply): void {
    if (version === this.#version || this.#stop.signal.aborted) return;
    this.#version = version;
    this.#names = names;
    this.#aliases = new Map(aliases.map(({ alias, index }) => [alias, index]));
    const routes = indexes.map(({ index, generation, snapshot = null, shards }) => {
      const placed = shards.map(({ replicas }, ordinal) => ({ ordinal, replicas }));
      const route = { index, snapshot, generation: Number(generation), shards: placed };
      return [index, withKeptReplicas(route, this.#routes.get(index))] as const;
    });
    this.#routes = new Map(routes);
    this.#outdated.keep(this.#routes);
    void this.#nodes?.close();
    this.#nodes = undefined;
  }
}

/** What routes say of a node: the shards that are read there. */
function stateOf(node: string, address: string, routes: readonly RoutedIndex[]): NodeState {
  const indexes = routes.flatMap(({ index, shards }) => {
    const own = shards.filter(({ replicas }) => replicas.some((one) => one.address === address));
    if (own.length === 0) return [];
    const ordinals = own.map(({ ordinal }) => ordinal);
    const unknown = { uuid: '', definition_version: 0, commits: [], aliases: [] };
    return [{ index, shards: shards.length, ordinals, copies: 0, ...unknown }];
  });
  return { node, indexes, followed: [], takes: [] };
}
