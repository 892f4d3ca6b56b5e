/**
 * The requests of a discover page: Kibana's and OpenSearch Dashboards' forms as their sources build
 * them, over our fields. What the programs need besides is refused by name.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTickets, TICKETS, type TicketService } from '../support/tickets.ts';
import { type AdapterCalls, adapterCalls, type Body } from './adapter-calls.ts';

let service: TicketService;
let calls: AdapterCalls;

beforeAll(async () => {
  service = await startTickets({ auth: false, values: { 'search_adapter.enabled': true } });
  calls = adapterCalls(service.server.url);
  await calls.post('/v1/aliases', { alias: 'desk', index: 'tickets' });
});
afterAll(() => service?.stop());

const reach = { gte: '2026-01-01T00:00:00.000Z', lte: '2026-06-30T23:59:59.999Z' };
const range = { at: { ...reach, format: 'strict_date_optional_time' } };
const bool = { must: [], filter: [{ range }], should: [], must_not: [] };
const highlight = {
  pre_tags: ['@kibana-highlighted-field@'],
  post_tags: ['@/kibana-highlighted-field@'],
  fields: { '*': {} },
  fragment_size: 2_147_483_647,
};
const sort = [
  { at: { order: 'desc', unmapped_type: 'boolean' } },
  { _doc: { order: 'desc', unmapped_type: 'boolean' } },
];
const IN_REACH = TICKETS.filter(({ at }) => at <= reach.lte);

const search = async (body: object): Promise<Body> => {
  const found = await calls.post('/tick*/_search?ignore_unavailable=true&preference=1', body);
  expect(found).toMatchObject({ status: 200 });
  return found.body;
};

