/** `lhs serve gateway`: REST and gRPC over the nodes of a cluster. */
import { LhsError } from '@lakehouse-search/contract';
import type { IndexApi, NamesApi } from '@lakehouse-search/contract/internal';
import { connectNode, type NodeClient } from '../cluster/node-client.ts';
import type { RoutingSource } from '../cluster/routing.ts';
import { admitDefinition } from '../config/admit-definition.ts';
import { gatedBackend } from '../config/gated-backend.ts';
import { NodePool } from '../control-plane/cluster-context.ts';
import { type RouteFigures, routeMetrics } from '../control-plane/cluster-metrics.ts';
import { controlPlaneAccounts } from '../control-plane/control-plane-client.ts';
import { LocalCluster } from '../control-plane/local-cluster.ts';
import { ErasedRecords } from '../control-plane/operations/erased-records.ts';
import { StoredQueries } from '../control-plane/operations/stored-queries.ts';
import { syncedByPlane } from '../control-plane/operations/synced-by-plane.ts';
import { activityRecorder } from '../control-plane/record-activity.ts';
import {
  ControlPlaneCalls,
  ledAccounts,
  ledAdmin,
  ledCluster,
} from '../gateway/admin/led-admin.ts';
import { withSavedQueries } from '../gateway/admin/rehearsed-queries.ts';
import { type StaticAdminOptions, staticAdmin } from '../gateway/admin/static-admin.ts';
import { clusterBackend } from '../gateway/cluster-backend.ts';
import { createGateway } from '../gateway/gateway.ts';
import { Hedging } from '../gateway/hedging.ts';
import { type LedRouting, openLedRouting } from '../gateway/led-routing.ts';
import { StaticRouting } from '../gateway/static-routing.ts';
import { limitFailures } from '../limits/limit-failures.ts';
import { rateLimits } from '../limits/rate-limits.ts';
import { observers, openLogs } from '../observe/call-logs.ts';
import { createMetrics } from '../observe/metrics.ts';
import { NodeSpans } from '../observe/node-spans.ts';
import { RepeatedFaults } from '../observe/repeated-faults.ts';
import type { Store } from '../store/open-store.ts';
import type { UserQueries } from '../store/user-queries.ts';
import { openCertificates } from './certificates.ts';
import {
  type Callers,
  closedCallers,
  type LedCallersOptions,
  ledCallers,
  OPEN_CALLERS,
} from './closed-service.ts';
import type { ClusterOptions } from './cluster-options.ts';
import { hidePlaces } from './hide-places.ts';
import { openLicensedStore } from './licensed-store.ts';
import { listenGrpc, listenRest } from './listeners.ts';
import { metricsRoutes } from './metrics-routes.ts';
import { type Release, startReleasing } from './releases.ts';
import { drainGateway, type RunningServer, type ServeRequest } from './serve-all.ts';
import { servedConsole } from './served-console.ts';
import { requireClosed } from './server-options.ts';
import { spanExport } from './span-export.ts';

/** What a gateway process is made from. */
export interface ServeGatewayRequest extends ServeRequest {
  readonly cluster: ClusterOptions;
}

