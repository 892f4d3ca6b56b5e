/**
 * The adapter and the tools of agents over a gateway, a control plane and two nodes, each a
 * process: the responses of `serve all`; over a list of nodes, partial results when one is gone.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  startSpreadTickets,
  startTicketCluster,
  type TicketCluster,
} from '../support/ticket-cluster.ts';
import { startTickets, type TicketService } from '../support/tickets.ts';
import { type AdapterCalls, adapterCalls, type Body } from './adapter-calls.ts';

let cluster: TicketCluster;
let single: TicketService;
let over: AdapterCalls;
let alone: AdapterCalls;
const releases: (() => Promise<void>)[] = [];

beforeAll(async () => {
  [cluster, single] = await Promise.all([
    startTicketCluster(['--search-adapter']),
    startTickets({ values: { 'search_adapter.enabled': true } }),
  ]);
  over = adapterCalls(cluster.gateway.url, await cluster.token({ roles: ['reader'] }));
  alone = adapterCalls(single.server.url, await single.token({ roles: ['reader'] }));
});
afterAll(async () => {
  for (const release of releases) await release();
  await cluster?.stop();
  await single?.stop();
});

/** Times, ids of points in time, and what depends on the number of shards. */
const masked = (body: Body): string =>
  JSON.stringify(body, (name, value) => {
    // a look at the table may not have ended yet: then the lag is not known
    if (name.startsWith('lag_')) return undefined;
    const isOther = ['took', 'id', 'pit_id', '_scroll_id', '_shards', 'version', 'ttlMs'];
    return [...isOther, 'took_ms', 'index_generation', 'snapshot'].includes(name) ? '*' : value;
  });

