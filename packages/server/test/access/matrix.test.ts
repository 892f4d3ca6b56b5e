/** Every endpoint of REST for every kind of caller, over a server as `lhs serve all` starts it. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROUTES } from '@lakehouse-search/client';
import { openLocal } from '@lakehouse-search/engine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ContractTable, createContractTable } from '../../../../test/contract/table.ts';
import { apiTokenText, hashSecret, newApiToken } from '../../src/access/api-tokens.ts';
import { type RunningServer, serveAll } from '../../src/serve/serve-all.ts';
import { serverOptions } from '../../src/serve/server-options.ts';
import { openStore, type Store } from '../../src/store/open-store.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-matrix-'));
let table: ContractTable;
let server: RunningServer;
let store: Store;
const headers: Record<string, string> = {};

/** The callers. `scoped` has all roles for the index `other` alone. */
const TOKENS: Readonly<Record<string, object>> = {
  expired: { roles: ['admin'], expiresMs: Date.now() - 1000 },
  reader: { roles: ['reader'] },
  operator: { roles: ['operator'] },
  both: { roles: ['reader', 'operator'] },
  admin: { roles: ['admin'] },
  scoped: { roles: ['reader', 'operator', 'admin'], indexes: ['other'] },
  tenantA: { roles: ['reader', 'operator'], tenant: 'acme' },
  tenantB: { roles: ['reader', 'operator'], tenant: 'rival' },
};
const CALLERS = ['none', 'bad', ...Object.keys(TOKENS)] as const;

beforeAll(async () => {
  table = await createContractTable();
  const backend = await openLocal(join(folder, 'data'));
  for (const index of ['notes', 'other']) {
    await backend.createIndex({ definition: table.definition(index) });
    await backend.reindex({ index });
  }
  await backend.setAlias({ alias: 'notebook', index: 'notes' });
  await backend.close();
  const values = {
    auth: true,
    rest_addr: '127.0.0.1:0',
    addr: '127.0.0.1:0',
    sync: false,
    backup_target: table.backups,
    threads: 0,
    'log.access': false,
    'log.level': 'silent',
    'log.audit': join(folder, 'audit.log'),
    'limits.calls_per_second': 100_000,
    'limits.burst': 100_000,
    'limits.logins_per_minute': 1000,
  };
  const options = serverOptions(values, {}, join(folder, 'data'));
  const names = { catalogs: { main: table.source.catalog }, roots: {}, models: {} };
  server = await serveAll({
    options,
    names,
    issuers: [],
    env: { LHS_ADMIN_PASSWORD: 'long-enough' },
  });
  store = await openStore(options.store);
  for (const [name, fields] of Object.entries(TOKENS)) {
    const token = newApiToken();
    const stored = { indexes: null, tenant: null, expiresMs: null, roles: [] as string[] };
    const own = { id: token.id, name, secretHash: hashSecret(token.secret) };
    await store.tokens.add({ ...stored, ...own, createdBy: '', createdMs: 1, ...fields });
    headers[name] = `ApiKey ${apiTokenText(token)}`;
  }
  headers.bad = `ApiKey ${apiTokenText(newApiToken())}`;
});

afterAll(async () => {
  await store?.close();
  await server?.stop();
  table?.remove();
  rmSync(folder, { recursive: true, force: true });
});

type Scope = 'search' | 'index_read' | 'ops' | 'admin';
/** Method and path, body, scope, and the statuses of those who have the scope. */
interface Row {
  readonly at: string;
  readonly body?: object;
  readonly scope: Scope;
  /** Of callers without restrictions. */
  readonly ok?: number;
  /** Of the caller of another index. */
  readonly scoped?: number;
  /** Of the callers of a tenant. */
  readonly tenant?: number;
}

const index = 'notes';
const KEY = { identifier: [{ name: 'id', value: 'a' }] };
const DEFINITION = 'version: 1\nindex: x\nsource: { catalog: main, table: no.table }\nfields: []\n';
const saved = (name: string) => ({ name, request: { query: 'disk' } });
const MISSING = 'nothing';

