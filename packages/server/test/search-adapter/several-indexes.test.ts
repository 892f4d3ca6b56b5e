// @module-tag campaign
/** Searches of several indexes, compared with plain loops over the rows of all their tables. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { appendRows, createTable } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { startService, type TestService } from '../support/service.ts';
import { type AdapterCalls, adapterCalls, type Body } from './adapter-calls.ts';

interface Row {
  readonly id: string;
  readonly title: string;
  readonly kind: string | null;
  readonly n: bigint | null;
  readonly at: string;
  readonly price?: number;
  readonly picked?: string;
  readonly index: string;
}

const string = { kind: 'string' } as const;
const SCHEMA = schemaOf({
  id: string,
  title: string,
  kind: string,
  n: 'long',
  at: 'timestamptz',
  price: 'double',
  picked: 'timestamptz',
});
const FIELDS = `fields:
  - { name: title, type: TEXT, cached: true }
  - { name: kind, type: KEYWORD, fast: true }
  - { name: n, type: LONG, fast: true }
  - { name: at, type: DATE }
`;
const OF_APPLES = `  - { name: price, type: DOUBLE }
  - { name: picked, type: DATE }
`;
const SEED = 20_261_124;
const CASES = byEffort(12, 400);
/** Names in the order in which equal hits follow each other. */
const NAMES = ['apples', 'bananas', 'cherries'];
const WORDS = ['red', 'green', 'ripe', 'sweet', 'sour'];

/** Rows of an index; only `apples` has prices and dates of picking. */
function rowsOf(index: string, count: number, seed: number): Row[] {
  const [rows] = fc.sample(
    fc.array(
      fc.record({
        title: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 }),
        kind: fc.option(fc.constantFrom('a', 'b', 'c', 'é', '😀')),
        n: fc.option(fc.oneof(fc.bigInt(-5n, 9n), fc.constant(2n ** 60n + 1n))),
        day: fc.nat(800),
        price: fc.double({ min: 0, max: 50, noNaN: true }),
      }),
      { minLength: count, maxLength: count },
    ),
    { seed, numRuns: 1 },
  );
  return rows!.map(({ title, day, price, ...row }, place) => {
    const at = new Date(Date.UTC(2024, 0, 1 + day, 7)).toISOString();
    const own = index === 'apples' ? { price, picked: at } : {};
    return { ...row, id: `${index[0]}${place}`, title: title.join(' '), at, ...own, index };
  });
}
const ROWS = new Map(NAMES.map((name, at) => [name, rowsOf(name, [40, 25, 60][at]!, SEED + at)]));
const ALL = NAMES.flatMap((name) => ROWS.get(name)!);

let service: TestService;
let calls: AdapterCalls;
let warehouse: string;

beforeAll(async () => {
  warehouse = mkdtempSync(join(tmpdir(), 'lhs-several-'));
  const catalog = { type: 'filesystem', warehouse } as const;
  service = await startService({
    auth: false,
    values: { 'search_adapter.enabled': true },
    names: { catalogs: { main: catalog } },
    prepare: async (backend) => {
      for (const [name, rows] of ROWS) {
        const source = { catalog, table: `ops.${name}` };
        await createTable(catalog, source.table, { schema: SCHEMA, formatVersion: 3 });
        await appendRows(source, { kind: 'rows', rows: rows.map(({ index: _, ...row }) => row) });
        const at = `{ catalog: ${JSON.stringify(catalog)}, table: ${source.table} }`;
        const own = name === 'apples' ? OF_APPLES : '';
        const definition = `version: 1\nindex: ${name}\nsource: ${at}\n${FIELDS}${own}`;
        await backend.createIndex({ definition });
        await backend.reindex({ index: name });
      }
      await backend.setAlias({ alias: 'yellow', index: 'bananas' });
    },
  });
  calls = adapterCalls(service.server.url);
});
afterAll(async () => {
  await service?.stop();
  rmSync(warehouse, { recursive: true, force: true });
});

const PATH = '/apples,bananas,cherries/_search';
const search = async (body: object, path = PATH): Promise<Body> => {
  const response = await calls.post(path, body);
  expect(response).toMatchObject({ status: 200 });
  return response.body;
};
const idsOf = (body: Body): string[] => body.hits.hits.map((hit: Body) => hit._id);
const one = async (agg: object, body: object = {}): Promise<Body> =>
  (await search({ ...body, size: 0, aggs: { x: agg } })).aggregations.x;

