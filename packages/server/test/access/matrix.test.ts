/** Every endpoint for every kind of caller, over a server as `lhs serve all` starts it. */

import type { Scope } from '@lakehouse-search/contract';
import {
  OPERATION_NAMES,
  OPERATIONS,
  type Operation,
  type OperationRow,
} from '@lakehouse-search/contract/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ContractTable, createContractTable } from '../../../../test/contract/table.ts';
import { restRequest } from '../../../client/src/rest/rest-request.ts';
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

/** A request, and the statuses of callers who have the scope of its operation. */
interface Row {
  /** Default: the index `notes`. */
  readonly request?: object;
  /** Another endpoint than that of the operation, and the scope if it has no operation. */
  readonly at?: string;
  readonly scope?: Scope;
  /** Of callers without restrictions. Default: that of a success. */
  readonly ok?: number;
  /** Instead of a success, if the same call has succeeded before. */
  readonly again?: number;
  /** Of the caller of another index. Default: 403. */
  readonly scoped?: number;
  /** Of the callers of a tenant. Default: as the operation says. */
  readonly tenant?: number;
}

const index = 'notes';
const KEY = { identifier: [{ name: 'id', value: 'a' }] };
const DEFINITION = 'version: 1\nindex: x\nsource: { catalog: main, table: no.table }\nfields: []\n';
const saved = (name: string) => ({ name, request: { query: 'disk' } });
const MISSING = 'nothing';
const OF_ANY_INDEX = { request: {}, scoped: 200 };
const NO_JOB = { request: { job_id: MISSING }, ok: 404, scoped: 404 };
const NO_QUERY = { request: { id: MISSING, ...saved('other') }, ok: 404, scoped: 404 };

/** Rows of operations, `NAME` or `NAME of a case`, and of other endpoints. */
const ROWS: Readonly<Record<string, Row>> = {
  search: { request: { index, query: 'disk' } },
  'search of an alias': { request: { index: 'notebook', query: 'disk' } },
  semantic: { request: { index, vector_field: 'vec', query_vector: [1, 0] } },
  hybrid: { request: { index, vector_field: 'vec', query_text: 'disk', query_vector: [1, 0] } },
  aggregate: { request: { index, aggs: { a: { terms: { field: 'org' } } } } },
  facets: { request: { index, fields: ['org'] } },
  suggest: { request: { index, field: 'title', text: 'd' } },
  explain: { request: { index, query: 'disk', coordinates: KEY } },
  diffHits: { request: { index, query: 'disk', from: 'now', to: 'now' } },
  clauseCounts: { request: { index, query: 'disk' } },
  openPit: { request: { index, keep_alive: '1m' } },
  closePit: { request: { index, pit_id: MISSING }, ok: 404 },
  analyze: { request: { index, field: 'title', text: 'disk' } },
  parseQuery: { request: { index, query: 'disk' } },
  printQuery: { request: { index, ast: { term: { field: 'org', value: 'x' } } } },
  bench: { request: { index, queries: ['disk'], repeat: 1 } },
  getKeys: { request: { index, keys: [KEY] } },
  createIndex: { request: { definition: DEFINITION }, ok: 400, scoped: 400 },
  listIndexes: OF_ANY_INDEX,
  alterIndex: { request: { index, definition_yaml: DEFINITION }, ok: 400 },
  planReshard: { request: { index, shards: 2 } },
  applyReshard: { request: { index, shards: 1 } },
  moveBucket: { request: { index, bucket: 7, shard: 9 }, ok: 400 },
  rehearseAlter: { request: { index, definition_yaml: DEFINITION }, ok: 400 },
  rollbackIndex: { ok: 404 },
  dropIndex: { request: { index: MISSING }, ok: 404 },
  'dropIndex of an index': { request: { index: 'notebook' }, ok: 400 },
  renameIndex: { request: { index: MISSING, name: 'renamed' }, ok: 404 },
  moveIndex: { request: { index: MISSING }, ok: 404 },
  cloneIndex: { request: { index: MISSING, name: 'copy' }, ok: 404 },
  validateDefinition: { request: { definition: DEFINITION }, scoped: 200 },
  describeSource: { request: { table: 'ops.notes' } },
  listTables: { request: { catalog_name: 'main' } },
  initDefinition: { request: { table: 'ops.notes' } },
  windowStatus: { ok: 404 },
  reindexWindow: { request: { index, window: '2026-01' }, ok: 404 },
  moveWindows: { request: { index, cool: ['2026-01'] }, ok: 404 },
  startJob: { request: { index: MISSING }, ok: 404 },
  'startJob of an index': { request: { index, as_of: '1' } },
  getJob: NO_JOB,
  listJobs: OF_ANY_INDEX,
  cancelJob: NO_JOB,
  watchJob: NO_JOB,
  listAliases: OF_ANY_INDEX,
  setAlias: { request: { alias: 'notebook', index } },
  dropAlias: { request: { alias: MISSING }, ok: 404, scoped: 404 },
  'dropAlias of an index': { request: { alias: 'other' }, ok: 404, scoped: 404 },
  listSavedQueries: OF_ANY_INDEX,
  createSavedQuery: { request: saved('mine'), again: 412, scoped: 200 },
  replaceSavedQuery: NO_QUERY,
  deleteSavedQuery: { ...NO_QUERY, request: { id: MISSING } },
  follow: { request: { index, poll_ms: 1 }, ok: 400, scoped: 400 },
  'status by GET': { at: 'GET /v1/ingestion/notes' },
  listIngestion: OF_ANY_INDEX,
  // the rows of backups need one
  backup: {},
  pruneBackups: { request: { index, keep: 1 } },
  restore: { ok: 412 },
  checkErasure: { request: { index, keys: [KEY] } },
  runErasure: { request: { index, keys: [{ identifier: [{ name: 'id', value: 'gone' }] }] } },
  erasureKey: OF_ANY_INDEX,
  verifyReceipt: { request: { receipt: {} }, scoped: 200 },
  applyBatch: { ok: 400, scoped: 400 },
  license: OF_ANY_INDEX,
  consoleConfig: OF_ANY_INDEX,
  listUsers: { request: {} },
  setRoles: { request: { subject: 'ann', roles: ['reader'] } },
  listRoles: OF_ANY_INDEX,
  listTokens: { request: {} },
  createToken: { request: { name: 'x', roles: ['admin'] } },
  revokeToken: { request: { id: MISSING }, ok: 404 },
  metrics: { at: 'GET /metrics', scope: 'ops', tenant: 403 },
  stats: { at: 'GET /v1/stats/query?query=up', scope: 'index_read', ok: 501, tenant: 403 },
};
/** Operations without a row take the defaults. */
const UNLISTED = OPERATION_NAMES.filter((name) => name !== 'login' && !Object.hasOwn(ROWS, name));
const ALL: readonly (readonly [string, Row])[] = [
  ...Object.entries(ROWS),
  ...UNLISTED.map((name) => [name, {}] as const),
];

