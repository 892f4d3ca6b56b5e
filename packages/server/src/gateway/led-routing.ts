import type { LhsError } from '@lakehouse-search/contract';
import type { NodeClient } from '../cluster/node-client.ts';
import type { NodeState } from '../cluster/node-state.ts';
import type { SeenNode } from '../cluster/route-of.ts';
import type { RoutedIndex } from '../cluster/routing.ts';
import type { PlaneRouting } from '../control-plane/control-plane-client.ts';
import type { AdminRouting } from './admin/admin-nodes.ts';
import { withKeptReplicas } from './kept-replicas.ts';
import { OutdatedRoutes } from './outdated-routes.ts';
import type { StaticRouting } from './static-routing.ts';

/** What a gateway under a control plane routes by. */
export interface LedRoutingOptions {
  readonly plane: PlaneRouting;
  readonly node: (address: string) => NodeClient;
  /** Nodes that are looked at until a control plane has answered for the first time. */
  readonly nodes?: StaticRouting;
}

/**
 * The routing of a control plane; its nodes are those that a route names. A node stays readable
 * after its lease has ended, until its shards are elsewhere or have changed.
 */
export class LedRouting implements AdminRouting {
  readonly #plane: PlaneRouting;
  readonly #nodes: StaticRouting | undefined;
  readonly #outdated: OutdatedRoutes;
  #routes: ReadonlyMap<string, RoutedIndex> = new Map();

  constructor({ plane, node, nodes }: LedRoutingOptions) {
    this.#plane = plane;
    this.#nodes = nodes;
    this.#outdated = new OutdatedRoutes(node, plane);
    this.#take();
    plane.subscribe(() => this.#take());
  }

  /** Throws unreachable until something has said where the indexes are. */
  requireReady(): void {
    if (this.#source === this.#plane) this.requireComplete();
    else this.#nodes?.requireReady();
  }

  requireComplete = (): void => this.#plane.requireComplete();

  get seen(): readonly SeenNode[] {
    if (this.#source !== this.#plane) return (this.#source as StaticRouting).seen;
    const routes = this.names().flatMap((name) => this.#routes.get(name) ?? []);
    const replicas = routes.flatMap(({ shards }) => shards.flatMap((shard) => shard.replicas));
    const byAddress = new Map(replicas.map(({ address, node }) => [address, node]));
    return [...byAddress].map(([address, node]) => {
      return { address, state: stateOf(node, address, routes), up: !this.isDown(address) };
    });
  }

  names = (): readonly string[] => this.#source.names();
  aliases = (): ReadonlyMap<string, string> => this.#source.aliases();
  current(index: string): RoutedIndex | undefined {
    if (this.#source !== this.#plane) return this.#source.current(index);
    const published = this.#routes.get(index);
    return published && this.#outdated.insteadOf(published);
  }

  /** A control plane that is away is not waited for if the nodes have said enough. */
  async refresh(): Promise<void> {
    if (!(await this.#outdated.look())) await this.#source.refresh();
  }

  outdated(index: string): void {
    const published = this.#routes.get(index);
    if (published !== undefined) this.#outdated.add(published);
  }

  subscribe = (listener: () => void): (() => void) => this.#plane.subscribe(listener);
  isDown = (address: string): boolean => this.#source.isDown(address);
  faultOf = (address: string): LhsError | undefined => this.#source.faultOf(address);
  failed = (address: string, error: LhsError): void => this.#source.failed(address, error);

  async close(): Promise<void> {
    await Promise.all([this.#plane.close(), this.#nodes?.close()]);
  }

  get #source(): PlaneRouting | StaticRouting {
    return this.#plane.isKnown ? this.#plane : (this.#nodes ?? this.#plane);
  }

  #take(): void {
    const routes = this.#plane.names().flatMap((name) => this.#plane.current(name) ?? []);
    const kept = routes.map((route) => withKeptReplicas(route, this.#routes.get(route.index)));
    this.#routes = new Map(kept.map((route) => [route.index, route]));
    this.#outdated.keep(this.#routes);
    if (this.#plane.isKnown) void this.#nodes?.close();
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
