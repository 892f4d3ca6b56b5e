/** What callers of some indexes, and of a tenant, learn of indexes that they may not use. */
import type { Operation } from '@lakehouse-search/contract/internal';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type CallOver,
  type GrpcCalls,
  grpcCalls,
  restCalls,
} from '../support/call-over.ts';
import { startTwoTenants, type TwoTenants } from '../support/two-tenants.ts';

let corpus: TwoTenants;
let listed: string;
let other: string;
let rest: CallOver;
let grpc: GrpcCalls;
let adapter: (method: string, path: string, header: string, body?: unknown) => Promise<Answer>;

const source = '{ catalog: main, table: ops.rows }';
const fields = 'fields: [{ name: title, type: TEXT }]';

beforeAll(async () => {
  corpus = await startTwoTenants(1, { 'search_adapter.enabled': true });
  const { service } = corpus;
  const { server } = service;
  [rest, grpc] = [restCalls(server.url), grpcCalls(server.grpc)];
  adapter = async (method, path, authorization, body) => {
    const headers = { authorization, 'content-type': 'application/json' };
    const sent = { method, headers, ...(body === undefined ? {} : { body: JSON.stringify(body) }) };
    const response = await fetch(`${server.url}${path}`, sent);
    return { status: response.status, body: await response.json() };
  };
  const roles = ['reader', 'operator', 'admin'];
  const authorization = await service.token({ roles });
  const definition = `version: 1\nindex: secret\nsource: ${source}\n${fields}\n`;
  await rest('createIndex', { definition }, { authorization });
  await rest('reindex', { index: 'secret' }, { authorization });
  await rest('setAlias', { alias: 'hidden', index: 'secret' }, { authorization });
  listed = await service.token({ roles, indexes: ['rows'] });
  other = await service.token({ roles, indexes: ['rows'] });
});
afterAll(async () => {
  grpc.close();
  await corpus.stop();
});

/** What a caller sees of an index: the answer, without the name that the request has. */
async function seen(
  send: CallOver,
  operation: Parameters<CallOver>[0],
  request: object,
  name: string,
  authorization: string,
): Promise<unknown> {
  const { status, body } = await send(operation, request, { authorization });
  const text = JSON.stringify(body);
  return [status, text.replaceAll(`"${name}"`, '"NAME"').replaceAll(`\\"${name}\\"`, '"NAME"')];
}

const OF_INDEXES = [
  ...(['search', 'describeIndex', 'status', 'openPit', 'compact', 'verify', 'reindex'] as const),
  ...(['sync', 'aggregate', 'getCheckpoint', 'listJobs', 'backupStatus', 'dropIndex'] as const),
  'renameIndex' as const,
] as const;

/** What requests need besides an index. */
const MORE: Partial<Record<Operation, object>> = {
  aggregate: { aggs: {} },
  renameIndex: { name: 'secreu' },
};

describe.each(['list', 'tenant'])('a caller with a %s', (kind) => {
  const header = () => (kind === 'list' ? listed : corpus.acme);

  it.each(OF_INDEXES)('sees the same of closed and unknown indexes: %s', async (operation) => {
    for (const send of [rest, grpc.call]) {
      const of = async (index: string) => {
        const more = MORE[operation] ?? {};
        return seen(send, operation, { index, ...more }, index, header());
      };
      const unknown = await of('secrez');
      expect(JSON.stringify(unknown)).not.toContain('secret');
      expect(await of('secret')).toEqual(unknown);
      expect(await of('hidden')).toEqual(unknown);
    }
  });

  it('needs no name where one index is open, and else learns no number', async () => {
    const { status, body } = await rest('search', { limit: 1 }, { authorization: header() });
    expect(status).toBe(kind === 'list' ? 200 : 400);
    expect(JSON.stringify(body)).not.toMatch(/secret|2 indexes/);
  });

  it('sees the same over the search adapter', async () => {
    const of = async (name: string) => {
      const { status, body } = await adapter('GET', `/${name}/_search`, header());
      return [status, JSON.stringify(body).replaceAll(name, 'NAME')];
    };
    const unknown = await of('secrez');
    expect(await of('secret')).toEqual(unknown);
    expect(await of('hidden')).toEqual(unknown);
  });

  it.each([
    ['listTables', {}],
    ['describeSource', { table: 'ops.rows' }],
    ['initDefinition', { table: 'ops.rows', name: 'x' }],
    [
      'validateDefinition',
      { definition: `version: 1\nindex: rows\nsource: ${source}\n${fields}`, against_source: true },
    ],
  ] as const)('learns nothing of tables: %s', async (operation, request) => {
    const { status, body } = await rest(operation, request, { authorization: header() });
    expect([status, body]).toMatchObject([403, { error: { code: 'permission_denied' } }]);
  });

  it('sees whole milliseconds only if it has a tenant', async () => {
    const times: number[] = [];
    for (let n = 0; n < 20; n++) {
      const query = { index: 'rows', query: `disk OR x${n}`, limit: 1 };
      const { body } = await rest('search', query, { authorization: header() });
      times.push((body as { took_ms: number }).took_ms);
    }
    expect(times.every(Number.isInteger)).toBe(kind === 'tenant');
  });
});

describe('a point in time', () => {
  it.each([
    ['another token', () => listed, () => other],
    ['another tenant', () => corpus.acme, () => corpus.rival],
  ])('is not open to %s, which cannot close it', async (_, owner, stranger) => {
    const own = { authorization: owner() };
    const others = { authorization: stranger() };
    const opened = await rest('openPit', { index: 'rows' }, own);
    const { pit_id } = opened.body as { pit_id: string };
    const search = { index: 'rows', pit_id, limit: 1 };
    expect((await rest('search', search, others)).status).toBe(404);
    const closed = await rest('closePit', { index: 'rows', pit_id }, others);
    expect(closed.body).toEqual({ closed: false });
    expect((await rest('search', search, own)).status).toBe(200);
    expect((await rest('closePit', { index: 'rows', pit_id }, own)).body).toEqual({ closed: true });
    expect((await rest('search', search, own)).status).toBe(404);
  });

  it('of the search adapter, and a scroll, is not open to others either', async () => {
    const opened = await adapter('POST', '/rows/_pit?keep_alive=1m', corpus.acme);
    const { id } = opened.body as { id: string };
    const search = { pit: { id, keep_alive: '1m' }, size: 1 };
    expect((await adapter('POST', '/_search', corpus.rival, search)).status).toBe(404);
    expect((await adapter('DELETE', '/_pit', corpus.rival, { id })).status).toBe(404);
    expect((await adapter('POST', '/_search', corpus.acme, search)).status).toBe(200);

    const first = await adapter('POST', '/rows/_search?scroll=1m', corpus.acme, { size: 1 });
    const { _scroll_id: scroll_id } = first.body as { _scroll_id: string };
    const next = { scroll_id, scroll: '1m' };
    expect((await adapter('POST', '/_search/scroll', corpus.rival, next)).status).toBe(404);
    const clear = await adapter('DELETE', '/_search/scroll', corpus.rival, { scroll_id });
    expect(clear.body).toMatchObject({ num_freed: 0 });
    expect((await adapter('POST', '/_search/scroll', corpus.acme, next)).status).toBe(200);
    expect((await adapter('DELETE', '/_pit', corpus.acme, { id })).status).toBe(200);
  });
});
