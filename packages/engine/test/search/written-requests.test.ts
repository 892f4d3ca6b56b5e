/** Requests in SQL and in words, which no query string is. */
import type { LhsError, SearchRequest } from '@lakehouse-search/contract';
import { appendRows } from '@lakehouse-search/lake';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({ id: 'long', name: 'string', Type: 'string', Price: 'double' });
const ROWS = Array.from({ length: 30 }, (_, id) => ({
  ...{ id, name: ['ford small', 'audi'][id % 2], Type: ['Small', 'Van', 'Large'][id % 3] },
  Price: (id * 7) % 30,
}));

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema);
  await appendRows(lake.source, { kind: 'rows', rows: ROWS });
  await lake.define(`key: { identifier: [id] }
default_fields: [name, Type]
fields:
  - { name: name, type: TEXT }
  - { name: Type, type: KEYWORD, folded: true, fast: true }
  - { name: Price, type: DOUBLE, fast: true }`);
  await lake.backend.reindex({});
});
afterAll(() => lake.close());

/** What a note or an error says that a text is, with its total. */
async function meant(query: string) {
  const found = await lake.backend
    .search({ query, suggest: true })
    .catch((error: LhsError) => ({ notes: [`${error.hint}`] }));
  expect(found).not.toHaveProperty('suggested_query');
  const { notes = [] } = found;
  expect(notes).toHaveLength(1);
  const [, of, json = '{}', total] =
    /perhaps you mean (\w+) index "[^"]+" with (\{.*\}) \((\d+) hits?\)$/.exec(notes[0]) ?? [];
  return { of, request: JSON.parse(json) as SearchRequest, total: Number(total) };
}

const values = (key: 'Type' | 'Price', where = (_: (typeof ROWS)[number]) => true) =>
  ROWS.filter(where).map((row) => row[key]);
const averages = (where?: (row: (typeof ROWS)[number]) => boolean) => {
  const all = values('Price', where).map(Number);
  return all.reduce((sum, one) => sum + one, 0) / all.length;
};

describe('an aggregation', () => {
  it.each([
    ['avg(Price)', () => true],
    ['MEAN( price )', () => true],
    ['average Price', () => true],
    ['SELECT avg(Price) AS p FROM cars;', () => true],
    ['select avg("Price") from x.cars where Price > 20', ({ Price }) => Price > 20],
    ["SELECT avg(Price) WHERE Type = 'van' and Price>=3", (r) => r.Type === 'Van' && r.Price >= 3],
  ] as readonly (readonly [string, (row: (typeof ROWS)[number]) => boolean])[])(
    '%s',
    async (query, where) => {
      const { of, request, total } = await meant(query);
      expect([of, total]).toEqual(['aggregate', ROWS.filter(where).length]);
      const { results } = await lake.backend.aggregate({ aggs: {}, ...request });
      expect(results['Price avg']).toEqual({ value: expect.closeTo(averages(where), 9) });
    },
  );

  it.each(['avg Price by type', 'SELECT Type, avg(Price) FROM t GROUP BY Type ORDER BY Type'])(
    'of each value: %s',
    async (query) => {
      const { request } = await meant(query);
      const { results } = await lake.backend.aggregate({ aggs: {}, ...request });
      expect(results.Type).toMatchObject({
        buckets: expect.arrayContaining([
          expect.objectContaining({
            ...{ key: 'Van', doc_count: 10 },
            aggs: {
              'Price avg': {
                value: expect.closeTo(
                  averages((r) => r.Type === 'Van'),
                  9,
                ),
              },
            },
          }),
        ]),
      });
    },
  );

  it('of the values of several fields', async () => {
    const { request } = await meant('SELECT Type, Price, count(*) FROM t GROUP BY Type, Price');
    const inner = { Price: { terms: { field: 'Price' } } };
    expect(request.aggs).toEqual({ Type: { terms: { field: 'Type' }, aggs: inner } });
  });
});

describe('another request', () => {
  it.each([
    'SELECT Type, count(*) FROM cars GROUP BY Type',
    'count(*) group by Type',
    'count by type',
    'select distinct Type from cars',
  ])('facets: %s', async (query) => {
    const { of, request, total } = await meant(query);
    expect([of, request, total]).toEqual([
      'facets',
      { query: '*:*', fields: ['Type'] },
      ROWS.length,
    ]);
  });

  it.each([
    ['ORDER BY Price DESC', { sort: [{ field: 'Price', desc: true }] }],
    ['top 10 Price', { sort: [{ field: 'Price', desc: true }], limit: 10 }],
    ['top 3 cars by price', { sort: [{ field: 'Price', desc: true }], limit: 3 }],
    ['lowest price', { sort: [{ field: 'Price' }] }],
    [
      'ford sort by Type, Price desc',
      { query: 'ford', sort: [{ field: 'Type' }, { field: 'Price', desc: true }] },
    ],
    [
      'SELECT name FROM t WHERE Price < 5 ORDER BY Price LIMIT 4',
      { query: 'Price:<5', sort: [{ field: 'Price' }], limit: 4 },
    ],
  ])('an order: %s', async (query, expected) => {
    const { of, request, total } = await meant(query);
    expect([of, request]).toEqual(['search', { query: '*:*', ...expected }]);
    expect((await lake.backend.search(request)).total).toBe(total);
  });

  it.each([
    ['SELECT * FROM cars', '*:*', 30],
    ["select count(*) from cars where Type = 'Van'", 'Type:"Van"', 10],
  ])('a query alone: %s', async (query, suggested_query, suggested_total) => {
    const found = await lake.backend.search({ query, suggest: true });
    expect(found).toMatchObject({ suggested_query, suggested_total });
  });

  it.each(['top ford', 'max audi', 'ford group by nothing', 'speed limit 50', 'avg(name)'])(
    'nothing else: %s',
    async (query) => {
      const { notes = [] } = await lake.backend.search({ query, suggest: true });
      expect(notes.join()).not.toContain('is no query');
    },
  );
});
