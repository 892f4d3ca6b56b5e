import { LIMITS } from '../../base/limits.ts';
import { quoteText } from '../../scan/duckdb/quoting.ts';
import type { RowSlice } from '../files/data-files.ts';
import type { StagedInput } from '../input/input.ts';
import type { WriterSession } from '../writer-session.ts';

/**
 * The rows of an input as slices of about `dataFileBytes` of Parquet each, in order: a slice
 * becomes a data file, so that none is large beyond measure. CSV and JSON, which cannot be entered
 * in the middle, are one slice; `rows` is what is known of their number.
 */
export async function rowSlices(
  session: WriterSession,
  input: StagedInput,
  { list, from }: { readonly list: string; readonly from: string },
  rows: number,
): Promise<readonly RowSlice[]> {
  const whole = `SELECT ${list} FROM ${from}`;
  if (input.format !== 'parquet') return [{ select: whole, rows }];
  const files = await parquetFiles(
    session,
    input.files.map(({ path }) => path),
  );
  const bytes = files.reduce((n, file) => n + file.bytes, 0);
  const total = files.reduce((n, file) => n + file.rows, 0);
  if (bytes <= LIMITS.dataFileBytes) return [{ select: whole, rows: total }];
  return files.flatMap((file) => slicesOf(file, list, from));
}

interface ParquetFileFacts {
  readonly path: string;
  readonly rows: number;
  readonly bytes: number;
}

async function parquetFiles(
  session: WriterSession,
  paths: readonly string[],
): Promise<readonly ParquetFileFacts[]> {
  const list = `[${paths.map(quoteText).join(', ')}]`;
  const found = await session.rows(
    `SELECT file_name, num_rows, file_size_bytes FROM parquet_file_metadata(${list})`,
  );
  const facts = new Map(found.map(([path, rows, bytes]) => [String(path), { rows, bytes }]));
  return paths.map((path) => {
    const { rows, bytes } = facts.get(path) ?? {};
    return { path, rows: Number(rows), bytes: Number(bytes) };
  });
}

/** DuckDB skips files and row groups that the conditions exclude. */
function slicesOf(file: ParquetFileFacts, list: string, from: string): readonly RowSlice[] {
  const slices = Math.max(1, Math.round(file.bytes / LIMITS.dataFileBytes));
  const edge = (i: number) => Math.round((file.rows * i) / slices);
  return Array.from({ length: slices }, (_, i) => {
    const places = `file_row_number >= ${edge(i)} AND file_row_number < ${edge(i + 1)}`;
    const where = `filename = ${quoteText(file.path)} AND ${places}`;
    return { select: `SELECT ${list} FROM ${from} WHERE ${where}`, rows: edge(i + 1) - edge(i) };
  });
}
