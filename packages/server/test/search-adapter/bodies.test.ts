/** Bodies of requests: with GET and POST, compressed, of each content type, with large numbers. */
import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTickets, TICKETS, type TicketService } from '../support/tickets.ts';
import type { Body } from './adapter-calls.ts';

let service: TicketService;

beforeAll(async () => {
  service = await startTickets({ auth: false, values: { 'search_adapter.enabled': true } });
});
afterAll(() => service?.stop());

interface Sent {
  readonly method?: string;
  readonly type?: string | undefined;
  readonly encoding?: string;
}

/** Sends any body with any method, which `fetch` refuses for GET. */
function send(path: string, body: string | Buffer, sent: Sent = {}): Promise<Body> {
  const { method = 'POST', encoding } = sent;
  const type = 'type' in sent ? sent.type : 'application/json';
  const headers = {
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
    'content-length': Buffer.byteLength(body),
  };
  return new Promise((resolve, reject) => {
    const { port } = new URL(service.server.url);
    const options = { port, host: '127.0.0.1', path, method, headers };
    const request = httpRequest(options, (response) => {
      const parts: Buffer[] = [];
      response.on('data', (part: Buffer) => parts.push(part));
      response.on('end', () => {
        const text = Buffer.concat(parts).toString();
        resolve({ status: response.statusCode, body: text === '' ? '' : JSON.parse(text) });
      });
    });
    request.on('error', reject).end(body);
  });
}

const json = (body: object, path = '/tickets/_search', sent: Sent = {}) =>
  send(path, JSON.stringify(body), sent);
const lines = (...items: object[]) => items.map((item) => `${JSON.stringify(item)}\n`).join('');
const QUERY = { term: { status: 'closed' } };
const CLOSED = TICKETS.filter(({ status }) => status === 'closed').map(({ id }) => id);

describe.each(['GET', 'POST'])('a body of %s', (method) => {
  it('selects the documents of a search and a count', async () => {
    const { body } = await json({ query: QUERY, size: 100 }, undefined, { method });
    expect(body.hits.hits.map((hit: Body) => hit._id).sort()).toEqual(CLOSED.toSorted());
    const counted = await json({ query: QUERY }, '/tickets/_count', { method });
    expect(counted.body.count).toBe(CLOSED.length);
    const unknown = await json({ query: { bogus: 1 } }, undefined, { method });
    expect(unknown.status).toBe(400);
  });

  it('is validated and explained', async () => {
    const path = '/tickets/_validate/query';
    expect((await json({ query: { foo: {} } }, path, { method })).body.valid).toBe(false);
    expect((await json({ query: QUERY }, path, { method })).body.valid).toBe(true);
    const explained = await json({ query: QUERY }, `/tickets/_explain/${CLOSED[0]}`, { method });
    expect(explained.body).toMatchObject({ _id: CLOSED[0], matched: true });
  });

  it('names documents, searches and fields', async () => {
    const got = await json({ ids: ['1', '2'] }, '/tickets/_mget', { method });
    expect(got.body.docs.map((doc: Body) => doc._source.id)).toEqual(['1', '2']);
    const searches = lines({}, { query: QUERY, size: 0 });
    const many = await send('/tickets/_msearch', searches, { method });
    expect(many.body.responses[0].hits.total.value).toBe(CLOSED.length);
    const caps = await json({ fields: ['status'] }, '/tickets/_field_caps', { method });
    expect(Object.keys(caps.body.fields)).toEqual(['status']);
  });

  it('goes on with a scroll', async () => {
    const scroll = '/tickets/_search?scroll=1m';
    const first = await json({ query: QUERY, size: 8 }, scroll, { method });
    const body = { scroll_id: first.body._scroll_id };
    const next = await json(body, '/_search/scroll', { method });
    const found = [...first.body.hits.hits, ...next.body.hits.hits];
    expect(found.map((hit: Body) => hit._id).sort()).toEqual(CLOSED.toSorted());
    await json(body, '/_search/scroll', { method: 'DELETE' });
  });
});

