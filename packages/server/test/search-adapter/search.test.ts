// @module-tag campaign
/** `_search` of the adapter: its hits are those of `/v1/search` on the same server. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { startTickets, TICKETS, type TicketService } from '../support/tickets.ts';
import { type AdapterCalls, adapterCalls, type Body } from './adapter-calls.ts';

const PAYMENTS = TICKETS.filter(({ title }) => title.includes('payment')).map(({ id }) => id);
const SEED = 20_261_125;
let service: TicketService;
let calls: AdapterCalls;

beforeAll(async () => {
  service = await startTickets({ auth: false, values: { 'search_adapter.enabled': true } });
  calls = adapterCalls(service.server.url);
});
afterAll(() => service?.stop());

const search = async (body: object, path = '/tickets/_search'): Promise<Body> => {
  const response = await calls.post(path, body);
  expect(response).toMatchObject({ status: 200 });
  return response.body;
};
const refused = async (body: object, path = '/tickets/_search'): Promise<Body> => {
  const response = await calls.post(path, body);
  expect(response.status).toBe(response.body.status);
  return response.body;
};
const own = async (body: object): Promise<Body> =>
  (await calls.post('/v1/search', { index: 'tickets', ...body })).body;
const idsOf = (body: Body): string[] => body.hits.hits.map((hit: Body) => hit._id);
const keysOf = (body: Body): string[] =>
  body.hits.map((hit: Body) => hit.coordinates.identifier[0].value);

describe('_search', () => {
  it('has the hits, scores and rows of /v1/search', async () => {
    const body = await search({ query: { match: { title: 'payment timeout' } }, size: 7 });
    const direct = await own({ query: 'payment timeout', limit: 7, hydrate: true });
    expect(idsOf(body)).toEqual(keysOf(direct));
    expect(body).toMatchObject({
      timed_out: false,
      _shards: { total: 1, successful: 1, skipped: 0, failed: 0 },
      hits: { total: { value: direct.total, relation: 'eq' }, max_score: direct.hits[0].score },
    });
    for (const [at, hit] of body.hits.hits.entries()) {
      expect(hit).toEqual({
        _index: 'tickets',
        _id: direct.hits[at].coordinates.identifier[0].value,
        _score: direct.hits[at].score,
        _source: direct.hits[at].row,
      });
    }
  });

  it('pages by from and size, and knows the highest score on any page', async () => {
    const query = { match: { title: 'payment timeout' } };
    const all = await search({ query, size: 30 });
    const page = await search({ query, from: 10, size: 5 });
    expect(idsOf(page)).toEqual(idsOf(all).slice(10, 15));
    expect(page.hits.max_score).toBe(all.hits.hits[0]._score);
    const inUrl = await calls.get('/tickets/_search?from=2&size=3&sort=size:desc&_source=false');
    const direct = await own({
      query: '*:*',
      offset: 2,
      limit: 3,
      sort: [{ field: 'size', desc: true }],
    });
    expect(idsOf(inUrl.body)).toEqual(keysOf(direct));
    expect(inUrl.body.hits.hits[0]).not.toHaveProperty('_source');
  });

  it('has no scores under a sort, and sort values that search_after takes back', async () => {
    const query = { match: { title: 'timeout' } };
    const sort = [{ at: 'desc' }, { size: { order: 'asc' } }];
    const all = await search({ query, sort, size: 30 });
    expect(all.hits.max_score).toBeNull();
    expect(all.hits.hits[0]._score).toBeNull();
    expect(all.hits.hits[0].sort).toEqual([Date.UTC(2026, 10, 3), expect.anything()]);
    const found: string[] = [];
    for (let after: Body; ; ) {
      const page = await search({ query, sort, size: 4, ...(after && { search_after: after }) });
      if (page.hits.hits.length === 0) break;
      found.push(...idsOf(page));
      after = page.hits.hits.at(-1).sort;
    }
    expect(found).toEqual(idsOf(all));
    const direct = await own({
      query: 'timeout',
      sort: [{ field: 'at', desc: true }, { field: 'size' }],
      limit: 30,
    });
    expect(idsOf(all)).toEqual(keysOf(direct));
  });

  it.each([
    ['_doc', [{ field: '_key' }]],
    [
      { size: { order: 'desc', unmapped_type: 'long', missing: '_last' } },
      [{ field: 'size', desc: true }],
    ],
    [
      ['size', '_score'],
      [{ field: 'size' }, { field: '_score', desc: true }],
    ],
    [[{ none: { order: 'asc', unmapped_type: 'long' } }, { size: 'asc' }], [{ field: 'size' }]],
    [['_score'], undefined],
    [
      [{ 'meta.commits': { order: 'desc', missing: '_first' } }, { size: { mode: 'avg' } }],
      [{ field: 'meta.commits', desc: true, missing: '_first' }, { field: 'size' }],
    ],
    [[{ 'meta.commits': { missing: 7 } }], [{ field: 'meta.commits', missing: 7 }]],
    [
      [{ at: { missing: Date.UTC(2026, 3, 1) } }],
      [{ field: 'at', missing: '2026-04-01T00:00:00.000Z' }],
    ],
  ])('sorts by %j', async (sort, ours) => {
    const body = await search({ query: { match: { title: 'payment' } }, sort });
    const direct = await own({ query: 'payment', ...(ours && { sort: ours }) });
    expect(idsOf(body)).toEqual(keysOf(direct));
  });

  it.each([
    [true, ['at', 'host', 'id', 'meta', 'ok', 'price', 'size', 'status', 'title', 'vec']],
    ['ti*', ['title']],
    [
      ['title', 'meta.k*'],
      ['meta', 'title'],
    ],
    [{ excludes: ['meta', 'vec', 'h*'] }, ['at', 'id', 'ok', 'price', 'size', 'status', 'title']],
    [{ includes: ['s*'], excludes: ['size'] }, ['status']],
    [[], ['at', 'host', 'id', 'meta', 'ok', 'price', 'size', 'status', 'title', 'vec']],
  ])('filters _source by %j', async (_source, names) => {
    const body = await search({ _source, size: 1 });
    expect(Object.keys(body.hits.hits[0]._source).sort()).toEqual(names);
  });

  it('shows fields, docvalue_fields, and parts of objects', async () => {
    const body = await search({
      size: 1,
      sort: 'size',
      _source: ['meta.kind'],
      fields: ['title', 'sta*', { field: 'at', format: 'yyyy' }],
      docvalue_fields: [{ field: 'size' }],
    });
    expect(body.hits.hits[0]).toMatchObject({
      _source: { meta: { kind: 'pull' } },
      fields: { title: ['payment timeout 0'], status: ['closed'], at: ['2026'], size: [0] },
    });
  });

  it('highlights with tags', async () => {
    const query = { match: { title: 'payment' } };
    const highlight = { pre_tags: ['['], post_tags: [']'], fields: { 'ti*': {} } };
    const body = await search({ query, highlight, size: 1 });
    expect(body.hits.hits[0].highlight.title[0]).toMatch(/^\[payment\] /);
  });

  it('collapses', async () => {
    const body = await search({ collapse: { field: 'host' }, sort: 'size', size: 3 });
    expect(body.hits.hits[0].fields).toEqual({ host: ['10.0.0.0'] });
  });

  it.each([
    [undefined, { value: 60, relation: 'eq' }],
    [true, { value: 60, relation: 'eq' }],
    [10, { value: 10, relation: 'gte' }],
    [60, { value: 60, relation: 'eq' }],
    [false, undefined],
  ])('track_total_hits %j', async (track_total_hits, total) => {
    const body = await search({ size: 0, track_total_hits });
    expect(body.hits).toEqual({ ...(total && { total }), max_score: null, hits: [] });
  });

  it('has the total as a number if the URL says so', async () => {
    const path = '/tickets/_search?rest_total_hits_as_int=true';
    expect((await search({}, path)).hits.total).toBe(60);
    expect((await search({ track_total_hits: false }, path)).hits.total).toBe(-1);
    expect((await refused({ track_total_hits: 5 }, path)).error.reason).toContain('not accurate');
  });

  it('serves the parts that filter_path selects', async () => {
    const body = await search({ size: 2 }, '/tickets/_search?filter_path=hits.hits._id,took');
    expect(body).toEqual({
      took: expect.any(Number),
      hits: { hits: [{ _id: expect.any(String) }, { _id: expect.any(String) }] },
    });
  });

  it('finds the one index by pattern, alias, list and without a name', async () => {
    const alias = await calls.post('/v1/aliases', { alias: 'desk', index: 'tickets' });
    expect(alias.status).toBe(200);
    for (const path of ['/_search', '/_all/_search', '/tick*/_search', '/desk/_search']) {
      expect((await search({ size: 1 }, path)).hits.hits[0]._index).toBe('tickets');
    }
    const none = await search({}, '/x*/_search');
    expect(none.hits).toMatchObject({ total: { value: 0 }, hits: [] });
    expect((await search({}, '/x/_search?ignore_unavailable=true')).hits.hits).toEqual([]);
  });
});

