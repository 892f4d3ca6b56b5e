import { LIMITS } from '../base/limits.ts';
import type { DataFile, FileScan } from '../metadata/file-set.ts';
import type { PositionSet } from '../puffin/position-set.ts';
import type { Field } from '../schema/type.ts';
import type { Batch } from './batch.ts';
import { openTableFile } from './data-file.ts';
import type { DeadRows } from './deletes.ts';
import { ScanDuckDb } from './duckdb/pool.ts';
import type { FileRows, RowSpan } from './file-rows.ts';
import { type PermittedScan, permittedScan } from './permitted-scan.ts';
import { type Projection, planProjection } from './projection.ts';
import type { ReadContext } from './read-context.ts';
import { RowFilter } from './row-filter.ts';
import { selectRows, sliceVector } from './vectors.ts';
import type { WhereText } from './where.ts';

/** A data file to scan, and which of its live rows: null means all of them, or of `span`. */
export interface ScanPart {
  readonly scan: FileScan;
  readonly only: PositionSet | null;
  readonly span?: RowSpan | undefined;
}

/** What to scan. `fields` are the batches' columns, in their order. */
export interface ScanPlan {
  readonly parts: readonly ScanPart[];
  readonly fields: readonly Field[];
  readonly condition?: WhereText;
  /**
   * Rows a batch, at most; DuckDB hands over 2,048 at a time, so batches are no larger than that.
   */
  readonly batchRows?: number;
  readonly signal?: AbortSignal;
}

/**
 * Scans data files one after another:
 *
 * 1. the dead positions of the file (deletes.ts); of a file without a live row only the footer is
 *    read, which confirms the record count of the manifest;
 * 2. the file's own columns, by DuckDB or our own readers (data-file.ts), completed by partition
 *    values, defaults and lineage (projection.ts);
 * 3. dead rows out; then what the catalog hides (permitted-scan.ts), and the rows for which the
 *    condition is not true;
 * 4. batches with the positions that the rows have in their file.
 *
 * The DuckDB instance lives as long as the scan; leaving the loop early closes it, and so does the
 * signal, whose reason is thrown.
 */
export async function* scanParts(
  context: ReadContext,
  dead: DeadRows,
  plan: ScanPlan,
): AsyncGenerator<Batch> {
  const duckdb = new ScanDuckDb(
    context.files.store,
    parquetPaths(context, plan.parts),
    plan.signal,
  );
  const fields = [...plan.fields, ...(plan.condition?.fields ?? [])];
  const permitted = permittedScan(context, fields);
  const filter = plan.condition === undefined ? null : new RowFilter(plan.condition);
  try {
    for (const [i, part] of plan.parts.entries()) {
      fetchAhead(context, duckdb, plan.parts[i + 1]);
      for await (const stored of scanFile({ context, dead, permitted, duckdb }, part)) {
        plan.signal?.throwIfAborted();
        const batch = permitted.apply(stored);
        if (batch.rows === 0) continue;
        const kept = filter === null ? batch : await applyFilter(filter, batch, plan.fields.length);
        if (kept.rows > 0) yield* split(kept, plan.batchRows ?? kept.rows);
      }
      duckdb.copies.release(context.files.resolve(part.scan.data.path));
    }
  } finally {
    filter?.close();
    duckdb.close();
  }
}

/** Starts the local copy of the next file while the rows of this one are read. */
function fetchAhead(context: ReadContext, { copies }: ScanDuckDb, next: ScanPart | undefined) {
  if (next === undefined || next.only !== null || next.span !== undefined) return;
  if (next.scan.data.format !== 'parquet') return;
  // a fault comes again when the file is read
  copies.make(context.files.resolve(next.scan.data.path), 'data').catch(() => {});
}

interface Scanning {
  readonly context: ReadContext;
  readonly dead: DeadRows;
  readonly permitted: PermittedScan;
  readonly duckdb: ScanDuckDb;
}

function parquetPaths(context: ReadContext, parts: readonly ScanPart[]): string[] {
  const parquet = parts.filter(({ scan }) => scan.data.format === 'parquet');
  return parquet.map(({ scan }) => context.files.resolve(scan.data.path));
}

