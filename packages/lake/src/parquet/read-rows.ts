import { eachOf } from '../base/each-of.ts';
import { LakeError } from '../base/errors.ts';
import type { Value } from '../schema/type.ts';
import { assembler, cursorsOf } from './assemble.ts';
import { LeafCursor } from './leaf-cursor.ts';
import type { ByteCost, ParquetFile } from './parquet-file.ts';
import type { ReadPlan } from './read-plan.ts';
import type { LeafNode } from './schema-tree.ts';

/**
 * The values of columns at row positions, column by column: `result[c][i]` is column `c` at
 * `positions[i]`. Positions come in any order and may repeat. Only the pages that hold the rows are
 * read; what they cost is added to `cost`. Throws `invalid_argument` for a position outside the
 * file, and the file's `*_invalid` error.
 */
export async function readRows(
  file: ParquetFile,
  plans: readonly ReadPlan[],
  positions: Int32Array,
  cost?: ByteCost,
): Promise<readonly (readonly Value[])[]> {
  for (const position of positions) {
    if (position < 0 || position >= file.rows) {
      throw new LakeError(
        'invalid_argument',
        `row ${position} is outside the file, which has ${file.rows} rows`,
        { file: file.path },
      );
    }
  }
  const order = ascendingOrder(positions);
  return eachOf(plans, COLUMNS_AT_ONCE, (plan) => readColumn(file, plan, positions, order, cost));
}

/** Rows of a file that follow one another; `columns[c][i]` is column `c` of row `firstRow + i`. */
export interface RowBlock {
  readonly firstRow: number;
  readonly rows: number;
  readonly columns: readonly (readonly Value[])[];
}

const BLOCK_ROWS = 8192;

/** All rows of a file from `firstRow` on, in blocks. */
export async function* readBlocks(
  file: ParquetFile,
  plans: readonly ReadPlan[],
  options: { readonly firstRow?: number; readonly blockRows?: number; cost?: ByteCost } = {},
): AsyncGenerator<RowBlock> {
  const size = options.blockRows ?? BLOCK_ROWS;
  const columns = plans.map((plan) => new ColumnReader(file, plan, options.cost));
  for (let first = options.firstRow ?? 0; first < file.rows; first += size) {
    const rows = Math.min(size, file.rows - first);
    const read = await eachOf(columns, COLUMNS_AT_ONCE, async (column) => {
      const values: Value[] = new Array(rows);
      for (let i = 0; i < rows; i++) {
        if (!column.reach(first + i)) await column.seek(first + i);
        values[i] = column.read();
      }
      return values;
    });
    yield { firstRow: first, rows, columns: read };
  }
}

/** All rows of a small file (a delete file, a test's file), column by column. */
export async function readWhole(
  file: ParquetFile,
  plans: readonly ReadPlan[],
  cost?: ByteCost,
): Promise<readonly (readonly Value[])[]> {
  const columns: Value[][] = plans.map(() => []);
  for await (const block of readBlocks(file, plans, { cost })) {
    block.columns.forEach((values, c) => {
      for (const value of values) columns[c].push(value);
    });
  }
  return columns;
}

/** Columns run side by side: their pages are decompressed on Node's thread pool. */
const COLUMNS_AT_ONCE = 4;

async function readColumn(
  file: ParquetFile,
  plan: ReadPlan,
  positions: Int32Array,
  order: Int32Array,
  cost: ByteCost | undefined,
): Promise<readonly Value[]> {
  const column = new ColumnReader(file, plan, cost);
  const values: Value[] = new Array(positions.length);
  for (const index of order) {
    const position = positions[index];
    if (!column.reach(position)) await column.seek(position);
    values[index] = column.read();
  }
  return values;
}

/** One column of the schema over all its leaves. */
class ColumnReader {
  readonly #cursors: readonly LeafCursor[];
  readonly #read: () => Value;

  constructor(file: ParquetFile, plan: ReadPlan, cost: ByteCost | undefined) {
    const cursors = new Map<LeafNode, LeafCursor>();
    const cursorOf = (leaf: LeafNode): LeafCursor => {
      const cursor = cursors.get(leaf) ?? new LeafCursor(file, leaf, cost);
      cursors.set(leaf, cursor);
      return cursor;
    };
    this.#cursors = [...cursorsOf(plan, cursorOf)];
    this.#read = assembler(plan, cursorOf, file.path);
  }

  reach(row: number): boolean {
    let here = true;
    for (const cursor of this.#cursors) here = cursor.reach(row) && here;
    return here;
  }

  async seek(row: number): Promise<void> {
    await Promise.all(this.#cursors.map((cursor) => cursor.seek(row)));
  }

  read(): Value {
    return this.#read();
  }
}

function ascendingOrder(positions: Int32Array): Int32Array {
  const order = Int32Array.from(positions, (_, i) => i);
  return order.sort((a, b) => positions[a] - positions[b]);
}
