/** Requests of other engines' bug reports, with the values that those engines give. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendRows, createTable } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { PATIENCE_MS } from '../../../../test/support/patience.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { startService, type TestService } from '../support/service.ts';
import { type AdapterCalls, adapterCalls, type Body } from './adapter-calls.ts';

const SCHEMA = schemaOf({
  id: 'long',
  k: 'string',
  t: 'string',
  body: 'string',
  ts: 'timestamptz',
  n: 'long',
});
const ROWS = [
  { k: 'ab', t: 'quick fox', body: 'the lazy dog sleeps', ts: '0001-01-01T00:00:00Z', n: 1 },
  { k: 'Ab$', t: 'slow fox', body: 'quick reply', ts: '2015-10-25T00:30:00Z', n: 2 },
  { k: 'cd', t: 'hen', body: null, ts: '2015-10-25T01:30:00Z', n: 2 },
  { k: null, t: null, body: 'fox hunt', ts: '2024-02-29T12:00:00.000001Z', n: 42 },
].map((row, id) => ({ id: BigInt(id), ...row, n: BigInt(row.n) }));
/** Many dates: their sum is far behind the last date of a calendar of JavaScript. */
const DATES = Array.from({ length: 6000 }, (_, id) => ({
  ...{ id: BigInt(id), k: `k${id % 90}`, t: 'a', body: null, n: BigInt(id % 7) },
  ts: new Date(Date.UTC(2025, 0, 1) + id * 60_000).toISOString(),
}));

let service: TestService;
let calls: AdapterCalls;
let warehouse: string;

beforeAll(async () => {
  warehouse = mkdtempSync(join(tmpdir(), 'lhs-right-'));
  const catalog = { type: 'filesystem', warehouse } as const;
  service = await startService({
    auth: false,
    values: { 'search_adapter.enabled': true, threads: 1 },
    names: { catalogs: { main: catalog } },
    prepare: async (backend) => {
      for (const [name, rows] of [
        ['q', ROWS],
        ['dates', DATES],
      ] as const) {
        const source = { catalog, table: `ops.${name}` };
        await createTable(catalog, source.table, { schema: SCHEMA });
        await appendRows(source, { kind: 'rows', rows });
        const at = `{ catalog: ${JSON.stringify(catalog)}, table: ${source.table} }`;
        const fields = [
          ...['{ name: k, type: KEYWORD, fast: true }', '{ name: t, type: TEXT, cached: true }'],
          '{ name: f, source: k, type: KEYWORD, folded: true, fast: true, cached: true }',
          ...['{ name: body, type: TEXT }', '{ name: ts, type: DATE }', '{ name: n, type: LONG }'],
        ];
        const head = `version: 1\nindex: ${name}\nsource: ${at}\nkey: { identifier: [id] }\n`;
        await backend.createIndex({ definition: `${head}fields: [${fields.join()}]\n` });
        await backend.reindex({ index: name });
      }
    },
  });
  calls = adapterCalls(service.server.url);
  // the first search starts a search thread, which a busy machine may take long for
  const isReady = async () => expect((await calls.post('/q/_search', {})).status).toBe(200);
  await vi.waitFor(isReady, PATIENCE_MS);
});
afterAll(async () => {
  await service?.stop();
  rmSync(warehouse, { recursive: true, force: true });
});

const search = async (body: object, index = 'q'): Promise<Body> => {
  const response = await calls.post(`/${index}/_search`, body);
  expect(response).toMatchObject({ status: 200 });
  return response.body;
};
const idsOf = async (query: object): Promise<string[]> =>
  (await search({ query })).hits.hits.map((hit: Body) => hit._id).sort();
const aggOf = async (agg: object, body: object = {}, index?: string): Promise<Body> =>
  (await search({ size: 0, aggs: { x: agg }, ...body }, index)).aggregations.x;

