/**
 * `lhs serve all`: gateway, indexes and background sync in one process over one data folder. It
 * starts from the bottom up and stops in the reverse order, whatever part of it fails.
 */
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { admitDefinition } from '../config/admit-definition.ts';
import { gatedBackend } from '../config/gated-backend.ts';
import { boundMemory } from '../config/memory-plan.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { LocalCluster } from '../control-plane/local-cluster.ts';
import { activityRecorder } from '../control-plane/record-activity.ts';
import { createGateway, type Gateway } from '../gateway/gateway.ts';
import { limitFailures } from '../limits/limit-failures.ts';
import { rateLimits } from '../limits/rate-limits.ts';
import { observers, openLogs } from '../observe/call-logs.ts';
import { createMetrics } from '../observe/metrics.ts';
import { RepeatedFaults } from '../observe/repeated-faults.ts';
import { BackgroundSync, withSyncFailures } from './background-sync.ts';
import { openCertificates } from './certificates.ts';
import { closedCallers, OPEN_CALLERS } from './closed-service.ts';
import { hidePlaces } from './hide-places.ts';
import { openLicensedStore } from './licensed-store.ts';
import { drained, listenGrpc, listenRest } from './listeners.ts';
import { metricsRoutes } from './metrics-routes.ts';
import { type Release, startReleasing } from './releases.ts';
import { servedConsole } from './served-console.ts';
import { lockIfWritable, SERVED_FOLDER, storeOfReader } from './served-folder.ts';
import { requireClosed, type ServerOptions } from './server-options.ts';
import { spanExport } from './span-export.ts';

/** What a server is made from. */
export interface ServeRequest {
  readonly options: ServerOptions;
  readonly names: ServerConfig['names'];
  readonly issuers: ServerConfig['issuers'];
  readonly license?: ServerConfig['license'];
  readonly env: NodeJS.ProcessEnv;
}

/** A server that listens. */
export interface RunningServer {
  /** Address of REST, such as `http://127.0.0.1:8080`. */
  readonly url: string;
  /** HOST:PORT of gRPC. */
  readonly grpc: string;
  /** Names of the indexes at the start. */
  readonly indexes: readonly string[];
  /** A password that was generated for the first admin; it is shown once. */
  readonly adminPassword?: string;
  /** The same, if a control plane that was away at the start makes the first admin later. */
  readonly latePassword?: Promise<string | undefined>;
  /** Reads the files of its certificate again. */
  reload(): void;
  /**
   * Refuses new calls, waits for running ones up to the deadline, and releases everything.
   * Idempotent.
   */
  stop(): Promise<void>;
}

/** Starts a server. Throws index_busy if another one serves the data folder, io_error, … */
export async function serveAll(request: ServeRequest): Promise<RunningServer> {
  requireClosed(request.options);
  return startReleasing((later) => start(request, later));
}

async function start(request: ServeRequest, later: (release: Release) => void) {
  const { options, names, env } = request;
  const { dataDir, storage, limits, sync: syncing } = options;
  const { store, backend, isWritable } = await openFolder(request, later);
  const log = openLogs(options.log);
  later(() => log.flush());
  const callers = options.auth ? await closedCallers(store, request.issuers, env) : OPEN_CALLERS;
  const access = limitFailures(callers.access, limits.failuresPerMinute);
  const { admit, running } = rateLimits(limits);
  const metrics = createMetrics({
    running,
    isKnown: (index) => sync.isKnown(index),
    resultCache: () => backend.resultCache,
  });
  const enabled = syncing.enabled && storage === undefined;
  const { pollMs } = syncing;
  const { logger } = log;
  const faults = new RepeatedFaults(logger, metrics.failed);
  const sync = new BackgroundSync({ backend, logger, faults, metrics, enabled, pollMs });
  later(() => sync.stop());
  await sync.start();
  const recorder = activityRecorder(store.activity, backend, faults);
  const followed = withSyncFailures(backend, faults);
  const spans = spanExport(options, 'all', faults, later);
  const certificates = openCertificates(options, {
    logger: log.logger,
    registry: metrics.registry,
  });
  later(() => certificates?.close());
  const gateway = await createGateway({
    backend: gatedBackend(followed, names),
    ...(callers.accounts === undefined ? {} : { accounts: callers.accounts }),
    cluster: new LocalCluster({
      backend: followed,
      store,
      ...(options.defaultIndex === undefined ? {} : { defaultIndex: options.defaultIndex }),
    }),
    access,
    admit,
    connections: limits.connections,
    readerMs: limits.readerMs,
    observer: observers(metrics, log.observer, recorder, spans),
    ready: async () => void (await backend.listIndexes()),
    extend: metricsRoutes({ metrics, access, ...options.metrics }),
    ...servedConsole(options, log.logger),
    ...(options.hosts === undefined ? {} : { hosts: options.hosts }),
    ...(options.searchAdapter === undefined ? {} : { searchAdapter: options.searchAdapter }),
    ...(certificates === undefined ? {} : { tls: certificates.pair }),
  });
  later(() => drainGateway(gateway, options.drainMs));
  certificates?.keep(gateway.rest);
  const url = await listenRest(gateway.rest, options);
  const grpc = await listenGrpc(gateway.grpc, options, certificates);
  const indexes = (await backend.listIndexes()).map(({ name }) => name);
  log.logger.info({ url, grpc, data_dir: dataDir, indexes: indexes.length }, 'listening');
  if (!isWritable) log.logger.warn({ data_dir: dataDir }, 'the data folder cannot be written');
  const { adminPassword } = callers;
  const reload = () => certificates?.reload();
  return { url, grpc, indexes, reload, ...(adminPassword ? { adminPassword } : {}) };
}

/** The data folder of a server, locked for it, and its store. */
async function openFolder(
  { options, names, license }: ServeRequest,
  later: (release: Release) => void,
) {
  const { dataDir, storage, refreshMs, threads, backupTarget, memory } = options;
  later(boundMemory(memory));
  const lock = lockIfWritable(dataDir);
  later(() => lock?.release());
  hidePlaces(options, names, later);
  const location = lock === undefined ? storeOfReader(options) : options.store;
  const store = await openLicensedStore(location, license, later);
  const backend = await openEngine(storage ?? dataDir, {
    ...SERVED_FOLDER,
    asPlace: true,
    threads,
    memory,
    ...(refreshMs === undefined ? {} : { refreshMs }),
    ...(backupTarget === undefined ? {} : { backupTarget }),
    admit: admitDefinition(names),
  });
  later(() => backend.close());
  return { store, backend, isWritable: lock !== undefined };
}

/** Closes a gateway; calls that run longer than `ms` are cut off. */
export const drainGateway = (gateway: Gateway, ms: number): Promise<void> =>
  drained(
    () => gateway.close(),
    () => {
      gateway.rest.server.closeAllConnections();
      gateway.grpc.forceShutdown();
    },
    ms,
  );
