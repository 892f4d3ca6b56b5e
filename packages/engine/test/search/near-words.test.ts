/** Words without hits that rows have as two, as one, or with one edit. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';

/** Words of two rows are less likely edits than those of one. */
const MORE = [
  'Bern',
  'Bern',
  'Berlin',
  'jpgm',
  'jpgm',
  'jpeg',
  'color',
  'zolr',
  'zolr',
  'connections',
  'replicated',
];
const NAMES = [
  'Wal-Mart Stores',
  'Citigroup',
  'O Fallon',
  'Fallon',
  "D'Artagnan",
  'Database',
  'Basel',
  ...MORE,
];

let lake: SmallLake;
beforeAll(async () => {
  lake = await openSmallLake();
  await lake.create(schemaOf({ id: 'long', name: 'string' }), {
    rows: NAMES.map((name, id) => ({ id, name })),
  });
  await lake.build(`key: { identifier: [id] }
default_fields: [name, stems]
fields:
  - { name: name, type: TEXT }
  - { name: stems, source: [name], type: TEXT, analyzer: english }`);
});
afterAll(() => lake.close());

const search = (query: string) => lake.backend.search({ query, suggest: true });

describe('a search without hits', () => {
  it.each([
    ['walmart', '"wal mart"', 'Wal-Mart Stores'],
    ['name:Walmart', 'name:"Wal mart"', 'Wal-Mart Stores'],
    ['stems:walmart', 'stems:"wal mart"', 'Wal-Mart Stores'],
    ['Citi-Group', 'CitiGroup', 'Citigroup'],
    ["O'Fallon", '"O Fallon"', 'O Fallon'],
    ['ofallon', '"o fallon"', 'O Fallon'],
    ['data base', 'database', 'Database'],
    ['d artagnan', "d'artagnan", "D'Artagnan"],
    ['databse', 'database', 'Database'],
    ['stems:databse', 'stems:database', 'Database'],
    ['stems:connction', 'stems:connections', 'connections'],
    ['stems:replicaton', 'stems:replicated', 'replicated'],
    ['berln', 'berlin', 'Berlin'],
    ['jpge', 'jpeg', 'jpeg'],
    ['colr', 'color', 'color'],
  ])('%s: %s', async (query, meant, name) => {
    const { total, suggested_query, suggested_total } = await search(query);
    expect([total, suggested_query, suggested_total]).toEqual([0, meant, 1]);
    const { hits } = await search(meant);
    expect(hits.map(({ key }) => NAMES[Number(/\d+/.exec(`${key}`)?.[0])])).toEqual([name]);
  });
});