describe('queries', () => {
  it.each<readonly [object, string[]]>([
    [{ exists: { field: 'bo*' } }, ['0', '1', '3']],
    [{ exists: { field: '*' } }, ['0', '1', '2', '3']],
    [{ exists: { field: 'none*' } }, []],
    [{ query_string: { query: 'quick' } }, ['0', '1']],
    [{ multi_match: { query: 'fox' } }, ['0', '1', '3']],
    [{ simple_query_string: { query: 'fox' } }, ['0', '1', '3']],
    [{ query_string: { query: '42' } }, ['3']],
    [{ multi_match: { type: 'best_fields', query: 'quick', lenient: true } }, ['0', '1']],
    [{ match: { n: { query: 'abc', lenient: true } } }, []],
    [{ query_string: { query: 'n:abc', lenient: true } }, []],
    [{ range: { n: { gte: 1.5, lt: 2.5 } } }, ['1', '2']],
    [{ range: { n: { gt: 1.5, lte: 41.9 } } }, ['1', '2']],
    [{ term: { n: 1.5 } }, []],
    [{ terms: { n: [1.5, 2] } }, ['1', '2']],
    [{ regexp: { k: 'Ab$' } }, ['1']],
    [{ regexp: { k: 'ab$' } }, []],
    [{ regexp: { k: { value: 'a[bx]\\$?', case_insensitive: true } } }, ['0', '1']],
    [{ prefix: { k: { value: 'aB', case_insensitive: true } } }, ['0', '1']],
    [{ term: { f: 'AB$' } }, ['1']],
    [{ terms: { f: ['AB', 'Cd'] } }, ['0', '2']],
    [{ prefix: { f: 'aB' } }, ['0', '1']],
    [{ range: { f: { gte: 'AB', lt: 'C' } } }, ['0', '1']],
    [{ term: { f: { value: 'aB', case_insensitive: true } } }, ['0']],
    [{ wildcard: { f: { value: 'A*$', case_insensitive: true } } }, ['1']],
    [{ regexp: { f: { value: 'A[BX]', case_insensitive: true } } }, ['0']],
    [{ wildcard: { t: { value: 'QUI*', case_insensitive: true } } }, ['0']],
  ])('%j', async (query, ids) => {
    expect(await idsOf(query)).toEqual(ids);
  });
});

describe('a folded KEYWORD field', () => {
  it('counts, groups and shows values as they are written', async () => {
    const keys = ({ buckets }: Body) => buckets.map(({ key }: Body) => key);
    expect(keys(await aggOf({ terms: { field: 'f' } }))).toEqual(['ab', 'Ab$', 'cd']);
    expect(keys(await aggOf({ terms: { field: 'f', include: ['AB$'] } }))).toEqual(['Ab$']);
    const sources = [{ v: { terms: { field: 'f' } } }];
    const first = await aggOf({ composite: { sources, size: 2 } });
    expect(keys(first)).toEqual([{ v: 'ab' }, { v: 'Ab$' }]);
    const rest = await aggOf({ composite: { sources, size: 2, after: first.after_key } });
    expect(keys(rest)).toEqual([{ v: 'cd' }]);
    const { hits } = await search({ collapse: { field: 'f' }, sort: ['f'], fields: ['f'] });
    expect(hits.hits.map(({ fields }: Body) => fields?.f)).toEqual([
      ...[['ab'], ['Ab$'], ['cd']],
      undefined,
    ]);
  });

  it('has a normalizer in its mapping', async () => {
    const { body } = await calls.get('/q/_mapping/field/f');
    const mapping = { f: { type: 'keyword', normalizer: 'lowercase' } };
    expect(body.q.mappings).toEqual({ f: { full_name: 'f', mapping } });
  });
});

describe('highlights', () => {
  it('of a field without a copy are of its row', async () => {
    const highlight = { fields: { body: {}, t: {} } };
    const { hits } = await search({ query: { multi_match: { query: 'quick' } }, highlight });
    const marks = Object.fromEntries(hits.hits.map((hit: Body) => [hit._id, hit.highlight]));
    expect(marks).toEqual({
      0: { t: ['<em>quick</em> fox'] },
      1: { body: ['<em>quick</em> reply'] },
    });
    const own = { index: 'q', query: 'body:quick', highlight: { fields: ['body'] } };
    const { body } = await calls.post('/v1/search', own);
    const segments = [
      { text: 'quick', marked: true },
      { text: ' reply', marked: false },
    ];
    expect(body.hits[0].highlight).toEqual({ body: [segments] });
    expect(body.hits[0]).not.toHaveProperty('row');
  });
});

describe('dates', () => {
  const day = { range: { ts: { gte: '2015-10-25T00:00:00Z', lt: '2015-10-25T02:00:00Z' } } };
  it.each([
    ['20m', ['2015-10-25T02:20:00.000+02:00', '2015-10-25T02:20:00.000+01:00']],
    ['30m', ['2015-10-25T02:30:00.000+02:00', '2015-10-25T02:30:00.000+01:00']],
    ['1h', ['2015-10-25T02:00:00.000+02:00', '2015-10-25T02:00:00.000+01:00']],
  ])('in intervals of %s when the clock is set back', async (fixed_interval, starts) => {
    const options = { field: 'ts', fixed_interval, time_zone: 'CET', min_doc_count: 1 };
    const { buckets } = await aggOf({ date_histogram: options }, { query: day });
    expect(buckets.map((one: Body) => [one.key_as_string, one.doc_count])).toEqual(
      starts.map((start) => [start, 1]),
    );
  });

  it('have their format in the keys of a composite, which goes on behind them', async () => {
    const format = { field: 'ts', calendar_interval: '1d', format: 'yyyy-MM-dd' };
    const composite = { size: 1, sources: [{ d: { date_histogram: format } }] };
    const keys: string[] = [];
    for (let after: Body; keys.length < 9; ) {
      const page = await aggOf({ composite: { ...composite, ...(after && { after }) } });
      if (page.buckets.length === 0) break;
      expect(page.after_key).toEqual(page.buckets[0].key);
      after = page.after_key;
      keys.push(after.d);
    }
    expect(keys).toEqual(['0001-01-01', '2015-10-25', '2024-02-29']);
  });

  it('have sums and averages, however many they are', async () => {
    const found = await aggOf({ stats: { field: 'ts' } }, {}, 'dates');
    const millis = DATES.map(({ ts }) => Date.parse(ts));
    const sum = millis.reduce((all, one) => all + one, 0);
    expect(found).toMatchObject({ count: 6000, sum, avg: sum / 6000 });
    // java.time: Instant.ofEpochMilli(sum)
    expect(found.sum_as_string).toMatch(/^\+3\d{5}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(found.avg_as_string)).toBe(Math.floor(sum / 6000));
    expect((await aggOf({ avg: { field: 'ts' } })).value_as_string).toMatch(/T[\d:]+\.\d{3,6}Z$/);
  });

  it('page by search_after in the format of their sort', async () => {
    for (const format of ['epoch_millis', 'epoch_second', 'strict_date_optional_time_nanos']) {
      const sort = [{ ts: { order: 'asc', format } }];
      const found: string[] = [];
      for (let after: Body; ; ) {
        const { hits } = await search({ size: 1, sort, ...(after && { search_after: after }) });
        if (hits.hits.length === 0 || found.length > ROWS.length) break;
        found.push(hits.hits[0]._id);
        after = hits.hits[0].sort;
      }
      expect(found, format).toEqual(['0', '1', '2', '3']);
    }
  });
});