describe('a body', () => {
  const text = JSON.stringify({ query: QUERY, size: 0 });

  it('may be a parameter', async () => {
    const source = encodeURIComponent(text);
    const path = `/tickets/_search?source_content_type=application/json&source=${source}`;
    const { body } = await send(path, '', { method: 'GET', type: undefined });
    expect(body.hits.total.value).toBe(CLOSED.length);
  });

  it.each([
    'application/json',
    'application/json; charset=UTF-8',
    'application/x-ndjson',
    'application/vnd.elasticsearch+json; compatible-with=8',
    'application/vnd.elasticsearch+x-ndjson; compatible-with=9',
  ])('has the type %s, also of _msearch', async (type) => {
    const one = await send('/tickets/_search', text, { type });
    expect(one.body.hits.total.value).toBe(CLOSED.length);
    const many = await send('/tickets/_msearch', `{}\n${text}\n`, { type });
    expect(many.body.responses[0].hits.total.value).toBe(CLOSED.length);
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', undefined])(
    'is refused with the type %s',
    async (type) => {
      const { status, body } = await send('/tickets/_search', text, { type });
      expect([status, body.error.type]).toEqual([406, 'media_type_header_exception']);
    },
  );

  it('may be compressed', async () => {
    const { body } = await send('/tickets/_search', gzipSync(text), { encoding: 'gzip' });
    expect(body.hits.total.value).toBe(CLOSED.length);
  });

  it('is refused if it is large when it has been inflated, or no gzip', async () => {
    const large = gzipSync(`{"query":${' '.repeat(9_000_000)}{}}`);
    expect(large.length).toBeLessThan(20_000);
    const bomb = await send('/tickets/_search', large, { encoding: 'gzip' });
    expect(bomb.status).toBe(413);
    expect((await send('/tickets/_search', text, { encoding: 'gzip' })).status).toBe(400);
    expect((await send('/tickets/_search', text, { encoding: 'br' })).status).toBe(400);
  });

  it('begins with a byte order mark, and is UTF-8', async () => {
    const marked = await send('/tickets/_search', `\u{FEFF}${text}`);
    expect(marked.body.hits.total.value).toBe(CLOSED.length);
    const bytes = Buffer.from('{"query":{"term":{"status":"é"}}}', 'latin1');
    expect((await send('/tickets/_search', bytes)).status).toBe(400);
  });

  it('is refused if an object has a name twice', async () => {
    const twice = '{"query":{"bool":{"must":{"match_all":{}},"must":{"match_none":{}}}}}';
    expect((await send('/tickets/_search', twice)).status).toBe(400);
  });

  it('is read at a path that ends with a slash', async () => {
    for (const path of ['/tickets/_search/', '/tickets/_count/', '/_search/']) {
      expect((await send(path, JSON.stringify({ query: QUERY }))).status).toBe(200);
    }
  });
});

describe('a number above 2^53', () => {
  // ticket 5 has the size 3^35, which no double holds
  const size = String(3n ** 35n);
  const near = String(3n ** 35n + 1n);
  const idsOf = async (query: string) => {
    const { status, body } = await send('/tickets/_search', `{"query":${query},"size":50}`);
    expect(status).toBe(200);
    return body.hits.hits.map((hit: Body) => hit._id);
  };

  it.each([
    [`{"term":{"size":${size}}}`, ['5']],
    [`{"term":{"size":${near}}}`, []],
    [`{"term":{"size":{"value":${size}}}}`, ['5']],
    [`{"terms":{"size":[${near},${size}]}}`, ['5']],
    [`{"match":{"size":${size}}}`, ['5']],
    [`{"range":{"size":{"gte":${size}}}}`, ['5']],
    [`{"range":{"size":{"gt":${size}}}}`, []],
    [`{"range":{"size":{"gte":${near}}}}`, []],
    [`{"query_string":{"query":"size:${size}"}}`, ['5']],
    [`{"bool":{"filter":[{"terms":{"size":[9223372036854775807]}}]}}`, []],
  ])('is exact in %s', async (query, ids) => {
    expect(await idsOf(query)).toEqual(ids);
  });

  it('is exact in search_after', async () => {
    const after = (value: string) =>
      send('/tickets/_search', `{"sort":["size"],"search_after":[${value}],"size":50}`);
    expect((await after(size)).body.hits.hits).toEqual([]);
    const before = await after(String(3n ** 35n - 1n));
    expect(before.body.hits.hits.map((hit: Body) => hit._id)).toEqual(['5']);
  });

  it('is exact in a range aggregation, and in _msearch', async () => {
    const aggs = `{"r":{"range":{"field":"size","ranges":[{"from":${size}},{"from":${near}}]}}}`;
    const body = `{"size":0,"aggs":${aggs}}`;
    const one = await send('/tickets/_search', body);
    const counts = (response: Body) =>
      response.aggregations.r.buckets.map((bucket: Body) => bucket.doc_count);
    expect(counts(one.body)).toEqual([1, 0]);
    const many = await send('/tickets/_msearch', `{}\n${body}\n`);
    expect(counts(many.body.responses[0])).toEqual([1, 0]);
  });
});
