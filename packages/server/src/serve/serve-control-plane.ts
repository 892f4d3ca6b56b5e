/**
 * `lhs serve control-plane`: registration of nodes, placement, routing and jobs of a cluster, over
 * a store that several control planes may share; with `sync`, also a connector.
 */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Principal } from '@lakehouse-search/contract';
import { type BackendApi, OPERATIONS, type Operation } from '@lakehouse-search/contract/internal';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import type { Access } from '../access/access.ts';
import { lacksScope } from '../access/stored-access.ts';
import { readNodeCall } from '../cluster/cluster-token.ts';
import { connectNode } from '../cluster/node-client.ts';
import { SILENCE_MS } from '../cluster/node-watch.ts';
import { admitDefinition } from '../config/admit-definition.ts';
import { gatedBackend } from '../config/gated-backend.ts';
import type { IssuerConfig, ServerConfig } from '../config/server-config.ts';
import type { SettingPath } from '../config/settings.ts';
import { Connector } from '../connector/connector.ts';
import { awakeNodes, type ClusterContext, NodePool } from '../control-plane/cluster-context.ts';
import { clusterMetrics } from '../control-plane/cluster-metrics.ts';
import { controlPlaneMethods } from '../control-plane/control-plane-service.ts';
import { type LeaderOptions, lead } from '../control-plane/leader/leader.ts';
import { Leadership } from '../control-plane/leader/leadership.ts';
import { LoopFaults } from '../control-plane/leader/loop-faults.ts';
import { WorkWatch } from '../control-plane/leader/work-watch.ts';
import { LEADER } from '../control-plane/operations/cluster-job-api.ts';
import { controlPlaneApis } from '../control-plane/operations/control-plane-api.ts';
import { missingOf } from '../control-plane/operations/missing-shards.ts';
import { activityRecorder } from '../control-plane/record-activity.ts';
import { createGateway } from '../gateway/gateway.ts';
import { addInternalService } from '../grpc/internal-service.ts';
import { observers, openLogs } from '../observe/call-logs.ts';
import { createMetrics } from '../observe/metrics.ts';
import { RepeatedFaults } from '../observe/repeated-faults.ts';
import { accountsOpener, storedCallers } from './closed-service.ts';
import { refuseTls, requireKey } from './cluster-options.ts';
import { hidePlaces } from './hide-places.ts';
import { openLicensedStore } from './licensed-store.ts';
import { drained, listenGrpc, listenRest } from './listeners.ts';
import { metricsRoutes } from './metrics-routes.ts';
import { type Release, startReleasing } from './releases.ts';
import type { ServerOptions } from './server-options.ts';
import { spanExport } from './span-export.ts';

/** What a control plane is made from. */
export interface ServeControlPlaneRequest {
  readonly options: ServerOptions;
  readonly names: ServerConfig['names'];
  readonly license?: ServerConfig['license'];
  /** Outside issuers whose tokens gateways accept. */
  readonly issuers?: readonly IssuerConfig[];
  readonly times: ClusterTimes;
  /** The key of the cluster; absent: the ports are open to this machine. */
  readonly key?: string | undefined;
}

/** Leases of a cluster, in milliseconds. */
export interface ClusterTimes {
  /** Another control plane leads, or another connector works, after this time without renewal. */
  readonly leaseMs: number;
  /** A node without a heartbeat is not called after this time. */
  readonly nodeMs: number;
  /** The indexes of a node move after this time without a heartbeat. */
  readonly leaveMs: number;
  /** A node that answers neither a read nor a probe in this time is stopped. Default 1,000. */
  readonly silenceMs?: number;
}

/** The leases that settings describe. */
export function clusterTimes(values: ServerConfig['values']): ClusterTimes {
  const ms = (path: SettingPath, fallback: number) => (values[path] as number) ?? fallback;
  return {
    leaseMs: ms('cluster.lease_ms', 5000),
    nodeMs: ms('cluster.node_ms', 10_000),
    leaveMs: ms('cluster.leave_ms', 60_000),
    silenceMs: ms('cluster.silence_ms', SILENCE_MS),
  };
}

/** A loop of a control plane that has ended no round for this time waits for ever. */
const SILENT_MS = 30_000;

/** A control plane that listens. */
export interface RunningControlPlane {
  /** Address of REST: probes, metrics and the operations of a control plane. */
  readonly url: string;
  /** HOST:PORT of gRPC. */
  readonly grpc: string;
  /** Releases its leases and everything else. Idempotent. */
  stop(): Promise<void>;
}

/** Starts a control plane. Throws invalid_argument, unreachable, io_error. */
export async function serveControlPlane(
  request: ServeControlPlaneRequest,
): Promise<RunningControlPlane> {
  const { options, key } = request;
  requireKey(key, 'a control plane', [options.rest, options.grpc]);
  refuseTls(options, 'a control plane');
  return startReleasing((later) => start(request, later));
}

