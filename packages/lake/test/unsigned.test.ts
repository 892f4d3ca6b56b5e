import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compactTable, openTable, valueAt } from '../src/index.ts';
import type { ParquetEngine } from '../src/scan/file-rows.ts';
import type { Field, Type, Value } from '../src/schema/type.ts';
import { CraftedTable } from './crafted-table.ts';

/** Parquet files with unsigned columns, written by DuckDB (parquet-format LogicalTypes.md, INT). */
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'lake-unsigned-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const field = (id: number, name: string, type: Type): Field => ({
  id,
  name,
  required: false,
  type,
});
const LONG: Type = { kind: 'long' };
const FIELDS = [
  field(1, 'id', LONG),
  field(2, 'u8', { kind: 'int' }),
  field(3, 'u16', { kind: 'int' }),
  field(4, 'u32', LONG),
  field(5, 'u64', LONG),
  field(6, 'wide', { kind: 'decimal', precision: 20, scale: 0 }),
  field(7, 'list', { kind: 'list', elementId: 8, elementRequired: false, element: LONG }),
];
const IDS =
  '{id: 1, u8: 2, u16: 3, u32: 4, u64: 5, wide: 6, list: {__duckdb_field_id: 7, element: 8}}';

/** 3,000 rows: few values many times, then each another. */
const SELECT = `
  SELECT i AS id, (255 - i % 3)::UTINYINT AS u8, (65535 - i % 5)::USMALLINT AS u16,
    CASE WHEN i % 7 = 0 THEN NULL ELSE (4294967295 - OFFSET)::UINTEGER END AS u32,
    (9223372036854775807 - OFFSET)::UBIGINT AS u64,
    (18446744073709551615 - OFFSET)::UBIGINT AS wide,
    [4294967295 - OFFSET, NULL, 2147483648]::UINTEGER[] AS list
  FROM range(3000) AS t(i)`;

function expectedRow(i: number, offset: number): Value[] {
  const less = BigInt(offset);
  return [
    BigInt(i),
    255 - (i % 3),
    65_535 - (i % 5),
    i % 7 === 0 ? null : 4_294_967_295n - less,
    9_223_372_036_854_775_807n - less,
    18_446_744_073_709_551_615n - less,
    [4_294_967_295n - less, null, 2_147_483_648n],
  ];
}

async function write(path: string, select: string, ids: string, options: string) {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  await connection.run(
    `COPY (${select}) TO '${path}' (FORMAT parquet, FIELD_IDS ${ids}, ${options})`,
  );
  connection.closeSync();
  instance.closeSync();
}

async function rowsOf(table: CraftedTable, engine: ParquetEngine): Promise<Value[][]> {
  const source = await openTable(table.config, { engine });
  const rows: Value[][] = [];
  for await (const { rows: count, columns } of source.scan()) {
    for (let row = 0; row < count; row++) rows.push(columns.map((column) => valueAt(column, row)));
  }
  await source.close();
  return rows;
}

describe('unsigned integers of Parquet', () => {
  it.each([
    ['dictionary', 'i % 4', 'COMPRESSION snappy'],
    ['plain', 'i', 'DICTIONARY_SIZE_LIMIT 1'],
    ['delta', 'i', 'PARQUET_VERSION V2, COMPRESSION zstd'],
  ])(
    'are read as they are, in %s pages, and survive a compaction',
    async (name, offset, options) => {
      const table = new CraftedTable(folder, `u.${name}`);
      await table.create(FIELDS);
      const path = join(folder, `${name}.parquet`);
      await write(path, SELECT.replaceAll('OFFSET', `(${offset})`), IDS, options);
      await table.addData('parquet', readFileSync(path), 3000);
      const expected = Array.from({ length: 3000 }, (_, i) =>
        expectedRow(i, name === 'dictionary' ? i % 4 : i),
      );
      for (const engine of ['duckdb', 'own'] as const) {
        expect(await rowsOf(table, engine)).toEqual(expected);
      }
      const source = await openTable(table.config);
      const [found] = await source.lookupKeys(['u32'], [[4_294_967_294n]], ['u64', 'wide']);
      const [at] = [name === 'dictionary' ? 2997 : 1];
      const [, , , , u64, wide] = expected[at];
      expect(found?.row).toEqual({ u64, wide });
      await source.close();
      await compactTable(table.config, { all: true });
      expect(await rowsOf(table, 'auto')).toEqual(expected);
    },
  );

  it('are refused by name if the column cannot hold them', async () => {
    const bare = (type: Type) => [field(1, 'u', type)];
    for (const [select, type, value] of [
      ['SELECT 4294967295::UINTEGER AS u', { kind: 'int' }, '4294967295'],
      ['SELECT 9223372036854775808::UBIGINT AS u', LONG, '9223372036854775808'],
    ] as const) {
      const table = new CraftedTable(folder, `u.over_${type.kind}`);
      await table.create(bare(type));
      const path = join(folder, `${type.kind}.parquet`);
      await write(path, select, '{u: 1}', 'COMPRESSION zstd');
      await table.addData('parquet', readFileSync(path), 1);
      for (const engine of ['duckdb', 'own'] as const) {
        await expect(rowsOf(table, engine)).rejects.toMatchObject({
          code: 'unsupported',
          message: expect.stringContaining(value),
        });
      }
    }
  });
});
