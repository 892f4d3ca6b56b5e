import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadTable } from '../../catalog/load-table.ts';
import { valueAt } from '../../scan/vectors.ts';
import { typeName } from '../../schema/schema-json.ts';
import type { Schema } from '../../schema/type.ts';
import { valueToJson } from '../../schema/value-json.ts';
import { openTable } from '../../table.ts';
import { type ImportOptions, importIntoTable } from '../import/import-files.ts';

/** A table that is replaced by files of other types, compared with what DuckDB reads of them. */
const folder = mkdtempSync(join(tmpdir(), 'lhs-replace-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;

let sql: (query: string) => Promise<unknown[][]>;
beforeAll(async () => {
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  sql = async (query) => (await connection.runAndReadAll(query)).getRowsJson();
});

const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const typesOf = ({ fields }: Schema) =>
  Object.fromEntries(fields.map(({ name, type }) => [name, typeName(type)]));
const idsOf = ({ fields }: Schema) => Object.fromEntries(fields.map(({ id, name }) => [name, id]));

async function rowsOf(table: string, snapshotId?: bigint) {
  const source = await openTable({ catalog, table });
  const schema = snapshotId === undefined ? source.schema : source.schemaOf(snapshotId);
  const { fields } = schema;
  const rows: unknown[][] = [];
  for await (const batch of source.scan({ snapshotId, schema })) {
    for (let row = 0; row < batch.rows; row++) {
      rows.push(batch.columns.map((c, i) => valueToJson(fields[i].type, valueAt(c, row))));
    }
  }
  await source.close();
  return rows;
}

const put = (table: string, name: string, text: string, more: Partial<ImportOptions> = {}) =>
  importIntoTable({ catalog, table, files: [file(name, text)], ...more });

const PENGUINS =
  'species,mass,day\nAdelie,3750,2024-01-01\nGentoo,NA,NA\nChinstrap,3800,2024-01-03\n';
const overwrite = { mode: 'overwrite' } as const;

describe('a table that is replaced', () => {
  it('has the types of the file, and its old snapshot those of before', async () => {
    const table = 'r.penguins';
    const first = await put(table, 'penguins.csv', PENGUINS);
    expect(typesOf(first.schema as Schema)).toMatchObject({ mass: 'string', day: 'string' });
    const before = await rowsOf(table);
    const nulls = { ...overwrite, reading: { nulls: ['NA'] } };
    const done = await put(table, 'penguins.csv', PENGUINS, nulls);
    const { metadata } = await loadTable({ catalog, table });
    expect(metadata.schema).toEqual(done.schema);
    expect(typesOf(metadata.schema)).toEqual({ species: 'string', mass: 'long', day: 'date' });
    expect(idsOf(metadata.schema)).toEqual({ species: 1, mass: 5, day: 6 });
    expect([metadata.schemas.length, metadata.snapshots.length]).toEqual([2, 2]);
    const columns = "{species: 'VARCHAR', mass: 'BIGINT', day: 'DATE'}";
    const path = join(folder, 'penguins.csv');
    expect(
      (await rowsOf(table)).map((row) => row.map((v) => (v === null ? null : String(v)))),
    ).toEqual(await sql(`FROM read_csv('${path}', columns=${columns}, header=true, nullstr='NA')`));
    expect(await rowsOf(table, BigInt(first.snapshot!))).toEqual(before);
  });

  it('takes --type and --rename, and goes back to a schema that it had', async () => {
    const table = 'r.named';
    const text = 'id,v\n1,2\n2,3\n';
    await put(table, 'named.csv', text, { key: ['id'] });
    const reading = { types: { w: 'string' }, rename: { v: 'w' } };
    const done = await put(table, 'named.csv', text, { ...overwrite, reading });
    expect(typesOf(done.schema as Schema)).toEqual({ id: 'long', w: 'string' });
    expect(done.schema).toMatchObject({ schemaId: 1, identifierFieldIds: [1] });
    expect(await rowsOf(table)).toEqual([
      [1, '2'],
      [2, '3'],
    ]);
    await put(table, 'short.csv', 'id\n1\n', overwrite);
    const again = await put(table, 'short.csv', 'id\n2\n', overwrite);
    expect(idsOf(again.schema as Schema)).toEqual({ id: 1 });
    const { metadata } = await loadTable({ catalog, table });
    expect(metadata.schemas.map(({ schemaId }) => schemaId)).toEqual([0, 1, 2]);
  });

  it('keeps a type that takes the values of a text, and of a column without values', async () => {
    const table = 'r.wider';
    const types = { price: 'decimal(9,2)', n: 'int', part: 'double', at: 'timestamp' };
    const text = 'price,n,part,at\n1.25,1,0.5,2024-01-01T10:00:00\n';
    const made = await put(table, 'wide.csv', text, { reading: { types } });
    const narrow = 'price,n,part,at\n2,7,1,\n3.5,8,,\n';
    const done = await put(table, 'wide.csv', narrow, overwrite);
    expect(done.schema).toEqual(made.schema);
    expect(await rowsOf(table)).toEqual([
      ['2.00', 7, 1, null],
      ['3.50', 8, null, null],
    ]);
  });

  it('is read from JSON whose rows look like a map, and whose columns are null', async () => {
    const table = 'r.json';
    const keys = Array.from({ length: 210 }, (_, i) => `k${i}`);
    const row = (value: unknown) =>
      `${JSON.stringify(Object.fromEntries(keys.map((key) => [key, value])))}\n`;
    const made = await put(table, 'wide.ndjson', row('1.5') + row('b'));
    const same = await put(table, 'wide.ndjson', row('c'), overwrite);
    expect(same.schema).toEqual(made.schema);
    const numbers = await put(table, 'wide.ndjson', row(7), overwrite);
    expect(new Set(Object.values(typesOf(numbers.schema as Schema)))).toEqual(new Set(['long']));
    const empty = await put(table, 'wide.ndjson', row(null), overwrite);
    expect(empty.schema).toEqual(numbers.schema);
    expect(await rowsOf(table)).toEqual([keys.map(() => null)]);
  });

  it('keeps a variant for objects and lists', async () => {
    const table = 'r.variant';
    const mixed = '{"id":1,"p":{"a":1}}\n{"id":2,"p":[1]}\n';
    const made = await put(table, 'mixed.ndjson', mixed, { formatVersion: 3 });
    expect(typesOf(made.schema as Schema)).toEqual({ id: 'long', p: 'variant' });
    const done = await put(table, 'mixed.ndjson', '{"id":3,"p":{"a":2}}\n', overwrite);
    expect(done.schema).toEqual(made.schema);
    expect(await rowsOf(table)).toEqual([[3, { a: 2 }]]);
  });

  it('refuses another type for a column of its partitions, and changes nothing', async () => {
    const table = 'r.parts';
    await put(table, 'parts.csv', 'day,v\n2024-01-01,1\n', { partitionBy: 'day(day)' });
    const rejected = {
      code: 'invalid_argument',
      message:
        'the table is partitioned or sorted by column "day" (date), which would become string',
    };
    await expect(put(table, 'parts.csv', 'day,v\nsoon,1\n', overwrite)).rejects.toMatchObject(
      rejected,
    );
    await expect(put(table, 'parts.csv', 'v\n1\n', overwrite)).rejects.toThrow(/would be missing/);
    expect(await rowsOf(table)).toEqual([['2024-01-01', 1]]);
    const done = await put(table, 'parts.csv', 'day,v\n2024-01-02,a\n', overwrite);
    expect(idsOf(done.schema as Schema)).toEqual({ day: 1, v: 4 });
    expect(await rowsOf(table)).toEqual([['2024-01-02', 'a']]);
  });

  it('refuses partitions and a format version that the table does not have', async () => {
    const layout = { partitionBy: 'day(day), bucket[4](v)', formatVersion: 3 } as const;
    const more = (options: Partial<ImportOptions>) =>
      put('r.laid', 'laid.csv', 'day,v\n2024-01-01,1\n', options);
    await more(layout);
    for (const mode of ['append', 'overwrite'] as const) {
      await more({ mode, ...layout });
      const code = 'invalid_argument';
      const parts = more({ mode, partitionBy: 'day(day)' });
      const message =
        'table "r.laid" has partitions by day(day),bucket[4](v), which an import does not change';
      await expect(parts).rejects.toMatchObject({ code, message });
      const version = more({ mode, formatVersion: 2 });
      await expect(version).rejects.toThrow('has format version 3, which');
    }
    await put('r.plain', 'plain.csv', 'v\n1\n');
    const parts = put('r.plain', 'plain.csv', 'v\n1\n', { mode: 'append', partitionBy: 'v' });
    await expect(parts).rejects.toThrow('has no partitions, which');
    expect(await rowsOf('r.laid')).toHaveLength(1);
  });

  it('has a key that its columns have', async () => {
    const table = 'r.keyed';
    await put(table, 'keyed.csv', 'id,v\n1,1\n', { key: ['id'] });
    await expect(put(table, 'keyed.csv', 'v\n1\n', overwrite)).rejects.toMatchObject({
      reason: 'column_not_found',
    });
    const done = await put(table, 'keyed.csv', 'id,v\na,1\n', overwrite);
    expect(done.schema).toMatchObject({ identifierFieldIds: [3] });
    const twice = put(table, 'keyed.csv', 'id,v\na,1\na,2\n', overwrite);
    await expect(twice).rejects.toMatchObject({ reason: 'duplicate_key' });
  });
});