const SCOPES: Readonly<Record<string, readonly Scope[]>> = {
  reader: ['search', 'index_read'],
  operator: ['index_read', 'ops'],
  both: ['search', 'index_read', 'ops'],
  admin: ['search', 'index_read', 'ops', 'admin'],
  scoped: ['search', 'index_read', 'ops', 'admin'],
  tenantA: ['search', 'index_read', 'ops'],
  tenantB: ['search', 'index_read', 'ops'],
};

function expected(name: string, row: Row, caller: string): number {
  const operation = operationOf(name);
  const own: OperationRow | undefined = operation && OPERATIONS[operation];
  const { ok = own?.status ?? 200, scoped = 403, tenant = own?.tenants ? ok : 403 } = row;
  const scope = own?.scope ?? row.scope;
  const scopes = SCOPES[caller];
  if (scopes === undefined) return 401;
  if (!scopes.includes(scope as Scope)) return 403;
  if (caller === 'scoped') return scoped;
  return caller.startsWith('tenant') ? tenant : ok;
}

const requestOf = ({ request = { index } }: Row): object => request;

/** Method, path and body of a row. */
function partsOf(name: string, row: Row) {
  const operation = operationOf(name);
  if (row.at === undefined && operation !== undefined) {
    return restRequest(OPERATIONS[operation], requestOf(row));
  }
  const [method, target] = row.at!.split(' ');
  return { method, target, body: undefined };
}

async function statusOf(name: string, row: Row, caller: string): Promise<number> {
  const { method, target, body } = partsOf(name, row);
  const own = headers[caller];
  const answer = await fetch(`${service.server.url}${target}`, {
    method,
    headers: {
      ...(own === undefined ? {} : { authorization: own }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body }),
  });
  await answer.text();
  return answer.status;
}

async function grpcStatusOf(name: Operation, row: Row, caller: string): Promise<number> {
  const own = headers[caller];
  const metadata: Record<string, string> = own === undefined ? {} : { authorization: own };
  return (await grpc.call(name, requestOf(row), metadata)).status;
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
  return Object.hasOwn(OPERATIONS, first) ? (first as Operation) : undefined;
};

describe('authorization of every endpoint', () => {
  it.each(ALL)('%s', async (name, row) => {
    const operation = operationOf(name);
    const statuses: Record<string, number> = {};
    const grpcStatuses: Record<string, number> = {};
    for (const caller of CALLERS) {
      statuses[caller] = await statusOf(name, row, caller);
      if (operation === undefined) continue;
      if (operation === 'startJob') await jobsEnded();
      grpcStatuses[caller] = await grpcStatusOf(operation, row, caller);
    }
    const wanted = Object.fromEntries(
      CALLERS.map((caller) => [caller, expected(name, row, caller)]),
    );
    expect(statuses).toEqual(wanted);
    if (operation === undefined) return;
    const { again } = row;
    const over = Object.entries(wanted).map(([caller, status]) => {
      return [caller, again !== undefined && status < 300 ? again : status];
    });
    expect(grpcStatuses, 'over gRPC').toEqual(Object.fromEntries(over));
  });
});
