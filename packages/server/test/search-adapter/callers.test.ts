/** Callers of the adapter: credentials in three forms, scopes, and tenants that learn nothing. */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CANARIES, startTwoTenants, type TwoTenants } from '../support/two-tenants.ts';
import { adapterCalls, type Body } from './adapter-calls.ts';

const VALUES = { 'search_adapter.enabled': true } as const;
/** A second index of the same rows, which has other fields. */
const ARCHIVE = `version: 1
index: rows-archive
source: { catalog: main, table: ops.rows }
tenant_field: org
freshness_ms: 0
fields:
  - { name: title, type: TEXT, analyzer: simple }
  - { name: org, type: KEYWORD, fast: true }
  - { name: size, type: LONG, fast: true }
`;
let corpora: readonly TwoTenants[];

async function startCorpus(corpus: 1 | 2): Promise<TwoTenants> {
  const tenants = await startTwoTenants(corpus, VALUES);
  const admin = await tenants.service.token({ roles: ['admin', 'operator'] });
  const calls = adapterCalls(tenants.service.server.url, admin);
  const created = await calls.post('/v1/indexes', { definition: ARCHIVE });
  const built = await calls.post('/v1/index:reindex', { index: 'rows-archive' });
  expect([created.status, built.status]).toEqual([expect.any(Number), 200]);
  return tenants;
}

beforeAll(async () => {
  corpora = [await startCorpus(1), await startCorpus(2)];
});
afterAll(async () => {
  for (const corpus of corpora ?? []) await corpus.stop();
});

const callsOf = (authorization?: string) =>
  adapterCalls(corpora[0].service.server.url, authorization);
const basic = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;

describe('credentials', () => {
  it('none, and wrong ones, are refused with the shape of the imitated engine', async () => {
    for (const header of [
      undefined,
      'ApiKey lhs_x',
      'Bearer x',
      basic('admin', 'wrong'),
      'Basic !',
    ]) {
      const { status, headers, body } = await callsOf(header).get('/rows/_search');
      expect([header, status]).toEqual([header, 401]);
      expect(body.error.type).toBe('security_exception');
      expect(headers.get('www-authenticate')).toContain('Basic');
    }
  });

  it('are looked at before a body is read, and known endpoints are refused before', async () => {
    const { hostname, port } = new URL(corpora[0].service.server.url);
    for (const [path, expected] of [
      ['/rows/_search', 401],
      ['/_msearch', 401],
      ['/_bulk', 501],
    ] as const) {
      const headers = { 'content-type': 'application/json', 'content-length': 8_000_000 };
      const sent = request({ hostname, port, path, method: 'POST', headers });
      sent.on('error', () => {});
      sent.write('{');
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      expect([path, response.statusCode]).toEqual([path, expected]);
      sent.destroy();
    }
  });

  it('Basic logs a user in once', async () => {
    const calls = callsOf(basic('admin', 'long-enough'));
    for (let i = 0; i < 20; i++) expect((await calls.get('/rows/_count')).status).toBe(200);
  });

  it('ApiKey is a token, or the base64 text of its parts', async () => {
    const token = await corpora[0].service.token({ roles: ['reader'] });
    const [, text] = token.split(' ');
    const [, id, secret] = /^lhs_([^_]+)_(.*)$/.exec(text)!;
    const pair = (name: string, key: string) =>
      `ApiKey ${Buffer.from(`${name}:${key}`).toString('base64')}`;
    for (const header of [token, pair(id, secret), pair('any', text)]) {
      expect((await callsOf(header).get('/rows/_count')).status).toBe(200);
    }
    expect((await callsOf(pair(id, `${secret}x`)).get('/rows/_count')).status).toBe(401);
  });

  it('a token without the scope, or of other indexes, is refused', async () => {
    const operator = await corpora[0].service.token({ roles: ['operator'] });
    const refused = await callsOf(operator).get('/rows/_search');
    expect(refused.status).toBe(403);
    expect(refused.body.error.reason).toContain('requires the `search` scope');
    const other = await corpora[0].service.token({ roles: ['reader'], indexes: ['other'] });
    for (const path of ['/rows/_search', '/rows/_count', '/rows/_mapping', '/rows/_doc/a1']) {
      expect([path, (await callsOf(other).get(path)).status]).toEqual([path, 403]);
    }
    const listed = await callsOf(other).get('/_cat/indices?format=json');
    expect(listed.body).toEqual([]);
  });
});

/** Times, sizes and random ids. */
const masked = (body: Body): string =>
  JSON.stringify(body, (name, value) =>
    ['took', 'id', 'pit_id', '_scroll_id', 'creation_time'].includes(name) ? '*' : value,
  );