const ROWS: Readonly<Record<string, Row>> = {
  search: { at: 'POST /v1/search', body: { index, query: 'disk' }, scope: 'search' },
  'search of an alias': {
    at: 'POST /v1/search',
    body: { index: 'notebook', query: 'disk' },
    scope: 'search',
  },
  semantic: {
    at: 'POST /v1/search:semantic',
    body: { index, vector_field: 'vec', query_vector: [1, 0] },
    scope: 'search',
  },
  hybrid: {
    at: 'POST /v1/search:hybrid',
    body: { index, vector_field: 'vec', query_text: 'disk', query_vector: [1, 0] },
    scope: 'search',
  },
  aggregate: {
    at: 'POST /v1/aggregate',
    body: { index, aggs: { a: { terms: { field: 'org' } } } },
    scope: 'search',
  },
  facets: { at: 'POST /v1/facets', body: { index, fields: ['org'] }, scope: 'search' },
  suggest: {
    at: 'POST /v1/suggest',
    body: { index, field: 'title', text: 'd' },
    scope: 'search',
  },
  explain: {
    at: 'POST /v1/explain',
    body: { index, query: 'disk', coordinates: KEY },
    scope: 'search',
  },
  diffHits: {
    at: 'POST /v1/index:diff',
    body: { index, query: 'disk', from: 'now', to: 'now' },
    scope: 'ops',
    tenant: 403,
  },
  clauseCounts: { at: 'POST /v1/search:clauses', body: { index, query: 'disk' }, scope: 'search' },
  openPit: { at: 'POST /v1/pit:open', body: { index, keep_alive: '1m' }, scope: 'search' },
  closePit: {
    at: 'POST /v1/pit:close',
    body: { index, pit_id: MISSING },
    scope: 'search',
    ok: 404,
    tenant: 404,
  },
  analyze: {
    at: 'POST /v1/index:analyze',
    body: { index, field: 'title', text: 'disk' },
    scope: 'search',
  },
  parseQuery: { at: 'POST /v1/query:parse', body: { index, query: 'disk' }, scope: 'search' },
  printQuery: {
    at: 'POST /v1/query:print',
    body: { index, ast: { term: { field: 'org', value: 'x' } } },
    scope: 'search',
  },
  bench: {
    at: 'POST /v1/index:bench',
    body: { index, queries: ['disk'], repeat: 1 },
    scope: 'ops',
    tenant: 403,
  },
  getKeys: { at: 'POST /v1/keys:get', body: { index, keys: [KEY] }, scope: 'search' },
  exportDocuments: { at: 'POST /v1/index:export', body: { index }, scope: 'search' },
  createIndex: {
    at: 'POST /v1/indexes',
    body: { definition: DEFINITION },
    scope: 'admin',
    ok: 400,
    scoped: 400,
  },
  listIndexes: { at: 'GET /v1/indexes', scope: 'index_read', scoped: 200, tenant: 403 },
  getRouting: { at: 'GET /v1/indexes/notes', scope: 'index_read' },
  describeIndex: { at: 'POST /v1/index:describe', body: { index }, scope: 'index_read' },
  alterIndex: {
    at: 'POST /v1/index:alter',
    body: { index, definition_yaml: DEFINITION },
    scope: 'admin',
    ok: 400,
  },
  rehearseAlter: {
    at: 'POST /v1/index:rehearse',
    body: { index, definition_yaml: DEFINITION },
    scope: 'admin',
    ok: 400,
  },
  rollbackIndex: { at: 'POST /v1/index:rollback', body: { index }, scope: 'admin', ok: 404 },
  dropIndex: { at: `DELETE /v1/indexes/${MISSING}`, scope: 'admin', ok: 404, scoped: 404 },
  'dropIndex of an index': {
    at: 'DELETE /v1/indexes/notebook',
    scope: 'admin',
    ok: 400,
    scoped: 400,
  },
  validateDefinition: {
    at: 'POST /v1/definition:validate',
    body: { definition: DEFINITION },
    scope: 'index_read',
    scoped: 200,
    tenant: 403,
  },
  describeSource: {
    at: 'POST /v1/source:describe',
    body: { table: 'ops.notes' },
    scope: 'index_read',
    scoped: 200,
    tenant: 403,
  },
  listTables: {
    at: 'POST /v1/source:tables',
    body: { catalog_name: 'main' },
    scope: 'index_read',
    scoped: 200,
    tenant: 403,
  },
  initDefinition: {
    at: 'POST /v1/source:init',
    body: { table: 'ops.notes' },
    scope: 'index_read',
    scoped: 200,
    tenant: 403,
  },
  reindex: { at: 'POST /v1/index:reindex', body: { index }, scope: 'admin' },
  reindexWindow: {
    at: 'POST /v1/window:reindex',
    body: { index, window: '2026-01' },
    scope: 'admin',
    ok: 404,
  },
  moveWindows: {
    at: 'POST /v1/window:move',
    body: { index, cool: ['2026-01'] },
    scope: 'ops',
    ok: 404,
    tenant: 403,
  },
  startJob: { at: 'POST /v1/jobs', body: { index: MISSING }, scope: 'admin', ok: 404, scoped: 404 },
  'startJob of an index': {
    at: 'POST /v1/jobs',
    body: { index, as_of: '1' },
    scope: 'admin',
    ok: 202,
  },
  getJob: { at: `GET /v1/jobs/${MISSING}`, scope: 'index_read', ok: 404, scoped: 404, tenant: 403 },
  listJobs: { at: 'GET /v1/jobs', scope: 'index_read', scoped: 200, tenant: 403 },
  cancelJob: { at: `DELETE /v1/jobs/${MISSING}`, scope: 'admin', ok: 404, scoped: 404 },
  watchJob: {
    at: `GET /v1/jobs/${MISSING}/watch`,
    scope: 'index_read',
    ok: 404,
    scoped: 404,
    tenant: 403,
  },
  activity: { at: 'POST /v1/index:activity', body: { index }, scope: 'index_read', tenant: 403 },
  listAliases: { at: 'GET /v1/aliases', scope: 'index_read', scoped: 200, tenant: 403 },
  setAlias: { at: 'POST /v1/aliases', body: { alias: 'notebook', index }, scope: 'admin' },
  dropAlias: { at: `DELETE /v1/aliases/${MISSING}`, scope: 'admin', ok: 404, scoped: 404 },
  'dropAlias of an index': { at: 'DELETE /v1/aliases/other', scope: 'admin', ok: 404, scoped: 404 },
  listSavedQueries: { at: 'GET /v1/saved-queries', scope: 'search', scoped: 200 },
  createSavedQuery: {
    at: 'POST /v1/saved-queries',
    body: saved('mine'),
    scope: 'search',
    scoped: 200,
  },
  replaceSavedQuery: {
    at: `PUT /v1/saved-queries/${MISSING}`,
    body: saved('other'),
    scope: 'search',
    ok: 404,
    scoped: 404,
    tenant: 404,
  },
  deleteSavedQuery: {
    at: `DELETE /v1/saved-queries/${MISSING}`,
    scope: 'search',
    ok: 404,
    scoped: 404,
    tenant: 404,
  },
  sync: { at: 'POST /v1/index:sync', body: { index }, scope: 'admin' },
  follow: {
    at: 'POST /v1/index:follow',
    body: { index, poll_ms: 1 },
    scope: 'admin',
    ok: 400,
    scoped: 400,
  },
  status: { at: 'POST /v1/index:status', body: { index }, scope: 'index_read', tenant: 403 },
  'status by GET': { at: 'GET /v1/ingestion/notes', scope: 'index_read', tenant: 403 },
  listIngestion: { at: 'GET /v1/ingestion', scope: 'index_read', scoped: 200, tenant: 403 },
  verify: { at: 'POST /v1/index:verify', body: { index }, scope: 'ops', tenant: 403 },
  compact: { at: 'POST /v1/index:compact', body: { index }, scope: 'ops', tenant: 403 },
  upgrade: { at: 'POST /v1/index:upgrade', body: { index }, scope: 'ops', tenant: 403 },
  windowStatus: { at: 'GET /v1/cold?index=notes', scope: 'index_read', ok: 404, tenant: 403 },
  backup: { at: 'POST /v1/index:backup', body: { index }, scope: 'ops', ok: 200, tenant: 403 },
  backupStatus: { at: 'POST /v1/index:backup-status', body: { index }, scope: 'ops', tenant: 403 },
  listBackups: { at: 'POST /v1/backups:list', body: { index }, scope: 'ops', ok: 200, tenant: 403 },
  pruneBackups: {
    at: 'POST /v1/backups:prune',
    body: { index, keep: 1 },
    scope: 'ops',
    ok: 200,
    tenant: 403,
  },
  restore: { at: 'POST /v1/backups:restore', body: { index }, scope: 'admin', ok: 412 },
  checkErasure: {
    at: 'POST /v1/erasure:check',
    body: { index, keys: [KEY] },
    scope: 'ops',
    tenant: 403,
  },
  runErasure: {
    at: 'POST /v1/erasure:run',
    body: { index, keys: [{ identifier: [{ name: 'id', value: 'gone' }] }] },
    scope: 'admin',
  },
  erasureKey: { at: 'GET /v1/erasure/key', scope: 'index_read', scoped: 200, tenant: 403 },
  verifyReceipt: {
    at: 'POST /v1/erasure:verify',
    body: { receipt: {} },
    scope: 'index_read',
    scoped: 200,
    tenant: 403,
  },
  applyBatch: { at: 'POST /v1/index:apply', body: { index }, scope: 'admin', ok: 400, scoped: 400 },
  getCheckpoint: {
    at: 'POST /v1/index:checkpoint',
    body: { index },
    scope: 'index_read',
    tenant: 403,
  },
  license: { at: 'GET /v1/license', scope: 'index_read', scoped: 200 },
  consoleConfig: { at: 'GET /v1/config', scope: 'index_read', scoped: 200 },
  listUsers: { at: 'GET /v1/users', scope: 'admin' },
  setRoles: { at: 'PUT /v1/users/ann/roles', body: { roles: ['reader'] }, scope: 'admin' },
  listRoles: { at: 'GET /v1/roles', scope: 'index_read', scoped: 200 },
  listTokens: { at: 'GET /v1/tokens', scope: 'admin' },
  createToken: { at: 'POST /v1/tokens', body: { name: 'x', roles: ['admin'] }, scope: 'admin' },
  revokeToken: { at: `DELETE /v1/tokens/${MISSING}`, scope: 'admin', ok: 404 },
  metrics: { at: 'GET /metrics', scope: 'ops', scoped: 200, tenant: 403 },
  stats: {
    at: 'GET /v1/stats/query?query=up',
    scope: 'index_read',
    ok: 501,
    scoped: 501,
    tenant: 403,
  },
};

