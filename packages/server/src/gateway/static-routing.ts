import { LhsError } from '@lakehouse-search/contract';
import type { NodeClient } from '../cluster/node-client.ts';
import { routeOf, type SeenNode } from '../cluster/route-of.ts';
import type { RoutedIndex, RoutingSource } from '../cluster/routing.ts';
import { PROBE_MS } from '../cluster/silent-nodes.ts';
import type { RepeatedFaults } from '../observe/repeated-faults.ts';

const LOOK = 'look at the nodes';
const NODE = 'read of a node';

/** A fixed list of nodes. */
export interface StaticRoutingOptions {
  readonly nodes: readonly NodeClient[];
  /** Pause between two looks at the nodes. Default 500. */
  readonly pollMs?: number;
  /**
   * A node that does not answer a look within this time is down, until it answers one within a
   * second. Default 5,000.
   */
  readonly stateMs?: number;
  /** Notes nodes that do not answer. */
  readonly faults?: RepeatedFaults;
}

/** Routing over a fixed list of nodes, whose state is polled. */
export class StaticRouting implements RoutingSource {
  readonly #nodes: readonly NodeClient[];
  readonly #stateMs: number;
  readonly #faults: RepeatedFaults | undefined;
  readonly #timer: NodeJS.Timeout;
  readonly #seen = new Map<string, SeenNode>();
  #routes: ReadonlyMap<string, RoutedIndex> = new Map();
  #generation = 0;
  #looking: Promise<void> | undefined;

  constructor({ nodes, pollMs = 500, stateMs = 5000, faults }: StaticRoutingOptions) {
    this.#nodes = nodes;
    this.#stateMs = stateMs;
    this.#faults = faults;
    this.#timer = setInterval(() => void this.#lookAgain(), pollMs);
    this.#timer.unref();
  }

  /** The nodes as they were seen last, in the order of the list. */
  get seen(): readonly SeenNode[] {
    return this.#nodes.map(({ address }) => this.#seen.get(address) ?? unseen(address));
  }

  /** Throws unreachable while no node answers. */
  requireReady(): void {
    if (this.seen.some(({ up }) => up)) return;
    throw new LhsError('unreachable', 'no node of the cluster is reachable');
  }

  requireComplete(): void {
    const unknown = this.seen.find(({ state }) => state === null);
    if (unknown === undefined) return;
    const message = `node ${unknown.address}, which may have the index, has not answered yet`;
    throw new LhsError('unreachable', message);
  }

  names(): readonly string[] {
    const own = this.seen.flatMap(({ state }) =>
      state === null ? [] : [...state.indexes, ...state.followed],
    );
    return [...new Set(own.map(({ index }) => index))].sort();
  }

  aliases(): ReadonlyMap<string, string> {
    const indexes = this.seen.flatMap(({ state }) => state?.indexes ?? []);
    return new Map(indexes.flatMap(({ index, aliases }) => aliases.map((alias) => [alias, index])));
  }

  current(index: string): RoutedIndex | undefined {
    return this.#routes.get(index);
  }

  /** A look that begins after the call: one that runs already may have missed a change. */
  async refresh(): Promise<void> {
    await this.#looking?.catch(() => {});
    await this.#lookOnce();
  }

  /** A look that fails leaves the routes as they were. */
  #lookAgain(): Promise<void> {
    return this.#lookOnce().then(
      () => this.#faults?.succeeded(LOOK),
      (error: unknown) => this.#faults?.failed(LOOK, error),
    );
  }

  #lookOnce(): Promise<void> {
    this.#looking ??= this.#look();
    return this.#looking;
  }

  isDown(address: string): boolean {
    return this.#seen.get(address)?.up === false;
  }

  faultOf(address: string): LhsError | undefined {
    return this.#seen.get(address)?.fault;
  }

  failed(address: string, fault: LhsError): void {
    const seen = this.#seen.get(address);
    if (seen !== undefined) this.#seen.set(address, { ...seen, up: false, fault });
  }

  /** Each look is at the nodes. */
  outdated(): void {}

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking?.catch(() => {});
  }

  async #look(): Promise<void> {
    try {
      await Promise.all(this.#nodes.map((node) => this.#lookAt(node)));
      this.#route();
    } finally {
      this.#looking = undefined;
    }
  }

  async #lookAt(node: NodeClient): Promise<void> {
    const { address } = node;
    const known = this.#seen.get(address);
    const isSilent = known?.up === false && known.state !== null;
    const ms = isSilent ? Math.min(PROBE_MS, this.#stateMs) : this.#stateMs;
    try {
      const state = await node.state({ deadline: Date.now() + ms });
      this.#seen.set(address, { address, state, up: true });
      this.#faults?.succeeded(NODE, { node: address });
    } catch (error) {
      this.#faults?.failed(NODE, error, { node: address });
      const state = this.#seen.get(address)?.state ?? null;
      const fault = error instanceof LhsError ? { fault: error } : {};
      this.#seen.set(address, { address, state, up: false, ...fault });
    }
  }

  #route(): void {
    const routes = this.names().flatMap((index): [string, RoutedIndex][] => {
      const former = this.#routes.get(index);
      const route = routeOf(index, this.seen, former);
      if (route === null) return [];
      const isSame = former !== undefined && sameRoute(former, route);
      return [[index, isSame ? former : { ...route, generation: ++this.#generation }]];
    });
    this.#routes = new Map(routes);
  }
}

const unseen = (address: string): SeenNode => ({ address, state: null, up: false });

function sameRoute({ generation: _, ...former }: RoutedIndex, route: object): boolean {
  return JSON.stringify(former) === JSON.stringify(route);
}
