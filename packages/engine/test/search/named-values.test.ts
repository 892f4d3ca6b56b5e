/** Names of fields, values of several words, money and conditions as people type them. */
import { LhsError } from '@lakehouse-search/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({
  ...{ id: 'long', name: 'string', State: 'string', Region: 'string', health: 'long', M: 'string' },
  ...{ 'Sub-Category': 'string', Category: 'string', Postal_Code: 'long', ship_mode: 'string' },
  ...{ Sales: 'double', Profit: 'double', serial: 'long', Discount: 'double' },
});
const STATES = ['New York', 'Ohio', 'York', 'New Mexico'];
const ROWS = Array.from({ length: 48 }, (_, id) => ({
  ...{
    id,
    name: `${['Iron', 'Health', 'NGC ana salem'][id % 3]} unit ${id}`,
    State: STATES[id % 4],
  },
  ...{
    Region: id % 2 === 0 ? 'Far West' : 'East',
    health: 100 + (id % 6),
    M: id === 47 ? '09' : `0${10 + id}`,
  },
  ...{ 'Sub-Category': id % 5 === 0 ? 'Phones' : 'Chairs', Category: 'Goods' },
  ...{ Postal_Code: 42_400 + (id % 7), ship_mode: id % 3 === 0 ? 'First Class' : 'Second Class' },
  ...{ Sales: id === 7 ? 1008 : id * 90.5, Profit: (id % 9) - 4 },
  Discount: (id % 3) / 10,
  serial: String(9_007_199_254_740_993n + BigInt(id)),
}));
type Row = (typeof ROWS)[number];
const rows = (test: (row: Row) => boolean) => ROWS.filter(test).length;

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema, { rows: ROWS });
  await lake.build(`key: { identifier: [id] }
default_fields: [name, State, ship_mode, M]
fields:
  - { name: name, type: TEXT }
  - { name: State, type: TEXT }
  - { name: ship_mode, type: TEXT }
  - { name: Region, type: KEYWORD, folded: true }
  - { name: M, type: KEYWORD }
  - { name: Sub-Category, type: KEYWORD, folded: true }
  - { name: Category, type: KEYWORD, folded: true }
  - { name: health, type: LONG, fast: true }
  - { name: Postal_Code, type: LONG, fast: true }
  - { name: Sales, type: DOUBLE, fast: true }
  - { name: Profit, type: DOUBLE, fast: true }
  - { name: Discount, type: DOUBLE, fast: true }
  - { name: serial, type: LONG }
  - { name: id, type: LONG }`);
});
afterAll(() => lake.close());

const search = (query: string) => lake.backend.search({ query, suggest: true, limit: 1 });

/** The suggestion of a query with its total, in its response or its error. */
async function suggested(query: string) {
  const found = await search(query).catch((error: LhsError) => error);
  if (!(found instanceof LhsError)) return [found.suggested_query, found.suggested_total];
  const [, total] = /perhaps you mean .*? \((\d+) hits?\)/.exec(`${found.hint}`) ?? [];
  const { suggested_query, suggested_total } = found.details;
  expect(suggested_total).toBe(Number(total));
  return [suggested_query, suggested_total];
}

const isYork = ({ State }: Row) => State === 'New York';
const isLoss = ({ Sales, Profit }: Row) => Sales > 1000 && Profit < 0;

const isLargeEast = ({ Sales, Region }: Row) => Sales > 1000 && Region === 'East';