async function* scanFile(scanning: Scanning, part: ScanPart): AsyncGenerator<Batch> {
  const { context, dead, permitted, duckdb } = scanning;
  const { data } = part.scan;
  if (part.only?.size === 0) return;
  const gone = await dead.of(part.scan, duckdb);
  const file = await openTableFile(context, data, 'data', duckdb);
  if (gone.size === file.rowCount) return;
  const projection = planProjection(context, data, file, permitted.fields);
  if (part.only !== null && part.only.size * ROWS_PER_POINT_READ < data.recordCount) {
    const positions = part.only.positions.filter((position) => !gone.has(position));
    const read = file.readAt?.(projection.stored, positions);
    if (read !== undefined) {
      for await (const rows of bounded(read, projection)) yield completed(projection, rows, data);
      return;
    }
  }
  for await (const rows of bounded(file.read(projection.stored, part.span), projection)) {
    const selection = liveRows(rows, gone, part.only);
    if (selection?.length === 0) continue;
    const whole = completed(projection, rows, data);
    yield selection === null ? whole : selectRows(whole, selection);
  }
}

function completed(projection: Projection, rows: FileRows, { path }: DataFile): Batch {
  const positions = rows.positions ?? ordinals(rows);
  return { rows: rows.rows, columns: projection.complete(rows), file: path, positions };
}

/** The rows in smaller pieces if a text that all of them have would make a batch too large. */
async function* bounded(
  read: AsyncGenerator<FileRows>,
  { constantBytes }: Projection,
): AsyncGenerator<FileRows> {
  const most = Math.max(1, Math.floor(LIMITS.batchBytes / Math.max(1, constantBytes)));
  for await (const rows of read) {
    if (rows.rows <= most) yield rows;
    else for (let from = 0; from < rows.rows; from += most) yield sliceRows(rows, from, most);
  }
}

function sliceRows({ firstRow, positions, rows, columns }: FileRows, from: number, most: number) {
  const to = Math.min(rows, from + most);
  return {
    firstRow: firstRow + (positions === undefined ? from : 0),
    positions: positions?.subarray(from, to),
    rows: to - from,
    columns: columns.map((column) => sliceVector(column, from, to)),
  };
}

/**
 * A point read decodes a page of each column, and pages of 20,000 rows are common; reading a file
 * as a whole is several times as fast a row. So few rows of a large file are read by points.
 */
const ROWS_PER_POINT_READ = 32_768;

function ordinals({ firstRow, rows }: FileRows): Int32Array {
  const positions = new Int32Array(rows);
  for (let i = 0; i < rows; i++) positions[i] = firstRow + i;
  return positions;
}

/** Row numbers within the chunk that live and are wanted; null if that is all of them. */
function liveRows(
  { firstRow, rows }: FileRows,
  dead: PositionSet,
  only: PositionSet | null,
): Int32Array | null {
  const end = firstRow + rows;
  if (only !== null) {
    const wanted = only.between(firstRow, end);
    const live = dead.size === 0 ? wanted : wanted.filter((position) => !dead.has(position));
    return live.map((position) => position - firstRow);
  }
  const gone = dead.between(firstRow, end);
  if (gone.length === 0) return null;
  const selection = new Int32Array(rows - gone.length);
  for (let row = 0, skip = 0, at = 0; row < rows; row++) {
    if (skip < gone.length && gone[skip] === firstRow + row) skip++;
    else selection[at++] = row;
  }
  return selection;
}

async function applyFilter(filter: RowFilter, batch: Batch, columns: number): Promise<Batch> {
  const kept = selectRows(batch, await filter.matching(batch, columns));
  return { ...kept, columns: kept.columns.slice(0, columns) };
}

function* split(batch: Batch, most: number): Generator<Batch> {
  if (batch.rows <= most) {
    yield batch;
    return;
  }
  for (let from = 0; from < batch.rows; from += most) {
    const to = Math.min(batch.rows, from + most);
    yield selectRows(
      batch,
      Int32Array.from({ length: to - from }, (_, i) => from + i),
    );
  }
}
