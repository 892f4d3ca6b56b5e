import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, describe, expect, it } from 'vitest';
import { changeColumns, deleteKeys } from '../../../../../test/support/maintenance/index.ts';
import { quoteText } from '../../scan/duckdb/quoting.ts';
import { valueAt } from '../../scan/vectors.ts';
import type { Schema } from '../../schema/type.ts';
import { valueToJson } from '../../schema/value-json.ts';
import { openTable } from '../../table.ts';
import { plainRows } from '../rows/plain-rows.ts';
import { appendToTable, upsertIntoTable, writeTable } from '../table-writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-plain-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const catalog = { type: 'filesystem', warehouse: folder } as const;

const KINDS = [
  'boolean',
  'int',
  'date',
  'long',
  'timestamp',
  'timestamptz',
  'float',
  'double',
  'string',
] as const;
const schema: Schema = {
  schemaId: 0,
  identifierFieldIds: [1],
  fields: [
    { id: 1, name: 'id', required: true, type: { kind: 'long' } },
    ...KINDS.map((kind, i) => ({ id: i + 2, name: kind, required: false, type: { kind } })),
  ],
};

/** Values at the edges of each type, with nulls in runs between. */
const EDGES: Readonly<Record<string, readonly unknown[]>> = {
  boolean: [true, false, null, null, true],
  int: [-(2 ** 31), 2 ** 31 - 1, 0, null, -1],
  date: ['1970-01-01', '0001-01-01', null, '9999-12-31', '2024-02-29'],
  long: [9007199254740991, -9007199254740991n, 2n ** 63n - 1n, -(2n ** 63n), null],
  timestamp: ['2025-01-01T00:00:00.000001', null, null, null, '1900-12-31T23:59:59'],
  timestamptz: ['2025-01-01T00:00:00Z', '2025-01-01T00:00:00.5+00:00', null, null, null],
  float: [0.5, -0.25, 16777216, null, 1e10],
  double: [0.1, -1.5, 5e-324, 1.7976931348623157e308, null],
  string: ['', 'é漢😀', "it's", null, 'x'.repeat(500)],
};
const rows = Array.from({ length: 40 }, (_, id) => ({
  id,
  ...Object.fromEntries(KINDS.map((kind) => [kind, EDGES[kind][id % 5]])),
}));

async function duckDbRows(sql: string): Promise<unknown[][]> {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run("SET TimeZone='UTC'");
  return (await connection.runAndReadAll(sql)).getRows();
}

/** What DuckDB, a stranger to this writer, reads from a table's one data file. */
async function readByDuckDb(table: string): Promise<unknown[][]> {
  const [file] = readdirSync(join(folder, 'a', table, 'data'));
  const path = join(folder, 'a', table, 'data', file);
  const columns = ['id', ...KINDS].map((name) => `CAST("${name}" AS VARCHAR)`);
  return duckDbRows(`SELECT ${columns.join(', ')} FROM read_parquet(${quoteText(path)})`);
}

async function readTable(table: string) {
  const source = await openTable({ catalog, table });
  const out: unknown[][] = [];
  for await (const batch of source.scan()) {
    for (let row = 0; row < batch.rows; row++) {
      out.push(
        source.schema.fields.map((f, c) => valueToJson(f.type, valueAt(batch.columns[c], row))),
      );
    }
  }
  const { files } = await source.files(source.currentSnapshotId);
  await source.close();
  return { rows: out, files };
}

