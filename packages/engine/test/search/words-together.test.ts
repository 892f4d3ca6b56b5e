/** Words of a query that belong together: what a search says of them, with the hits of a loop. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({
  ...{ id: 'long', city: 'string', state: 'string', segment: 'string', goods: 'string' },
  ...{ given_name: 'string', surname: 'string', street: 'string', number: 'long', born: 'date' },
});
const CITIES = ['Buffalo', 'New York City', 'Newark', 'Raleigh', 'York'];
const STATES = ['New York', 'New York', 'New Jersey', 'North Carolina', 'Pennsylvania'];
const SEGMENTS = ['Home Office', 'Consumer', 'Corporate'];
const ROWS = Array.from({ length: 60 }, (_, id) => ({
  id,
  city: CITIES[id % 5],
  state: STATES[id % 5],
  segment: SEGMENTS[id % 3],
  given_name: ['charles', 'mary', 'stanley', 'mary', 'stanley'][id % 5],
  surname: ['green', 'stanley', 'white', 'charles'][id % 4],
  street: ['stanley street', 'oak lane', 'street of charles', 'stanley lane'][(id * 7) % 4],
  number: id % 9,
  born: `19${10 + id}-11-11`,
  goods: ['office chairs', 'tables', 'paper', 'new phones 8'][id % 4],
}));

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema, { rows: ROWS });
  await lake.build(`key: { identifier: [id] }
default_fields: [city, goods, state, segment, given_name, surname^5, street]
fields:
  - { name: city, type: TEXT }
  - { name: goods, type: TEXT }
  - { name: given_name, type: TEXT }
  - { name: surname, type: TEXT }
  - { name: surname_exact, source: surname, type: KEYWORD, fast: true }
  - { name: street, type: TEXT }
  - { name: number, type: LONG, fast: true }
  - { name: born, type: DATE, fast: true }
  - { name: state, type: KEYWORD, folded: true, fast: true }
  - { name: segment, type: KEYWORD, folded: true, fast: true }`);
});
afterAll(() => lake.close());

type Row = (typeof ROWS)[number];
const rows = (test: (row: Row) => boolean) => ROWS.filter(test).length;
const inNewYork = ({ city, state }: Row) => state === 'New York' || /New York/.test(city);

describe('words that are a whole value', () => {
  it.each([
    ['new york', '"new york"', 'state', inNewYork],
    ['home office', '"home office"', 'segment', ({ segment }: Row) => segment === 'Home Office'],
    [
      'north  carolina',
      '"north  carolina"',
      'state',
      ({ state }: Row) => state === 'North Carolina',
    ],
    [
      'new york tables',
      '"new york" AND tables',
      'state',
      (row: Row) => inNewYork(row) && row.goods === 'tables',
    ],
    [
      'home office new york',
      '"home office" AND "new york"',
      'segment',
      (row: Row) => inNewYork(row) && row.segment === 'Home Office',
    ],
    [
      'segment:consumer AND (new york)',
      'segment:consumer AND ("new york")',
      'state',
      (row: Row) => inNewYork(row) && row.segment === 'Consumer',
    ],
  ])('%s: perhaps you mean %s', async (query, meant, field, isHit) => {
    const suggested_total = rows(isHit);
    const suggested_query = meant.replace('north  ', 'north ');
    const found = await lake.backend.search({ query, suggest: true });
    expect(found).toMatchObject({ suggested_query, suggested_total });
    expect(found.notes?.at(-1)).toContain(` is a value of ${field}`);
    expect((await lake.backend.search({ query: suggested_query })).total).toBe(suggested_total);
  });

  it('are counted with the filter, and with all words', async () => {
    const options = { suggest: true, filter: 'segment:consumer', default_operator: 'and' } as const;
    expect(await lake.backend.search({ query: 'new york', ...options })).toMatchObject({
      suggested_query: '"new york"',
      suggested_total: rows((row) => row.segment === 'Consumer' && inNewYork(row)),
    });
  });

  it('have no note if they are quoted, of a field, or no value', async () => {
    for (const query of ['"new york"', 'city:(new york)', 'york new', 'new tables'])
      expect(JSON.stringify(await lake.backend.search({ query, suggest: true }))).not.toContain(
        'is a value of',
      );
  });
});

const named = (first: string, last: string) => (row: Row) =>
  row.given_name === first && row.surname === last;

describe('words without hits that are values of several fields', () => {
  it.each([
    ['"charles green"', 'given_name:charles AND surname:green', named('charles', 'green')],
    ['"Stanley, White"', 'given_name:Stanley AND surname:White', named('stanley', 'white')],
    [
      '"8 stanley street"',
      'number:8 AND street:"stanley street"',
      ({ number, street }: Row) => number === 8 && street === 'stanley street',
    ],
    [
      '+8 +stanley +street',
      'number:8 AND street:"stanley street"',
      ({ number, street }: Row) => number === 8 && street === 'stanley street',
    ],
    [
      '"york oak lane"',
      'city:york AND street:"oak lane"',
      ({ city, street }: Row) => city.includes('York') && street === 'oak lane',
    ],
  ])('%s: perhaps you mean %s', async (query, suggested_query, isHit) => {
    const suggested_total = rows(isHit);
    expect(suggested_total).toBeGreaterThan(0);
    const found = await lake.backend.search({ query, suggest: true });
    expect(found).toMatchObject({ total: 0, suggested_query, suggested_total });
    expect(found.notes?.at(-1)).toContain('the words may be values of several fields');
    expect((await lake.backend.search({ query: suggested_query })).total).toBe(suggested_total);
  });

  it('have no note if no row has all, or one field has them', async () => {
    for (const query of ['"charles 77"', '"green charles zzzz"', '"lane green"'])
      expect(await lake.backend.search({ query, suggest: true })).not.toHaveProperty(
        'suggested_query',
      );
  });
});

const hasAll =
  (...words: readonly string[]) =>
  (row: Row) =>
    words.every((word) =>
      Object.values(row).some((value) => String(value).toLowerCase().split(' ').includes(word)),
    );

describe('words of which the first hit lacks one', () => {
  it.each([
    ['stanley, oak', 'stanley AND oak', hasAll('stanley', 'oak')],
    ['oak stanley lane', 'oak AND stanley AND lane', hasAll('oak', 'stanley', 'lane')],
    [
      '8 stanley street',
      'number:8 AND street:"stanley street"',
      ({ number, street }: Row) => number === 8 && street === 'stanley street',
    ],
  ])('%s: perhaps you mean %s', async (query, suggested_query, isHit) => {
    const suggested_total = rows(isHit);
    expect(suggested_total).toBeGreaterThan(0);
    const found = await lake.backend.search({ query, suggest: true });
    expect(ROWS.find(({ id }) => found.hits[0].id === String(id))).not.toSatisfy(isHit);
    expect(found).toMatchObject({ suggested_query, suggested_total });
    expect((await lake.backend.search({ query: suggested_query })).total).toBe(suggested_total);
  });

  it.each([
    { query: 'stanley street' },
    { query: 'oak zzzz' },
    { query: 'stanley oak', sort: [{ field: 'number' }] },
    { query: 'stanley oak', offset: 10 },
    { query: 'stanley oak', default_operator: 'and' },
  ] as const)('are left where the first hit has all, or is not the best: %j', async (request) => {
    const found = await lake.backend.search({ ...request, suggest: true });
    expect(found.total).toBeGreaterThan(0);
    expect(found.suggested_query).not.toBe('stanley AND oak');
    expect(JSON.stringify(found.notes ?? [])).not.toContain('all words');
  });

  it('are counted with the filter', async () => {
    const request = { query: 'stanley oak', filter: 'number:>4', suggest: true };
    const both = hasAll('stanley', 'oak');
    expect(await lake.backend.search(request)).toMatchObject({
      suggested_query: 'stanley AND oak',
      suggested_total: rows((row) => row.number > 4 && both(row)),
    });
  });
});

describe('a name of no field', () => {
  it.each([
    ['name:charles', 'surname:charles', (row: Row) => row.surname === 'charles'],
    ['name:mary', 'given_name:mary', (row: Row) => row.given_name === 'mary'],
  ])('%s is the field with most rows: %s', async (query, suggested_query, isHit) => {
    await expect(lake.backend.search({ query, suggest: true })).rejects.toMatchObject({
      hint: expect.stringContaining(`perhaps you mean ${suggested_query} (${rows(isHit)} hits)`),
      details: { suggested_query },
    });
  });
});

describe('a mistyped word', () => {
  const has = (row: Row, word: string) =>
    Object.values(row).some((value) => String(value).toLowerCase().split(' ').includes(word));
  it.each([
    ['chiars newark', 'chairs AND newark', (row: Row) => has(row, 'chairs') && has(row, 'newark')],
    [
      'raleigh tabels',
      'raleigh AND tables',
      (row: Row) => has(row, 'raleigh') && has(row, 'tables'),
    ],
    ['chiars newrak', 'chairs AND newark', (row: Row) => has(row, 'chairs') && has(row, 'newark')],
    ['tabels 3', 'tables AND number:3', (row: Row) => has(row, 'tables') && row.number === 3],
  ] as const)('is mended beside others, which must match, too: %s', async (query, meant, test) => {
    const { suggested_query, suggested_total } = await lake.backend.search({
      query,
      suggest: true,
    });
    expect(suggested_query).toBe(meant);
    expect(suggested_total).toBe(rows(test));
  });

  it('is named alone if no row has the others, too', async () => {
    const both = rows((row) => has(row, 'white') && has(row, 'charles'));
    expect(both).toBeGreaterThan(0);
    expect(rows((row) => has(row, 'buffalo') && has(row, 'newark'))).toBe(0);
    const { notes, suggested_query } = await lake.backend.search({
      query: 'buffalo newrak',
      suggest: true,
    });
    expect(notes).toEqual([expect.stringContaining('newrak finds nothing: newark has')]);
    expect(suggested_query).toBeUndefined();
  });
});