describe('a discover page', () => {
  it('reads the fields of a data view', async () => {
    const params = 'ignore_unavailable=true&allow_no_indices=false&include_unmapped=true';
    const { status, body } = await calls.post(
      `/tick*/_field_caps?fields=*&${params}&include_empty_fields=true&filters=-parent`,
    );
    expect(status).toBe(200);
    expect(body.indices).toEqual(['tickets']);
    expect(body.fields.at.date).toMatchObject({ searchable: true, aggregatable: true });
    expect(body.fields._id._id).toMatchObject({ metadata_field: true });
    const some = await calls.get('/desk/_field_caps?fields=tit*e,_source');
    expect(Object.keys(some.body.fields).sort()).toEqual(['_source', 'title']);
  });

  it('finds the names that a pattern selects', async () => {
    const { body } = await calls.get('/_resolve/index/*?expand_wildcards=open');
    expect(body).toEqual({
      indices: [{ name: 'tickets', aliases: ['desk'], attributes: ['open'] }],
      aliases: [{ name: 'desk', indices: ['tickets'] }],
      data_streams: [],
    });
    expect((await calls.get('/_resolve/index/des*')).body.aliases).toHaveLength(1);
    expect((await calls.get('/_resolve/index/nope')).status).toBe(404);
    expect((await calls.get('/_resolve/index/nope*')).body.indices).toEqual([]);
  });

  it('shows the newest rows with their fields and marks (Kibana)', async () => {
    const words = { multi_match: { type: 'best_fields', query: 'login', lenient: false } };
    const body = await search({
      ...{ track_total_hits: false, size: 500, version: true, sort, highlight },
      ...{ script_fields: {}, runtime_mappings: {}, stored_fields: ['*'], _source: false },
      fields: [
        { field: '*', include_unmapped: true },
        { field: 'at', format: 'strict_date_optional_time' },
      ],
      query: { bool: { ...bool, must: [words] } },
    });
    const expected = IN_REACH.filter(({ title }) => title.includes('login'));
    expect(body.hits.hits).toHaveLength(expected.length);
    expect(body.hits).not.toHaveProperty('total');
    const [first] = body.hits.hits;
    expect(first).toMatchObject({
      ...{ _index: 'tickets', _version: 1, _score: null },
      fields: { at: ['2026-05-03T00:00:00.000Z'], status: [expect.any(String)] },
      highlight: { title: [expect.stringContaining('@kibana-highlighted-field@login@/kib')] },
    });
    expect(first).not.toHaveProperty('_source');
    expect(first.sort).toEqual([Date.UTC(2026, 4, 3), first._id]);
  });

  it.each([
    [{ fixed_interval: '30d', time_zone: 'Europe/Berlin' }],
    [{ fixed_interval: '12h', time_zone: 'America/New_York' }],
    [{ fixed_interval: '1h', time_zone: 'Europe/Rome' }],
    [{ fixed_interval: '5m', time_zone: 'Asia/Kolkata' }],
    [{ calendar_interval: '1w', time_zone: 'Europe/Berlin' }],
  ])('counts the bars of its chart %j', async (interval) => {
    const date_histogram = { field: 'at', ...interval, min_doc_count: 1 };
    const body = await search({
      ...{ size: 0, track_total_hits: true, aggs: { 2: { date_histogram } } },
      query: { bool },
    });
    expect(body.hits.total).toEqual({ value: IN_REACH.length, relation: 'eq' });
    const { buckets } = body.aggregations[2];
    const counts = buckets.map(({ doc_count }: Body) => doc_count);
    expect(counts.reduce((a: number, b: number) => a + b, 0)).toBe(IN_REACH.length);
    for (const [at, { key, doc_count }] of buckets.entries()) {
      const end = buckets[at + 1]?.key ?? Infinity;
      const own = IN_REACH.filter((row) => Date.parse(row.at) >= key && Date.parse(row.at) < end);
      expect(own).toHaveLength(doc_count);
      if (!('fixed_interval' in interval) || /[1-9]m|1h/.test(interval.fixed_interval)) {
        continue;
      }
      const local = new Date(key).toLocaleTimeString('sv', { timeZone: interval.time_zone });
      expect(['00:00:00', '12:00:00', '01:00:00', '02:00:00']).toContain(local);
    }
  });

  it('shows rows and chart in one request (OpenSearch Dashboards)', async () => {
    const date_histogram = {
      ...{ field: 'at', calendar_interval: '1M', time_zone: 'Europe/Berlin', min_doc_count: 1 },
    };
    const body = await search({
      ...{ sort: [{ at: { order: 'desc', unmapped_type: 'boolean' } }], size: 500, version: true },
      ...{ aggs: { 2: { date_histogram } }, stored_fields: ['*'], script_fields: {}, highlight },
      docvalue_fields: [{ field: 'at', format: 'date_time' }],
      _source: { excludes: [] },
      query: { bool: { ...bool, filter: [{ match_all: {} }, { range }] } },
    });
    expect(body.hits.hits).toHaveLength(IN_REACH.length);
    expect(body.hits.hits[0]).toMatchObject({
      _source: { title: expect.any(String) },
      fields: { at: ['2026-06-03T00:00:00.000Z'] },
    });
    expect(body.aggregations[2].buckets).toHaveLength(6);
  });

  it('reads one row, and several', async () => {
    const body = { query: { ids: { values: ['7'] } }, stored_fields: ['*'], _source: true };
    expect((await search({ ...body, version: true })).hits.hits[0]._source.title).toContain('7');
    const docs = [{ _index: 'tickets', _id: '7' }, { _index: 'tickets', _id: 'x' }, { _id: '1' }];
    const found = (await calls.post('/tickets/_mget', { docs })).body.docs;
    expect(found.map((doc: Body) => doc.found)).toEqual([true, false, true]);
    const missing = (await calls.post('/_mget', { docs: [{ _index: 'no', _id: '1' }] })).body;
    expect(missing.docs[0].error.type).toBe('index_not_found_exception');
    const ids = await calls.post('/tickets/_mget?_source=title', { ids: ['7'] });
    expect(Object.keys(ids.body.docs[0]._source)).toEqual(['title']);
  });

  it('counts the values of a field for its side bar', async () => {
    const terms = { field: 'status.keyword', size: 10, shard_size: 25 };
    const body = await search({
      ...{ size: 0, track_total_hits: true, query: { bool } },
      aggs: { sample: { filter: { exists: { field: 'status' } }, aggs: { top: { terms } } } },
    });
    expect(body.aggregations.sample.top.buckets[0].key).toBe('open');
  });

  it('compares the version of the node', async () => {
    const path = '/_nodes?filter_path=nodes.*.version,nodes.*.http.publish_address,nodes.*.ip';
    expect((await calls.get(path)).body).toEqual({ nodes: { lhs: { version: '8.19.0' } } });
  });
});

describe('what Kibana and OpenSearch Dashboards need besides', () => {
  it.each([
    ['POST', '/tickets/_async_search', 501],
    ['PUT', '/.kibana_1', 501],
    ['POST', '/.kibana/_update/config:8', 501],
    ['POST', '/.kibana_task_manager/_update_by_query', 501],
    ['PUT', '/_template/kibana', 501],
    ['GET', '/.kibana/_doc/config:8', 404],
    ['GET', '/_cat/shards', 501],
  ])('%s %s is %i', async (method, path, status) => {
    const sent = method === 'GET' ? undefined : {};
    expect((await calls.send(method, path, sent)).status).toBe(status);
  });
});
