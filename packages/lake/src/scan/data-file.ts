import { LakeError } from '../base/errors.ts';
import { warnOfLength } from '../base/files/file-length.ts';
import { type FileRole, invalidCode, missingCode } from '../base/files/random-access-file.ts';
import { LIMITS } from '../base/limits.ts';
import type { FaultPlace } from '../parquet/fault.ts';
import { orcRefused } from '../plan/refuse-orc.ts';
import type { Field } from '../schema/type.ts';
import { openAvroFile } from './avro-file.ts';
import type { ScanDuckDb } from './duckdb/pool.ts';
import type { FileRows, OpenFile, RowSpan } from './file-rows.ts';
import { openParquetRows, type ParquetOpenFile } from './parquet-file.ts';
import type { ReadContext } from './read-context.ts';

/** The facts of a manifest about a data or delete file. */
export interface FileEntry {
  readonly path: string;
  readonly format: string;
  readonly recordCount: number;
  readonly fileSize: number;
}

/**
 * Below this our own reader (250,000 rows/s of 6 columns) is done before DuckDB is: opening and
 * closing an instance takes 30 ms of its threads, a query 5, loading its library 100 and more.
 */
const SMALL_FILE_ROWS = 8192;

/**
 * Opens a data or delete file of any format and checks it against its manifest entry: the file must
 * exist and have as many rows as the manifest records. A Parquet file whose length differs from the
 * manifest is read with a warning, because its own footer marks the end; an Avro file is refused.
 * Throws `data_file_missing`, `data_file_invalid` (or `delete_file_*`), and `unsupported` for ORC,
 * each naming the file.
 */
export async function openTableFile(
  context: ReadContext,
  entry: FileEntry,
  role: FileRole,
  duckdb: ScanDuckDb | null,
): Promise<OpenFile> {
  const path = context.files.resolve(entry.path);
  if (entry.format === 'orc') throw orcRefused(entry.path, role);
  const { nameMapping } = context;
  const isAvro = entry.format === 'avro';
  const file: OpenFile & { readonly bytes?: number } = isAvro
    ? openAvroFile(await avroBytes(context, entry, role), path, invalidCode(role), nameMapping)
    : await openParquet(context, { path, role }, duckdb);
  if (file.rowCount !== null && file.rowCount !== entry.recordCount) {
    throw wrongCount(path, role, file.rowCount, entry.recordCount);
  }
  const { bytes: actual = entry.fileSize } = file;
  if (actual !== entry.fileSize) {
    const table = context.metadata.location;
    warnOfLength({ table, role, path, actual, recorded: entry.fileSize });
  }
  const read = (fields: readonly Field[], span?: RowSpan) =>
    counted(file.read(fields, span), path, role, span?.[1] ?? entry.recordCount);
  return { ...file, read };
}

function openParquet(
  { files, nameMapping, engine }: ReadContext,
  place: FaultPlace,
  duckdb: ScanDuckDb | null,
): Promise<ParquetOpenFile> {
  return openParquetRows({
    place,
    store: files.store,
    nameMapping,
    copies: duckdb?.copies ?? null,
    duckdb: engine === 'own' ? null : duckdb,
    duckdbFromRows: engine === 'auto' ? SMALL_FILE_ROWS : 0,
  });
}

async function avroBytes(context: ReadContext, entry: FileEntry, role: FileRole): Promise<Buffer> {
  const path = context.files.resolve(entry.path);
  const bytes = await context.files.store.read(path, missingCode(role), LIMITS.avroDataBytes);
  const size = bytes.length;
  if (size === entry.fileSize) return bytes;
  throw new LakeError(
    invalidCode(role),
    `${role} file "${path}" has ${size} bytes, its manifest says ${entry.fileSize}; ` +
      'the file was cut or replaced, or the manifest is wrong: restore the file from a copy',
    { file: path },
  );
}

async function* counted(
  chunks: AsyncGenerator<FileRows>,
  path: string,
  role: FileRole,
  expected: number,
): AsyncGenerator<FileRows> {
  let rows = 0;
  for await (const chunk of chunks) {
    rows = chunk.firstRow + chunk.rows;
    if (rows > expected) throw wrongCount(path, role, rows, expected);
    yield chunk;
  }
  if (rows !== expected) throw wrongCount(path, role, rows, expected);
}

function wrongCount(path: string, role: FileRole, rows: number, expected: number): LakeError {
  return new LakeError(
    invalidCode(role),
    `${role} file "${path}" has ${rows} rows, its manifest says ${expected}; rewrite the ` +
      'manifest or restore the file from a copy',
    { file: path, details: { rows, expected } },
  );
}
