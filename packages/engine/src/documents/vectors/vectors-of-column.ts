import { type Batch, type Value, valueAt } from '@lakehouse-search/lake';
import { fixVectors } from '../../base/fixed-vector.ts';
import type { VectorPlan } from '../../schema/field-plan.ts';
import type { Mapping } from '../../schema/mapping.ts';
import { type OnBadRow, refuseRow, valueFault } from '../row-fault.ts';
import { type VectorBlock, vectorBlock } from './vector-block.ts';
import { startsOf } from './vector-values.ts';

/**
 * A VECTOR field of a column that holds the vectors themselves. No vector: NULL, an empty list, a
 * list of zeros. One that has not `dims` finite numbers is a fault of its row.
 */
export function vectorsOfColumn(
  mapping: Mapping,
  { dims, similarity }: VectorPlan,
  batch: Batch,
  column: number,
  onBadRow: OnBadRow = refuseRow,
): VectorBlock {
  const { rows } = batch;
  const values = new Float32Array(rows * dims);
  for (let row = 0; row < rows; row++) {
    const list = valueAt(batch.columns[column], row) as readonly Value[] | null;
    if (list === null || list.length === 0) continue;
    const expected = faultOf(list, dims);
    if (expected !== null) {
      onBadRow(row, () => vectorFault(mapping, batch, row, column, list, expected));
      continue;
    }
    take(list as readonly number[], similarity === 'cosine', values, row * dims);
  }
  return vectorBlock(startsOf(null, rows), dims, fixVectors(values, dims));
}

/** What a list should be and is not, or null. */
function faultOf(list: readonly Value[], dims: number): string | null {
  if (list.length !== dims) return `a vector of ${dims} numbers (it has ${list.length})`;
  const at = list.findIndex((value) => typeof value !== 'number' || !isFloat(value));
  return at < 0 ? null : `a vector of finite 32-bit numbers (number ${at + 1} is ${list[at]})`;
}

const isFloat = (value: number): boolean => Number.isFinite(Math.fround(value));

/** Writes a list at values[at ..), normalized to length 1 on request. */
function take(list: readonly number[], normal: boolean, values: Float32Array, at: number): void {
  const length = normal ? Math.hypot(...list) : 1;
  if (length === 0) return;
  for (let i = 0; i < list.length; i++) values[at + i] = list[i] / length;
}

function vectorFault(
  mapping: Mapping,
  batch: Batch,
  row: number,
  column: number,
  list: readonly Value[],
  expected: string,
) {
  const { name } = mapping.columns[column];
  const shown = `[${list.slice(0, 8).map(String).join(', ')}${list.length > 8 ? ', …' : ''}]`;
  const hint = 'mend the row, or take the field out of the definition';
  return valueFault(mapping, batch, row, name, shown, expected, hint);
}
