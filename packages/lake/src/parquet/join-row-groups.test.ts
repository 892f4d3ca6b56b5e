import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { joinRowGroups } from './join-row-groups.ts';
import { openParquet } from './parquet-file.ts';

const ROWS = 130_000;
/** By column: values with NULLs, runs of NULLs, both signs and every form of statistics. */
const COLUMNS = {
  id: 'i - 65000',
  small: '((i * 7919) % 1000 - 500)::INTEGER',
  word: `CASE WHEN i % 7 = 3 THEN NULL ELSE 'w' || (i * 7919) % 977 END`,
  long_text: `repeat('ü', (i % 90)::INTEGER)`,
  rare: 'CASE WHEN i BETWEEN 4096 AND 6143 THEN i END',
  none: 'NULL::VARCHAR',
  same: `'one'`,
  price: '((i * 7919) % 9999 - 5000)::DECIMAL(30, 2)',
  ratio: '(i - 1000) / 8',
  flag: 'i % 2 = 0',
  day: `DATE '2020-01-01' + (i % 999)::INTEGER`,
  moment: `TIMESTAMP '1969-12-31' + to_microseconds(i * 1000003)`,
  uid: `md5(i::VARCHAR)::UUID`,
  raw: `('x' || i)::BLOB`,
  listed: 'CASE WHEN i % 5 = 0 THEN [] ELSE [i, NULL, i + 1] END',
  pair: `{a: i, b: CASE WHEN i % 3 = 0 THEN 'b' END}`,
};
const NESTED = ['listed', 'pair'];
const flat = Object.keys(COLUMNS).filter((name) => !NESTED.includes(name));

let folder: string;
let db: DuckDBConnection;
const rows = async (sql: string) => (await db.runAndReadAll(sql)).getRowsJson();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lake-joined-'));
  db = await (await DuckDBInstance.create(':memory:')).connect();
  const select = Object.entries(COLUMNS).map(([name, value]) => `${value} AS ${name}`);
  await db.run(`CREATE TABLE t AS SELECT ${select.join(', ')} FROM range(${ROWS}) r(i)`);
});
afterAll(() => {
  db.closeSync();
  rmSync(folder, { recursive: true });
});

async function written(name: string, options: string): Promise<string> {
  const path = join(folder, `${name}.parquet`);
  await db.run(`COPY t TO '${path}' (FORMAT parquet, ROW_GROUP_SIZE 2048, ${options})`);
  return path;
}

describe('row groups that are joined', () => {
  it('keep their rows, order, statistics and pages', async () => {
    const from = await written('small', 'COMPRESSION zstd, DICTIONARY_SIZE_LIMIT 0');
    const to = join(folder, 'joined.parquet');
    expect(await joinRowGroups(from, to)).toBe(statSync(to).size);
    const numbered = (path: string) =>
      `SELECT sum(hash(t)::HUGEINT), count(*)
        FROM read_parquet('${path}', file_row_number = true) t`;
    expect(await rows(numbered(to))).toEqual(await rows(numbered(from)));

    for (const name of flat) {
      const edges = `SELECT min(${name})::VARCHAR, max(${name})::VARCHAR, count(${name})`;
      const found = await rows(`${edges} FROM read_parquet('${to}')`);
      expect([name, found]).toEqual([name, await rows(`${edges} FROM t`)]);
    }
    const bounds = await rows(
      `SELECT row_group_id, path_in_schema, stats_min_value, stats_max_value, stats_null_count
        FROM parquet_metadata('${to}') WHERE path_in_schema IN ('id', 'price', 'rare', 'none')
        ORDER BY ALL`,
    );
    expect(bounds).toEqual([
      ['0', 'id', '-65000', '57879', '0'],
      ['0', 'none', null, null, '122880'],
      ['0', 'price', '-5000.00', '4998.00', '0'],
      ['0', 'rare', '4096', '6143', '120832'],
      ['1', 'id', '57880', '64999', '0'],
      ['1', 'none', null, null, '7120'],
      ['1', 'price', '-5000.00', '4998.00', '0'],
      ['1', 'rare', null, null, '7120'],
    ]);
  });

  it('have a page for each of the small ones, with the bounds of its values', async () => {
    const from = await written('paged', 'COMPRESSION zstd, DICTIONARY_SIZE_LIMIT 0');
    const to = join(folder, 'pages.parquet');
    await joinRowGroups(from, to);
    const file = await openParquet(to);
    const { leaves } = file.schema;
    for (const leaf of leaves) {
      expect(file.footer.rowGroups[0].chunks[leaf.column].offsetIndex).not.toBeNull();
      const { pages } = await file.directory(0, leaf.column);
      expect(pages.map(({ firstRow }) => firstRow)).toEqual(
        Array.from({ length: 60 }, (_, page) => 2048 * page),
      );
    }
    const columnOf = (path: string) => leaves.find((leaf) => leaf.path === path)!.column;
    const bounds = await file.bounds(0, columnOf('rare'));
    expect(bounds?.map((page) => page !== null).indexOf(true)).toBe(2);
    expect(bounds?.filter((page) => page !== null)).toHaveLength(1);
    expect(Buffer.from(bounds![2]!.min).readBigInt64LE()).toBe(4096n);
    expect(file.footer.rowGroups[0].chunks[columnOf('long_text')].columnIndex).toBeNull();
    await file.close();
  });

  it('stay apart where they have dictionaries', async () => {
    const from = await written('dictionaries', 'COMPRESSION zstd');
    expect(await joinRowGroups(from, join(folder, 'none.parquet'))).toBeNull();
    expect(existsSync(from)).toBe(true);
  });
});
