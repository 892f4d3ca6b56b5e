/** Aggregations of the adapter, compared with plain loops over the rows of the table. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MOST_RUNS } from '../../src/search-adapter/aggregations/limited-runs.ts';
import { startTickets, TICKETS, type TicketService } from '../support/tickets.ts';
import { type AdapterCalls, adapterCalls, type Body } from './adapter-calls.ts';

let service: TicketService;
let calls: AdapterCalls;

beforeAll(async () => {
  service = await startTickets({ auth: false, values: { 'search_adapter.enabled': true } });
  calls = adapterCalls(service.server.url);
});
afterAll(() => service?.stop());

const found = (
  aggs: object,
  body: object = {},
  params = '',
): Promise<{ status: number; body: Body }> =>
  calls.post(`/tickets/_search?size=0${params}`, { ...body, aggs });
const one = async (agg: object, body: object = {}): Promise<Body> => {
  const response = await found({ x: agg }, body);
  expect(response).toMatchObject({ status: 200 });
  return response.body.aggregations.x;
};
const countBy = <T>(of: (row: (typeof TICKETS)[number]) => T): Map<T, number> => {
  const counts = new Map<T, number>();
  for (const row of TICKETS) counts.set(of(row), (counts.get(of(row)) ?? 0) + 1);
  return counts;
};
const monthOf = (at: string) => Date.parse(`${at.slice(0, 7)}-01T00:00:00Z`);
const bucketsBy = <T extends string | number>(counts: ReadonlyMap<T, number>) =>
  [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, doc_count]) => ({ key, doc_count }));

describe('terms', () => {
  it('counts values with the rest of them', async () => {
    expect(await one({ terms: { field: 'status', size: 1 } })).toEqual({
      doc_count_error_upper_bound: 0,
      sum_other_doc_count: 15,
      buckets: [{ key: 'open', doc_count: 45 }],
    });
  });

  it.each([
    ['all documents', {}, TICKETS],
    [
      'documents of a filter',
      { background_filter: { range: { price: { lt: 15 } } } },
      TICKETS.slice(0, 30),
    ],
  ])('finds values that are more significant than in %s', async (_, options, all) => {
    const found = TICKETS.filter(({ title }) => title.includes('timeout'));
    const isClosed = ({ status }: (typeof TICKETS)[number]) => status === 'closed';
    const [doc_count, bg_count] = [found, all].map((rows) => rows.filter(isClosed).length);
    const [share, before] = [doc_count / found.length, bg_count / all.length];
    const spec = { significant_terms: { field: 'status', ...options } };
    const { buckets, ...counts } = await one(spec, { query: { match: { title: 'timeout' } } });
    expect(counts).toEqual({ doc_count: found.length, bg_count: all.length });
    const score = expect.closeTo(((share - before) * share) / before, 12);
    expect(buckets).toEqual([{ key: 'closed', doc_count, score, bg_count }]);
  });

  it.each([
    [{ _count: 'asc' }, ['closed', 'open']],
    [{ _key: 'desc' }, ['open', 'closed']],
    [
      [{ _count: 'desc' }, { _key: 'asc' }],
      ['open', 'closed'],
    ],
    [{ most: 'desc' }, ['open', 'closed']],
    [{ 'all.min': 'asc' }, ['closed', 'open']],
  ])('orders by %j', async (order, keys) => {
    const aggs = { most: { max: { field: 'price' } }, all: { stats: { field: 'price' } } };
    const { buckets } = await one({ terms: { field: 'status', order }, aggs });
    expect(buckets.map(({ key }: Body) => key)).toEqual(keys);
  });

  it.each([
    [{ include: ['open', 'none'] }, ['open']],
    [{ exclude: ['open'] }, ['closed']],
    [{ include: '.*e.*', exclude: 'cl.*' }, ['open']],
    [{ min_doc_count: 20 }, ['open']],
  ])('leaves values out by %j', async (options, keys) => {
    const { buckets } = await one({ terms: { field: 'status', ...options } });
    expect(buckets.map(({ key }: Body) => key)).toEqual(keys);
  });

  it('writes keys of each type', async () => {
    const first = async (field: string) =>
      (await one({ terms: { field, size: 1, order: { _key: 'asc' } } })).buckets[0];
    expect(await first('ok')).toEqual({ key: 0, key_as_string: 'false', doc_count: 30 });
    expect(await first('price')).toEqual({ key: 0, doc_count: 1 });
    expect(await first('host')).toEqual({ key: '10.0.0.0', doc_count: 1 });
    const key = Date.UTC(2026, 0, 3);
    const key_as_string = '2026-01-03T00:00:00.000Z';
    expect(await first('at')).toEqual({ key, key_as_string, doc_count: 5 });
  });
});

describe('histograms', () => {
  it('counts months, with empty ones up to the bounds', async () => {
    const date_histogram = { field: 'at', calendar_interval: '1M', format: 'yyyy-MM' };
    const { buckets } = await one({ date_histogram });
    const months = bucketsBy(countBy(({ at }) => monthOf(at)));
    expect(buckets).toEqual(
      months.map((bucket) => ({
        key_as_string: new Date(bucket.key).toISOString().slice(0, 7),
        ...bucket,
      })),
    );
    const max = Date.UTC(2027, 1, 5);
    const longer = await one({ date_histogram: { ...date_histogram, extended_bounds: { max } } });
    expect(longer.buckets.slice(12)).toEqual([
      { key_as_string: '2027-01', key: Date.UTC(2027, 0, 1), doc_count: 0 },
      { key_as_string: '2027-02', key: Date.UTC(2027, 1, 1), doc_count: 0 },
    ]);
  });

  it('has results of everything inside of an empty bucket', async () => {
    const field = 'price';
    const aggs = {
      ...{ a: { avg: { field } }, b: { stats: { field } }, c: { cardinality: { field } } },
      ...{ d: { percentiles: { field, percents: [5] } }, e: { terms: { field } } },
      ...{ f: { range: { field, ranges: [{ from: 1 }] } }, g: { value_count: { field } } },
      h: { filter: { match_all: {} }, aggs: { i: { max: { field } } } },
      j: { filters: { filters: [{ match_all: {} }] } },
      k: { date_histogram: { field: 'at', fixed_interval: '1d' } },
    };
    const bounds = { max: Date.UTC(2027, 0, 5) };
    const date_histogram = { field: 'at', calendar_interval: 'year', extended_bounds: bounds };
    const { buckets } = await one({ date_histogram, aggs });
    expect(buckets[1]).toMatchObject({
      ...{ doc_count: 0, a: { value: null }, b: { count: 0, min: null, sum: 0 }, c: { value: 0 } },
      ...{ d: { values: { '5.0': null } }, e: { buckets: [] }, g: { value: 0 } },
      f: { buckets: [{ key: '1.0-*', from: 1, doc_count: 0 }] },
      h: { doc_count: 0, i: { value: null } },
      ...{ j: { buckets: [{ doc_count: 0 }] }, k: { buckets: [] } },
    });
  });

  it('counts fixed intervals in milliseconds', async () => {
    const interval = 86_400_000 * 7;
    const { buckets } = await one({
      date_histogram: { field: 'at', fixed_interval: '7d', min_doc_count: 1 },
    });
    const weeks = countBy(({ at }) => Math.floor(Date.parse(at) / interval) * interval);
    expect(buckets).toMatchObject(bucketsBy(weeks));
  });

  it('shows clocks of a time zone', async () => {
    const zoned = { field: 'at', calendar_interval: 'day', time_zone: 'America/New_York' };
    const { buckets } = await one({ date_histogram: { ...zoned, min_doc_count: 1 } });
    expect(buckets[0]).toEqual({
      key_as_string: '2026-01-02T00:00:00.000-05:00',
      key: Date.UTC(2026, 0, 2, 5),
      doc_count: 5,
    });
  });

  it('counts numbers, also negative and empty ones', async () => {
    const histogram = { field: 'price', interval: 5, offset: 1 };
    const { buckets } = await one({ histogram });
    const counts = countBy(({ price }) => Math.floor((price - 1) / 5) * 5 + 1);
    expect(buckets).toEqual(bucketsBy(counts));
    const none = await one({ histogram }, { query: { term: { status: 'nothing' } } });
    expect(none.buckets).toEqual([]);
  });
});

describe('values that documents lack, and values that no document has', () => {
  const open = { query: { term: { status: 'open' } } };
  const hour = 3_600_000;

  it('a date histogram with an offset begins its days later', async () => {
    const date_histogram = { field: 'at', calendar_interval: 'day', offset: '+6h' };
    const { buckets } = await one({ date_histogram: { ...date_histogram, min_doc_count: 1 } });
    const starts = countBy(({ at }) => {
      const time = Date.parse(at) - 6 * hour;
      return time - (time % (24 * hour)) + 6 * hour;
    });
    expect(buckets).toMatchObject(bucketsBy(starts));
    const aggs = { m: { max: { field: 'price' } } };
    const fixed = await one({
      date_histogram: { field: 'at', fixed_interval: '30d', offset: '-7d' },
      aggs,
    });
    const width = 30 * 24 * hour;
    const shift = -7 * 24 * hour;
    const startOf = (at: string) => Math.floor((Date.parse(at) - shift) / width) * width + shift;
    const counts = countBy(({ at }) => startOf(at));
    for (const { key, doc_count, m } of fixed.buckets) {
      expect(doc_count).toBe(counts.get(key) ?? 0);
      const prices = TICKETS.filter(({ at }) => startOf(at) === key).map(({ price }) => price);
      expect(m.value).toBe(prices.length === 0 ? null : Math.max(...prices));
    }
    expect(fixed.buckets.at(-1).key).toBe(Math.max(...counts.keys()));
  });

  it('hard bounds cut buckets off, extended bounds in a time zone add them', async () => {
    const bounds = { min: '2026-03-01', max: '2026-06-01' };
    const months = { field: 'at', calendar_interval: 'month', hard_bounds: bounds };
    const cut = await one({ date_histogram: months });
    expect(cut.buckets.map(({ key }: Body) => new Date(key).getUTCMonth())).toEqual([2, 3, 4]);
    const numbers = { field: 'price', interval: 5, hard_bounds: { min: 5, max: 15 } };
    const { buckets } = await one({ histogram: numbers });
    expect(buckets.map(({ key }: Body) => key)).toEqual([5, 10, 15]);
    const zoned = {
      ...{ field: 'at', calendar_interval: 'month', time_zone: 'America/New_York' },
      extended_bounds: { min: '2025-11-15', max: '2026-01-15' },
    };
    const more = await one({ date_histogram: zoned });
    expect(more.buckets.slice(0, 3)).toMatchObject([
      { key: Date.UTC(2025, 10, 1, 4), doc_count: 0 },
      { key: Date.UTC(2025, 11, 1, 5), doc_count: 0 },
      { key: Date.UTC(2026, 0, 1, 5), doc_count: 5 },
    ]);
  });

  it('terms with min_doc_count 0 have the values of all documents', async () => {
    const terms = { field: 'host', min_doc_count: 0, size: 100 };
    const { buckets, sum_other_doc_count } = await one({ terms }, open);
    expect(sum_other_doc_count).toBe(0);
    const counts = new Map(buckets.map(({ key, doc_count }: Body) => [key, doc_count]));
    expect(counts).toEqual(
      new Map(TICKETS.map(({ host, status }) => [host, status === 'open' ? 1 : 0])),
    );
    const chosen = { field: 'status', min_doc_count: 0, include: ['closed'] };
    const aggs = { a: { avg: { field: 'price' } } };
    const found = await one({ terms: chosen, aggs }, open);
    expect(found.buckets).toEqual([{ key: 'closed', doc_count: 0, a: { value: null } }]);
  });

  it('documents without a value count as missing', async () => {
    const lacking = TICKETS.filter(({ meta }) => meta.kind === 'pull').length;
    const having = TICKETS.filter(({ meta }) => meta.kind === 'push').map((t) => t.meta.commits);
    const field = 'meta.commits';
    const all = [...having, ...new Array(lacking).fill(7)];
    const sum = all.reduce((a, b) => a + b, 0);
    expect(await one({ stats: { field, missing: 7 } })).toEqual({
      ...{ count: all.length, min: Math.min(...all), max: Math.max(...all) },
      ...{ avg: sum / all.length, sum },
    });
    const aggs = { top: { max: { field: 'price' } } };
    const { buckets } = await one({ histogram: { field, interval: 10, missing: 7 }, aggs });
    const starts = TICKETS.map(({ meta, price }) => {
      const value = meta.kind === 'push' ? meta.commits : 7;
      return { start: Math.floor(value / 10) * 10, price };
    });
    for (const { key, doc_count, top } of buckets) {
      const own = starts.filter(({ start }) => start === key).map(({ price }) => price);
      expect([doc_count, top.value]).toEqual([own.length, Math.max(...own)]);
    }
    expect(buckets.reduce((total: number, one: Body) => total + one.doc_count, 0)).toBe(60);
  });
});

describe('ranges and filters', () => {
  it('orders ranges and names them', async () => {
    const ranges = [{ from: 20 }, { to: 10 }, { key: 'mid', from: 10, to: 20 }];
    expect((await one({ range: { field: 'price', ranges } })).buckets).toEqual([
      { key: '*-10.0', to: 10, doc_count: 20 },
      { key: 'mid', from: 10, to: 20, doc_count: 20 },
      { key: '20.0-*', from: 20, doc_count: 20 },
    ]);
  });

  it('reads dates as milliseconds and as texts', async () => {
    const ranges = [{ to: '2026-07' }, { from: Date.UTC(2026, 6, 1) }];
    const { buckets } = await one({ date_range: { field: 'at', format: 'yyyy-MM', ranges } });
    const at = Date.UTC(2026, 6, 1);
    expect(buckets).toEqual([
      { key: '*-2026-07', to: at, to_as_string: '2026-07', doc_count: 30 },
      { key: '2026-07-*', from: at, from_as_string: '2026-07', doc_count: 30 },
    ]);
  });

  it('reads date math', async () => {
    const ranges = [{ from: 'now-1000y/y', to: '2026-06-20||/M' }];
    const [{ to, doc_count }] = (await one({ date_range: { field: 'at', ranges } })).buckets;
    expect([to, doc_count]).toEqual([Date.UTC(2026, 5, 1), 25]);
  });

  it('counts filters, those that none matches, and missing values', async () => {
    const filters = { a: { term: { status: 'closed' } }, b: { match: { title: 'login' } } };
    const counted = await one({ filters: { filters, other_bucket: true } });
    const isClosed = (n: number) => n % 4 === 0;
    const rest = TICKETS.filter((_, n) => !isClosed(n) && n % 3 !== 1).length;
    expect(counted.buckets).toEqual({
      a: { doc_count: 15 },
      b: { doc_count: 20 },
      _other_: { doc_count: rest },
    });
    expect(await one({ missing: { field: 'price' } })).toEqual({ doc_count: 0 });
    const filter = await one({
      filter: filters.a,
      aggs: { n: { value_count: { field: 'host' } } },
    });
    expect(filter).toEqual({ doc_count: 15, n: { value: 15 } });
  });
});

describe('metrics', () => {
  it.each([
    [{ avg: { field: 'price' } }, { value: 14.75 }],
    [{ sum: { field: 'price' } }, { value: 885 }],
    [{ min: { field: 'price' } }, { value: 0 }],
    [{ value_count: { field: 'price' } }, { value: 60 }],
    [{ cardinality: { field: 'at' } }, { value: 12 }],
    [
      { max: { field: 'at' } },
      { value: Date.UTC(2026, 11, 3), value_as_string: '2026-12-03T00:00:00.000Z' },
    ],
    [{ stats: { field: 'price' } }, { count: 60, min: 0, max: 29.5, avg: 14.75, sum: 885 }],
    [
      { percentiles: { field: 'price', percents: [50, 100] } },
      { values: { '50.0': 14.75, '100.0': 29.5 } },
    ],
    [
      { percentiles: { field: 'price', percents: [0], keyed: false } },
      { values: [{ key: 0, value: 0 }] },
    ],
  ])('%j', async (agg, expected) => {
    expect(await one(agg)).toEqual(expected);
  });

  it('has no average of nothing, and the sum 0', async () => {
    const nothing = { query: { term: { status: 'nothing' } } };
    expect(await one({ avg: { field: 'price' } }, nothing)).toEqual({ value: null });
    expect(await one({ sum: { field: 'price' } }, nothing)).toEqual({ value: 0 });
  });
});

describe('composite', () => {
  const sources = [
    { month: { date_histogram: { field: 'at', calendar_interval: '1M', order: 'desc' } } },
    { status: { terms: { field: 'status' } } },
  ];
  const expected = () => {
    const counts = countBy(({ at, status }) => JSON.stringify([monthOf(at), status]));
    return [...counts]
      .map(([text, doc_count]) => {
        const [month, status] = JSON.parse(text);
        return { key: { month, status }, doc_count };
      })
      .sort((a, b) => b.key.month - a.key.month || (a.key.status < b.key.status ? -1 : 1));
  };

  it('reaches all combinations page by page, with what is inside', async () => {
    const all: Body[] = [];
    for (let after: Body; ; ) {
      const composite = { size: 5, sources, ...(after && { after }) };
      const page = await one({ composite, aggs: { p: { sum: { field: 'price' } } } });
      if (page.buckets.length === 0) break;
      all.push(...page.buckets);
      after = page.after_key;
    }
    expect(all.map(({ p: _, ...bucket }) => bucket)).toEqual(expected());
    expect(all.reduce((sum, { p }) => sum + p.value, 0)).toBe(885);
  });
});

describe('reads of aggregations', () => {
  const sources = [{ at: { terms: { field: 'at' } } }, { status: { terms: { field: 'status' } } }];
  const values = new Set(TICKETS.map(({ at }) => at)).size;
  /** Composites that take all reads but some of the last one. */
  const most = Math.ceil(MOST_RUNS / (values + 1));
  const several = (count: number, after?: Body) => {
    const composite = { size: 1000, sources, ...(after && { after }) };
    return Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}`, { composite }]));
  };

  it('end a page of a composite before its size, and the next one goes on', async () => {
    const { aggregations } = (await found(several(most))).body;
    const { buckets, after_key } = aggregations[`c${most - 1}`];
    const all = aggregations.c0.buckets;
    expect(buckets.length).toBeLessThan(all.length);
    const next = (await found(several(1, after_key))).body.aggregations.c0.buckets;
    expect([...buckets, ...next]).toEqual(all);
  });

  it('are limited', async () => {
    const { status, body } = await found(several(most + 1));
    expect([status, body.error.type]).toEqual([400, 'too_many_buckets_exception']);
  });

  it('of a composite begin at all of its sources, which are few', async () => {
    const many = Array.from({ length: 11 }, (_, at) => ({
      [`s${at}`]: { terms: { field: 'status' } },
    }));
    const tooMany = await found({ c: { composite: { sources: many } } });
    expect(tooMany.body.error.reason).toContain('at most 10');
    const named = [{ toString: { terms: { field: 'status' } } }];
    const without = await found({ c: { composite: { sources: named, after: {} } } });
    expect(without.body.error.reason).toBe('Missing value for [after.toString]');
  });
});

describe('texts that a response repeats', () => {
  const long = 'x'.repeat(1001);
  const terms = { field: 'status' };
  const at = (aggs: object) => ({ t: { terms, aggs } });

  it.each([
    ['names', at({ [long]: { value_count: { field: 'size' } } })],
    ['meta', at({ n: { value_count: { field: 'size' }, meta: { long } } })],
    ['keys of filters', at({ f: { filters: { filters: { [long]: { match_all: {} } } } } })],
    ['other keys', at({ f: { filters: { filters: [], other_bucket_key: long } } })],
    ['keys of ranges', at({ r: { range: { field: 'size', ranges: [{ key: long, to: 1 }] } } })],
    [
      'formats',
      at({ d: { date_histogram: { field: 'at', fixed_interval: '1d', format: `'${long}'` } } }),
    ],
    ['missing values', { t: { terms: { ...terms, missing: long } } }],
    ['sources', { c: { composite: { sources: [{ [long]: { terms } }] } } }],
  ])('are limited: %s', async (_, aggs) => {
    const { status, body } = await found(aggs);
    expect([status, body.error.type]).toEqual([400, 'illegal_argument_exception']);
  });
});

describe('names of results', () => {
  it('begin with the type if the URL says so, and meta comes back', async () => {
    const aggs = {
      a: {
        terms: { field: 'status' },
        meta: { of: 'it' },
        aggs: { b: { avg: { field: 'price' } } },
      },
      c: { terms: { field: 'price' } },
      d: { terms: { field: 'ok' } },
      e: { percentiles: { field: 'price' } },
    };
    const { aggregations } = (await found(aggs, {}, '&typed_keys=true')).body;
    const names = ['sterms#a', 'dterms#c', 'lterms#d', 'tdigest_percentiles#e'];
    expect(Object.keys(aggregations)).toEqual(names);
    expect(aggregations['sterms#a'].meta).toEqual({ of: 'it' });
    expect(aggregations['sterms#a'].buckets[0]).toHaveProperty(['avg#b']);
  });

  it('post_filter restricts hits, and not aggregations', async () => {
    const body = { post_filter: { term: { status: 'closed' } } };
    const response = await found({ s: { terms: { field: 'status' } } }, body);
    expect(response.body.hits.total.value).toBe(15);
    expect(response.body.aggregations.s.buckets).toHaveLength(2);
  });
});

describe('what aggregations refuse', () => {
  const date = { field: 'at' };
  it.each([
    [{ nope: {} }, 400, 'Unknown aggregation type [nope]'],
    [{ top_hits: {} }, 501, '[top_hits]'],
    [{ date_histogram: { ...date, fixed_interval: '1M' } }, 400, 'unit is missing or unrecognized'],
    [{ date_histogram: { ...date, calendar_interval: '2d' } }, 400, 'The supplied interval [2d]'],
    [{ date_histogram: { ...date, interval: '1d' } }, 501, '[interval]'],
    [{ date_histogram: { ...date, fixed_interval: '1h', offset: '5x' } }, 400, '[offset]'],
    [{ date_histogram: { ...date, fixed_interval: '1s', offset: '5ms' } }, 400, 'buckets'],
    [
      { date_histogram: { ...date, fixed_interval: '1h', time_zone: 'Europe/Nowhere' } },
      400,
      '[time_zone]',
    ],
    [{ terms: { field: 'status', min_doc_count: -1 } }, 400, '[min_doc_count]'],
    [
      { terms: { field: 'status', order: { x: 'asc' } } },
      400,
      'Invalid aggregation order path [x]',
    ],
    [{ composite: { sources: [{ a: { terms: { field: 'nope' } } }] } }, 400, '[nope] is no field'],
    [{ terms: { field: '_index' } }, 501, 'over [_index]'],
    [{ terms: { field: 'title' } }, 400, 'title'],
    [{ percentiles: { field: 'price', missing: 1 } }, 501, '[missing]'],
    [{ avg: { field: 'price', missing: 'x' } }, 400, '[missing]'],
    [
      { avg: { field: 'price' }, aggs: { x: { avg: { field: 'price' } } } },
      400,
      'sub-aggregations',
    ],
    [{ avg: { field: 'price' }, sum: { field: 'price' } }, 400, 'Found two aggregation type'],
    [{}, 400, 'Missing definition'],
    [{ histogram: { field: 'price', interval: 0 } }, 400, '[interval] must be >0'],
    [{ histogram: { field: 'price', interval: 1e-9 } }, 400, 'too many buckets'],
  ])('%j: %i', async (agg, status, reason) => {
    const response = await found({ x: agg });
    expect(response.status).toBe(status);
    expect(response.body.error.reason).toContain(reason);
  });
});
