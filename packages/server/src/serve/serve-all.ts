/**
 * `lhs serve all`: gateway, indexes and background sync in one process over one data folder. It
 * starts from the bottom up and stops in the reverse order, whatever part of it fails.
 */
import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { ServerCredentials } from '@grpc/grpc-js';
import { LhsError } from '@lakehouse-search/contract';
import { lockDataFolder, openLocal } from '@lakehouse-search/engine';
import { gatedBackend } from '../config/gated-backend.ts';
import type { ServerConfig } from '../config/server-config.ts';
import type { Address } from '../config/setting-values.ts';
import { LocalCluster } from '../control-plane/local-cluster.ts';
import { activityRecorder } from '../control-plane/record-activity.ts';
import { createGateway, type Gateway } from '../gateway/gateway.ts';
import { rateLimits } from '../limits/rate-limits.ts';
import { observers, openLogs } from '../observe/call-logs.ts';
import { createMetrics } from '../observe/metrics.ts';
import { openStore } from '../store/open-store.ts';
import { BackgroundSync } from './background-sync.ts';
import { closedCallers, OPEN_CALLERS } from './closed-service.ts';
import { metricsRoutes } from './metrics-routes.ts';
import type { ServerOptions } from './server-options.ts';

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
  /**
   * Refuses new calls, waits for running ones up to the deadline, and releases everything.
   * Idempotent.
   */
  stop(): Promise<void>;
}

type Release = () => unknown;

/** Starts a server. Throws index_busy if another one serves the data folder, io_error, … */
export async function serveAll(request: ServeRequest): Promise<RunningServer> {
  const releases: Release[] = [];
  const releaseAll = once(async () => {
    for (const release of releases.toReversed()) await release();
  });
  try {
    const server = await start(request, (release) => releases.push(release));
    return { ...server, stop: releaseAll };
  } catch (error) {
    await releaseAll();
    throw error;
  }
}

async function start(request: ServeRequest, later: (release: Release) => void) {
  const { options, names, env } = request;
  const { dataDir, limits, sync: syncing } = options;
  const lock = lockDataFolder(dataDir);
  later(() => lock.release());
  const store = await openStore(options.store);
  later(() => store.close());
  const { license } = request;
  if (license !== undefined) {
    const { licensee, nodes_limit = null } = license;
    await store.setLicense({ licensee, nodeLimit: nodes_limit, expiresMs: null });
  }
  const { threads, backupTarget, memory } = options;
  const backend = await openLocal(dataDir, {
    threads,
    memory,
    ...(backupTarget === undefined ? {} : { backupTarget }),
  });
  later(() => backend.close());
  const log = openLogs(options.log);
  later(() => log.flush());
  const callers = options.auth ? await closedCallers(store, request.issuers, env) : OPEN_CALLERS;
  const { admit, running } = rateLimits(limits);
  const metrics = createMetrics({
    running,
    isKnown: (index) => sync.isKnown(index),
    resultCache: () => backend.resultCache,
  });
  const { enabled, pollMs } = syncing;
  const sync = new BackgroundSync({ backend, logger: log.logger, metrics, enabled, pollMs });
  later(() => sync.stop());
  await sync.start();
  const recorder = activityRecorder(store.activity, (error) =>
    log.logger.warn({ err: error }, 'cannot record activity'),
  );
  const gated = gatedBackend(backend, names);
  const gateway = await createGateway({
    backend: gated,
    ...(callers.accounts === undefined ? {} : { accounts: callers.accounts }),
    cluster: new LocalCluster({
      backend,
      store,
      ...(options.defaultIndex === undefined ? {} : { defaultIndex: options.defaultIndex }),
    }),
    access: callers.access,
    admit,
    observer: observers(metrics, log.observer, recorder),
    ready: async () => void (await backend.listIndexes()),
    extend: metricsRoutes({ metrics, access: callers.access, ...options.metrics }),
    ...(options.mcpHosts === undefined ? {} : { mcpHosts: options.mcpHosts }),
    ...tlsOf(options),
  });
  later(() => drained(gateway, options.drainMs));
  const { url, grpc } = await listen(gateway, options);
  const indexes = (await backend.listIndexes()).map(({ name }) => name);
  log.logger.info({ url, grpc, data_dir: dataDir, indexes: indexes.length }, 'listening');
  const { adminPassword } = callers;
  return { url, grpc, indexes, ...(adminPassword === undefined ? {} : { adminPassword }) };
}

function tlsOf({ tls }: ServerOptions) {
  if (tls === undefined) return {};
  return { tls: { cert: readPem(tls.certFile), key: readPem(tls.keyFile) } };
}

function readPem(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    const reason = (cause as Error).message;
    throw new LhsError('invalid_argument', `cannot read "${file}": ${reason}`, { cause });
  }
}

async function listen(gateway: Gateway, options: ServerOptions) {
  const { tls } = tlsOf(options);
  const credentials =
    tls === undefined
      ? ServerCredentials.createInsecure()
      : ServerCredentials.createSsl(null, [{ cert_chain: tls.cert, private_key: tls.key }]);
  const { rest, grpc } = options;
  await gateway.rest.listen(rest).catch((error: unknown) => {
    throw inUse(rest, error);
  });
  const { port } = gateway.rest.server.address() as AddressInfo;
  const bound = await new Promise<number>((resolve, reject) => {
    gateway.grpc.bindAsync(hostPort(grpc), credentials, (error, at) =>
      error === null ? resolve(at) : reject(inUse(grpc, error)),
    );
  });
  const scheme = tls === undefined ? 'http' : 'https';
  return {
    url: `${scheme}://${hostPort({ ...rest, port })}`,
    grpc: hostPort({ ...grpc, port: bound }),
  };
}

const hostPort = ({ host, port }: Address): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

function inUse(address: Address, cause: unknown): LhsError {
  const reason = (cause as Error).message;
  return new LhsError('io_error', `cannot listen on ${hostPort(address)}: ${reason}`, {
    hint: 'another program may use the port: choose another one',
    cause,
  });
}

/** Closes a gateway; calls that run longer than `ms` are cut off. */
async function drained(gateway: Gateway, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  const cut = late.then(() => {
    gateway.rest.server.closeAllConnections();
    gateway.grpc.forceShutdown();
  });
  await Promise.race([gateway.close(), cut]);
  clearTimeout(timer);
}

function once<T>(work: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | undefined;
  return () => (running ??= work());
}
