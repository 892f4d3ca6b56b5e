import { join } from 'node:path';
import { LhsError } from '@lakehouse-search/contract';
import { locationUrl } from '@lakehouse-search/engine/internal';
import { type MemoryPlan, serverMemory } from '../config/memory-plan.ts';
import type { ServerConfig } from '../config/server-config.ts';
import { type Address, isLoopback, parseAddress, secretOf } from '../config/setting-values.ts';
import type { SettingPath } from '../config/settings.ts';
import type { CallLimits } from '../limits/rate-limits.ts';
import type { LogLevel } from '../observe/call-logs.ts';
import type { AdapterOptions } from '../search-adapter/routes/adapter-routes.ts';
import type { StoreLocation } from '../store/open-store.ts';

/** The settings of a server with their defaults. */
export interface ServerOptions {
  readonly dataDir: string;
  /** URL of the place whose published indexes are read, instead of indexes in the data folder. */
  readonly storage?: string;
  readonly refreshMs?: number;
  readonly rest: Address;
  readonly grpc: Address;
  readonly auth: boolean;
  /** Without `auth`, other machines may reach the service. */
  readonly insecureOpen: boolean;
  readonly sync: { readonly enabled: boolean; readonly pollMs: number };
  readonly threads: number;
  readonly memory: MemoryPlan;
  readonly drainMs: number;
  readonly backupTarget?: string;
  readonly store: StoreLocation;
  readonly tls?: { readonly certFile: string; readonly keyFile: string };
  readonly limits: CallLimits;
  readonly log: {
    readonly access: boolean;
    readonly level: LogLevel;
    readonly auditFile?: string;
  };
  readonly metrics: { readonly isPublic: boolean; readonly server?: string };
  /** URL of an OpenTelemetry collector. Absent: no spans are exported. */
  readonly otlpEndpoint?: string;
  /** The web console is served. */
  readonly console: boolean;
  readonly defaultIndex?: string;
  /** Names of the service besides those of this machine. */
  readonly hosts?: readonly string[];
  /** Absent: off. */
  readonly searchAdapter?: Omit<AdapterOptions, 'version'>;
}

const LEVELS: readonly LogLevel[] = ['trace', 'debug', 'info', 'warn', 'error', 'silent'];

/**
 * The options that settings describe; `dataDir` if they name none. Throws invalid_argument for
 * settings that do not go together, such as half of TLS, and limit_exceeded for too little memory.
 */
export function serverOptions(
  values: ServerConfig['values'],
  env: NodeJS.ProcessEnv,
  defaultDataDir: string,
): ServerOptions {
  const value = <T>(path: SettingPath, fallback: T): T => (values[path] as T) ?? fallback;
  const text = (path: SettingPath) => values[path] as string | undefined;
  const dataDir = value('data_dir', defaultDataDir);
  const rest = parseAddress(value('rest_addr', '127.0.0.1:8080'), 'rest_addr');
  const grpc = parseAddress(value('addr', '127.0.0.1:8081'), 'addr');
  const auth = value('auth', false);
  const postgres = text('store.postgres_env');
  const storage = text('storage');
  return {
    dataDir,
    ...optional('storage', storage === undefined ? undefined : locationUrl(storage)),
    ...optional('refreshMs', values.refresh_ms as number | undefined),
    rest,
    grpc,
    auth,
    insecureOpen: value('insecure_open', false),
    sync: { enabled: value('sync', true), pollMs: value('sync_poll_ms', 5000) },
    ...serverMemory(text('memory'), values.threads as number | undefined),
    drainMs: value('drain_ms', 10_000),
    ...optional('backupTarget', text('backup_target')),
    store:
      postgres === undefined
        ? { file: join(dataDir, 'server.db') }
        : { postgres: secretOf(env, postgres, 'store.postgres_env') },
    ...optional('tls', tlsFiles(text('tls.cert'), text('tls.key'))),
    limits: callLimits(value, auth || value('insecure_open', false)),
    log: {
      access: value('log.access', true),
      level: logLevel(value('log.level', 'info')),
      ...optional('auditFile', text('log.audit')),
    },
    metrics: {
      isPublic: value('metrics.public', !auth),
      ...optional('server', text('metrics.server')),
    },
    ...optional('otlpEndpoint', text('telemetry.otlp_endpoint')),
    console: value('console.enabled', true),
    ...optional('defaultIndex', text('console.default_index')),
    ...optional('hosts', listed(text('hosts'))),
    ...optional(
      'searchAdapter',
      value('search_adapter.enabled', false)
        ? { productHeader: value('search_adapter.product_header', true) }
        : undefined,
    ),
  };
}

/** `isShared`: others than the users of this machine may call. */
function callLimits(
  value: <T>(path: SettingPath, fallback: T) => T,
  isShared: boolean,
): CallLimits {
  const runningCalls = value('limits.running_calls', 1000);
  return {
    callsPerSecond: value('limits.calls_per_second', isShared ? 200 : null),
    burst: value('limits.burst', 400),
    loginsPerMinute: value('limits.logins_per_minute', 10),
    failuresPerMinute: value('limits.failures_per_minute', 100),
    runningCalls,
    runningPerCaller: value('limits.running_per_caller', isShared ? 250 : runningCalls),
    exportsPerCaller: value('limits.exports_per_caller', 4),
    readerMs: value('limits.reader_ms', 60_000),
    connections: value('limits.connections', 4000),
  };
}

const listed = (text: string | undefined): readonly string[] | undefined =>
  text?.split(',').map((part) => part.trim().toLowerCase());

function optional<K extends string, T>(key: K, value: T | undefined) {
  return (value === undefined ? {} : { [key]: value }) as { readonly [name in K]?: T };
}

/**
 * Throws invalid_argument for a service of users that is open to other machines. Nodes and control
 * planes have another credential: the key of the cluster.
 */
export function requireClosed({ auth, insecureOpen, rest, grpc }: ServerOptions): void {
  const other = [rest, grpc].find((address) => !isLoopback(address));
  if (auth || insecureOpen || other === undefined) return;
  const message = `an open service on "${other.host}" would let everybody in`;
  throw new LhsError('invalid_argument', message, {
    hint: 'require credentials (auth), or accept it (insecure_open)',
  });
}

function tlsFiles(certFile: string | undefined, keyFile: string | undefined) {
  if (certFile === undefined && keyFile === undefined) return undefined;
  if (certFile !== undefined && keyFile !== undefined) return { certFile, keyFile };
  const missing = certFile === undefined ? 'tls.cert' : 'tls.key';
  throw new LhsError('invalid_argument', `"${missing}" is missing: TLS needs both files`);
}

function logLevel(level: string): LogLevel {
  if ((LEVELS as readonly string[]).includes(level)) return level as LogLevel;
  const message = `"log.level" is "${level}": expected ${LEVELS.join(', ')}`;
  throw new LhsError('invalid_argument', message);
}
