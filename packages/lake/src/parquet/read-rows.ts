import { eachOf } from '../base/each-of.ts';
import { LakeError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import type { Value } from '../schema/type.ts';
import { ColumnReader } from './column-reader.ts';
import { parquetLimit } from './fault.ts';
import type { ReadWeight } from './leaf-cursor.ts';
import type { ByteCost, ParquetFile } from './parquet-file.ts';
import type { ReadPlan } from './read-plan.ts';

/**
 * The values of columns at row positions, column by column: `result[c][i]` is column `c` at
 * `positions[i]`. Positions come in any order and may repeat. Only the pages that hold the rows are
 * read; what they cost is added to `cost`. Throws `invalid_argument` for a position outside the
 * file, `limit_exceeded` if the values take more than `LIMITS.lookupBytes`, and the file's
 * `*_invalid` error.
 *
 * Rows are cached if a page had to be decoded for them. `columns` describes the plans: equal texts
 * mean equal values.
 */
export async function readKeptRows(
  file: ParquetFile,
  plans: readonly ReadPlan[],
  columns: string,
  positions: Int32Array,
  cost?: ByteCost,
): Promise<readonly (readonly Value[])[]> {
  checkPositions(file, positions);
  const kept = file.keptRows(columns);
  if (kept === null) return (await readAt(file, plans, positions, cost)).columns;
  const { cache, prefix } = kept;
  const rows = Array.from(positions, (position) => cache.get(prefix + position));
  const missing = positions.filter((_, i) => rows[i] === undefined);
  let bytes = rows.reduce((sum, row) => sum + (row?.bytes ?? 0), 0);
  const before = file.pagesDecoded;
  const read = await readAt(file, plans, missing, cost);
  const keep = file.pagesDecoded > before;
  for (let i = 0, next = 0; i < rows.length; i++) {
    if (rows[i] !== undefined) continue;
    const values = read.columns.map((column) => column[next]);
    rows[i] = { values, bytes: read.sizes[next] };
    bytes += read.sizes[next];
    if (keep) cache.set(prefix + positions[i], values, read.sizes[next]);
    next++;
  }
  if (bytes > LIMITS.lookupBytes) throw tooMuch(file, positions.length);
  return plans.map((_, c) => rows.map((row) => row?.values[c] ?? null));
}

interface ReadValues {
  readonly columns: readonly (readonly Value[])[];
  /** By row: bytes of its values, about. */
  readonly sizes: Float64Array;
}

async function readAt(
  file: ParquetFile,
  plans: readonly ReadPlan[],
  positions: Int32Array,
  cost: ByteCost | undefined,
): Promise<ReadValues> {
  const order = ascendingOrder(positions);
  const weight: ReadWeight = { values: 0, pages: 0 };
  const sizes = new Float64Array(positions.length);
  const readers = plans.map((plan) => new ColumnReader(file, plan, weight, cost));
  const dropAhead =
    file.readsAhead && positions.length > 0
      ? await readAhead(file, readers, positions, cost)
      : null;
  try {
    const columns = await eachOf(readers, COLUMNS_AT_ONCE, async (column) => {
      const values: Value[] = new Array(positions.length);
      for (const index of order) {
        const position = positions[index];
        if (!column.reach(position)) await column.seek(position);
        const before = weight.values;
        values[index] = column.read();
        sizes[index] += weight.values - before;
        if (weight.values > LIMITS.lookupBytes) throw tooMuch(file, positions.length);
      }
      column.release();
      return values;
    });
    return { columns, sizes };
  } finally {
    dropAhead?.();
  }
}

function readAhead(
  file: ParquetFile,
  readers: readonly ColumnReader[],
  positions: Int32Array,
  cost: ByteCost | undefined,
): Promise<() => void> {
  const leaves = readers.flatMap((reader) => reader.leaves);
  return file.readAhead(leaves, positions, cost);
}

function checkPositions(file: ParquetFile, positions: Int32Array): void {
  for (const position of positions) {
    if (position >= 0 && position < file.rows) continue;
    throw new LakeError(
      'invalid_argument',
      `row ${position} is outside the file, which has ${file.rows} rows`,
      { file: file.path },
    );
  }
}

function tooMuch(file: ParquetFile, rows: number): LakeError {
  const what = `${rows} rows take more than ${LIMITS.lookupBytes} bytes`;
  return parquetLimit(file.place, `${what}; read fewer rows at a time, or fewer columns`);
}

/**
 * Rows of a file that follow one another; `columns[c][i]` is column `c` of row `firstRow + i`. Of
 * rows at positions, `firstRow` is an index of `positions`.
 */
export interface RowBlock {
  readonly firstRow: number;
  readonly rows: number;
  readonly columns: readonly (readonly Value[])[];
}

/** What is read in blocks. */
export interface BlockOptions {
  /** Default 0. */
  readonly firstRow?: number;
  /** Default: the number of rows. */
  readonly endRow?: number;
  /** Only these rows, ascending. */
  readonly positions?: Int32Array;
  /** Default 8,192. */
  readonly blockRows?: number;
  readonly cost?: ByteCost;
}

const BLOCK_ROWS = 8192;

/**
 * All rows of a file from `firstRow` to `endRow`, or those at `positions`, in blocks of at most
 * `blockRows` rows and `LIMITS.batchBytes`, unless a block is a single row. Throws `limit_exceeded`
 * for a row of more than `LIMITS.rowBytes`.
 */
export async function* readBlocks(
  file: ParquetFile,
  plans: readonly ReadPlan[],
  options: BlockOptions = {},
): AsyncGenerator<RowBlock> {
  const { positions = null, blockRows: most = BLOCK_ROWS } = options;
  if (positions !== null) checkPositions(file, positions);
  const end = positions?.length ?? Math.min(file.rows, options.endRow ?? file.rows);
  const weight: ReadWeight = { values: 0, pages: 0 };
  const columns = plans.map((plan) => new ColumnReader(file, plan, weight, options.cost));
  let size = most;
  for (let first = options.firstRow ?? 0; first < end; ) {
    const rows = Math.min(size, end - first);
    const run = { first, rows, positions };
    weight.values = 0;
    const read = await eachOf(columns, COLUMNS_AT_ONCE, (column) => readRun(column, run, weight));
    if (rows > 1 && weight.values > LIMITS.batchBytes) {
      size = rows >>> 1;
      continue;
    }
    if (weight.values > LIMITS.rowBytes)
      throw tooLarge(file, positions === null ? first : positions[first]);
    yield { firstRow: first, rows, columns: read };
    first += rows;
    if (weight.values <= LIMITS.batchBytes / 4) size = Math.min(most, size * 2);
  }
}

interface RowRun {
  readonly first: number;
  readonly rows: number;
  readonly positions: Int32Array | null;
}

/** The values of a run of rows; fewer if those of all columns pass the bytes of a batch. */
async function readRun(
  column: ColumnReader,
  { first, rows, positions }: RowRun,
  weight: ReadWeight,
): Promise<readonly Value[]> {
  const values: Value[] = new Array(rows);
  for (let i = 0; i < rows; i++) {
    const row = positions === null ? first + i : positions[first + i];
    if (!column.reach(row)) await column.seek(row);
    values[i] = column.read();
    if (weight.values > LIMITS.batchBytes && rows > 1) break;
    if (weight.values > LIMITS.rowBytes) break;
  }
  return values;
}

function tooLarge(file: ParquetFile, row: number): LakeError {
  const what = `row ${row} takes more than ${LIMITS.rowBytes} bytes in the columns that are read`;
  return parquetLimit(file.place, `${what}; leave its largest columns out`);
}

/** Columns run side by side: their pages are decompressed on Node's thread pool. */
const COLUMNS_AT_ONCE = 4;

function ascendingOrder(positions: Int32Array): Int32Array {
  const order = Int32Array.from(positions, (_, i) => i);
  return order.sort((a, b) => positions[a] - positions[b]);
}