describe('aggregations', () => {
  it('write numbers in a format', async () => {
    const { buckets } = await aggOf({ terms: { field: 'n', format: '000' } });
    expect(buckets[0]).toEqual({ key: 2, key_as_string: '002', doc_count: 2 });
    expect(await aggOf({ avg: { field: 'n', format: '0.0' } })).toEqual({
      ...{ value: 11.75, value_as_string: '11.8' },
    });
    const ranges = { field: 'n', format: '0.0', keyed: true, ranges: [{ to: 2 }] };
    expect((await aggOf({ range: ranges })).buckets).toEqual({
      '*-2.0': { to: 2, to_as_string: '2.0', doc_count: 1 },
    });
    const histogram = await aggOf({ histogram: { field: 'n', interval: 40, format: '0.0' } });
    expect(histogram.buckets.map((one: Body) => one.key_as_string)).toEqual(['0.0', '40.0']);
  });

  it('over a field that is not there find nothing', async () => {
    expect(await aggOf({ terms: { field: 'nope' } })).toMatchObject({ buckets: [] });
    expect(await aggOf({ avg: { field: 'nope' } })).toEqual({ value: null });
    expect(await aggOf({ missing: { field: 'nope' } })).toEqual({ doc_count: ROWS.length });
  });

  it('leave values below the least count out of all counts', async () => {
    const found = await aggOf({ terms: { field: 'n', min_doc_count: 2 } });
    expect(found).toMatchObject({ sum_other_doc_count: 0, buckets: [{ key: 2, doc_count: 2 }] });
  });

  it('are as many as a dashboard has', async () => {
    const aggs = Object.fromEntries(
      Array.from({ length: 100 }, (_, at) => [`a${at}`, { max: { field: 'n' } }]),
    );
    const filters = Array.from({ length: 70 }, (_, n) => ({ term: { n } }));
    const all = { ...aggs, f: { filters: { filters } } };
    for (const index of ['q', 'q,dates']) {
      const found = (await search({ size: 0, aggs: all }, index)).aggregations;
      expect(Object.keys(found)).toHaveLength(101);
      expect(found.a99).toEqual({ value: 42 });
      expect(found.f.buckets.slice(40, 44).map((one: Body) => one.doc_count)).toEqual([0, 0, 1, 0]);
    }
  });

  it('of a dashboard with the zone of the browser have all buckets', async () => {
    const zone = { field: 'ts', fixed_interval: '12h', time_zone: 'Europe/Berlin' };
    const aggs = { m: { avg: { field: 'n' } } };
    const query = { range: { ts: { gte: '2015-01-01' } } };
    const { buckets } = await aggOf({ date_histogram: zone, aggs }, { query });
    expect(buckets.length).toBeGreaterThan(6000);
    const counted = buckets.filter((one: Body) => one.doc_count > 0);
    expect(counted.map((one: Body) => one.m.value)).toEqual([2, 42]);
  });
});

describe('equal requests', () => {
  it('are answered from the cache', async () => {
    const metric = async () => {
      const text = await (await fetch(`${service.server.url}/metrics`)).text();
      return Number(/^lhs_result_cache_hits_total(?:\{[^}]*\})? (\d+)$/m.exec(text)?.[1] ?? -1);
    };
    const body = { query: { match: { t: 'fox' } }, size: 3, _source: false };
    await search(body);
    const before = await metric();
    for (let i = 0; i < 5; i++) await search(body);
    expect((await metric()) - before).toBe(5);
  });
});