const lines = (...items: unknown[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');
const QUERY = { match: { title: 'payment timeout' } };
const AGGS = {
  s: { terms: { field: 'status', min_doc_count: 0 }, aggs: { m: { max: { field: 'price' } } } },
  d: { date_histogram: { field: 'at', calendar_interval: 'month', offset: '6h' } },
  h: { histogram: { field: 'price', interval: 10 } },
  p: { percentiles: { field: 'price' } },
  c: { cardinality: { field: 'host' } },
  o: { composite: { sources: [{ s: { terms: { field: 'status' } } }] } },
};
const SORT = [{ 'meta.commits': { missing: '_first', order: 'desc' } }, { size: 'asc' }];
const knn = { field: 'vec', query_vector: [1, 60], k: 5, num_candidates: 60 };
const SEARCHES: readonly object[] = [
  { query: QUERY, size: 60 },
  { query: QUERY, size: 5, from: 7, highlight: { fields: { title: {} } } },
  { sort: SORT, size: 30, fields: ['status'], docvalue_fields: ['at'] },
  { sort: SORT, size: 7, search_after: [null, 12] },
  { size: 0, aggs: AGGS },
  { query: { bool: { must_not: QUERY, filter: { range: { price: { gte: 3 } } } } }, size: 60 },
  { knn, size: 5 },
  { retriever: { rrf: { retrievers: [{ standard: { query: QUERY } }, { knn }] } } },
  { query: QUERY, min_score: 0.5, size: 3 },
  { query: QUERY, explain: true, size: 2, _source: ['title'] },
  { collapse: { field: 'status', inner_hits: { size: 2 } }, sort: 'size' },
  { query: { nope: {} } },
  { sort: 'nope' },
];

describe('a gateway over two nodes', () => {
  it.each(SEARCHES)('answers %j as one process does', async (body) => {
    const [one, two] = await Promise.all([
      alone.post('/tickets/_search', body),
      over.post('/tickets/_search', body),
    ]);
    expect(masked(two.body)).toBe(masked(one.body));
    expect(two.status).toBe(one.status);
    if (two.status === 200) {
      expect(two.body._shards).toEqual({ total: 2, successful: 2, skipped: 0, failed: 0 });
    }
  });

  it.each([
    ['GET', '/', undefined],
    ['GET', '/_cluster/health', undefined],
    ['GET', '/tickets/_mapping', undefined],
    ['GET', '/_field_caps?fields=*', undefined],
    ['GET', '/_resolve/index/*', undefined],
    ['GET', '/tickets/_doc/7', undefined],
    ['POST', '/tickets/_mget', { ids: ['1', 'none'] }],
    ['POST', '/tickets/_count', { query: QUERY }],
    ['POST', '/tickets/_explain/0', { query: QUERY }],
    ['POST', '/_msearch', lines({ index: 'tick*' }, { query: QUERY }, { index: 'no' }, {})],
  ] as const)('%s %s is the response of one process', async (method, path, body) => {
    const [one, two] = await Promise.all([
      alone.send(method, path, body),
      over.send(method, path, body),
    ]);
    expect([two.status, masked(two.body)]).toEqual([one.status, masked(one.body)]);
  });

  it('pages over a point in time, and by a scroll', async () => {
    for (const calls of [alone, over]) {
      const { body: opened } = await calls.post('/tickets/_pit?keep_alive=1m');
      const found: string[] = [];
      for (let search_after: Body; ; ) {
        const page = await calls.post('/_search', {
          ...{ pit: { id: opened.id }, size: 25, sort: SORT, _source: false, search_after },
        });
        if (page.body.hits.hits.length === 0) break;
        found.push(...page.body.hits.hits.map((hit: Body) => hit._id));
        search_after = page.body.hits.hits.at(-1).sort;
      }
      expect(new Set(found).size).toBe(60);
      const scrolled = await calls.post('/tickets/_search?scroll=1m', { size: 40 });
      const { _scroll_id: scroll_id } = scrolled.body;
      const next = await calls.post('/_search/scroll', { scroll_id });
      expect(next.body.hits.hits).toHaveLength(20);
    }
  });

  it('serves the tools of agents', async () => {
    const call = (name: string, args: object) => ({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name, arguments: { index: 'tickets', ...args } },
    });
    for (const message of [
      call('search', { query: 'payment timeout', limit: 5 }),
      call('aggregate', { terms: 'status' }),
    ]) {
      const [one, two] = await Promise.all(
        [alone, over].map(async (calls) => {
          const headers = { accept: 'application/json, text/event-stream' };
          const { status, body } = await calls.send('POST', '/mcp', message, headers);
          const answer = JSON.parse(String(body).split('data: ')[1]!);
          const { snapshot } = answer.result.structuredContent;
          expect(snapshot).toMatch(/^\d+$/);
          // a cursor names the snapshot, too
          const text = masked(answer).replaceAll(/\b([0-9a-f]{8}\.\d+)\.[0-9a-f]{6}\b/g, '$1');
          return [status, text.replaceAll(snapshot, '…')];
        }),
      );
      expect(two).toEqual(one);
    }
  });
});

describe('a gateway whose node is gone', () => {
  it('answers with the shards that are left, and says which failed', async () => {
    const body = { query: { match_all: {} }, size: 60, _source: false };
    const spread = await startSpreadTickets(['--search-adapter']);
    releases.push(() => spread.stop());
    const over = adapterCalls(spread.gateway.url, '');
    expect((await over.post('/tickets/_search', body)).status).toBe(200);
    await spread.nodes[1]!.end('SIGKILL');
    const { status, body: found } = await over.post('/tickets/_search', body);
    expect([status, found.error?.reason]).toEqual([200, undefined]);
    expect(found._shards).toMatchObject({ total: 2, successful: 1, failed: 1 });
    expect(found._shards.failures).toMatchObject([
      { index: 'tickets', reason: { type: 'no_shard_available_action_exception' } },
    ]);
    expect(found.hits.hits.length).toBe(found.hits.total.value);
    expect(found.hits.total.value).toBeLessThan(60);
    const path = '/tickets/_search?allow_partial_search_results=false';
    const refused = await over.post(path, body);
    expect([refused.status, refused.body.error.type]).toEqual([
      503,
      'no_shard_available_action_exception',
    ]);
  });
});