/** Starts a gateway over the nodes of its configuration. Throws invalid_argument, io_error. */
export async function serveGateway(request: ServeGatewayRequest): Promise<RunningServer> {
  const { cluster, options } = request;
  const { nodes, controlPlane = [] } = cluster;
  requireClosed(options);
  if (nodes.length === 0 && controlPlane.length === 0) {
    const message = 'a gateway needs the addresses of its nodes, or of a control plane';
    throw new LhsError('invalid_argument', message, {
      hint: 'name the nodes in "cluster.nodes", or control planes in "cluster.control_plane"',
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
  const { options, names, cluster, license } = request;
  hidePlaces(options, names, later);
  const { nodes, controlPlane = [] } = cluster;
  const store = await openLicensedStore(options.store, license, later, controlPlane.length > 0);
  const log = openLogs(options.log);
  later(() => log.flush());
  const { admit, running } = rateLimits(options.limits);
  const hedging = new Hedging();
  const metrics = createMetrics({
    ...{ running, hedged: () => hedging.hedged },
    isKnown: (name) => routing.names().includes(name),
  });
  const faults = new RepeatedFaults(log.logger, metrics.failed);
  const spans = spanExport(options, 'gateway', faults, later);
  const nodeSpans = spans === undefined ? undefined : new NodeSpans(spans);
  const { backend, routing, planes, ownCluster } = await openCluster(cluster, later, {
    ...(nodeSpans === undefined ? {} : { nodeSpans }),
    ...{ faults, hedging, queries: store.queries },
    backupTarget: options.backupTarget,
    records: new ErasedRecords(store),
    receiptKey: () => store.receiptKey(),
    admit: admitDefinition(names),
  });
  routeMetrics(metrics.registry, () => routeFigures(routing));
  const callers = await callersOf(request, store, planes, { faults, later });
  await routing.refresh();
  const access = limitFailures(callers.access, options.limits.failuresPerMinute);
  const recorder = activityRecorder(store.activity, backend, faults);
  const { defaultIndex, hosts, searchAdapter } = options;
  const certificates = openCertificates(options, {
    logger: log.logger,
    registry: metrics.registry,
  });
  later(() => certificates?.close());
  const gateway = await createGateway({
    // a control plane resolves names of catalogs by its own configuration
    backend: gatedBackend(backend, names, ownCluster !== undefined),
    ...(callers.accounts === undefined ? {} : { accounts: callers.accounts }),
    cluster:
      ownCluster ??
      new LocalCluster({
        ...{ backend, store },
        ...(defaultIndex === undefined ? {} : { defaultIndex }),
      }),
    access,
    admit,
    connections: options.limits.connections,
    readerMs: options.limits.readerMs,
    observer: observers(metrics, log.observer, recorder, spans),
    ...(nodeSpans === undefined ? {} : { nodeSpans }),
    ready: async () => void requireReady(routing, callers),
    extend: metricsRoutes({ metrics, access, ...options.metrics }),
    ...servedConsole(options, log.logger),
    ...(hosts === undefined ? {} : { hosts }),
    ...(searchAdapter === undefined ? {} : { searchAdapter }),
    ...(certificates === undefined ? {} : { tls: certificates.pair }),
  });
  later(() => drainGateway(gateway, options.drainMs));
  certificates?.keep(gateway.rest);
  const url = await listenRest(gateway.rest, options);
  const grpc = await listenGrpc(gateway.grpc, options, certificates);
  const indexes = routing.names();
  const of = { nodes, control_plane: controlPlane };
  log.logger.info({ url, grpc, ...of, indexes: indexes.length }, 'listening');
  const reload = () => certificates?.reload();
  return { url, grpc, indexes, reload, ...passwordsOf(callers) };
}

/** The routes as this gateway reads them. */
const routeFigures = (routing: RoutingSource): readonly RouteFigures[] =>
  routing.names().flatMap((index) => {
    const { generation, shards = [] } = routing.current(index) ?? {};
    if (generation === undefined) return [];
    const missing = shards.filter(({ replicas }) =>
      replicas.every(({ address }) => routing.isDown(address)),
    );
    return [{ index, generation, missing_shards: missing.length }];
  });

/** Throws unreachable until reads, and logins of a new cluster, are possible. */
function requireReady(routing: Pick<LedRouting, 'requireReady'>, { lateAdmin }: Callers): void {
  routing.requireReady();
  lateAdmin?.requireMade();
}

const passwordsOf = ({ adminPassword, lateAdmin }: Callers) => ({
  ...(adminPassword ? { adminPassword } : {}),
  ...(lateAdmin === undefined ? {} : { latePassword: lateAdmin.password }),
});

/** Accounts are in the store of the control planes, if there are some. */
async function callersOf(
  { options, cluster, issuers, env }: ServeGatewayRequest,
  store: Store,
  planes: ControlPlaneCalls | undefined,
  { faults, later }: Pick<LedCallersOptions, 'faults' | 'later'>,
): Promise<Callers> {
  if (!options.auth) return OPEN_CALLERS;
  if (planes === undefined) return closedCallers(store, issuers, env);
  const accounts = controlPlaneAccounts({
    addresses: cluster.controlPlane ?? [],
    key: cluster.key,
  });
  later(() => accounts.close());
  return ledCallers(ledAccounts(planes), accounts, { env, faults, later });
}

/** What a gateway over a fixed list of nodes has of its own. */
export interface OwnParts extends StaticAdminOptions {
  /** Its saved queries. Default: nodes have them. */
  readonly queries?: UserQueries;
  /** Makes spans of the reads of nodes. */
  readonly nodeSpans?: NodeSpans;
  /** Counts the reads that are sent to a second node. */
  readonly hedging?: Hedging;
  /** Notes nodes and control planes that do not answer. */
  readonly faults?: RepeatedFaults;
}

/** The nodes of a cluster as one backend, by a fixed list or as a control plane says. */
export async function openCluster(
  cluster: ClusterOptions,
  later: (release: Release) => void,
  { queries, nodeSpans, hedging, faults, ...own }: OwnParts = {},
) {
  const {
    nodes: addresses,
    controlPlane = [],
    key,
    shardTimeoutMs,
    silenceMs,
    freshnessMs,
  } = cluster;
  const nodes = new NodePool((address) => connectNode(address, { key }), silenceMs);
  later(() => nodes.close());
  const node = (address: string): NodeClient => nodes.at(address);
  const times = {
    ...(shardTimeoutMs === undefined ? {} : { shardTimeoutMs }),
    watch: nodes.watch,
    ...(freshnessMs === undefined ? {} : { freshnessMs }),
    ...(nodeSpans === undefined ? {} : { nodeSpans }),
    ...(hedging === undefined ? {} : { hedging }),
  };
  if (controlPlane.length > 0) {
    const planes = new ControlPlaneCalls(controlPlane, key);
    later(() => planes.close());
    const routing = await openLedRouting(
      { addresses: controlPlane, key },
      {
        ...{ node, faults },
        ...(addresses.length > 0 && { nodes: new StaticRouting({ nodes: addresses.map(node) }) }),
      },
    );
    later(() => routing.close());
    const admin = ledAdmin(planes, routing, node, nodes.watch);
    const backend = syncedByPlane(clusterBackend({ routing, admin, node, ...times }));
    return { backend, routing, planes, ownCluster: ledCluster(planes) };
  }
  const routing = new StaticRouting({
    nodes: addresses.map(node),
    ...(shardTimeoutMs === undefined ? {} : { stateMs: shardTimeoutMs }),
    ...(faults === undefined ? {} : { faults }),
  });
  later(() => routing.close());
  const admin = withSavedQueries(
    withQueries(staticAdmin(routing, node, { ...own, watch: nodes.watch }), queries),
    routing,
  );
  const backend = clusterBackend({ routing, admin, node, ...times });
  return { backend, routing, planes: undefined, ownCluster: undefined };
}

/** Operations whose saved queries are those of a store, where they follow the names of indexes. */
function withQueries<
  T extends Pick<NamesApi, keyof StoredQueries> & Pick<IndexApi, 'alterIndex' | 'renameIndex'>,
>(admin: T, queries: UserQueries | undefined): T {
  if (queries === undefined) return admin;
  const own = new StoredQueries(queries);
  return {
    ...admin,
    alterIndex: async (request, call) => {
      const plan = await admin.alterIndex(request, call);
      const renamed = plan.changes.find(({ setting }) => setting === 'index');
      if (plan.applied && renamed) await queries.follow(String(renamed.from), plan.index);
      return plan;
    },
    renameIndex: async (request, call) => {
      const done = await admin.renameIndex(request, call);
      return { ...done, saved_queries: await queries.follow(done.previous_name, done.index) };
    },
    listSavedQueries: (request, call) => own.listSavedQueries(request, call),
    createSavedQuery: (request, call) => own.createSavedQuery(request, call),
    replaceSavedQuery: (request, call) => own.replaceSavedQuery(request, call),
    deleteSavedQuery: (request, call) => own.deleteSavedQuery(request, call),
  };
}
