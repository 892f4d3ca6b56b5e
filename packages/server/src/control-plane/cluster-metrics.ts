import { registeredDefinition } from '@lakehouse-search/engine/internal';
import { Gauge, type Registry } from 'prom-client';
import type { Store } from '../store/open-store.ts';
import type { Route } from '../store/routes.ts';
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
  routeMetrics(registers, store);
}

function routeMetrics(
  registers: Registry[],
  { routes, definitions }: Pick<Store, 'routes' | 'definitions'>,
): void {
  const gauge = (name: string, help: string, read: (route: Route) => number | Promise<number>) =>
    new Gauge({
      ...{ name, help, registers, labelNames: ['index'] },
      async collect() {
        this.reset();
        for (const route of await routes.list()) {
          this.set({ index: route.index }, await read(route));
        }
      },
    });
  gauge('lhs_route_generation', 'generation of the route of an index', (route) => route.generation);
  gauge(
    'lhs_route_missing_shards',
    'shards of an index that no living node has at its visible snapshot',
    ({ replicas }) => replicas.filter((own) => own.length === 0).length,
  );
  gauge(
    'lhs_route_lacking_copies',
    'shards of an index that fewer nodes have than its definition requires',
    async (route) => {
      const stored = await definitions.get(route.index);
      if (stored === undefined) return 0;
      return shortShards(route, registeredDefinition(stored.definition)).length;
    },
  );
}
