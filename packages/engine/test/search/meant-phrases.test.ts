/** A phrase without hits names the phrase that was meant, with its hits as a loop counts them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({
  ...{ id: 'long', home: 'string', away: 'string', town: 'string', state: 'string' },
  ...{ lat: 'double', lon: 'double' },
});
const TEAMS = [
  'Borussia Dortmund',
  '1. FC Koeln',
  'Bayern Muenchen',
  'Borussia Mgladbach',
  'Saarbrücken',
];
const TOWNS = ['New York', 'Los Angeles', 'New Orleans', 'York'];
const ROWS = Array.from({ length: 60 }, (_, id) => ({
  id,
  home: `${TEAMS[id % 5]} at home`,
  away: TEAMS[(id * 3 + 1) % 5],
  town: TOWNS[(id >> 1) % 4],
  lat: 40 + (id % 4) / 2,
  lon: -80.25 + (id % 2) * 7,
  state: id % 3 === 0 ? 'CA' : 'NY',
}));

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema, { rows: ROWS });
  await lake.build(`key: { identifier: [id] }
default_fields: [home, away]
fields:
  - { name: home, type: TEXT }
  - { name: away, type: TEXT, analyzer: german }
  - { name: town, type: KEYWORD }
  - { name: state, type: KEYWORD }
  - { name: lat, type: DOUBLE }
  - { name: lon, type: DOUBLE }`);
});
afterAll(() => lake.close());

type Row = (typeof ROWS)[number];
const has = (column: keyof Row, text: string) => (row: Row) =>
  `${row[column]} `.toLowerCase().includes(`${text} `);
const begins = (columns: readonly (keyof Row)[], text: string) => (row: Row) =>
  columns.some((column) => String(row[column]).toLowerCase().includes(text));
const either = (text: string) => (row: Row) => has('home', text)(row) || has('away', text)(row);

describe('a phrase without hits', () => {
  it.each([
    ['"Borussia Dortmnd"', '"Borussia dortmund"', either('borussia dortmund')],
    ['"Dortmnd"', '"dortmund"', either('dortmund')],
    ['home:"1. FC Köln"', 'home:"1. FC koeln"', has('home', '1. fc koeln')],
    ['home:Köl*', 'home:koel*', begins(['home'], 'koel')],
    ['home:saarbruecken', 'home:saarbrücken', has('home', 'saarbrücken')],
    ['"borusia dortmnd"', '"borussia dortmund"', either('borussia dortmund')],
    ['home:"Borusia-Dortmnd"', 'home:"borussia-dortmund"', has('home', 'borussia dortmund')],
    ['home:"Bayern Müenchen"', 'home:"Bayern muenchen"', has('home', 'bayern muenchen')],
    ['home:"Bayern München"', 'home:"Bayern muenchen"', has('home', 'bayern muenchen')],
    ['away:"Bayern Munchn"', 'away:"Bayern muenchen"', has('away', 'bayern muenchen')],
    ['"Borussia Dortmnd"^2', '"Borussia dortmund"^2', either('borussia dortmund')],
    ['home:"Dortmnd home"~2', 'home:"dortmund home"~2', has('home', 'dortmund at home')],
    ['home:"Borusia Dor"*', 'home:"borussia Dor"*', begins(['home'], 'borussia dor')],
    ['town:"Los Angelse"', 'town:"Los Angeles"', has('town', 'los angeles')],
    ['"Borusia Dor"*', '"borussia Dor"*', begins(['home', 'away'], 'borussia dor')],
  ])('%s: did you mean %s?', async (query, suggested_query, isHit) => {
    const found = await lake.backend.search({ query, suggest: true });
    const hits = ROWS.filter(isHit).length;
    expect(found).toMatchObject({ total: 0, suggested_query, suggested_total: hits });
    expect((await lake.backend.search({ query: suggested_query })).total).toBe(hits);
    const kql = await lake.backend.search({ query, suggest: true, syntax: 'kql' });
    expect(kql).toMatchObject({ suggested_query, suggested_total: hits });
  });

  it.each([
    ["state:'NY'", 'state:NY', (row: Row) => row.state === 'NY'],
    ["state:'ny'", 'state:NY', (row: Row) => row.state === 'NY'],
    ['state:‘NY’', 'state:NY', (row: Row) => row.state === 'NY'],
    ["town:'York'", 'town:York', (row: Row) => row.town === 'York'],
    ["state:( 'NY' )", 'state:NY', (row: Row) => row.state === 'NY'],
    ['state:(CA,XX)', 'state:(CA OR XX)', (row: Row) => row.state === 'CA'],
    ['state:(CA,XX OR zzzz)', 'state:(state:(CA OR XX) OR zzzz)', (row: Row) => row.state === 'CA'],
    ["'CA'", 'state:CA', (row: Row) => row.state === 'CA'],
    ["town:'New York'", 'town:"New York"', (row: Row) => row.town === 'New York'],
    ["home:'Borussia Dortmund'", 'home:"Borussia Dortmund"', has('home', 'borussia dortmund')],
    ['home:‘1. FC Koeln’', 'home:"1. FC Koeln"', has('home', '1. fc koeln')],
    [
      "state:'CA' AND town:'New York'",
      'state:"CA" AND town:"New York"',
      (row: Row) => row.state === 'CA' && row.town === 'New York',
    ],
  ])('of single quotes is meant without them: %s', async (query, suggested_query, isHit) => {
    const found = await lake.backend.search({ query, suggest: true });
    const hits = ROWS.filter(isHit).length;
    expect(hits).toBeGreaterThan(0);
    expect(found).toMatchObject({ suggested_query, suggested_total: hits });
    expect((await lake.backend.search({ query: suggested_query })).total).toBe(hits);
  });

  it('has no other query for single quotes that change nothing', async () => {
    const found = await lake.backend.search({ query: "'Dortmund' at", suggest: true });
    expect(found.suggested_query).toBeUndefined();
  });

  it.each(['40.5,-73.25', ' 40.5, -73.25', '40.5; -73.25'])(
    'of numbers is meant as the values of several fields: %s',
    async (query) => {
      const found = await lake.backend.search({ query, suggest: true });
      const hits = ROWS.filter(({ lat, lon }) => lat === 40.5 && lon === -73.25).length;
      const suggested_query = 'lat:40.5 AND lon:-73.25';
      expect(found).toMatchObject({ total: 0, suggested_query, suggested_total: hits });
      expect((await lake.backend.search({ query: suggested_query })).total).toBe(hits);
    },
  );

  it('of numbers that no row has together has no suggestion', async () => {
    const found = await lake.backend.search({ query: '40.5,-80.25', suggest: true });
    expect(found.suggested_query).toBeUndefined();
  });

  it('is corrected beside other clauses, and named with its hits in a filter', async () => {
    const query = 'town:"New Yrok" AND "Borussia Dortmnd"';
    const suggested_query = 'town:"New York" AND "Borussia dortmund"';
    const hits = ROWS.filter(
      (row) => has('town', 'new york')(row) && either('borussia dortmund')(row),
    ).length;
    expect(await lake.backend.search({ query, suggest: true })).toMatchObject({
      ...{ suggested_query, suggested_total: hits },
    });
    const filtered = await lake.backend.clauseCounts({
      ...{ query: '*', filter: 'home:"Borussia Dortmnd"' },
    });
    expect(filtered.at(-1)).toMatchObject({
      suggestion: 'home:"Borussia dortmund"',
      suggestion_total: ROWS.filter(has('home', 'borussia dortmund')).length,
    });
  });

  it('has no suggestion if its words stand in other orders alone', async () => {
    expect(await lake.backend.clauseCounts({ query: 'home:"home koeln"' })).toEqual([
      { clause: 'home:"home koeln"', total: 0 },
    ]);
  });
});
