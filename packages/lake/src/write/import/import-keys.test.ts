// @module-tag campaign
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../../test/support/effort.ts';
import { LIMITS } from '../../base/limits.ts';
import { openTable } from '../../table.ts';
import { upsertIntoTable } from '../table-writer.ts';
import { importIntoTable } from './import-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'lhs-keys-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const catalog = { type: 'filesystem', warehouse: join(folder, 'lake') } as const;

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

async function parquet(name: string, select: string): Promise<string> {
  const path = join(folder, name);
  const connection = await (await DuckDBInstance.create(':memory:')).connect();
  await connection.run(`COPY (${select}) TO '${path}' (FORMAT parquet)`);
  return path;
}

/** Rows of a table, and their sum of column `v`. */
async function totals(table: string) {
  const source = await openTable({ catalog, table });
  let [rows, sum] = [0, 0n];
  for await (const batch of source.scan({ columns: ['v'] })) {
    const [column] = batch.columns;
    if (column.kind !== 'int64') throw new Error(column.kind);
    rows += batch.rows;
    for (const value of column.values.subarray(0, batch.rows)) sum += value;
  }
  await source.close();
  return { rows, sum: Number(sum) };
}

describe('the key of an import', () => {
  const first = file('first.csv', 'id,v\n1,10\n2,20\n');

  it('may not repeat in the input', async () => {
    const twice = file('twice.csv', 'id,v\n1,10\n2,20\n1,30\n1,31\n');
    const options = { catalog, table: 'k.twice', files: [twice], key: ['id'] };
    await expect(importIntoTable(options)).rejects.toMatchObject({
      reason: 'duplicate_key',
      message: 'the input has the key ["1"] 3 times; nothing was committed',
    });
    await expect(openTable(options)).rejects.toMatchObject({ reason: 'table_not_found' });
    const done = await importIntoTable({ ...options, allowDuplicateKeys: true });
    expect(done.inserted).toBe(4);
  });

  it('may not be in the table already when rows are appended', async () => {
    const table = 'k.known';
    await importIntoTable({ catalog, table, files: [first], key: ['id'] });
    const again = file('again.csv', 'id,v\n3,30\n2,21\n');
    const append = { catalog, table, files: [again], mode: 'append' as const };
    await expect(importIntoTable(append)).rejects.toMatchObject({
      reason: 'duplicate_key',
      message: expect.stringMatching(
        /^the table has the key \[2\] already \(1 of the input's keys\)/,
      ),
    });
    expect(await totals(table)).toEqual({ rows: 2, sum: 30 });
    const more = file('more.csv', 'id,v\n3,30\n4,40\n');
    await importIntoTable({ ...append, files: [more] });
    expect(await totals(table)).toEqual({ rows: 4, sum: 100 });
    await importIntoTable({ ...append, allowDuplicateKeys: true });
    expect(await totals(table)).toEqual({ rows: 6, sum: 151 });
    await expect(importIntoTable({ ...append, mode: 'overwrite' })).resolves.toBeTruthy();
    expect(await totals(table)).toEqual({ rows: 2, sum: 51 });
  });

  it('is not asked of a table without one', async () => {
    const options = { catalog, table: 'k.none', files: [first] };
    await importIntoTable(options);
    await importIntoTable({ ...options, mode: 'append' });
    expect(await totals('k.none')).toEqual({ rows: 4, sum: 60 });
  });
});

describe('keys of an input that is too large for this process', () => {
  const rows = LIMITS.keysInMemory + 20_000;
  /** Rows `from` to `to` with a key of every type that can be one. */
  const select = (from: number, to: number, value: number) =>
    `SELECT 'k' || i AS s, i AS l, (i % 1000)::INTEGER AS n, i % 2 = 0 AS b,
       md5(i::VARCHAR)::UUID AS u, DATE '2025-01-01' + (i % 500)::INTEGER AS d,
       make_timestamp(1700000000000000 + i) AS t, make_timestamptz(1700000000000000 + i) AS tz,
       ${value}::BIGINT AS v FROM range(${from}, ${to}) r(i)`;
  const key = ['s', 'l', 'n', 'b', 'u', 'd', 't', 'tz'];

  it.runIf(byEffort(false, true))('are compared with the table in bounded memory', async () => {
    const table = 'k.large';
    const old = await parquet('old.parquet', select(0, rows, 1));
    const next = await parquet('next.parquet', select(rows - 1000, 2 * rows - 1000, 2));
    await importIntoTable({ catalog, table, files: [old], key });
    const append = { catalog, table, files: [next], mode: 'append' as const };
    await expect(importIntoTable(append)).rejects.toThrow(/already \(1000 of the input's keys\)/);
    expect(
      await upsertIntoTable({ catalog, table }, { kind: 'files', paths: [next] }),
    ).toMatchObject({
      inserted: rows - 1000,
      updated: 1000,
    });
    expect(await totals(table)).toEqual({ rows: 2 * rows - 1000, sum: rows - 1000 + 2 * rows });
  });

  it('are refused where one repeats', async () => {
    const twice = await parquet(
      'twice.parquet',
      `SELECT CASE i WHEN ${rows - 1} THEN 7 ELSE i END AS id, i AS v FROM range(${rows}) r(i)`,
    );
    const options = { catalog, table: 'k.both', files: [twice], key: ['id'] };
    const message = 'the input has the key ["7"] twice; nothing was committed';
    await expect(importIntoTable(options)).rejects.toMatchObject({
      reason: 'duplicate_key',
      message,
    });
    await importIntoTable({ ...options, allowDuplicateKeys: true });
    const input = { kind: 'files', paths: [twice] } as const;
    await expect(upsertIntoTable(options, input)).rejects.toMatchObject({ message });
  });
});
