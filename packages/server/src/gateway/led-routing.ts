import type { LhsError } from '@lakehouse-search/contract';
import type { NodeState } from '../cluster/node-state.ts';
import type { SeenNode } from '../cluster/route-of.ts';
import type { RoutedIndex, RoutingSource } from '../cluster/routing.ts';
import type { AdminRouting } from './admin-nodes.ts';

/** The routing of a control plane; its nodes are those that a route names. */
export class LedRouting implements AdminRouting {
  readonly #plane: RoutingSource;

  constructor(plane: RoutingSource) {
    this.#plane = plane;
  }

  get seen(): readonly SeenNode[] {
    const routes = this.names().flatMap((name) => this.#plane.current(name) ?? []);
    const replicas = routes.flatMap(({ shards }) => shards.flatMap((shard) => shard.replicas));
    const byAddress = new Map(replicas.map(({ address, node }) => [address, node]));
    return [...byAddress].map(([address, node]) => {
      return { address, state: stateOf(node, address, routes), up: !this.isDown(address) };
    });
  }

  names = (): readonly string[] => this.#plane.names();
  aliases = (): ReadonlyMap<string, string> => this.#plane.aliases();
  current = (index: string): RoutedIndex | undefined => this.#plane.current(index);
  refresh = (): Promise<void> => this.#plane.refresh();
  subscribe = (listener: () => void): (() => void) => this.#plane.subscribe(listener);
  isDown = (address: string): boolean => this.#plane.isDown(address);
  faultOf = (address: string): LhsError | undefined => this.#plane.faultOf(address);
  failed = (address: string, error: LhsError): void => this.#plane.failed(address, error);
  close = (): Promise<void> => this.#plane.close();
}

/** What routes say of a node: the shards that are read there. */
function stateOf(node: string, address: string, routes: readonly RoutedIndex[]): NodeState {
  const indexes = routes.flatMap(({ index, shards }) => {
    const own = shards.filter(({ replicas }) => replicas.some((one) => one.address === address));
    if (own.length === 0) return [];
    const ordinals = own.map(({ ordinal }) => ordinal);
    const unknown = { uuid: '', definition_version: 0, epoch: 0, commits: [], aliases: [] };
    return [{ index, shards: shards.length, ordinals, ...unknown }];
  });
  return { node, indexes, free_bytes: 0, takes: [] };
}
