import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { loadTable } from '../src/catalog/load-table.ts';
import type { CatalogConfig, TableConfig } from '../src/source-table.ts';
import { openTable } from '../src/table.ts';
import {
  appendRows,
  compactTable,
  deleteRows,
  dropTable,
  expireSnapshots,
  importFiles,
  upsertRows,
} from '../src/write/writing.ts';

/** A Python with PyIceberg, the other reader and catalog; empty or missing without one. */
export const PYTHON = process.env.LHS_ICEBERG_PYTHON ?? '';

/** The path of a script beside this file. */
export const script = (name: string): string => fileURLToPath(new URL(name, import.meta.url));

/** CSV of rows with these ids; `size` fills a column, so that DuckDB writes the rows. */
export function csv(folder: string, name: string, ids: readonly number[], size = 0): string {
  const file = join(folder, name);
  const lines = ids.map((id) => `${id},g${id % 3},${'x'.repeat(size)}`);
  writeFileSync(file, ['id,part,text', ...lines].join('\n'));
  return file;
}

/** The column `id` of a table, sorted. */
export async function idsOf(source: TableConfig): Promise<number[]> {
  const table = await openTable(source);
  const ids: number[] = [];
  for await (const batch of table.scan({ columns: ['id'] })) {
    for (let row = 0; row < batch.rows; row++) {
      ids.push(Number((batch.columns[0] as { values: BigInt64Array }).values[row]));
    }
  }
  await table.close();
  return ids.sort((a, b) => a - b);
}

/** The rows of a table as PyIceberg reads them, by `id`. */
export async function rowsOfPyIceberg(source: TableConfig) {
  const { metadata } = await loadTable(source);
  const { stdout } = await promisify(execFile)(PYTHON, [script('read-iceberg.py'), metadata.file]);
  return JSON.parse(stdout) as { readonly id: number }[];
}

/** The whole numbers from `from` to below `to`. */
export const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => from + i);

/** A life of a table: created, appended to, replaced, upserted, deleted from, compacted. */
export async function wholeLife(
  folder: string,
  catalog: CatalogConfig,
  table: string,
): Promise<void> {
  const source = { catalog, table };
  const options = { ...source, key: ['id'] };
  const first = csv(folder, 'first.csv', range(0, 300), 200);
  const made = await importFiles({ ...options, files: [first], partitionBy: 'part' });
  expect(made).toMatchObject({ inserted: 300 });
  expect(await idsOf(source)).toEqual(range(0, 300));
  const again = csv(folder, 'again.csv', range(300, 310));
  await importFiles({ ...source, files: [again], mode: 'append' });
  await appendRows(source, { kind: 'rows', rows: [{ id: 310, part: 'g1', text: 'a' }] });
  await expect(importFiles({ ...source, files: [again], mode: 'append' })).rejects.toMatchObject({
    reason: 'duplicate_key',
  });
  expect(await idsOf(source)).toEqual(range(0, 311));
  const rows = [{ id: 5, part: 'g2', text: 'new' }];
  expect(await upsertRows(source, { kind: 'rows', rows })).toMatchObject({ updated: 1 });
  expect(await deleteRows(source, 'id >= 200')).toMatchObject({ deleted: 111 });
  const compacted = await compactTable(source, { all: true });
  expect(compacted.snapshot).not.toBeNull();
  expect(await idsOf(source)).toEqual(range(0, 200));
  const expired = await expireSnapshots(source, { keep: 1, keepFiles: true });
  expect(expired.kept).toBe(1);
  if (existsSync(PYTHON)) {
    const rows = await rowsOfPyIceberg(source);
    expect(rows.map(({ id }) => id)).toEqual(range(0, 200));
  }
  const other = csv(folder, 'other.csv', [7, 8]);
  await importFiles({ ...source, files: [other], mode: 'overwrite' });
  expect(await idsOf(source)).toEqual([7, 8]);
  await retyped(folder, source);
  const { location, deleted } = await dropTable(source);
  const path = location.replace('file://', '');
  if (!location.startsWith('s3:')) expect(existsSync(path)).toBe(!deleted);
  await expect(loadTable(source)).rejects.toMatchObject({ reason: 'table_not_found' });
  await expect(dropTable(source)).rejects.toMatchObject({ reason: 'table_not_found' });
}

/** Replaces the table by a file of other types; the snapshot before stays readable. */
async function retyped(
  folder: string,
  source: { catalog: CatalogConfig; table: string },
): Promise<void> {
  const before = await loadTable(source);
  const file = join(folder, 'retyped.csv');
  writeFileSync(file, 'id,part,text,more\n9,g0,12.5,2024-01-01\n10,g1,NA,NA\n');
  const reading = { nulls: ['NA'] };
  await importFiles({ ...source, files: [file], mode: 'overwrite', reading });
  const { metadata } = await loadTable(source);
  const types = metadata.schema.fields.map(({ id, type }) => [id, type.kind]);
  const last = before.metadata.lastColumnId;
  const fresh = types.slice(2).filter(([id]) => Number(id) > last);
  expect(fresh.map(([, kind]) => kind)).toEqual(['double', 'date']);
  const kept = before.metadata.schema.fields.slice(0, 2).map(({ id, type }) => [id, type.kind]);
  expect(types.slice(0, 2)).toEqual(kept);
  expect(metadata.snapshots.at(-1)?.schemaId).toBe(metadata.schema.schemaId);
  const table = await openTable(source);
  const snapshotId = before.metadata.currentSnapshotId as bigint;
  const schema = table.schemaOf(snapshotId);
  expect(schema).toEqual(before.metadata.schema);
  let rows = 0;
  for await (const batch of table.scan({ snapshotId, schema })) rows += batch.rows;
  expect(rows).toBe(2);
  await table.close();
  if (!existsSync(PYTHON)) return;
  expect(await rowsOfPyIceberg(source)).toEqual([
    { id: 9, part: 'g0', text: 12.5, more: '2024-01-01' },
    { id: 10, part: 'g1', text: null, more: null },
  ]);
}

/** Three writers append at once. */
export async function racing(folder: string, catalog: CatalogConfig, table: string): Promise<void> {
  const source = { catalog, table };
  await importFiles({ ...source, files: [csv(folder, 'race.csv', [0])] });
  const one = (id: number) =>
    appendRows(source, { kind: 'rows', rows: [{ id, part: 'g', text: 'x' }] });
  await Promise.all([one(1), one(2), one(3)]);
  expect(await idsOf(source)).toEqual([0, 1, 2, 3]);
}
