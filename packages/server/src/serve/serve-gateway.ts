/** `lhs serve gateway`: REST and gRPC over the nodes of a cluster. */
import { LhsError } from '@lakehouse-search/contract';
import { connectNode, type NodeClient } from '../cluster/node-client.ts';
import { gatedBackend } from '../config/gated-backend.ts';
import { LocalCluster } from '../control-plane/local-cluster.ts';
import { activityRecorder } from '../control-plane/record-activity.ts';
import { clusterBackend } from '../gateway/cluster-backend.ts';
import { createGateway } from '../gateway/gateway.ts';
import { staticAdmin } from '../gateway/static-admin.ts';
import { StaticRouting } from '../gateway/static-routing.ts';
import { rateLimits } from '../limits/rate-limits.ts';
import { observers, openLogs } from '../observe/call-logs.ts';
import { createMetrics } from '../observe/metrics.ts';
import { openStore } from '../store/open-store.ts';
import { closedCallers, OPEN_CALLERS } from './closed-service.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { listenGrpc, listenRest, tlsOf } from './listeners.ts';
import { metricsRoutes } from './metrics-routes.ts';
import { type Release, startReleasing } from './releases.ts';
import { drainGateway, type RunningServer, type ServeRequest } from './serve-all.ts';

/** What a gateway process is made from. */
export interface ServeGatewayRequest extends ServeRequest {
  readonly cluster: ClusterOptions;
}

/** Starts a gateway over the nodes of its configuration. Throws invalid_argument, io_error. */
export async function serveGateway(request: ServeGatewayRequest): Promise<RunningServer> {
  const { cluster, options } = request;
  if (cluster.nodes.length === 0) {
    throw new LhsError('invalid_argument', 'a gateway needs the addresses of its nodes', {
      hint: 'name them in "cluster.nodes"',
    });
  }
  if (options.auth && cluster.key === undefined) {
    throw new LhsError('invalid_argument', 'a gateway with credentials needs the cluster key', {
      hint: 'set LHS_CLUSTER_KEY on all processes of the cluster',
    });
  }
  return startReleasing((later) => start(request, later));
}

async function start(request: ServeGatewayRequest, later: (release: Release) => void) {
  const { options, names, env, cluster, license } = request;
  const store = await openStore(options.store);
  later(() => store.close());
  if (license !== undefined) {
    const { licensee, nodes_limit = null } = license;
    await store.setLicense({ licensee, nodeLimit: nodes_limit, expiresMs: null });
  }
  const log = openLogs(options.log);
  later(() => log.flush());
  const callers = options.auth ? await closedCallers(store, request.issuers, env) : OPEN_CALLERS;
  const { backend, routing } = openCluster(cluster, later);
  await routing.refresh();
  const { admit, running } = rateLimits(options.limits);
  const metrics = createMetrics({ running, isKnown: (name) => routing.names().includes(name) });
  const recorder = activityRecorder(store.activity, (error) =>
    log.logger.warn({ err: error }, 'cannot record activity'),
  );
  const { defaultIndex, mcpHosts } = options;
  const gateway = await createGateway({
    backend: gatedBackend(backend, names),
    ...(callers.accounts === undefined ? {} : { accounts: callers.accounts }),
    cluster: new LocalCluster({
      ...{ backend, store },
      ...(defaultIndex === undefined ? {} : { defaultIndex }),
    }),
    access: callers.access,
    admit,
    observer: observers(metrics, log.observer, recorder),
    ready: async () => void (await backend.listIndexes()),
    extend: metricsRoutes({ metrics, access: callers.access, ...options.metrics }),
    ...(mcpHosts === undefined ? {} : { mcpHosts }),
    ...tlsOf(options),
  });
  later(() => drainGateway(gateway, options.drainMs));
  const url = await listenRest(gateway.rest, options);
  const grpc = await listenGrpc(gateway.grpc, options);
  const indexes = routing.names();
  log.logger.info({ url, grpc, nodes: cluster.nodes, indexes: indexes.length }, 'listening');
  const { adminPassword } = callers;
  return { url, grpc, indexes, ...(adminPassword === undefined ? {} : { adminPassword }) };
}

/** The nodes of a fixed list as one backend. */
export function openCluster(
  { nodes: addresses, key, shardTimeoutMs, freshnessMs }: ClusterOptions,
  later: (release: Release) => void,
) {
  const nodes = new Map(addresses.map((address) => [address, connectNode(address, { key })]));
  later(() => Promise.all([...nodes.values()].map((one) => one.close())));
  const node = (address: string): NodeClient => nodes.get(address)!;
  const routing = new StaticRouting({
    nodes: [...nodes.values()],
    ...(shardTimeoutMs === undefined ? {} : { stateMs: shardTimeoutMs }),
  });
  later(() => routing.close());
  const admin = staticAdmin(routing, node);
  const times = {
    ...(shardTimeoutMs === undefined ? {} : { shardTimeoutMs }),
    ...(freshnessMs === undefined ? {} : { freshnessMs }),
  };
  return { backend: clusterBackend({ routing, admin, node, ...times }), routing };
}
