import { registeredDefinition } from '@lakehouse-search/engine/internal';
import { Gauge, type Registry } from 'prom-client';
import type { Store } from '../store/open-store.ts';
import { shortShards } from './operations/missing-shards.ts';

/** Where the metrics of a cluster are read from when they are scraped. */
export interface ClusterSources {
  readonly store: Pick<Store, 'nodes' | 'routes' | 'jobs' | 'definitions'>;
  /** The lease of the control plane that leads, as this process has it. */
  readonly leadership: { readonly held: { readonly epoch: number } | undefined };
  /** The connector of this process, if it has one. */
  readonly connector: { readonly held: readonly string[] } | undefined;
}

/** Adds the metrics of leases, nodes, routing and jobs. */
export function clusterMetrics(registry: Registry, sources: ClusterSources): void {
  const { store, leadership, connector } = sources;
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      ...{ name, help, registers },
      async collect() {
        this.set(await read());
      },
    });
  gauge('lhs_control_plane_leads', '1 while this control plane leads', () =>
    leadership.held === undefined ? 0 : 1,
  );
  gauge(
    'lhs_control_plane_epoch',
    'epoch of the lease while this control plane leads, else 0',
    () => leadership.held?.epoch ?? 0,
  );
  gauge(
    'lhs_connector_indexes',
    'indexes whose connector runs in this process',
    () => connector?.held.length ?? 0,
  );
  gauge('lhs_nodes', 'nodes with a lease', async () => (await store.nodes.list()).length);
  gauge(
    'lhs_running_jobs',
    'jobs of the cluster that have not ended',
    async () => (await store.jobs.list({ running: true })).length,
  );
  routeMetrics(registry, async () => {
    const [routes, definitions] = [await store.routes.list(), await store.definitions.list()];
    return routes.map((route): RouteFigures => {
      const { index, generation, replicas } = route;
      const stored = definitions.find((each) => each.index === index);
      const defined = stored === undefined ? {} : registeredDefinition(stored.definition);
      return {
        ...{ index, generation },
        missing_shards: replicas.filter((own) => own.length === 0).length,
        lacking_copies: shortShards(route, defined).length,
      };
    });
  });
}

/** What is measured of the route of an index. */
export interface RouteFigures {
  readonly index: string;
  readonly generation: number;
  readonly missing_shards: number;
  /** Absent where definitions are not known. */
  readonly lacking_copies?: number;
}

const ROUTE_FIGURES: Readonly<Record<Exclude<keyof RouteFigures, 'index'>, string>> = {
  generation: 'generation of the route of an index',
  missing_shards: 'shards of an index that no living node has at its visible snapshot',
  lacking_copies: 'shards of an index that fewer nodes have than its definition requires',
};

/** Adds the metrics of routes. */
export function routeMetrics(
  registry: Registry,
  read: () => readonly RouteFigures[] | Promise<readonly RouteFigures[]>,
): void {
  for (const [name, help] of Object.entries(ROUTE_FIGURES)) {
    new Gauge({
      ...{ name: `lhs_route_${name}`, help, registers: [registry], labelNames: ['index'] },
      async collect() {
        this.reset();
        for (const figures of await read()) {
          const value = figures[name as keyof typeof ROUTE_FIGURES];
          if (value !== undefined) this.set({ index: figures.index }, value);
        }
      },
    });
  }
}