describe('a search of several indexes', () => {
  it.each([
    ['/_search', NAMES],
    ['/_all/_search', NAMES],
    ['/*/_search', NAMES],
    ['/a*,ch*/_search', ['apples', 'cherries']],
    ['/apples,yellow/_search', ['apples', 'bananas']],
    ['/*,-ch*/_search', ['apples', 'bananas']],
    ['/bananas,yellow/_search', ['bananas']],
  ])('%s reads %j', async (path, names) => {
    const body = await search({ size: 200, _source: false }, path);
    const rows = ALL.filter(({ index }) => names.includes(index));
    expect(body.hits.total).toEqual({ value: rows.length, relation: 'eq' });
    expect(new Set(idsOf(body))).toEqual(new Set(rows.map(({ id }) => id)));
    expect(new Set(body.hits.hits.map((hit: Body) => hit._index))).toEqual(new Set(names));
    expect(body._shards).toEqual({
      ...{ total: names.length, successful: names.length, skipped: 0, failed: 0 },
    });
  });

  it('orders by the scores that each index gives', async () => {
    const query = { match: { title: 'red ripe sour' } };
    const each = await Promise.all(
      NAMES.map(async (index) => {
        const { body } = await calls.post('/v1/search', {
          ...{ index, query: 'title:red title:ripe title:sour', default_operator: 'or' },
          limit: 100,
        });
        return body.hits.map((hit: Body, rank: number) => ({ index, rank, ...hit }));
      }),
    );
    const expected = each
      .flat()
      .sort(
        (a, b) =>
          b.score - a.score || NAMES.indexOf(a.index) - NAMES.indexOf(b.index) || a.rank - b.rank,
      );
    const all = await search({ query, size: 200 });
    expect(idsOf(all)).toEqual(expected.map((hit) => hit.coordinates.identifier[0].value));
    expect(all.hits.max_score).toBe(expected[0].score);
    const page = await search({ query, from: 7, size: 9 });
    expect(idsOf(page)).toEqual(idsOf(all).slice(7, 16));
    expect(page.hits.max_score).toBe(all.hits.max_score);
  });

  it('shows rows, fields and highlights of the page', async () => {
    const highlight = { fields: { title: {} } };
    const query = { match: { title: 'red' } };
    const body = await search({ query, from: 3, size: 20, fields: ['kind'], highlight });
    expect(body.hits.hits).toHaveLength(20);
    for (const hit of body.hits.hits) {
      const row = ALL.find(({ id }) => id === hit._id)!;
      expect(hit._index).toBe(row.index);
      expect(hit._source.title).toBe(row.title);
      expect(hit.fields?.kind ?? [null]).toEqual([row.kind]);
      expect(hit.highlight.title[0]).toContain('<em>red</em>');
    }
  });

  const compareNulls = <T>(a: T | null, b: T | null, less: (x: T, y: T) => number) =>
    a === null || b === null ? Number(a === null) - Number(b === null) : less(a, b);
  /** Equal hits are in the order of their indexes, then of their keys. */
  const byKey = (a: Row, b: Row) =>
    NAMES.indexOf(a.index) - NAMES.indexOf(b.index) || (a.id < b.id ? -1 : 1);
  const KEYS: Readonly<Record<string, (a: Row, b: Row, sign: number) => number>> = {
    n: (a, b, sign) => compareNulls(a.n, b.n, (x, y) => sign * (x < y ? -1 : x > y ? 1 : 0)),
    at: (a, b, sign) => sign * (Date.parse(a.at) - Date.parse(b.at)),
    kind: (a, b, sign) =>
      compareNulls(a.kind, b.kind, (x, y) => sign * Buffer.compare(Buffer.from(x), Buffer.from(y))),
    _doc: (a, b, sign) => sign * byKey(a, b),
  };
  const key = fc.tuple(fc.constantFrom(...Object.keys(KEYS)), fc.constantFrom('asc', 'desc'));
  const requests = fc.record({
    keys: fc.uniqueArray(key, { minLength: 1, maxLength: 3, selector: ([name]) => name }),
    word: fc.option(fc.constantFrom(...WORDS)),
    size: fc.integer({ min: 1, max: 40 }),
    isPit: fc.boolean(),
  });

  it('pages by search_after in the order of a plain sort', async () => {
    const { body: pit } = await calls.post('/apples,bananas,cherries/_pit?keep_alive=5m');
    const check = async (request: typeof requests extends fc.Arbitrary<infer T> ? T : never) => {
      const { keys, word, size, isPit } = request;
      // Without a point in time, a unique last key keeps pages apart.
      const isOpen = keys.some(([name]) => name === '_doc') || isPit;
      const all = isOpen ? keys : [...keys, ['_doc', 'asc'] as [string, string]];
      const expected = ALL.filter(({ title }) => word === null || title.split(' ').includes(word));
      const signed = all.map(([name, order]) => [name, order === 'desc' ? -1 : 1] as const);
      const tied = (a: Row, b: Row) => {
        for (const [name, sign] of signed) {
          const order = KEYS[name]!(a, b, sign);
          if (order !== 0) return order;
        }
        return byKey(a, b);
      };
      expected.sort(tied);
      const found: Body[] = [];
      for (let after: Body; ; ) {
        const page = await search(
          {
            ...{ sort: all.map(([name, order]) => ({ [name]: order })), size, _source: false },
            ...(word === null ? {} : { query: { term: { title: word } } }),
            ...(isPit ? { pit: { id: pit.id } } : {}),
            ...(after === undefined ? {} : { search_after: after }),
          },
          isPit ? '/_search' : PATH,
        );
        if (page.hits.hits.length === 0) break;
        found.push(...page.hits.hits);
        expect(found.length).toBeLessThanOrEqual(expected.length);
        after = page.hits.hits.at(-1).sort;
      }
      expect(found.map((hit) => hit._id)).toEqual(expected.map(({ id }) => id));
    };
    await fc.assert(fc.asyncProperty(requests, check), { seed: SEED, numRuns: CASES });
  }, 600_000);

  it('scrolls by relevance over all of them, each hit once', async () => {
    let { body } = await calls.post('/_search?scroll=1m', {
      size: 17,
      query: { match: { title: 'red' } },
    });
    const found: string[] = [];
    const scores: number[] = [];
    while (body.hits.hits.length > 0) {
      found.push(...idsOf(body));
      scores.push(...body.hits.hits.map((hit: Body) => hit._score));
      ({ body } = await calls.post('/_search/scroll', { scroll_id: body._scroll_id }));
    }
    const expected = ALL.filter(({ title }) => title.includes('red')).map(({ id }) => id);
    expect(found.toSorted()).toEqual(expected.toSorted());
    expect(scores).toEqual(scores.toSorted((a, b) => b - a));
    const closed = await calls.send('DELETE', '/_search/scroll', { scroll_id: body._scroll_id });
    expect(closed.body).toEqual({ succeeded: true, num_freed: 1 });
  });

  it('collapses to the first hit of each value', async () => {
    const body = await search({ collapse: { field: 'kind' }, sort: [{ n: 'desc' }], size: 10 });
    const best = new Map<string | null, bigint | null>();
    for (const { kind, n } of ALL) {
      const known = best.get(kind);
      if (!best.has(kind) || (n !== null && (known == null || n > known))) best.set(kind, n);
    }
    const values = body.hits.hits.map((hit: Body) => [
      hit.fields?.kind[0] ?? null,
      String(hit.sort[0]),
    ]);
    expect(new Map(values)).toEqual(new Map([...best].map(([kind, n]) => [kind, String(n)])));
    expect(values).toHaveLength(best.size);
  });

  it('has the rows of a field that one index lacks at the end', async () => {
    const sort = [{ price: { order: 'asc', unmapped_type: 'double' } }];
    const { hits } = (await search({ sort, size: 200 })).hits;
    expect(hits.slice(0, 40).every((hit: Body) => hit._index === 'apples')).toBe(true);
    expect(hits[40].sort).toEqual([null]);
    const { body: pit } = await calls.post('/ch*,apples,bananas/_pit?keep_alive=1m');
    for (const missing of ['_last', '_first']) {
      const found: string[] = [];
      for (let after: Body; ; ) {
        const body = {
          ...{ pit: { id: pit.id }, size: 30, ...(after && { search_after: after }) },
          sort: [{ price: { order: 'desc', unmapped_type: 'double', missing } }],
        };
        const page = await search(body, '/_search');
        if (page.hits.hits.length === 0) break;
        found.push(...page.hits.hits.map((hit: Body) => hit._id));
        after = page.hits.hits.at(-1).sort;
      }
      expect(found).toHaveLength(ALL.length);
      expect(new Set(found).size).toBe(ALL.length);
      const apples = missing === '_last' ? found.slice(0, 40) : found.slice(-40);
      const prices = apples.map((id) => ALL.find((row) => row.id === id)!.price!);
      expect(prices).toEqual(prices.toSorted((a, b) => b - a));
    }
  });

  it('puts missing values first, or where their value says', async () => {
    for (const missing of ['_first', 3]) {
      const sort = [{ n: { order: 'desc', missing } }];
      const { hits } = (await search({ sort, size: 200 })).hits;
      const value = ({ n }: Row) => n ?? (missing === 3 ? 3n : 2n ** 62n);
      const values = hits.map((hit: Body) => value(ALL.find(({ id }) => id === hit._id)!));
      expect(values).toEqual(values.toSorted((a: bigint, b: bigint) => Number(b - a)));
    }
  });

  it('puts all rows of indexes without a date where the value for missing ones says', async () => {
    const missing = Date.UTC(2025, 0, 1);
    const sort = [{ picked: { order: 'asc', unmapped_type: 'date', missing } }];
    const { hits } = (await search({ sort, size: 200 })).hits;
    const value = ({ index, at }: Row) => (index === 'apples' ? Date.parse(at) : missing);
    const values = hits.map((hit: Body) => value(ALL.find(({ id }) => id === hit._id)!));
    expect(values).toEqual(values.toSorted((a: number, b: number) => a - b));
  });

  it('has the rows in the order of their indexes if none has the field', async () => {
    const sort = [{ none: { order: 'asc', unmapped_type: 'long' } }];
    const { hits } = (await search({ sort, size: 200 })).hits;
    expect(hits.map((hit: Body) => hit._index)).toEqual(ALL.map(({ index }) => index));
    const explained = await calls.post(PATH, { sort, size: 101, explain: true });
    expect([explained.status, explained.body.error?.reason]).toEqual([
      ...[400, '[explain] and [inner_hits] are served for at most 100 hits'],
    ]);
  });

  it('an index that cannot sort is a failure, and the others answer', async () => {
    const body = await search({ sort: [{ price: 'asc' }], size: 100 });
    expect(body._shards).toMatchObject({ total: 3, successful: 1, failed: 2 });
    expect(body._shards.failures.map(({ index, reason }: Body) => [index, reason.type])).toEqual([
      ['bananas', 'query_shard_exception'],
      ['cherries', 'query_shard_exception'],
    ]);
    expect(body.hits.total.value).toBe(40);
  });
});

