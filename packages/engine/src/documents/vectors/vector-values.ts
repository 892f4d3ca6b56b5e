import type { ColumnVector } from '@lakehouse-search/lake';

/** Whether `row` of a column is SQL NULL. */
export function isNull(vector: ColumnVector, row: number): boolean {
  if (vector.kind === 'values') return vector.values[row] === null;
  return vector.nulls !== null && vector.nulls[row] === 1;
}

/** The present rows of a column, ascending, or null where no row is NULL. */
export function presentRows(nulls: Uint8Array | null, rows: number): Int32Array | null {
  if (nulls === null) return null;
  const present = new Int32Array(rows);
  let count = 0;
  for (let row = 0; row < rows; row++) if (nulls[row] === 0) present[count++] = row;
  return count === rows ? null : present.subarray(0, count);
}

let identity = new Int32Array(0);

/**
 * `starts` of documents that hold exactly one value each: 0, 1, … rows. A view of one shared array:
 * do not write to it.
 */
function oneEach(rows: number): Int32Array {
  if (identity.length <= rows) identity = Int32Array.from({ length: rows * 2 + 1 }, (_, i) => i);
  return identity.subarray(0, rows + 1);
}

/**
 * `starts` of documents that hold one value where present and none elsewhere; null means all are
 * present.
 */
export function startsOf(present: Int32Array | null, rows: number): Int32Array {
  if (present === null) return oneEach(rows);
  const starts = new Int32Array(rows + 1);
  for (const row of present) starts[row + 1] = 1;
  for (let row = 0; row < rows; row++) starts[row + 1] += starts[row];
  return starts;
}
