/**
 * Rewrites the live rows of some data files, for compaction and copy-on-write.
 *
 * 1. Each data file is read by field id, without dead and unwanted rows: few plain rows in this
 *    process, others by DuckDB.
 * 2. v3: the row ids and last updates of the rows are written as columns, which preserves lineage.
 * 3. Each partition gets new files.
 *
 * DuckDB rewrites only Parquet files with field ids; others are refused by name.
 */
import { LakeError } from '../../base/errors.ts';
import type { LocalCopies } from '../../base/files/file-store.ts';
import type { TableFiles } from '../../base/files/table-files.ts';
import type { TableHandle } from '../../catalog/table-handle.ts';
import type { DataFile } from '../../metadata/file-set.ts';
import { quoteName, quoteText } from '../../scan/duckdb/quoting.ts';
import { valueAt } from '../../scan/vectors.ts';
import { isUnpartitioned } from '../../schema/partition-spec.ts';
import { LAST_UPDATED, ROW_ID } from '../../schema/row-fields.ts';
import type { Field, Schema, Value } from '../../schema/type.ts';
import type { FilePart, SourceTable } from '../../source-table.ts';
import { type NewDataFile, publishFiles, writeDataFiles } from '../files/data-files.ts';
import { writePlainFiles } from '../files/plain-files.ts';
import { refuseDepth } from '../input/input-columns.ts';
import { sqlType } from '../types/sql-type.ts';
import { WriterSession, workFolderOf } from '../writer-session.ts';
import { isPlainSchema, PLAIN_ROWS, type PlainRows } from './plain-rows.ts';

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
  for (const { name, type } of schema.fields) refuseDepth(name, type);
  const { files } = table;
  const spec = table.metadata.defaultSpec;
  const copies = files.store.copies();
  const inputs = await Promise.all(parts.map(({ scan }) => localCopy(copies, files, scan.data)));
  const threads = isUnpartitioned(spec) ? undefined : 1;
  const session = await WriterSession.open({ inputs, folder: await workFolderOf(files), threads });
  try {
    await session.run('CREATE TABLE alive(part INTEGER, place BIGINT)');
    const selects: string[] = [];
    for (const [i, part] of parts.entries()) {
      selects.push(await liveRows(session, source, part, i, inputs[i], schema.fields));
    }
    const slices = [{ select: selects.join(' UNION ALL '), rows: 0 }];
    const written = await writeDataFiles(session, slices, { schema, spec, files });
    await publishFiles(session, written, files.store);
    return written;
  } finally {
    session.close();
    copies.release();
  }
}

/** The local path of a data file. Throws limit_exceeded for one that no copy may be made of. */
async function localCopy(
  copies: LocalCopies,
  files: TableFiles,
  { path }: DataFile,
): Promise<string> {
  const real = files.resolve(path);
  if (await copies.make(real, 'data')) return copies.pathOf(real);
  const message = `data file "${path}" is larger than all local copies of objects may be`;
  throw new LakeError('limit_exceeded', `${message}; see LHS_OBJECT_CACHE_BYTES`, { file: path });
}

function refuseFormat(data: DataFile): void {
  if (data.format === 'parquet') return;
  throw new LakeError('unsupported', `${data.format} file "${data.path}" cannot be compacted`, {
    file: data.path,
  });
}

/**
 * A SELECT of the live rows of one part, columns by field id, lineage filled in from the manifest.
 */
async function liveRows(
  session: WriterSession,
  source: SourceTable,
  part: FilePart,
  number: number,
  path: string,
  fields: readonly Field[],
): Promise<string> {
  const live = await keepLivePlaces(session, source, part, number);
  const schema = fields.map(
    (f) =>
      `${f.id}: {name: ${quoteText(f.name)}, type: ${quoteText(sqlType(f.type))}, ` +
      'default_value: NULL}',
  );
  const file =
    `read_parquet(${quoteText(path)}, schema=MAP {${schema.join(', ')}}, ` +
    'file_row_number=true)';
  const columns = fields
    .map((f) => `${column(f, part.scan.data)} AS ${quoteName(f.name)}`)
    .join(', ');
  if (live === part.scan.data.recordCount) return `SELECT ${columns} FROM ${file}`;
  const places = `SELECT place FROM alive WHERE part = ${number}`;
  return (
    `(SELECT ${columns} FROM ${file} WHERE file_row_number IN (${places}) ORDER BY ` +
    'file_row_number)'
  );
}

/** Writes the places of a part's live rows to table `alive`; returns how many there are. */
async function keepLivePlaces(
  session: WriterSession,
  source: SourceTable,
  part: FilePart,
  number: number,
): Promise<number> {
  const columns = [source.schema.fields[0].name];
  let live = 0;
  await session.append('alive', async (alive) => {
    for await (const batch of source.read([part], { columns })) {
      for (const at of batch.positions) {
        alive.appendInteger(number);
        alive.appendBigInt(BigInt(at));
        alive.endRow();
      }
      live += batch.rows;
    }
  });
  return live;
}

function column(field: Field, data: DataFile): string {
  const name = quoteName(field.name);
  if (data.firstRowId === null) return name;
  if (field.id === ROW_ID.id) return `coalesce(${name}, ${data.firstRowId} + file_row_number)`;
  if (field.id === LAST_UPDATED.id) return `coalesce(${name}, ${data.dataSequence})`;
  return name;
}