describe('aggregations over several indexes', () => {
  const count = <T>(of: (row: Row) => T, rows: readonly Row[] = ALL) => {
    const counts = new Map<T, number>();
    for (const row of rows) counts.set(of(row), (counts.get(of(row)) ?? 0) + 1);
    return counts;
  };

  it('terms are counted together, with figures inside', async () => {
    const aggs = { m: { max: { field: 'at' } }, d: { cardinality: { field: 'at' } } };
    const { buckets, ...rest } = await one({ terms: { field: 'kind', size: 3 }, aggs });
    const counts = [...count(({ kind }) => kind)].filter(([kind]) => kind !== null);
    const expected = counts.sort(
      ([a, x], [b, y]) => y - x || Buffer.compare(Buffer.from(a!), Buffer.from(b!)),
    );
    const others = expected.slice(3).reduce((sum, [, n]) => sum + n, 0);
    expect(rest).toEqual({ doc_count_error_upper_bound: 0, sum_other_doc_count: others });
    for (const [at, bucket] of buckets.entries()) {
      const [kind, doc_count] = expected[at]!;
      expect(bucket).toMatchObject({ key: kind, doc_count });
      const dates = ALL.filter((row) => row.kind === kind).map((row) => Date.parse(row.at));
      expect(bucket.m.value).toBe(Math.max(...dates));
      expect(bucket.d.value).toBe(new Set(dates).size);
    }
  });

  it('figures of whole numbers are exact, of fields of one index too', async () => {
    const found = await one({ stats: { field: 'n' } });
    const numbers = ALL.flatMap(({ n }) => (n === null ? [] : [n]));
    const sum = numbers.reduce((a, b) => a + b, 0n);
    expect([found.count, found.min]).toEqual([numbers.length, -5]);
    expect(found.sum).toBe(Number(sum));
    const prices = ALL.flatMap(({ price }) => (price === undefined ? [] : [price]));
    const price = await one({ stats: { field: 'price' } });
    expect([price.count, price.max]).toEqual([prices.length, Math.max(...prices)]);
    const filter = { filter: { range: { price: { gte: 10 } } } };
    expect((await one(filter)).doc_count).toBe(prices.filter((p) => p >= 10).length);
    const missing = await one({ missing: { field: 'price' } });
    expect(missing.doc_count).toBe(ALL.length - prices.length);
  });

  it('months are joined, with the empty ones between', async () => {
    const monthOf = ({ at }: Row) => Date.parse(`${at.slice(0, 7)}-01T00:00:00Z`);
    const histogram = { field: 'at', calendar_interval: 'month' };
    const query = { bool: { filter: { terms: { kind: ['a', '😀'] } } } };
    const { buckets } = await one({ date_histogram: histogram }, { query });
    const rows = ALL.filter(({ kind }) => kind === 'a' || kind === '😀');
    const counts = count(monthOf, rows);
    const starts = [...counts.keys()].sort((a, b) => a - b);
    const expected: [number, number][] = [];
    for (let at = starts[0]!; at <= starts.at(-1)!; ) {
      expected.push([at, counts.get(at) ?? 0]);
      const date = new Date(at);
      at = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1);
    }
    expect(buckets.map(({ key, doc_count }: Body) => [key, doc_count])).toEqual(expected);
  });

  it('composite pages reach all combinations in order', async () => {
    const sources = [
      { kind: { terms: { field: 'kind', order: 'desc' } } },
      { year: { date_histogram: { field: 'at', calendar_interval: 'year' } } },
    ];
    const found: Body[] = [];
    for (let after: Body; ; ) {
      const composite = { size: 4, sources, ...(after && { after }) };
      const page = await one({ composite });
      if (page.buckets.length === 0) break;
      found.push(...page.buckets);
      after = page.after_key;
    }
    const named = ALL.filter(({ kind }) => kind !== null);
    const counts = count(
      ({ kind, at }) => JSON.stringify([kind, Date.UTC(Number(at.slice(0, 4)), 0)]),
      named,
    );
    const expected = [...counts]
      .map(([text, doc_count]) => [...(JSON.parse(text) as [string, number]), doc_count] as const)
      .sort((a, b) => Buffer.compare(Buffer.from(b[0]), Buffer.from(a[0])) || a[1] - b[1]);
    expect(found.map(({ key, doc_count }) => [key.kind, key.year, doc_count])).toEqual(expected);
  });

  it.each([
    [{ percentiles: { field: 'n' } }, 501, '[percentiles] over several indexes'],
    [{ range: { field: 'none', ranges: [{ from: 1 }] } }, 400, 'is no field'],
  ])('%j is %i', async (agg, status, reason) => {
    const response = await calls.post(PATH, { size: 0, aggs: { x: agg } });
    expect([response.status, response.body.error.reason]).toEqual([
      status,
      expect.stringContaining(reason),
    ]);
  });
});

