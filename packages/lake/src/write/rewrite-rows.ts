/**
 * Live rows of some data files, written anew: for compaction and for copy-on-write.
 *
 * 1. Each data file is read by field id, its dead rows and those that are not wanted left out: few
 *    plain rows in this process, all else by DuckDB into a table in memory.
 * 2. v3: the row ids and last updates that the rows have are written as columns, so lineage goes on.
 * 3. New files are written a partition.
 *
 * By DuckDB only Parquet files with field ids are rewritten: others are refused by name.
 */
import { LakeError } from '../base/errors.ts';
import { makeFolder } from '../base/new-files.ts';
import type { TableHandle } from '../catalog/table-handle.ts';
import type { DataFile } from '../metadata/file-set.ts';
import { quoteName, quoteText } from '../scan/duckdb/instance.ts';
import { LAST_UPDATED, ROW_ID } from '../scan/projection.ts';
import { valueAt } from '../scan/vectors.ts';
import type { Field, Schema, Value } from '../schema/type.ts';
import type { FilePart, SourceTable } from '../source-table.ts';
import { type NewDataFile, writeDataFiles } from './data-files.ts';
import { writePlainFiles } from './plain-files.ts';
import { isPlainSchema, PLAIN_ROWS, type PlainRows } from './plain-rows.ts';
import { sqlType } from './sql-type.ts';
import { WriterSession } from './writer-session.ts';

/** Writes the live rows of `parts` to new files, in their order. Throws unsupported. */
export async function rewriteRows(
  table: TableHandle,
  source: SourceTable,
  parts: readonly FilePart[],
): Promise<readonly NewDataFile[]> {
  const { metadata } = table;
  const lineage = metadata.formatVersion === 3 ? [ROW_ID, LAST_UPDATED] : [];
  const schema: Schema = { ...metadata.schema, fields: [...metadata.schema.fields, ...lineage] };
  const rows = parts.reduce((n, { scan }) => n + scan.data.recordCount, 0);
  if (rows > PLAIN_ROWS || !isPlainSchema(schema)) return byDuckDb(table, source, parts, schema);
  const plain = await readPlain(source, parts, schema);
  return writePlainFiles(plain, schema, metadata.defaultSpec, table.files);
}

async function readPlain(
  source: SourceTable,
  parts: readonly FilePart[],
  schema: Schema,
): Promise<PlainRows> {
  const columns: Value[][] = schema.fields.map(() => []);
  let rows = 0;
  for await (const batch of source.read(parts, { columns: schema.fields.map((f) => f.name) })) {
    rows += batch.rows;
    batch.columns.forEach((vector, c) => {
      for (let row = 0; row < batch.rows; row++) columns[c].push(valueAt(vector, row));
    });
  }
  return { rows, columns };
}

async function byDuckDb(
  table: TableHandle,
  source: SourceTable,
  parts: readonly FilePart[],
  schema: Schema,
): Promise<readonly NewDataFile[]> {
  for (const { scan } of parts) refuseFormat(scan.data);
  const output = table.files.resolve(table.files.record('data'));
  await makeFolder(output);
  const inputs = parts.map(({ scan }) => table.files.resolve(scan.data.path));
  const session = await WriterSession.open(inputs, [output]);
  try {
    const columns = schema.fields.map((f) => `${quoteName(f.name)} ${sqlType(f.type)}`);
    await session.run(`CREATE TABLE rows_alive(${columns.join(', ')})`);
    for (const [i, part] of parts.entries()) {
      await copyLive(session, source, part, inputs[i], schema.fields);
    }
    const { defaultSpec } = table.metadata;
    return await writeDataFiles(
      session,
      'SELECT * FROM rows_alive',
      schema,
      defaultSpec,
      table.files,
    );
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

/** Adds the live rows of one part, columns by field id, lineage filled in from the manifest. */
async function copyLive(
  session: WriterSession,
  source: SourceTable,
  part: FilePart,
  path: string,
  fields: readonly Field[],
): Promise<void> {
  const positions = await livePlaces(source, part);
  await session.run('CREATE OR REPLACE TABLE alive(place BIGINT)');
  for (let i = 0; i < positions.length; i += 20_000) {
    const values = positions.slice(i, i + 20_000).map((at) => `(${at})`);
    await session.run(`INSERT INTO alive VALUES ${values.join(', ')}`);
  }
  const schema = fields.map(
    (f) =>
      `${f.id}: {name: ${quoteText(f.name)}, type: ${quoteText(sqlType(f.type))}, default_value: NULL}`,
  );
  const file = `read_parquet(${quoteText(path)}, schema=MAP {${schema.join(', ')}}, file_row_number=true)`;
  const columns = fields.map((f) => column(f, part.scan.data)).join(', ');
  const where = 'WHERE file_row_number IN (SELECT place FROM alive)';
  await session.run(
    `INSERT INTO rows_alive SELECT ${columns} FROM ${file} ${where} ORDER BY file_row_number`,
  );
}

async function livePlaces(source: SourceTable, part: FilePart): Promise<readonly number[]> {
  const places: number[] = [];
  const columns = [source.schema.fields[0].name];
  for await (const batch of source.read([part], { columns })) {
    for (const at of batch.positions) places.push(at);
  }
  return places;
}

function column(field: Field, data: DataFile): string {
  const name = quoteName(field.name);
  if (data.firstRowId === null) return name;
  if (field.id === ROW_ID.id) return `coalesce(${name}, ${data.firstRowId} + file_row_number)`;
  if (field.id === LAST_UPDATED.id) return `coalesce(${name}, ${data.dataSequence})`;
  return name;
}