const SCOPES: Readonly<Record<string, readonly Scope[]>> = {
  reader: ['search', 'index_read'],
  operator: ['index_read', 'ops'],
  both: ['search', 'index_read', 'ops'],
  admin: ['search', 'index_read', 'ops', 'admin'],
  scoped: ['search', 'index_read', 'ops', 'admin'],
  tenantA: ['search', 'index_read', 'ops'],
  tenantB: ['search', 'index_read', 'ops'],
};

function expected({ scope, ok = 200, scoped = 403, tenant = ok }: Row, caller: string): number {
  const scopes = SCOPES[caller];
  if (scopes === undefined) return 401;
  if (!scopes.includes(scope)) return 403;
  if (caller === 'scoped') return scoped;
  return caller.startsWith('tenant') ? tenant : ok;
}

async function statusOf({ at, body }: Row, caller: string): Promise<number> {
  const [method, path] = at.split(' ');
  const own = headers[caller];
  const answer = await fetch(`${server.url}${path}`, {
    method,
    headers: {
      ...(own === undefined ? {} : { authorization: own }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await answer.text();
  return answer.status;
}

describe('authorization of every endpoint', () => {
  it('covers all operations', () => {
    const covered = new Set(Object.keys(ROWS).map((name) => name.split(' ')[0]));
    const missing = Object.keys(ROUTES).filter((name) => !covered.has(name) && name !== 'login');
    expect(missing).toEqual([]);
  });

  it.each(Object.entries(ROWS))('%s', async (_, row) => {
    const statuses: Record<string, number> = {};
    for (const caller of CALLERS) statuses[caller] = await statusOf(row, caller);
    const wanted = CALLERS.map((caller) => [caller, expected(row, caller)]);
    expect(statuses).toEqual(Object.fromEntries(wanted));
  });
});