const lines = (...items: unknown[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');
const ALL = { match_all: {} };
const AGGS = {
  s: { terms: { field: 'state', size: 100 } },
  n: { cardinality: { field: 'state' } },
  h: { histogram: { field: 'size', interval: 1e17 } },
  d: { date_histogram: { field: 'at', calendar_interval: 'year' } },
  m: { stats: { field: 'size' } },
  c: { composite: { size: 100, sources: [{ o: { terms: { field: 'org' } } }] } },
};
const canary = CANARIES.join(' ');
const REQUESTS: readonly (readonly [string, string, object | string | undefined])[] = [
  ['POST', '/rows/_search', { query: ALL, size: 1000 }],
  ['POST', '/rows/_search', { query: { match: { title: `disk ${canary}` } }, size: 1000 }],
  ['POST', '/rows/_search', { size: 0, aggs: AGGS }],
  ['POST', '/rows/_search', { query: ALL, collapse: { field: 'org' } }],
  [
    'POST',
    '/rows/_search',
    { sort: [{ size: 'desc' }], size: 3, highlight: { fields: { '*': {} } } },
  ],
  [
    'POST',
    '/_msearch',
    lines({ index: 'rows' }, { query: ALL }, { index: 'rows' }, { aggs: AGGS }),
  ],
  ['POST', '/rows/_search?scroll=1m', { query: ALL, size: 1000 }],
  ['POST', '/rows,rows-archive/_search', { query: { match: { title: canary } }, size: 1000 }],
  ['POST', '/rows,rows-archive/_search', { size: 0, aggs: { s: AGGS.s, h: AGGS.h, m: AGGS.m } }],
  ['POST', '/rows-archive,rows/_search?scroll=1m', { query: ALL, size: 50 }],
  ['POST', '/_all/_search', { query: ALL, size: 1000, aggs: AGGS }],
  ['POST', '/row*/_search', { sort: [{ size: 'desc' }], size: 50, collapse: { field: 'org' } }],
  ['GET', '/_search?q=disk&size=100', undefined],
  ['GET', '/_all/_count', undefined],
  ['GET', '/_all/_field_caps?fields=*&include_unmapped=true', undefined],
  ['GET', '/rows/_count', undefined],
  ['POST', '/rows/_count', { query: { match: { title: canary } } }],
  ['GET', '/rows/_doc/b7', undefined],
  ['GET', '/rows/_source/b7', undefined],
  ['POST', '/rows/_explain/b7', { query: { match: { title: 'disk' } } }],
  ['POST', '/rows/_explain/a1', { query: { match: { title: 'disk' } } }],
  ['POST', '/rows/_validate/query?explain=true', { query: { match: { title: canary } } }],
  ['GET', '/_cat/indices?format=json&h=index,docs.count,store.size', undefined],
  ['GET', '/_field_caps', undefined],
  ['GET', '/rows/_mapping', undefined],
  ['GET', '/_cluster/health', undefined],
];

describe('a caller of one tenant', () => {
  it.each(REQUESTS)('%s %s %j: the other tenant changes nothing', async (method, path, body) => {
    const [one, two] = await Promise.all(
      corpora.map(({ service, acme }) =>
        adapterCalls(service.server.url, acme).send(method, path, body),
      ),
    );
    expect(one.status).toBe(two.status);
    expect(masked(one.body)).toBe(masked(two.body));
    const asked = JSON.stringify(body ?? '');
    const told = CANARIES.filter(
      (word) => masked(one.body).includes(word) && !asked.includes(word),
    );
    expect(told).toEqual([]);
  });

  it('searches several indexes by their names', async () => {
    const { service, acme } = corpora[0];
    const own = adapterCalls(service.server.url, acme);
    const { status, body } = await own.post('/rows,rows-archive/_search', { size: 1000 });
    expect(status).toBe(200);
    expect(new Set(body.hits.hits.map((hit: Body) => hit._index)).size).toBe(2);
    const orgs = new Set(body.hits.hits.map((hit: Body) => hit._source.org));
    expect(orgs).toEqual(new Set(['acme']));
    const counted = await own.get('/rows,rows-archive,rows/_count');
    expect(counted.body.count).toBe(body.hits.total.value);
  });

  it('reads its own rows alone, also through ids of the other tenant', async () => {
    const { service, acme, rival } = corpora[0];
    const [own, other] = [acme, rival].map((token) => adapterCalls(service.server.url, token));
    const found = (await own.post('/rows/_search', { size: 1000 })).body.hits;
    expect(found.total.value).toBeGreaterThan(50);
    expect(found.hits.every((hit: Body) => hit._source.org === 'acme')).toBe(true);
    const { id } = (await other.post('/rows/_pit?keep_alive=1m')).body;
    const through = (await own.post('/_search', { pit: { id }, size: 1000 })).body.hits;
    expect((through?.hits ?? []).filter((hit: Body) => hit._source?.org !== 'acme')).toEqual([]);
    const { _scroll_id } = (await other.post('/rows/_search?scroll=1m', { size: 1 })).body;
    const next = (await own.post('/_search/scroll', { scroll_id: _scroll_id })).body.hits;
    expect((next?.hits ?? []).filter((hit: Body) => hit._source?.org !== 'acme')).toEqual([]);
  });
});