describe('what a search of several indexes refuses', () => {
  it.each([
    [{ knn: { field: 'v', query_vector: [1] } }, 400],
    [{ retriever: { rrf: {} } }, 501],
    [{ sort: [{ none: 'asc' }] }, 400],
  ])('%j: %i', async (body, status) => {
    expect((await calls.post(PATH, body)).status).toBe(status);
  });

  it('a name that no index has', async () => {
    const { status, body } = await calls.post('/apples,none/_search', {});
    expect([status, body.error.type]).toEqual([404, 'index_not_found_exception']);
    const some = await search({ size: 1 }, '/apples,none/_search?ignore_unavailable=true');
    expect(some.hits.total.value).toBe(40);
  });
});

describe('_msearch and _count over several indexes', () => {
  it('answer each search for its own indexes', async () => {
    const lines = [{ index: ['apples', 'cherries'] }, { size: 0 }, { index: 'b*' }, { size: 1 }];
    const body = lines.map((line) => `${JSON.stringify(line)}\n`).join('');
    const { responses } = (await calls.post('/_msearch', body)).body;
    expect(responses.map(({ hits }: Body) => hits.total.value)).toEqual([100, 25]);
    const counted = await calls.post('/a*,yellow/_count', { query: { term: { title: 'red' } } });
    const rows = ALL.filter(({ index, title }) => index !== 'cherries' && title.includes('red'));
    expect(counted.body.count).toBe(rows.length);
  });
});
