/** Numbers and names of fields that stand in texts as well. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

const schema = schemaOf({
  ...{ id: 'long', name: 'string', party: 'string', text: 'string' },
  ...{ year: 'long', house: 'long', begin: 'date' },
});
const NAMES = ['Roosevelt', 'Lincoln', 'Reagan'];
const ROWS = Array.from({ length: 60 }, (_, id) => ({
  id,
  name: NAMES[id % 3],
  party: ['Republican', 'Democratic'][id % 2],
  text: `a name of a party in 19${40 + (id % 5)} ${id % 9 === 0 ? 'war of 1942' : ''} at 3`,
  ...{ year: 1940 + (id % 4), house: id % 6, begin: `20${10 + (id % 5)}-05-05` },
}));
type Row = (typeof ROWS)[number];
const rows = (test: (row: Row) => boolean) => ROWS.filter(test).length;

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schema, { rows: ROWS });
  await lake.build(`key: { identifier: [id] }
default_fields: [name, party, text]
fields:
  - { name: name, type: TEXT }
  - { name: party, type: TEXT }
  - { name: text, type: TEXT }
  - { name: year, type: LONG, fast: true }
  - { name: house, type: LONG, fast: true }
  - { name: begin, type: DATE, fast: true }`);
});
afterAll(() => lake.close());

const search = (query: string) => lake.backend.search({ query, suggest: true });

describe('what stands in texts as well', () => {
  it.each([
    ['roosevelt 1941', 'year:1941 AND roosevelt', (r) => r.year === 1941 && r.name === 'Roosevelt'],
    ['2012 reagan', 'begin:2012 AND reagan', (r) => /2012/.test(r.begin) && r.name === 'Reagan'],
    ['1942', 'year:1942', (r) => r.year === 1942],
    ['between 1941 and 1942', 'year:[1941 TO 1942]', (r) => r.year === 1941 || r.year === 1942],
    ['party republican', 'party:republican', ({ party }) => party === 'Republican'],
    ['name lincoln', 'name:lincoln', ({ name }) => name === 'Lincoln'],
  ] as readonly (readonly [string, string, (row: Row) => boolean])[])(
    'is the value of a field: %s',
    async (query, suggested_query, isHit) => {
      const suggested_total = rows(isHit);
      expect(suggested_total).toBeGreaterThan(0);
      const { notes, ...found } = await search(query);
      expect(found).toMatchObject({ suggested_query, suggested_total });
      expect(notes).toHaveLength(1);
      expect((await search(suggested_query)).total).toBe(suggested_total);
    },
  );

  it.each(['war of 1942', '3', 'text war', 'reagan 7', '1950', 'reagan 1950', 'reagan and 1941'])(
    'is a word: %s',
    async (query) => {
      const { suggested_query = '' } = await search(query);
      expect(suggested_query).not.toMatch(/year:|house:|text:/);
    },
  );

  it.each([
    ['year over 1950', 'year:>1950 finds nothing: values of year are from 1940 to 1943'],
    ['house under 0', 'house:<0 finds nothing: values of house are from 0 to 5'],
    ['begin before 1999', 'begin:<1999 finds nothing: values of begin are from 2010-05-05'],
  ])('has no rows in a range: %s', async (query, note) => {
    const { notes } = await search(query);
    expect(notes).toEqual([expect.stringContaining(note)]);
  });
});