describe('the plain Parquet writer', () => {
  it('writes rows and statistics that DuckDB reads as its own', async () => {
    expect(plainRows({ kind: 'rows', rows }, schema)).not.toBeNull();
    // A number as text is DuckDB's to convert, so these rows take the other way.
    const texts = rows.map((row) => ({ ...row, id: String(row.id) }));
    expect(plainRows({ kind: 'rows', rows: texts }, schema)).toBeNull();
    for (const table of ['a.plain', 'a.duck']) await writeTable(catalog, table, { schema });
    await appendToTable({ catalog, table: 'a.plain' }, { kind: 'rows', rows });
    await appendToTable({ catalog, table: 'a.duck' }, { kind: 'rows', rows: texts });
    const [plain, duck] = [await readTable('a.plain'), await readTable('a.duck')];
    expect(plain.rows).toEqual(duck.rows);
    expect(await readByDuckDb('plain')).toEqual(await readByDuckDb('duck'));
    const { valueCounts, nullCounts, lowerBounds, upperBounds } = plain.files[0].data;
    expect({ valueCounts, nullCounts, lowerBounds, upperBounds }).toEqual({
      valueCounts: duck.files[0].data.valueCounts,
      nullCounts: duck.files[0].data.nullCounts,
      lowerBounds: duck.files[0].data.lowerBounds,
      upperBounds: duck.files[0].data.upperBounds,
    });
  });

  it('writes many columns and long runs of nulls, which DuckDB reads back', async () => {
    const fields = Array.from({ length: 30 }, (_, i) => ({
      id: i + 1,
      name: `c${i}`,
      required: i === 0,
      type: { kind: 'int' as const },
    }));
    const wide: Schema = { schemaId: 0, identifierFieldIds: [1], fields };
    await writeTable(catalog, 'a.wide', { schema: wide });
    const values = Array.from({ length: 1000 }, (_, row) =>
      fields.map((_, i) => (i > 0 && row % 700 < i * 20 ? null : row * 31 + i)),
    );
    const input = values.map((row) => Object.fromEntries(row.map((cell, i) => [`c${i}`, cell])));
    await appendToTable({ catalog, table: 'a.wide' }, { kind: 'rows', rows: input });
    expect((await readTable('a.wide')).rows).toEqual(values);
    const [file] = readdirSync(join(folder, 'a', 'wide', 'data'));
    const path = join(folder, 'a', 'wide', 'data', file);
    expect(await duckDbRows(`SELECT * FROM read_parquet(${quoteText(path)})`)).toEqual(values);
  });

  it.each([1, 2, 3] as const)(
    'format %i, copy-on-write: files that lose rows are written anew',
    async (formatVersion) => {
      const config = { catalog, table: `a.copies${formatVersion}` };
      const properties = {
        'write.delete.mode': 'copy-on-write',
        'write.merge.mode': 'copy-on-write',
      };
      await writeTable(catalog, config.table, { schema, formatVersion, properties });
      await appendToTable(config, { kind: 'rows', rows });
      await changeColumns(config, { kind: 'rename', from: 'string', to: 'text' });
      expect(await deleteKeys(config, [{ id: 3 }, { id: 99 }])).toMatchObject({ deleted: 1 });
      const up = [{ id: 5, text: 'new' }];
      expect(await upsertIntoTable(config, { kind: 'rows', rows: up })).toMatchObject({
        updated: 1,
      });
      const { rows: now, files } = await readTable(config.table);
      expect(files.map(({ data, deletes }) => [data.recordCount, deletes.length])).toEqual([
        [1, 0],
        [38, 0],
      ]);
      expect(now.map(([id]) => id).sort((a, b) => Number(a) - Number(b))).toEqual(
        rows.map(({ id }) => id).filter((id) => id !== 3),
      );
      expect(now.find(([id]) => id === 5)?.at(-1)).toBe('new');
      expect(now.find(([id]) => id === 4)?.at(-1)).toBe('x'.repeat(500));
      await expect(deleteKeys(config, [{ id: '3' }])).rejects.toMatchObject({
        code: 'invalid_argument',
      });
    },
  );

  it('refuses to delete rows one by one in format 1 without copy-on-write', async () => {
    const config = { catalog, table: 'a.one' };
    await writeTable(catalog, config.table, { schema, formatVersion: 1 });
    await appendToTable(config, { kind: 'rows', rows });
    await expect(deleteKeys(config, [{ id: 3 }])).rejects.toMatchObject({ code: 'unsupported' });
    expect((await readTable(config.table)).rows).toHaveLength(40);
  });
});