async function start(request: ServeControlPlaneRequest, later: (release: Release) => void) {
  const { options, names, license, key, times } = request;
  hidePlaces(options, names, later);
  const store = await openLicensedStore(options.store, license, later);
  const log = openLogs(options.log);
  later(() => log.flush());
  const nodes = new NodePool((address) => connectNode(address, { key }), times.silenceMs);
  later(() => nodes.close());
  const metrics = createMetrics({ running: () => 0, isKnown: () => true });
  const repeated = new RepeatedFaults(log.logger, metrics.failed);
  const context: ClusterContext = { store, nodes, logger: log.logger, repeated };
  const { backend, cluster, works } = controlPlaneApis(
    context,
    scratchEngine(later),
    options.backupTarget,
    admitDefinition(names),
  );
  const watch = new WorkWatch();
  const faults = new LoopFaults({ store, faults: repeated });
  const work = { context, works, watch, faults };
  const { leadership, connector } = startWork(work, options, times, metrics, later);
  clusterMetrics(metrics.registry, { store, leadership, connector });
  const recorder = activityRecorder(store.activity, backend, repeated);
  const access = clusterAccess(key);
  const { access: callers, accounts } = storedCallers(store, request.issuers ?? [], {
    freshMs: 0, // gateways remember a caller for a second
  });
  const spans = spanExport(options, 'control-plane', repeated, later);
  const gateway = await createGateway({
    ...{ backend: gatedBackend(backend, names), cluster, access, accounts },
    observer: observers(metrics, log.observer, recorder, spans),
    ready: async () => {
      const routes = await store.routes.list();
      const nodes = await awakeNodes(context);
      watch.requireRounds(SILENT_MS);
      return missingOf(routes, nodes);
    },
    extend: metricsRoutes({ metrics, access, ...options.metrics }),
    ...(options.hosts === undefined ? {} : { hosts: options.hosts }),
  });
  const stopping = new AbortController();
  const methods = controlPlaneMethods({
    ...{ store, nodeMs: times.nodeMs, stopping: stopping.signal },
    authenticate: (authorization) => callers.callerOf(authorization),
    openAccounts: accountsOpener(store),
  });
  addInternalService(gateway.grpc, key, methods);
  later(() => {
    stopping.abort();
    const cut = () => {
      gateway.rest.server.closeAllConnections();
      gateway.grpc.forceShutdown();
    };
    return drained(() => gateway.close(), cut, options.drainMs);
  });
  const url = await listenRest(gateway.rest, options);
  const grpc = await listenGrpc(gateway.grpc, options);
  log.logger.info({ url, grpc }, 'listening');
  return { url, grpc };
}

/** The two kinds of work that a lease allows: leading, and reading tables. */
function startWork(
  {
    context,
    works,
    watch,
    faults,
  }: Omit<LeaderOptions, 'nodeMs' | 'leaveMs'> & { watch: WorkWatch },
  { sync }: ServerOptions,
  { leaseMs, nodeMs, leaveMs }: ClusterTimes,
  metrics: ReturnType<typeof createMetrics>,
  later: (release: Release) => void,
) {
  const holder = `${hostname()}/${process.pid}/${randomUUID()}`;
  const leadership = new Leadership({
    ...{ leases: context.store.leases, name: LEADER, holder, ttlMs: leaseMs },
    work: (lease, signal) =>
      lead({ context, faults, nodeMs, leaveMs, works, watch }, lease, signal),
    logger: context.logger,
    faults: context.repeated,
  });
  later(() => leadership.stop());
  leadership.start();
  const connector = sync.enabled
    ? new Connector({ context, faults, holder, leaseMs, pollMs: sync.pollMs, metrics, watch })
    : undefined;
  later(() => connector?.stop());
  connector?.start();
  return { leadership, connector };
}

/** An engine in a temporary folder, for tables and definitions; opened with its first use. */
function scratchEngine(later: (release: Release) => void): () => Promise<BackendApi> {
  let opened: Promise<BackendApi> | undefined;
  const open = async (): Promise<BackendApi> => {
    const folder = mkdtempSync(join(tmpdir(), 'lhs-control-plane-'));
    later(() => rmSync(folder, { recursive: true, force: true }));
    const backend = await openEngine(folder, { threads: 0 });
    later(() => backend.close());
    return backend;
  };
  return () => (opened ??= open());
}

/** Callers with the key of the cluster; a gateway says for whom it calls. */
function clusterAccess(key: string | undefined): Access {
  const authorize = (principal: Principal | undefined, operation: Operation) => {
    const { scope } = OPERATIONS[operation];
    if (principal === undefined || scope === null || principal.scopes.includes(scope)) return;
    throw lacksScope(principal, operation, scope);
  };
  return Object.freeze({
    authenticate: (authorization: string | undefined): Principal | undefined =>
      readNodeCall(key, authorization).principal,
    ...{ authorize, permit: authorize },
  });
}
