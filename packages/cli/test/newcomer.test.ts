import { writeFileSync } from 'node:fs';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Home } from './child.ts';

/**
 * The path of a new user: a file of nested data in several languages becomes a table, a proposed
 * definition and an index, as CSV, NDJSON and Parquet. The oracle is a filter over the rows.
 */
const home = new Home();
afterAll(() => home.dispose());

const THINGS = [
  ['waterproof tent', 'wasserdichtes Zelt', '防水テント'],
  ['ceramic teapot', 'Teekanne aus Keramik', '急須'],
  ['silent turntable', 'leiser Plattenspieler', 'レコードプレーヤー'],
] as const;

interface Row {
  readonly sku: string;
  readonly description: string;
  readonly price: number;
  readonly sold_at: string;
  readonly active: boolean;
  readonly tags: readonly string[];
  readonly attributes: { readonly color: string; readonly size: { readonly w: number } };
  readonly host: string;
}

const ROWS = Array.from({ length: 60 }, (_, i): Row => {
  const [english, german, japanese] = THINGS[i % 3];
  const fault = i % 4 === 0 ? 'It arrived with a faulty hinge and was replaced. ' : '';
  const month = String(1 + (i % 12)).padStart(2, '0');
  return {
    sku: `SKU-${String(i).padStart(4, '0')}`,
    description: `${fault}A ${english} for rainy days, ${german}, ${japanese} مصباح ${i} 🏕️`,
    price: 5 + i * 2.25,
    sold_at: `2024-${month}-15T08:30:00${i % 2 === 0 ? 'Z' : '+05:30'}`,
    active: i % 3 !== 0,
    tags: [`t${i % 5}`, i % 2 === 0 ? 'sale' : 'new'],
    attributes: { color: ['red', 'grün', '緑'][i % 3], size: { w: i % 10 } },
    host: `10.${i % 4}.0.${i}`,
  };
});

type Question = readonly [query: string, wanted: (row: Row) => boolean];
const QUESTIONS: readonly Question[] = [
  ['description:(faulty AND hinge)', ({ description }) => description.includes('faulty hinge')],
  ['description:"wasserdichtes Zelt"', ({ description }) => description.includes('Zelt')],
  ['description:テント', ({ description }) => description.includes('テント')],
  ['description:مصباح', () => true],
  ['price:>=100', ({ price }) => price >= 100],
  ['active:false', ({ active }) => !active],
  ['sold_at:2024-06', ({ sold_at }) => sold_at.startsWith('2024-06')],
  ['host:10.2.0.0/16', ({ host }) => host.startsWith('10.2.')],
];
const NESTED: readonly Question[] = [
  ['attributes.color:緑', ({ attributes }) => attributes.color === '緑'],
  ['attributes.size.w:[3 TO 5]', ({ attributes: { size } }) => size.w >= 3 && size.w <= 5],
  [
    'tags:sale AND attributes.color:grün',
    (row) => row.tags[1] === 'sale' && row.attributes.color === 'grün',
  ],
];

beforeAll(async () => {
  const cell = (value: unknown) => {
    const text = typeof value === 'object' ? JSON.stringify(value) : String(value);
    return `"${text.replaceAll('"', '""')}"`;
  };
  const lines = (rows: readonly string[]) => `${rows.join('\n')}\n`;
  const head = Object.keys(ROWS[0]).join(',');
  writeFileSync(home.path('ndjson.ndjson'), lines(ROWS.map((row) => JSON.stringify(row))));
  const cells = ROWS.map((row) => Object.values(row).map(cell).join(','));
  writeFileSync(home.path('csv.csv'), lines([head, ...cells]));
  const instance = await DuckDBInstance.create();
  const db = await instance.connect();
  const file = (name: string) => `'${home.path(name)}'`;
  await db.run(
    `COPY (SELECT * REPLACE (sold_at::TIMESTAMPTZ AS sold_at)
     FROM read_json(${file('ndjson.ndjson')},
       columns = {sku: 'VARCHAR', description: 'VARCHAR', price: 'DOUBLE', sold_at: 'VARCHAR',
         active: 'BOOLEAN', tags: 'VARCHAR[]', host: 'VARCHAR',
         attributes: 'STRUCT(color VARCHAR, size STRUCT(w BIGINT))'}))
     TO ${file('parquet.parquet')} (FORMAT parquet)`,
  );
  db.closeSync();
  instance.closeSync();
});

describe.each([
  ['csv', QUESTIONS],
  ['ndjson', [...QUESTIONS, ...NESTED]],
  ['parquet', [...QUESTIONS, ...NESTED]],
] as const)('a %s file of nested data in several languages', (format, questions) => {
  const done = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await home.run(args);
    expect(code, stderr).toBe(0);
    return stdout + stderr;
  };

  it('becomes a table and an index that answer as a filter over the rows does', async () => {
    const place = ['--warehouse', home.path('lake')];
    const file = home.path(`${format}.${format}`);
    const said = await done(
      'source',
      'import',
      file,
      '--table',
      `my.${format}`,
      ...place,
      '--key',
      'sku',
    );
    expect(said).toContain('60 rows');
    expect(said).toMatch(/sku string key.*price double.*sold_at timestamptz.*active boolean/s);
    const { stdout } = await home.run(['index', 'init', `my.${format}`, ...place]);
    const definition = home.path(`${format}.yaml`);
    writeFileSync(definition, stdout);
    await done('index', 'create', definition);
    await done('index', 'reindex', format);
    const queries = questions.map(([query]) => JSON.stringify({ query, limit: 100 }));
    writeFileSync(home.path(`${format}.queries`), `${queries.join('\n')}\n`);
    const answers = await done('search', format, '--queries', home.path(`${format}.queries`));
    const found = answers
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(found).toHaveLength(questions.length);
    for (const [i, [query, wanted]] of questions.entries()) {
      const keys = found[i].hits.map(
        (hit: { coordinates: { identifier: { value: string }[] } }) =>
          hit.coordinates.identifier[0].value,
      );
      const rows = ROWS.filter(wanted).map(({ sku }) => sku);
      expect(keys.sort(), query).toEqual(rows);
    }
  });
});