describe('a query is meant as', () => {
  it.each([
    ['health 103', 'health:103', (row) => row.health === 103],
    ['postal 42402', 'Postal_Code:42402', (row) => row.Postal_Code === 42_402],
    ['code 42,402', 'Postal_Code:42402', (row) => row.Postal_Code === 42_402],
    ['postal code 42402', 'Postal_Code:42402', (row) => row.Postal_Code === 42_402],
    ['sub category phones', 'Sub-Category:phones', (row) => row['Sub-Category'] === 'Phones'],
    ['subcategory phnes', 'Sub-Category:Phones', (row) => row['Sub-Category'] === 'Phones'],
    ['Sub Category:phones', 'Sub-Category:phones', (row) => row['Sub-Category'] === 'Phones'],
    ['ship mode first class', 'ship_mode:"first class"', (row) => row.ship_mode === 'First Class'],
    ['sales $1,008.00', 'Sales:1008', (row) => row.Sales === 1008],
    ['$0.00', 'Profit:0', (row) => row.Profit === 0],
    ['ohio health 103', 'health:103 AND ohio', (row) => row.health === 103 && row.State === 'Ohio'],
    ['east region', 'Region:east', (row) => row.Region === 'East'],
    [
      'East-0103',
      'Region:East AND health:103',
      (row) => row.health === 103 && row.Region === 'East',
    ],
    ['42402 postal code', 'Postal_Code:42402', (row) => row.Postal_Code === 42_402],
    ['20% discount', 'Discount:0.2', (row) => row.Discount === 0.2],
    ['discount 20 %', 'Discount:0.2', (row) => row.Discount === 0.2],
    ['Discount:20%', 'Discount:0.2', (row) => row.Discount === 0.2],
    ['Discount:>15%', 'Discount:>0.15', (row) => row.Discount > 0.15],
    ['Profit:4%', 'Profit:4', (row) => row.Profit === 4],
    ['M31', 'M:031', (row) => row.M === '031'],
    ['M:9', 'M:09', (row) => row.M === '09'],
    ['M:00031', 'M:031', (row) => row.M === '031'],
    ['M:9 AND Region:East', 'M:09 AND Region:East', (row) => row.M === '09'],
    ['M 31', 'M:031', (row) => row.M === '031'],
    ['$1,008', 'Sales:1008', (row) => row.Sales === 1008],
    ['9007199254740995', 'serial:9007199254740995', (row) => row.serial.endsWith('0995')],
    ['State:new york', 'State:"new york"', isYork],
    ['state:new york', 'State:"new york"', isYork],
    ['ship mode:first class', 'ship_mode:"first class"', (row) => row.ship_mode === 'First Class'],
    ["state:'nwe york'", 'State:"new york"', isYork],
    ['New Yrok', '"New york"', isYork],
    ["'Nwe York'", '"new York"', isYork],
    ['Region:far west', 'Region:"far west"', (row) => row.Region === 'Far West'],
    [
      'state:new york health:102',
      'State:"new york" AND health:102',
      (row) => isYork(row) && row.health === 102,
    ],
    [
      'Sales is between 100 and 300',
      'Sales:[100 TO 300]',
      ({ Sales }) => Sales >= 100 && Sales <= 300,
    ],
    ['Sales > 1 thousand', 'Sales:>1000', ({ Sales }) => Sales > 1000],
    [
      'sales>=0.5 thousand AND Profit<0',
      'Sales:>=500 AND Profit:<0',
      (row) => row.Sales >= 500 && row.Profit < 0,
    ],
    ['90,50', 'Sales:90.5', ({ Sales }) => Sales === 90.5],
    ['zone:East', 'Region:East', (row) => row.Region === 'East'],
    ['"Iron unit 0",ohio', '"Iron unit 0" ohio', ({ id, State }) => id === 0 || State === 'Ohio'],
    ['Region != East', '-Region:East', (row) => row.Region !== 'East'],
    ['Sales>1000 Profit<0', 'Sales:>1000 AND Profit:<0', isLoss],
    ['Sales>1000,Profit<0', 'Sales:>1000 AND Profit:<0', isLoss],
    ['Sales>1000, region=East', 'Sales:>1000 AND Region:East', isLargeEast],
    ['Sales:>1000 and Region:East', 'Sales:>1000 AND Region:East', isLargeEast],
    [
      'sales>1000 profit<0 region:east',
      'Sales:>1000 AND Profit:<0 AND Region:east',
      (row) => isLoss(row) && row.Region === 'East',
    ],
  ] as readonly (readonly [string, string, (row: Row) => boolean])[])(
    '%s: %s',
    async (query, meant, test) => {
      expect(await suggested(query)).toEqual([meant, rows(test)]);
      expect((await search(meant)).total).toBe(rows(test));
    },
  );

  it('a condition has one note, not one of its field, too', async () => {
    const { notes } = await search('Region != East');
    expect(notes).toEqual([
      `"Region != East" is searched as words: perhaps you mean -Region:East (24 hits)`,
    ]);
  });

  it('an operator is no word that finds nothing', async () => {
    const { notes } = await search('Sales:>1000 and Region:East');
    expect(notes).toEqual([expect.stringContaining('"and" is searched as a word: perhaps')]);
  });

  it.each(['Sales', 'top Sales', 'top and Sales'])('a name is no other word: %s', async (query) => {
    expect((await search(query)).suggested_query).toBeUndefined();
  });

  it('a value that no row has: the note names the values', async () => {
    const { notes, suggested_query } = await search('postal code 99999');
    const range = 'values of Postal_Code are from 42400 to 42406';
    expect([notes, suggested_query]).toEqual([
      [`"postal code" may be the field Postal_Code: ${range}`],
      undefined,
    ]);
  });

  it.each([
    'name iron',
    'State ohio',
    'iron 7',
    'health "103"',
    'unit health',
    'postal nothing',
    'category nothing',
  ])('nothing else: %s', async (query) => {
    const { suggested_query } = await search(query);
    expect(suggested_query).toBeUndefined();
  });
});