describe('options of single hits', () => {
  const query = { match: { title: 'payment timeout' } };

  it('min_score leaves out hits that score less, and counts the others', async () => {
    const all = (await search({ query, size: 60 })).hits.hits;
    const scores = [...new Set<number>(all.map((hit: Body) => hit._score))];
    for (const min_score of [0, ...scores, scores[0]! + 1]) {
      const expected = all.filter((hit: Body) => hit._score >= min_score);
      for (const page of [{ size: 60 }, { size: 3 }, { size: 0 }, { from: 5, size: 4 }]) {
        const { from = 0, size } = page as { from?: number; size: number };
        const body = await search({ query, min_score, ...page });
        expect(body.hits.total).toEqual({ value: expected.length, relation: 'eq' });
        const ids = expected.slice(from, from + size).map((hit: Body) => hit._id);
        expect(idsOf(body)).toEqual(ids);
      }
    }
  });

  it('explain shows how a score came about', async () => {
    const body = await search({ query, explain: true, size: 3 });
    for (const hit of body.hits.hits) expect(hit._explanation.value).toBeCloseTo(hit._score, 6);
  });

  it('no_match_size shows the beginning of a field without a match', async () => {
    const highlight = { fields: { title: {} }, no_match_size: 12 };
    const body = await search({ query: { term: { status: 'closed' } }, highlight, size: 1 });
    const { _source, highlight: shown } = body.hits.hits[0];
    expect(shown.title).toEqual([_source.title.split(' ')[0]]);
  });

  it('terminate_after ends the total of a search without hits', async () => {
    const few = await search({ size: 0, terminate_after: 7, track_total_hits: true });
    expect(few).toMatchObject({ terminated_early: true, hits: { total: { value: 7 } } });
    const all = await search({ size: 0, terminate_after: 700 });
    expect(all).toMatchObject({ terminated_early: false, hits: { total: { value: 60 } } });
  });

  it('inner_hits are the first of each group', async () => {
    const inner_hits = { name: 'newest', size: 2, sort: [{ size: 'desc' }], _source: ['status'] };
    const collapse = { field: 'status', inner_hits };
    const { hits } = (await search({ collapse, sort: 'size' })).hits;
    expect(hits).toHaveLength(2);
    for (const { fields, inner_hits: groups } of hits) {
      const rows = TICKETS.filter(({ status }) => status === fields.status[0]);
      const sizes = rows.map(({ size }) => size).sort((a, b) => (a < b ? 1 : -1));
      const { total, hits: own } = groups.newest.hits;
      expect(total.value).toBe(rows.length);
      expect(own.map((hit: Body) => String(hit.sort[0]))).toEqual(sizes.slice(0, 2).map(String));
      expect(own[0]._source).toEqual({ status: fields.status[0] });
    }
  });
});

