/** Every endpoint for every kind of caller, over a server as `lhs serve all` starts it. */
import { ROUTES } from '@lakehouse-search/client';
import type { Operation } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ContractTable, createContractTable } from '../../../../test/contract/table.ts';
import { type GrpcCalls, grpcCalls } from '../support/call-over.ts';
import { startService, type TestService, type TestToken } from '../support/service.ts';

let table: ContractTable;
let service: TestService;
let grpc: GrpcCalls;
const headers: Record<string, string> = {};

/** The callers. `scoped` has all roles for the index `other` alone. */
const TOKENS: Readonly<Record<string, TestToken>> = {
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
  service = await startService({
    prepare: async (backend) => {
      for (const index of ['notes', 'other']) {
        await backend.createIndex({ definition: table.definition(index) });
        await backend.reindex({ index });
      }
      await backend.setAlias({ alias: 'notebook', index: 'notes' });
    },
    values: { backup_target: table.backups },
    names: { catalogs: { main: table.source.catalog } },
  });
  for (const [name, token] of Object.entries(TOKENS)) headers[name] = await service.token(token);
  const unknown = await service.token({ roles: ['admin'] });
  headers.bad = unknown.slice(0, -1) + (unknown.endsWith('A') ? 'B' : 'A');
  grpc = grpcCalls(service.server.grpc);
});

afterAll(async () => {
  grpc?.close();
  await service?.stop();
  table?.remove();
});

type Scope = 'search' | 'index_read' | 'ops' | 'admin';
/** Method and path, body, scope, and the statuses of those who have the scope. */
interface Row {
  readonly at: string;
  readonly body?: object;
  readonly scope: Scope;
  /** Of callers without restrictions. */
  readonly ok?: number;
  /** Instead of a success, if the same call has succeeded before. */
  readonly again?: number;
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
  planReshard: {
    at: 'POST /v1/index:plan-reshard',
    body: { index, shards: 2 },
    scope: 'ops',
    tenant: 403,
  },
  applyReshard: { at: 'POST /v1/index:reshard', body: { index, shards: 1 }, scope: 'admin' },
  moveBucket: {
    at: 'POST /v1/index:move-bucket',
    body: { index, bucket: 7, shard: 9 },
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
  dropIndex: { at: `DELETE /v1/indexes/${MISSING}`, scope: 'admin', ok: 404 },
  'dropIndex of an index': {
    at: 'DELETE /v1/indexes/notebook',
    scope: 'admin',
    ok: 400,
  },
  renameIndex: {
    at: 'POST /v1/index:rename',
    body: { index: MISSING, name: 'renamed' },
    scope: 'admin',
    ok: 404,
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
    tenant: 403,
  },
  listTables: {
    at: 'POST /v1/source:tables',
    body: { catalog_name: 'main' },
    scope: 'index_read',
    tenant: 403,
  },
  initDefinition: {
    at: 'POST /v1/source:init',
    body: { table: 'ops.notes' },
    scope: 'index_read',
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
  startJob: { at: 'POST /v1/jobs', body: { index: MISSING }, scope: 'admin', ok: 404 },
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
    again: 412,
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
  metrics: { at: 'GET /metrics', scope: 'ops', tenant: 403 },
  stats: {
    at: 'GET /v1/stats/query?query=up',
    scope: 'index_read',
    ok: 501,
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
  const answer = await fetch(`${service.server.url}${path}`, {
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

/** The request of a row's path, query and body. */
function requestOf(name: Operation, { at, body }: Row): object {
  const [pathAndQuery, query = ''] = at.slice(at.indexOf(' ') + 1).split('?');
  const { path, also = [] } = ROUTES[name];
  const binding = [path, ...also.map((other) => other.split(' ')[1])].find((pattern) =>
    matcherOf(pattern).test(pathAndQuery),
  ) as string;
  const names = [...binding.matchAll(/\{(\w+)\}/g)].map(([, field]) => field);
  const values = (matcherOf(binding).exec(pathAndQuery) as RegExpExecArray).slice(1);
  const inPath = names.map((field, i) => [field, decodeURIComponent(values[i])]);
  return {
    ...Object.fromEntries(inPath),
    ...Object.fromEntries(new URLSearchParams(query)),
    ...body,
  };
}

const matcherOf = (pattern: string): RegExp =>
  new RegExp(`^${pattern.replaceAll(/\{\w+\}/g, '([^/]+)')}$`);

async function grpcStatusOf(name: Operation, row: Row, caller: string): Promise<number> {
  const own = headers[caller];
  const metadata: Record<string, string> = own === undefined ? {} : { authorization: own };
  return (await grpc.call(name, requestOf(name, row), metadata)).status;
}

/** A second job of an index is refused while one runs. */
async function jobsEnded(): Promise<void> {
  const running = async () => {
    const jobs = (await grpc.call('listJobs', {}, { authorization: headers.admin })).body;
    return (jobs as { state: string }[]).filter(({ state }) => !ENDED.includes(state));
  };
  await expect.poll(running).toEqual([]);
}

const ENDED = ['done', 'failed', 'canceled'];

const operationOf = (name: string): Operation | undefined => {
  const [first] = name.split(' ');
  return Object.hasOwn(ROUTES, first) ? (first as Operation) : undefined;
};

describe('authorization of every endpoint', () => {
  it('covers all operations', () => {
    const covered = new Set(Object.keys(ROWS).map((name) => name.split(' ')[0]));
    const missing = Object.keys(ROUTES).filter((name) => !covered.has(name) && name !== 'login');
    expect(missing).toEqual([]);
  });

  it.each(Object.entries(ROWS))('%s', async (name, row) => {
    const operation = operationOf(name);
    const statuses: Record<string, number> = {};
    const grpcStatuses: Record<string, number> = {};
    for (const caller of CALLERS) {
      statuses[caller] = await statusOf(row, caller);
      if (operation === undefined) continue;
      if (operation === 'startJob') await jobsEnded();
      grpcStatuses[caller] = await grpcStatusOf(operation, row, caller);
    }
    const wanted = Object.fromEntries(CALLERS.map((caller) => [caller, expected(row, caller)]));
    expect(statuses).toEqual(wanted);
    if (operation === undefined) return;
    const { again } = row;
    const over = Object.entries(wanted).map(([caller, status]) => {
      return [caller, again !== undefined && status < 300 ? again : status];
    });
    expect(grpcStatuses, 'over gRPC').toEqual(Object.fromEntries(over));
  });
});
