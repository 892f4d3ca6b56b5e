import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { apiTokenText, hashSecret, newApiToken } from '../../src/access/api-tokens.ts';
import type { ServerConfig } from '../../src/config/server-config.ts';
import { type RunningServer, serveAll } from '../../src/serve/serve-all.ts';
import { serverOptions } from '../../src/serve/server-options.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';

/** How a test's server differs from the usual one. */
export interface TestServiceOptions {
  /** Fills the data folder before the server starts. */
  readonly prepare?: (backend: BackendApi, dataDir: string) => Promise<void>;
  readonly values?: ServerConfig['values'];
  readonly names?: Partial<ServerConfig['names']>;
  readonly issuers?: ServerConfig['issuers'];
  /** Default: it requires credentials. */
  readonly auth?: boolean;
}

/** Restrictions of a token, and its roles. */
export interface TestToken {
  readonly roles: readonly string[];
  readonly indexes?: readonly string[];
  readonly tenant?: string;
  readonly expiresMs?: number;
}

/** A server as `lhs serve all` starts it, in this process, without rate limits. */
export interface TestService {
  readonly server: RunningServer;
  readonly store: Store;
  /** A folder that is removed at the end. */
  readonly folder: string;
  /** The header of a new API token. */
  token(token: TestToken): Promise<string>;
  stop(): Promise<void>;
}

const QUIET: ServerConfig['values'] = {
  rest_addr: '127.0.0.1:0',
  addr: '127.0.0.1:0',
  sync: false,
  threads: 0,
  'log.access': false,
  'log.level': 'silent',
  'limits.calls_per_second': 100_000,
  'limits.burst': 100_000,
  'limits.logins_per_minute': 1000,
  'limits.failures_per_minute': 10_000,
};

/** Starts a server; its admin has the password `long-enough`. */
export async function startService(options: TestServiceOptions): Promise<TestService> {
  const { prepare, values, names, issuers = [], auth = true } = options;
  const folder = mkdtempSync(join(tmpdir(), 'lhs-service-'));
  const data = join(folder, 'data');
  const backend = await openEngine(data, { create: true, threads: 0 });
  await prepare?.(backend, data);
  await backend.close();
  const audit = join(folder, 'audit.log');
  const settings = serverOptions({ ...QUIET, auth, 'log.audit': audit, ...values }, {}, data);
  const server = await serveAll({
    options: settings,
    names: { catalogs: {}, roots: {}, models: {}, ...names },
    issuers,
    env: { LHS_ADMIN_PASSWORD: 'long-enough' },
  });
  const store = await openStore(settings.store);
  return {
    server,
    store,
    folder,
    async token({ roles, indexes, tenant, expiresMs }) {
      const token = newApiToken();
      await store.tokens.add({
        id: token.id,
        name: 'test',
        secretHash: hashSecret(token.secret),
        roles: [...roles],
        indexes: indexes === undefined ? null : [...indexes],
        tenant: tenant ?? null,
        expiresMs: expiresMs ?? null,
        createdBy: '',
        createdMs: 1,
      });
      return `ApiKey ${apiTokenText(token)}`;
    },
    async stop() {
      await store.close();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
