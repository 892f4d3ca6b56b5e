/**
 * Values at the ends of their types, from the table through queries, sorts, aggregations and back.
 */

import type { SearchRequest } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const SCHEMA = schemaOf({
  id: 'string',
  n: 'long',
  d: 'double',
  at: 'timestamptz',
  k: 'string',
  t: 'string',
});
const FIELDS = `fields:
  - { name: t, type: TEXT, analyzer: simple, cached: true }
  - { name: n, type: LONG }
  - { name: d, type: DOUBLE }
  - { name: at, type: DATE }
  - { name: k, type: KEYWORD, fast: true }`;
const MAX = '9223372036854775807';
const MIN = '-9223372036854775808';
const MEGABYTE = 'm'.repeat(2 ** 20);

const ROWS = [
  { id: 'max', n: MAX, d: 'Infinity', at: '9999-12-31T23:59:59.999999', k: '', t: '' },
  { id: 'min', n: MIN, d: '-Infinity', at: '0001-01-01T00:00:00.000000', k: ' ', t: ' ' },
  { id: 'nan', n: 0, d: 'NaN', at: '1970-01-01T00:00:00.000000', k: '\u0000', t: '\u0000 x' },
  { id: 'minus', n: -1, d: '-0', at: '1969-12-31T23:59:59.999999', k: null, t: null },
  { id: 'none', n: null, d: null, at: null, k: 'x', t: `before ${MEGABYTE} behind` },
];

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(SCHEMA, { rows: ROWS });
  await lake.build(FIELDS);
});
afterAll(() => lake.close());

async function ids(request: SearchRequest): Promise<string[]> {
  const { hits } = await lake.backend.search({ sort: [{ field: '_key' }], ...request });
  return hits.map((hit) => hit.coordinates.identifier[0]!.value);
}

describe('values at the edges of their types', () => {
  test.each<[string, readonly string[]]>([
    [`n:${MAX}`, ['max']],
    [`n:${MIN}`, ['min']],
    [`n:[${MIN} TO ${MAX}]`, ['max', 'min', 'minus', 'nan']],
    [`n:{${MIN} TO ${MAX}}`, ['minus', 'nan']],
    ['d:0', ['minus']],
    ['d:[0 TO 0]', ['minus']],
    ['d:NaN', ['nan']],
    ['d:Infinity', ['max']],
    ['d:[-Infinity TO Infinity]', ['max', 'min', 'minus']],
    ['d:*', ['max', 'min', 'minus', 'nan']],
    ['at:"9999-12-31T23:59:59.999999Z"', ['max']],
    ['at:"0001-01-01T00:00:00Z"', ['min']],
    ['at:[* TO 1969-12-31]', ['min']],
    ['at:[-1 TO 0]', ['minus', 'nan']],
    ['k:""', ['max']],
    ['k:" "', ['min']],
    ['k:"\u0000"', ['nan']],
    ['k:*', ['max', 'min', 'nan', 'none']],
    ['before AND behind', ['none']],
    ['"before behind"', []],
    ['x', ['nan']],
  ])('%s', async (query, expected) => {
    expect(await ids({ query })).toEqual(expected);
  });

  test('leave the position of a megabyte word empty; a query for it is too long', async () => {
    await expect(lake.backend.search({ query: MEGABYTE })).rejects.toMatchObject({
      code: 'limit_exceeded',
    });
    expect(await ids({ query: '"before behind"~1' })).toEqual(['none']);
  });

  test.each<[string, boolean, readonly string[]]>([
    ['n', false, ['min', 'minus', 'nan', 'max', 'none']],
    ['n', true, ['max', 'nan', 'minus', 'min', 'none']],
    ['d', false, ['min', 'minus', 'max', 'nan', 'none']],
    ['d', true, ['nan', 'max', 'minus', 'min', 'none']],
    ['at', false, ['min', 'minus', 'nan', 'max', 'none']],
    ['k', false, ['max', 'nan', 'min', 'none', 'minus']],
  ])('sort by %s, descending: %s, at once and page by page', async (field, desc, expected) => {
    const sort = [{ field, desc }];
    expect(await ids({ sort })).toEqual(expected);
    const paged: string[] = [];
    let after: SearchRequest['search_after'];
    for (;;) {
      const { hits } = await lake.backend.search({ sort, limit: 1, search_after: after });
      if (hits.length === 0) break;
      paged.push(hits[0]!.coordinates.identifier[0]!.value);
      after = JSON.parse(JSON.stringify(hits[0]!.sort));
    }
    expect(paged).toEqual(expected);
  });

  test('are aggregated', async () => {
    const aggs = {
      n: { stats: { field: 'n' } },
      k: { terms: { field: 'k', order: { _key: 'asc' } } },
      at: { date_histogram: { field: 'at', calendar_interval: 'year', time_zone: 'UTC' } },
    } as const;
    const { results } = await lake.backend.aggregate({ aggs });
    expect(results.n).toMatchObject({ count: 4, min: MIN, max: MAX });
    const keys = (name: 'k' | 'at') =>
      (results[name] as unknown as { buckets: { key: unknown }[] }).buckets.map(({ key }) => key);
    expect(keys('k')).toEqual(['', '\u0000', ' ', 'x']);
    const year = (iso: string) => Date.parse(iso) * 1000;
    expect(keys('at').map(Number)).toEqual([
      ...[
        year('0001-01-01T00:00:00Z'),
        year('1969-01-01T00:00:00Z'),
        0,
        year('9999-01-01T00:00:00Z'),
      ],
    ]);
  });

  test('are returned with rows of the table unchanged', async () => {
    const { hits } = await lake.backend.search({ hydrate: true, sort: [{ field: '_key' }] });
    const shown = Object.fromEntries(hits.map(({ row }) => [String(row!.id), row!]));
    expect(shown.max).toMatchObject({
      n: MAX,
      d: 'Infinity',
      k: '',
      at: '9999-12-31T23:59:59.999999Z',
    });
    expect(shown.min).toMatchObject({ n: MIN, d: '-Infinity', at: '0001-01-01T00:00:00.000000Z' });
    expect(shown.nan).toMatchObject({ d: 'NaN', k: '\u0000' });
    expect(shown.none).toMatchObject({ n: null, d: null, at: null, t: ROWS[4]!.t });
  });

  test.each([
    'at:"2016-12-31T23:59:60Z"',
    'at:10000-01-01',
    'at:"0000-13-01"',
    'n:1e400',
    `n:${MAX}0`,
  ])('%s is refused by name or has no hits', async (query) => {
    const found = await ids({ query }).catch((error) => error.code);
    expect(['invalid_query', 0]).toContain(Array.isArray(found) ? found.length : found);
  });
});
