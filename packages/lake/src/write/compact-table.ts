/**
 * Compaction: the live rows of a table in as few files as its partitions allow, as a `replace` snapshot.
 *
 * 1. Each data file is read by field id into a table in memory, its dead rows left out.
 * 2. v3: the row ids and last updates that the rows have are written as columns, so lineage goes on.
 * 3. New files are written a partition; all old data files and their delete files are removed.
 *
 * Everything is done anew when somebody else commits meanwhile. Only Parquet files with field ids
 * are rewritten: others are refused by name.
 */
import { mkdir } from 'node:fs/promises';
import { LakeError } from '../base/errors.ts';
import { loadTable } from '../catalog/load-table.ts';
import type { TableHandle } from '../catalog/table-handle.ts';
import type { DataFile, FileScan } from '../metadata/file-set.ts';
import { quoteName, quoteText } from '../scan/duckdb/instance.ts';
import { LAST_UPDATED, ROW_ID } from '../scan/projection.ts';
import type { Field, Schema } from '../schema/type.ts';
import type { SourceTable, TableConfig } from '../source-table.ts';
import { openTable } from '../table.ts';
import { commitTable } from './commit.ts';
import { type NewDataFile, removeFiles, writeDataFiles } from './data-files.ts';
import { livePositions } from './delete-rows.ts';
import { snapshotMetadata } from './snapshot-commit.ts';
import { sqlType } from './sql-type.ts';
import { WriterSession } from './writer-session.ts';

/** What a compaction did. `snapshotId` is null where there was nothing to rewrite. */
export interface CompactResult {
  readonly snapshotId: bigint | null;
  readonly filesBefore: number;
  readonly filesAfter: number;
  readonly rows: number;
}

/** Rewrites all live rows of the current snapshot. Throws unsupported, commit_conflict. */
export async function compactTable(config: TableConfig): Promise<CompactResult> {
  let result: CompactResult = { snapshotId: null, filesBefore: 0, filesAfter: 0, rows: 0 };
  let written: readonly NewDataFile[] = [];
  try {
    await commitTable(await loadTable(config), async (table) => {
      await removeFiles(written.map((f) => f.real));
      written = [];
      const source = await openTable(config);
      try {
        const { files } = await source.files(source.currentSnapshotId);
        if (files.length === 0) return null;
        written = await rewrite(table, source, files);
        const prepared = await commitOf(table, written);
        const rows = written.reduce((n, f) => n + f.recordCount, 0);
        const { snapshotId } = prepared;
        result = { snapshotId, filesBefore: files.length, filesAfter: written.length, rows };
        return prepared;
      } finally {
        await source.close();
      }
    });
  } catch (error) {
    await removeFiles(written.map((f) => f.real));
    throw error;
  }
  return result;
}

function commitOf(table: TableHandle, addedData: readonly NewDataFile[]) {
  const change = {
    operation: 'replace' as const,
    addedData,
    addedDeletes: [],
    removes: () => true,
    mayRemove: true,
  };
  return snapshotMetadata(table.metadata, table.files, change, 'main');
}

async function rewrite(
  table: TableHandle,
  source: SourceTable,
  files: readonly FileScan[],
): Promise<readonly NewDataFile[]> {
  const { metadata } = table;
  for (const { data } of files) refuseFormat(data);
  const lineage = metadata.formatVersion === 3 ? [ROW_ID, LAST_UPDATED] : [];
  const schema: Schema = { ...metadata.schema, fields: [...metadata.schema.fields, ...lineage] };
  const output = table.files.resolve(table.files.record('data'));
  await mkdir(output, { recursive: true });
  const inputs = files.map(({ data }) => table.files.resolve(data.path));
  const session = await WriterSession.open(inputs, [output]);
  try {
    const columns = schema.fields.map((f) => `${quoteName(f.name)} ${sqlType(f.type)}`);
    await session.run(`CREATE TABLE rows_alive(${columns.join(', ')})`);
    for (const [i, scan] of files.entries()) {
      await copyLive(session, source, scan, inputs[i], schema.fields);
    }
    const select = 'SELECT * FROM rows_alive';
    return await writeDataFiles(session, select, schema, metadata.defaultSpec, table.files);
  } finally {
    session.close();
  }
}

function refuseFormat(data: DataFile): void {
  if (data.format === 'parquet') return;
  throw new LakeError('unsupported', `${data.format} file "${data.path}" cannot be compacted`, {
    file: data.path,
  });
}

/** Adds the live rows of one file, columns by field id, lineage filled in from the manifest. */
async function copyLive(
  session: WriterSession,
  source: SourceTable,
  scan: FileScan,
  path: string,
  fields: readonly Field[],
): Promise<void> {
  const live = await livePositions(source, scan);
  await session.run('CREATE OR REPLACE TABLE alive(place BIGINT)');
  const positions = [...live];
  for (let i = 0; i < positions.length; i += 20_000) {
    const values = positions.slice(i, i + 20_000).map((at) => `(${at})`);
    await session.run(`INSERT INTO alive VALUES ${values.join(', ')}`);
  }
  const schema = fields.map(
    (f) =>
      `${f.id}: {name: ${quoteText(f.name)}, type: ${quoteText(sqlType(f.type))}, default_value: NULL}`,
  );
  const file = `read_parquet(${quoteText(path)}, schema=MAP {${schema.join(', ')}}, file_row_number=true)`;
  const columns = fields.map((f) => column(f, scan.data)).join(', ');
  const where = 'WHERE file_row_number IN (SELECT place FROM alive)';
  await session.run(
    `INSERT INTO rows_alive SELECT ${columns} FROM ${file} ${where} ORDER BY file_row_number`,
  );
}

function column(field: Field, data: DataFile): string {
  const name = quoteName(field.name);
  if (data.firstRowId === null) return name;
  if (field.id === ROW_ID.id) return `coalesce(${name}, ${data.firstRowId} + file_row_number)`;
  if (field.id === LAST_UPDATED.id) return `coalesce(${name}, ${data.dataSequence})`;
  return name;
}