describe('nearest documents and fused lists', () => {
  const vectors = fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 1, max: 50 }));
  const fused = fc.record({
    query_vector: vectors,
    k: fc.integer({ min: 1, max: 60 }),
    word: fc.constantFrom('payment', 'login down', 'search timeout 7'),
    status: fc.option(fc.constantFrom('open', 'closed')),
  });
  const numRuns = byEffort(15, 500);

  it('knn has the hits and scores of a plain loop over the vectors', async () => {
    const check = async ({ query_vector, k, status }: Body) => {
      const knn = {
        ...{ field: 'vec', query_vector, k, num_candidates: 1000 },
        ...(status && { filter: { term: { status } } }),
      };
      const similarity = ([x, y]: readonly number[]) => {
        const [a, b] = query_vector;
        return (a * x! + b * y!) / (Math.hypot(a, b) * Math.hypot(x!, y!));
      };
      const rows = TICKETS.filter((row) => status === null || row.status === status);
      const expected = rows.map(({ vec }) => similarity(vec)).sort((a, b) => b - a);
      const { hits } = (await search({ knn, size: 60 })).hits;
      expect(hits).toHaveLength(Math.min(k, rows.length));
      const found = hits.map((hit: Body) => similarity(hit._source.vec));
      for (const [at, one] of found.entries()) expect(one).toBeCloseTo(expected[at]!, 3);
      const direct = await calls.post('/v1/search:semantic', {
        ...{ index: 'tickets', vector_field: 'vec', query_vector, k, limit: 60, exact: true },
        ...(status && { filter: `status:${status}` }),
      });
      expect(hits.map((hit: Body) => hit._id)).toEqual(keysOf(direct.body));
      expect(hits.map((hit: Body) => hit._score)).toEqual(
        direct.body.hits.map((hit: Body) => hit.score),
      );
    };
    await fc.assert(fc.asyncProperty(fused, check), { seed: SEED, numRuns });
  });

  it('rrf has the sums of reciprocal ranks of the two lists', async () => {
    const check = async ({ query_vector, k, word }: Body) => {
      const knn = { field: 'vec', query_vector, k, num_candidates: 1000 };
      const standard = { query: { match: { title: word } } };
      const rrf = { retrievers: [{ standard }, { knn }], rank_window_size: k, rank_constant: 20 };
      const lists = await Promise.all([search({ ...standard, size: k }), search({ knn, size: k })]);
      const scores = new Map<string, number>();
      for (const { hits } of lists) {
        for (const [at, { _id, _score }] of hits.hits.entries()) {
          const rank = hits.hits.findIndex((hit: Body) => hit._score === _score);
          expect(rank).toBeLessThanOrEqual(at);
          scores.set(_id, (scores.get(_id) ?? 0) + 1 / (20 + rank + 1));
        }
      }
      const { hits } = (await search({ retriever: { rrf }, size: 60 })).hits;
      expect(new Set(hits.map((hit: Body) => hit._id))).toEqual(new Set(scores.keys()));
      for (const { _id, _score } of hits) expect(_score).toBeCloseTo(scores.get(_id)!, 6);
    };
    await fc.assert(fc.asyncProperty(fused, check), { seed: SEED, numRuns });
  });

  it('knn beside a query adds up', async () => {
    const knn = { field: 'vec', query_vector: [1, 60], k: 3, num_candidates: 50 };
    const direct = await calls.post('/v1/search:semantic', {
      ...{ index: 'tickets', vector_field: 'vec', query_vector: [1, 60], k: 3 },
    });
    expect(idsOf(await search({ knn }))).toEqual(keysOf(direct.body));
    const both = await search({ knn, query: { match: { title: 'payment' } }, size: 60 });
    expect(both.hits.total.value).toBe(new Set([...keysOf(direct.body), ...PAYMENTS]).size);
  });

  it('a retriever of words and vectors is a hybrid search', async () => {
    const standard = { query: { match: { title: 'payment' } } };
    const knn = { field: 'vec', query_vector: [1, 60], k: 10, num_candidates: 50 };
    const rrf = { retrievers: [{ standard }, { knn }], rank_window_size: 10 };
    const body = await search({ retriever: { rrf }, size: 5 });
    const direct = await calls.post('/v1/search:hybrid', {
      ...{ index: 'tickets', query_text: 'payment', lexical_fields: ['title'], limit: 5 },
      ...{ vector_field: 'vec', query_vector: [1, 60], k: 10, fusion: 'rrf', rrf_k: 60 },
    });
    expect(idsOf(body)).toEqual(keysOf(direct.body));
    const wrong = await refused({ retriever: { rrf }, query: standard.query });
    expect(wrong.error.reason).toContain('[retriever] cannot be used');
  });
});

