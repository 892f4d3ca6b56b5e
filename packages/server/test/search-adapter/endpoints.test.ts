/** The other endpoints of the adapter, its headers, and what it refuses. */
import { readdirSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOST_SCROLLS } from '../../src/search-adapter/routes/open-scrolls.ts';
import { startTickets, TICKETS, type TicketService } from '../support/tickets.ts';
import { type AdapterCalls, adapterCalls, type Body } from './adapter-calls.ts';

let service: TicketService;
let calls: AdapterCalls;

beforeAll(async () => {
  service = await startTickets({ auth: false, values: { 'search_adapter.enabled': true } });
  calls = adapterCalls(service.server.url);
});
afterAll(() => service?.stop());

/** Files of points in time in the data folder. */
const openPins = (): number =>
  readdirSync(service.folder, { recursive: true }).filter((name) =>
    /pin\.[0-9a-f]{16}\./.test(String(name)),
  ).length;

const idsOf = (body: Body): string[] => body.hits.hits.map((hit: Body) => hit._id);
const lines = (...items: unknown[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');

describe('headers of the adapter', () => {
  it('have the product and the media type that the client asked for', async () => {
    const plain = await calls.get('/');
    expect(plain.headers.get('x-elastic-product')).toBe('Elasticsearch');
    expect(plain.headers.get('content-type')).toBe('application/json; charset=UTF-8');
    const type = 'application/vnd.elasticsearch+json; compatible-with=8';
    const vendored = await calls.get('/', { accept: type });
    expect(vendored.headers.get('content-type')).toBe(
      'application/vnd.elasticsearch+json;compatible-with=8',
    );
    const unknown = await calls.get('/', { accept: type.replace('8', '99') });
    expect(unknown.status).toBe(400);
  });

  it('GET / names a version that clients accept, HEAD / has no body', async () => {
    const { body } = await calls.get('/');
    expect(body).toMatchObject({
      tagline: 'You Know, for Search',
      version: { build_flavor: 'default' },
    });
    const head = await calls.send('HEAD', '/');
    expect([head.status, head.body]).toEqual([200, '']);
  });

  it('other paths of the service are as they were', async () => {
    expect((await calls.get('/v1/indexes')).headers.get('x-elastic-product')).toBeNull();
    expect((await calls.get('/livez')).body).toEqual({ status: 'ok' });
    expect((await calls.get('/v1/nope')).body.error.code).toBe('not_found');
  });

  it('a forged Host is refused', async () => {
    const { port } = new URL(service.server.url);
    const status = await new Promise((resolve, reject) => {
      const headers = { host: 'evil.example' };
      const sent = httpRequest({ port, path: '/tickets/_search', headers }, (response) => {
        response.resume();
        resolve(response.statusCode);
      });
      sent.on('error', reject).end();
    });
    expect(status).toBe(403);
    const origin = await calls.get('/tickets/_search', { origin: 'http://evil.example' });
    expect(origin.status).toBe(403);
    expect(origin.body.error.type).toBe('security_exception');
  });
});

describe('_msearch', () => {
  it('answers each search, with its own error or result', async () => {
    const body = lines(
      { index: 'tickets' },
      { query: { match: { title: 'login' } }, size: 2, sort: ['size'] },
      { index: 'nope' },
      {},
      {},
      { nope: 1 },
      { index: 'nope', ignore_unavailable: true },
      {},
    );
    const { status, body: found } = await calls.post('/_msearch', body);
    expect(status).toBe(200);
    const [first, missing, wrong, none] = found.responses;
    expect(idsOf(first)).toEqual(['1', '4']);
    expect(first.status).toBe(200);
    expect(missing).toMatchObject({ status: 404, error: { type: 'index_not_found_exception' } });
    expect(wrong).toMatchObject({ status: 400, error: { type: 'parsing_exception' } });
    expect(none).toMatchObject({ status: 200, hits: { hits: [] } });
    const below = await calls.post('/tickets/_msearch', lines({}, { size: 0 }));
    expect(below.body.responses[0].hits.total.value).toBe(60);
  });

  it.each([
    ['', 'no requests added'],
    ['{}\n', 'has no body'],
    ['{"index":"tickets"}\n{"query"\n', 'a line is not JSON'],
    ['[]\n{}\n', '[metadata] must be an object'],
  ])('refuses %j', async (body, reason) => {
    const response = await calls.post('/_msearch', body);
    expect(response.status).toBe(400);
    expect(JSON.stringify(response.body)).toContain(reason);
  });
});

describe('_count, _validate/query and _explain', () => {
  it('count what _search finds', async () => {
    const query = { match: { title: 'payment' } };
    const counted = await calls.post('/tickets/_count', { query });
    expect(counted.body).toMatchObject({ count: 20, _shards: { total: 1, failed: 0 } });
    expect((await calls.get('/_count')).body.count).toBe(60);
    const refused = await calls.post('/tickets/_count', { query, size: 1 });
    expect(refused.body.error.reason).toBe('request does not support [size]');
  });

  it('tell whether a query is valid', async () => {
    const path = '/tickets/_validate/query?explain=true';
    const valid = await calls.post(path, { query: { match: { title: 'x' } } });
    expect(valid.body).toMatchObject({ valid: true, explanations: [{ index: 'tickets' }] });
    const wrong = await calls.post(path, { query: { nope: {} } });
    expect(wrong).toMatchObject({ status: 200, body: { valid: false } });
    expect(wrong.body.error).toContain('unknown query [nope]');
  });

  it('explain a score, a mismatch and a row that is not there', async () => {
    const query = { match: { title: 'payment' } };
    const { body } = await calls.post('/tickets/_search', { query, size: 1 });
    const [{ _id, _score }] = body.hits.hits;
    const found = await calls.post(`/tickets/_explain/${_id}`, { query });
    expect(found.body).toMatchObject({ _index: 'tickets', _id, matched: true });
    expect(found.body.explanation.value).toBe(_score);
    const other = await calls.post('/tickets/_explain/1', { query });
    expect(other.body).toMatchObject({ matched: false, explanation: { value: 0 } });
    const absent = await calls.post('/tickets/_explain/none', { query });
    expect([absent.status, absent.body.matched]).toEqual([404, false]);
  });
});

describe('lists that are compared with parts of hits', () => {
  const many = Array.from({ length: 1025 }, (_, n) => `f${n}`);
  const named = Object.fromEntries(many.map((name) => [name, {}]));
  const inner = Array.from({ length: 11 }, (_, n) => ({ name: `i${n}` }));

  it.each([
    ['_source', { _source: many }],
    ['_source.excludes', { _source: { excludes: many } }],
    ['fields', { fields: many }],
    ['docvalue_fields', { docvalue_fields: many }],
    ['highlight', { highlight: { fields: named } }],
    ['tags', { highlight: { fields: { title: {} }, pre_tags: ['x'.repeat(1001)] } }],
    ['sort', { sort: many.slice(0, 33).map((name) => ({ [name]: { unmapped_type: 'long' } })) }],
    ['missing', { sort: [{ f: { unmapped_type: 'keyword', missing: 'x'.repeat(1001) } }] }],
    ['inner_hits', { collapse: { field: 'status', inner_hits: inner } }],
  ])('are limited: %s', async (_, body) => {
    const answer = await calls.post('/tickets/_search', body);
    expect([answer.status, answer.body.error.type]).toEqual([400, 'illegal_argument_exception']);
  });

  it('are limited: fields of _field_caps', async () => {
    expect((await calls.post('/tickets/_field_caps', { fields: many })).status).toBe(400);
    expect((await calls.post('/tickets/_field_caps', { fields: ['f*'] })).status).toBe(200);
  });
});

describe('points in time and scrolls', () => {
  it('a point in time pages over one state, and is gone once closed', async () => {
    const { body: opened } = await calls.post('/tickets/_pit?keep_alive=1m');
    const pit = { id: opened.id };
    const found: string[] = [];
    for (let search_after: Body; ; ) {
      const { body } = await calls.post('/_search', {
        size: 25,
        pit,
        _source: false,
        search_after,
      });
      if (body.hits.hits.length === 0) break;
      found.push(...idsOf(body));
      expect(body.pit_id).toBe(opened.id);
      search_after = body.hits.hits.at(-1).sort;
    }
    expect([...found].sort()).toEqual(TICKETS.map(({ id }) => id).sort());
    const named = await calls.post('/tickets/_search', { pit });
    expect(named.body.error.reason).toContain('[indices] cannot be used with point in time');
    const closed = await calls.send('DELETE', '/_pit', pit);
    expect(closed).toMatchObject({ status: 200, body: { succeeded: true, num_freed: 1 } });
    const gone = await calls.post('/_search', { pit });
    expect(gone.status).toBe(404);
    expect(gone.body.error.root_cause[0].type).toBe('search_context_missing_exception');
    expect((await calls.send('DELETE', '/_pit', pit)).status).toBe(404);
  });

  it.each([
    ['by relevance', { query: { match: { title: 'timeout' } } }, 30],
    ['under a sort', { sort: [{ at: 'desc' }] }, 60],
  ])('a scroll reaches all hits %s', async (_, search, total) => {
    const path = '/tickets/_search?scroll=1m&_source_includes=title';
    let { body } = await calls.post(path, {
      ...search,
      size: 13,
      aggs: { n: { avg: { field: 'price' } } },
    });
    expect(body.aggregations).toBeDefined();
    const found: string[] = [];
    const sorts = body.hits.hits[0].sort?.length;
    expect(sorts).toBe('sort' in search ? 1 : undefined);
    while (body.hits.hits.length > 0) {
      found.push(...idsOf(body));
      expect(Object.keys(body.hits.hits[0]._source)).toEqual(['title']);
      const { _scroll_id: scroll_id } = body;
      ({ body } = await calls.post('/_search/scroll', { scroll_id, scroll: '1m' }));
      expect(body.aggregations).toBeUndefined();
    }
    expect(new Set(found).size).toBe(total);
    expect(found).toHaveLength(total);
    const cleared = await calls.send('DELETE', '/_search/scroll', { scroll_id: [body._scroll_id] });
    expect(cleared.body).toEqual({ succeeded: true, num_freed: 1 });
    const gone = await calls.post('/_search/scroll', { scroll_id: body._scroll_id });
    expect(gone.body.error.root_cause[0].type).toBe('search_context_missing_exception');
  });

  it('a scroll whose first page is refused leaves no point in time', async () => {
    const refused = { query: { match_all: {} }, sort: [{ none: 'asc' }] };
    const before = openPins();
    const { status } = await calls.post('/tickets/_search?scroll=1h', refused);
    expect([status, openPins()]).toEqual([400, before]);
  });

  it('a caller has so many scrolls, and no more', async () => {
    const ids: string[] = [];
    const open = () => calls.post('/tickets/_search?scroll=30m', { size: 1, _source: false });
    for (let n = 0; n < MOST_SCROLLS; n++) ids.push((await open()).body._scroll_id);
    expect(openPins()).toBeGreaterThanOrEqual(MOST_SCROLLS);
    const { status, body } = await open();
    const { type } = body.error;
    expect([status, type]).toEqual([429, 'too_many_scroll_contexts_exception']);
    const cleared = await calls.send('DELETE', '/_search/scroll', { scroll_id: ids });
    expect(cleared.body.num_freed).toBe(MOST_SCROLLS);
    const again = await open();
    expect(again.status).toBe(200);
    await calls.send('DELETE', '/_search/scroll', { scroll_id: again.body._scroll_id });
  });

  it('a request closes so many, and no more', async () => {
    const id = Buffer.from(JSON.stringify(Array(64).fill(['tickets', 'p']))).toString('base64url');
    const { status, body } = await calls.send('DELETE', '/_search/point_in_time', {
      pit_id: Array(20).fill(id),
    });
    expect([status, body.error.reason]).toEqual([400, expect.stringContaining('1000')]);
  });

  it.each(['', 'x', 'bnVsbA', 'WzFd', 'eyJhIjoxfQ'])('refuses the id %j', async (id) => {
    const scrolled = await calls.post('/_search/scroll', { scroll_id: id });
    expect(scrolled.status).toBe(404);
    expect((await calls.post('/_search', { pit: { id } })).status).toBe(404);
  });

  it('OpenSearch has its own paths', async () => {
    const { body } = await calls.post('/tickets/_search/point_in_time?keep_alive=1m');
    const found = await calls.post('/_search', { pit: { id: body.pit_id }, size: 1 });
    expect(found.status).toBe(200);
    const closed = await calls.send('DELETE', '/_search/point_in_time', { pit_id: [body.pit_id] });
    expect(closed.body.pits).toEqual([{ successful: true, pit_id: body.pit_id }]);
  });
});

describe('descriptions of indexes', () => {
  it('_mapping has the types, paths as objects', async () => {
    const { properties } = (await calls.get('/tickets/_mapping')).body.tickets.mappings;
    expect(properties).toMatchObject({
      title: { type: 'text' },
      status: { type: 'keyword' },
      at: { type: 'date' },
      vec: { type: 'dense_vector', dims: 2 },
    });
  });

  it('_mapping/field has the types of single fields', async () => {
    const path = (fields: string) => calls.get(`/tickets/_mapping/field/${fields}`);
    const title = { full_name: 'title', mapping: { title: { type: 'text' } } };
    const status = { full_name: 'status', mapping: { status: { type: 'keyword' } } };
    expect((await path('title,statu*')).body).toEqual({ tickets: { mappings: { title, status } } });
    expect((await calls.get('/_mapping/field/title')).body.tickets).toEqual({
      mappings: { title },
    });
    expect((await path('nope')).body).toEqual({ tickets: { mappings: {} } });
    expect((await calls.get('/nope/_mapping/field/title')).status).toBe(404);
  });

  it('_mapping and _field_caps take names of object members as any other name', async () => {
    const names = ['__proto__.polluted', 'constructor.made', 'constructor', 'toString'];
    const fields = names.map((name) => `  - { name: ${name}, type: KEYWORD, source: status }`);
    const source = 'source: { catalog: main, table: ops.tickets }';
    const definition = `version: 1\nindex: odd\n${source}\nfields:\n${fields.join('\n')}\n`;
    const created = await calls.post('/v1/indexes', { definition });
    expect([created.status, created.body.error]).toEqual([200, undefined]);
    const { properties } = (await calls.get('/odd/_mapping')).body.odd.mappings;
    expect(JSON.stringify(properties)).toBe(
      JSON.stringify({
        ['__proto__']: { properties: { polluted: { type: 'keyword' } } },
        constructor: { properties: { made: { type: 'keyword' } }, type: 'keyword' },
        toString: { type: 'keyword' },
      }),
    );
    const caps = (await calls.get('/odd/_field_caps')).body.fields;
    for (const name of names) expect(Object.hasOwn(caps, name), name).toBe(true);
    expect([Object.hasOwn(Object, 'properties'), 'properties' in {}]).toEqual([false, false]);
    await calls.send('DELETE', '/v1/indexes/odd');
  });

  it('_field_caps says what fields can do', async () => {
    const { body } = await calls.get('/_field_caps?fields=ti*,price');
    expect(body.indices).toEqual(['tickets']);
    expect(body.fields.price.double).toMatchObject({ searchable: true, aggregatable: true });
    expect(body.fields.title.text).toMatchObject({ searchable: true, aggregatable: false });
    expect(body.fields).not.toHaveProperty('status');
  });

  it('_cat/indices is a table, or JSON', async () => {
    const table = await calls.get('/_cat/indices?v&h=index,docs.count', { accept: '*/*' });
    expect(table.body).toBe('index   docs.count\ntickets 60\n');
    const json = await calls.get('/_cat/indices/tick*?format=json&h=index,health');
    expect(json.body).toEqual([{ index: 'tickets', health: 'green' }]);
  });

  it('_cluster/health is green, and an index exists or not', async () => {
    const { body } = await calls.get('/_cluster/health?wait_for_status=yellow');
    expect(body).toMatchObject({ status: 'green', timed_out: false });
    expect((await calls.send('HEAD', '/tickets')).status).toBe(200);
    expect((await calls.send('HEAD', '/nope')).status).toBe(404);
  });
});

describe('single documents', () => {
  it('come from the table by _id', async () => {
    const { body } = await calls.get('/tickets/_doc/7?_source=title,meta.kind');
    expect(body).toEqual({
      ...{ _index: 'tickets', _id: '7', _version: 1, _seq_no: 0, _primary_term: 1, found: true },
      _source: { title: 'login down 7', meta: { kind: 'push' } },
    });
    expect((await calls.get('/tickets/_source/7')).body.title).toBe('login down 7');
    expect(await calls.get('/tickets/_doc/x')).toMatchObject({
      status: 404,
      body: { found: false },
    });
    expect((await calls.get('/tickets/_source/x')).status).toBe(404);
    expect((await calls.send('HEAD', '/tickets/_doc/7')).status).toBe(200);
  });
});

/** The requests that Grafana's datasource publishes with its tests, over our fields. */
describe('requests of Grafana', () => {
  const reach = { gte: Date.UTC(2026, 0, 1), lte: Date.UTC(2026, 5, 30) };
  const range = { at: { format: 'epoch_millis', ...reach } };
  const header = { search_type: 'query_then_fetch', ignore_unavailable: true, index: 'tickets' };
  const inRange = TICKETS.filter(({ at }) => at < '2026-06-30');
  const asked = async (body: object): Promise<Body> => {
    const found = await calls.post('/_msearch', lines(header, body));
    expect(found.body.responses).toMatchObject([{ status: 200 }]);
    return found.body.responses[0];
  };

  it('logs and raw data', async () => {
    const body = {
      docvalue_fields: ['at'],
      query: { bool: { filter: { range } } },
      script_fields: {},
      size: 500,
      sort: { at: { order: 'desc', unmapped_type: 'boolean' }, _doc: { order: 'desc' } },
      highlight: {
        ...{ pre_tags: ['@HIGHLIGHT@'], post_tags: ['@/HIGHLIGHT@'] },
        ...{ fragment_size: 2_147_483_647, fields: { '*': {} } },
      },
      fields: [{ field: 'at', format: 'strict_date_optional_time_nanos' }],
    };
    const { hits } = await asked(body);
    expect(hits.hits).toHaveLength(inRange.length);
    expect(hits.hits[0]).toMatchObject({
      _source: { title: expect.any(String) },
      fields: { at: ['2026-06-03T00:00:00.000Z'] },
      sort: [Date.UTC(2026, 5, 3), expect.any(String)],
    });
  });

  it('metrics by a label', async () => {
    const [min, max] = [reach.gte, reach.lte];
    const month = { extended_bounds: { min, max }, field: 'at', fixed_interval: '30d' };
    const date_histogram = { ...month, format: 'epoch_millis', min_doc_count: 0 };
    const per = { 1: { max: { field: 'price' } }, 3: { min: { field: 'price' } } };
    const terms = { field: 'status', order: { _key: 'desc' }, size: 10 };
    const { aggregations } = await asked({
      aggs: { 4: { aggs: { 2: { aggs: per, date_histogram } }, terms } },
      query: { bool: { filter: [{ range }] } },
      size: 0,
    });
    const [open, closed] = aggregations[4].buckets;
    expect([open.key, closed.key]).toEqual(['open', 'closed']);
    for (const { doc_count, 2: dates } of [open, closed]) {
      const counts = dates.buckets.map((bucket: Body) => bucket.doc_count);
      expect(counts.reduce((a: number, b: number) => a + b, 0)).toBe(doc_count);
      for (const bucket of dates.buckets) {
        expect(bucket.key_as_string).toBe(String(bucket.key));
        const inside = inRange.filter(({ at, status }) => {
          const time = Date.parse(at);
          const isOwn = status === (dates === open[2] ? 'open' : 'closed');
          return isOwn && time >= bucket.key && time < bucket.key + 30 * 86_400_000;
        });
        const prices = inside.map(({ price }) => price);
        expect(bucket[1]?.value ?? null).toBe(prices.length === 0 ? null : Math.max(...prices));
      }
    }
  });
});

describe('what the adapter refuses by name', () => {
  it.each([
    ['POST', '/_bulk', 501, 'it reads only'],
    ['POST', '/tickets/_doc', 501, 'it reads only'],
    ['PUT', '/tickets/_doc/1', 501, 'it reads only'],
    ['DELETE', '/tickets/_doc/1', 501, 'it reads only'],
    ['POST', '/tickets/_update/1', 501, 'it reads only'],
    ['POST', '/tickets/_delete_by_query', 501, 'it reads only'],
    ['PUT', '/tickets', 501, 'it reads only'],
    ['DELETE', '/tickets', 501, 'it reads only'],
    ['PUT', '/_ingest/pipeline/a', 501, 'ingest pipelines'],
    ['PUT', '/_scripts/a', 501, 'scripts'],
    ['POST', '/tickets/_search/template', 501, 'this kind of search'],
    ['POST', '/_async_search', 501, 'asynchronous searches'],
    ['POST', '/_sql', 501, 'SQL'],
    ['GET', '/_nope', 400, 'no handler found for uri [/_nope] and method [GET]'],
  ])('%s %s: %i', async (method, path, status, reason) => {
    const body = method === 'GET' ? undefined : {};
    const response = await calls.send(method, path, body);
    expect(response.status).toBe(status);
    expect(response.body.error.reason).toContain(reason);
  });

  it.each([
    ['{', 400],
    ['[]', 400],
    ['"text"', 400],
    [`${'{"query":{"bool":{"must":'.repeat(10_000)}`, 400],
    [nested(10_000, '{"bool":{"must":', '{"match_all":{}}', '}}'), 400],
    [nested(10_000, '[', '1', ']'), 400],
    ['{"size":1e400}', 400],
    ['{"__proto__":{"x":1}}', 400],
    ['{"aggs":{"__proto__":{"avg":{"field":"price"}}}}', 200],
  ])('hostile bodies: %.40s', async (body, status) => {
    const response = await fetch(`${service.server.url}/tickets/_search`, {
      method: 'POST',
      headers: { 'content-type': 'application/vnd.elasticsearch+json;compatible-with=9' },
      body,
    });
    expect(response.status).toBe(status);
    if (status === 400) expect(await response.json()).toMatchObject({ status, error: {} });
  });
});

/** A query that is nested so deep. */
function nested(depth: number, open: string, inner: string, close: string): string {
  return `{"query":${open.repeat(depth)}${inner}${close.repeat(depth)}}`;
}
