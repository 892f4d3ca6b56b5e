import { LhsError } from '@lakehouse-search/contract';
import type { NodeClient } from '../cluster/node-client.ts';
import { routeOf, type SeenNode } from '../cluster/route-of.ts';
import type { RoutedIndex, RoutingSource } from '../cluster/routing.ts';
import { PROBE_MS } from '../cluster/silent-nodes.ts';

interface Outdated {
  readonly published: RoutedIndex;
  /** The route that its nodes have. */
  readonly current: RoutedIndex;
}

/**
 * Routes whose commits no node has any more, while the control plane publishes no others: it is
 * away, or its database is. Instead, they are what their nodes say that they have.
 */
export class OutdatedRoutes {
  readonly #node: (address: string) => NodeClient;
  readonly #plane: Pick<RoutingSource, 'isDown' | 'failed'>;
  readonly #routes = new Map<string, Outdated>();
  #looking: Promise<boolean> | undefined;

  constructor(
    node: (address: string) => NodeClient,
    plane: Pick<RoutingSource, 'isDown' | 'failed'>,
  ) {
    this.#node = node;
    this.#plane = plane;
  }

  /** What a published route is read by: itself, unless it is outdated. */
  insteadOf(published: RoutedIndex): RoutedIndex {
    const known = this.#routes.get(published.index);
    return known?.published.generation === published.generation ? known.current : published;
  }

  /** A published route is outdated: looks at its nodes. */
  add(published: RoutedIndex): void {
    const { index, generation } = published;
    const known = this.#routes.get(index)?.published.generation;
    if (known !== generation) this.#routes.set(index, { published, current: published });
    void this.look();
  }

  /**
   * Looks at the nodes of all routes that are outdated now; true if there are some, and nodes have
   * commits of each. A look that runs already may have missed a route.
   */
  async look(): Promise<boolean> {
    await this.#looking;
    if (this.#routes.size === 0) return false;
    this.#looking ??= this.#look()
      .catch(() => false)
      .finally(() => {
        this.#looking = undefined;
      });
    return this.#looking;
  }

  /** Forgets the routes in whose place the control plane has published others. */
  keep(published: ReadonlyMap<string, RoutedIndex>): void {
    for (const [index, own] of this.#routes) {
      if (published.get(index)?.generation !== own.published.generation) this.#routes.delete(index);
    }
  }

  async #look(): Promise<boolean> {
    const outdated = [...this.#routes];
    const replicas = outdated.flatMap(([, own]) => own.published.shards.flatMap((s) => s.replicas));
    const addresses = new Set(replicas.map(({ address }) => address));
    const up = [...addresses].filter((address) => !this.#plane.isDown(address));
    const seen = await Promise.all(up.map((address) => this.#lookAt(address)));
    let found = 0;
    for (const [index, own] of outdated) {
      const next = routeOf(index, seen, own.current);
      if (next === null || this.#routes.get(index) !== own) continue;
      const { generation } = own.published;
      this.#routes.set(index, { ...own, current: { ...next, generation } });
      found++;
    }
    return found === outdated.length;
  }

  async #lookAt(address: string): Promise<SeenNode> {
    try {
      const state = await this.#node(address).state({ deadline: Date.now() + PROBE_MS });
      return { address, state, up: true };
    } catch (error) {
      if (error instanceof LhsError) this.#plane.failed(address, error);
      return { address, state: null, up: false };
    }
  }
}