describe('what _search refuses', () => {
  it.each([
    [
      { from: -5 },
      400,
      'illegal_argument_exception',
      '[from] parameter cannot be negative, found [-5]',
    ],
    [
      { size: -1 },
      400,
      'illegal_argument_exception',
      '[size] parameter cannot be negative, found [-1]',
    ],
    [
      { from: 9999, size: 2 },
      400,
      'illegal_argument_exception',
      'Result window is too large, from + size',
    ],
    [{ qeury: {} }, 400, 'parsing_exception', 'unknown field [qeury]'],
    [{ query: { nope: {} } }, 400, 'parsing_exception', 'unknown query [nope]'],
    [{ script_fields: { a: {} } }, 501, 'unsupported_operation_exception', '[script_fields]'],
    [{ min_score: 1, sort: 'size' }, 501, 'unsupported_operation_exception', '[min_score]'],
    [{ profile: true }, 501, 'unsupported_operation_exception', '[profile]'],
    [{ terminate_after: 3 }, 501, 'unsupported_operation_exception', '[terminate_after]'],
    [{ sort: [{ nope: 'asc' }] }, 400, 'query_shard_exception', 'No mapping found for [nope]'],
    [
      { sort: [{ size: { missing: 'x' } }] },
      400,
      'illegal_argument_exception',
      '"missing" of the sort by "size" is "x"',
    ],
    [{ sort: [{ size: 'up' }] }, 400, 'illegal_argument_exception', 'Unknown SortOrder [up]'],
    [
      { sort: 'size', search_after: [1, 2, 3] },
      400,
      'illegal_argument_exception',
      'search_after has 3 value(s) but sort has 1.',
    ],
    [{ sort: 'title' }, 400, 'illegal_argument_exception', 'title'],
    [
      { highlight: { fields: { title: {} }, require_field_match: false } },
      501,
      'unsupported_operation_exception',
      'require_field_match',
    ],
    [
      { collapse: { field: 'host', inner_hits: { size: -1 } } },
      400,
      'illegal_argument_exception',
      '[size]',
    ],
    [{ timeout: '1x' }, 400, 'illegal_argument_exception', 'failed to parse setting [timeout]'],
  ])('%j: %i %s', async (body, status, type, reason) => {
    const { error, ...rest } = await refused(body);
    expect(rest).toEqual({ status });
    const [cause] = error.root_cause;
    expect(cause).toEqual({ type, reason: expect.stringContaining(reason) });
    if (type !== 'query_shard_exception') expect(error).toMatchObject(cause);
    else {
      expect(error).toMatchObject({
        ...{ type: 'search_phase_execution_exception', phase: 'query', grouped: true },
        ...{ failed_shards: [{ shard: 0, index: 'tickets', reason: cause }], caused_by: cause },
      });
    }
  });

  it('an index that is not there', async () => {
    const { error, status } = await refused({}, '/nope/_search');
    expect(status).toBe(404);
    expect(error).toMatchObject({ type: 'index_not_found_exception', index: 'nope' });
    expect(error.reason).toBe('no such index [nope]');
  });

  it('parameters that it does not know', async () => {
    const { error } = await refused({}, '/tickets/_search?routing=a');
    expect(error.reason).toContain('parameter [routing]');
  });
});
