/** Parquet and Arrow in several batches: the rows of NDJSON, and written as they come. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { tableFromIPC } from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { OutputColumn, OutputRow } from './columns.ts';
import type { RowFormat } from './row-formats.ts';
import { rowWriter } from './row-writer.ts';

const ROWS = 140_000;
const columns: readonly OutputColumn[] = [
  { name: 'id', kind: 'long' },
  { name: 'part', kind: 'int' },
  { name: 'share', kind: 'double' },
  { name: 'even', kind: 'bool' },
  { name: 'title', kind: 'text' },
  { name: 'at', kind: 'timestamp' },
  { name: 'tags', kind: 'json' },
];

const sparse = <T>(i: number, value: T): T | null => (i % 11 === 0 ? null : value);
const row = (i: number): OutputRow => ({
  id: String(2n ** 60n + BigInt(i)),
  part: sparse(i, i % 7),
  share: sparse(i + 1, i / 8),
  even: sparse(i + 2, i % 2 === 0),
  title: sparse(i + 3, `title "${i % 1000}" é`),
  at: sparse(i + 4, new Date(1.6e12 + i * 1001).toISOString()),
  tags: sparse(i + 5, [`t${i % 3}`, i]),
});

let folder: string;
let duck: DuckDBConnection;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-batched-'));
  duck = await (await DuckDBInstance.create()).connect();
});
afterAll(() => {
  duck.closeSync();
  rmSync(folder, { recursive: true });
});

/** Writes rows to a file; returns its path, and how many bytes were there before the end. */
async function write(format: RowFormat, of: readonly OutputColumn[], rows: Iterable<OutputRow>) {
  const path = join(folder, `rows-${Math.random()}.${format}`);
  let bytes = 0;
  const out = await rowWriter(format, of, async (chunk) => {
    bytes += chunk.length;
    appendFileSync(path, chunk);
  });
  for (const one of rows) await out.write(one);
  const before = bytes;
  await out.end();
  return { path, before };
}

function* many(): Generator<OutputRow> {
  for (let i = 0; i < ROWS; i++) yield row(i);
}

const query = async (sql: string) => (await duck.runAndReadAll(sql)).getRowObjects();

describe('rows in batches', () => {
  it('are in Parquet what they are in NDJSON, in row groups of bounded size', async () => {
    const [parquet, ndjson] = [
      await write('parquet', columns, many()),
      await write('ndjson', columns, many()),
    ];
    const types = `{id: 'BIGINT', part: 'INTEGER', share: 'DOUBLE', even: 'BOOLEAN',
      title: 'VARCHAR', "at": 'TIMESTAMPTZ', tags: 'VARCHAR'}`;
    const [left, right] = [
      `SELECT * FROM read_parquet('${parquet.path}')`,
      `SELECT * FROM read_json('${ndjson.path}', format = 'newline_delimited', columns = ${types})`,
    ];
    const count = (rows: string) => `(SELECT count(*) FROM (${rows}))`;
    const counts = `SELECT ${count(left)} AS l, ${count(right)} AS r`;
    expect(await query(counts)).toEqual([{ l: BigInt(ROWS), r: BigInt(ROWS) }]);
    expect(await query(`(${left}) EXCEPT ALL (${right}) LIMIT 3`)).toEqual([]);
    expect(await query(`(${right}) EXCEPT ALL (${left}) LIMIT 3`)).toEqual([]);
    const order = `SELECT count(*) AS n FROM (SELECT id, lag(id) OVER () AS before
      FROM read_parquet('${parquet.path}')) WHERE before >= id`;
    expect(await query(order)).toEqual([{ n: 0n }]);
    const groups = `SELECT DISTINCT row_group_id AS g, row_group_num_rows AS n
      FROM parquet_metadata('${parquet.path}') ORDER BY g`;
    expect((await query(groups)).map(({ n }) => n)).toEqual([65_536n, 65_536n, 8928n]);
  });

  it('are in Arrow, batch by batch', async () => {
    const { path } = await write('arrow', columns, many());
    const table = tableFromIPC(readFileSync(path));
    expect(table.numRows).toBe(ROWS);
    expect(table.batches.map(({ numRows }) => numRows)).toEqual([
      ...Array.from({ length: 17 }, () => 8192),
      ROWS - 17 * 8192,
    ]);
    for (const i of [0, 8191, 8192, 100_000, ROWS - 1]) {
      expect(table.get(i)?.id).toBe(2n ** 60n + BigInt(i));
      expect(table.get(i)?.title).toBe(row(i).title);
    }
  });

  it.each(['parquet', 'arrow'] as const)(
    'of long texts are written to %s as they come',
    async (format) => {
      const text: OutputColumn = { name: 'body', kind: 'text' };
      const bodies = Array.from({ length: 5 }, (_, i) => String(i).repeat(9 * 2 ** 20));
      const { path, before } = await write(
        format,
        [text],
        bodies.map((body) => ({ body })),
      );
      expect(before).toBeGreaterThan(0);
      if (format === 'arrow') return;
      const lengths = `SELECT length(body) AS n, body[1] AS first FROM read_parquet('${path}')`;
      const wanted = bodies.map((_, i) => ({ n: BigInt(9 * 2 ** 20), first: String(i) }));
      expect(await query(lengths)).toEqual(wanted);
      const groups = `SELECT count(DISTINCT row_group_id) AS n FROM parquet_metadata('${path}')`;
      expect(await query(groups)).toEqual([{ n: 3n }]);
    },
  );

  it.each(['parquet', 'arrow'] as const)('of no rows are a whole %s file', async (format) => {
    const { path } = await write(format, columns, []);
    const found =
      format === 'arrow'
        ? tableFromIPC(readFileSync(path)).numRows
        : (await query(`SELECT * FROM read_parquet('${path}')`)).length;
    expect(found).toBe(0);
  });
});
