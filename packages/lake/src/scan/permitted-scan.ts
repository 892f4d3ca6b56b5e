import { type PermittedColumns, permittedColumns } from '../restrictions/permitted-rows.ts';
import type { Field } from '../schema/type.ts';
import type { Batch, ColumnVector } from './batch.ts';
import type { ReadContext } from './read-context.ts';
import { selectRows, valueAt, valuesOf, vectorOf } from './vectors.ts';

/** A scan under the catalog's read restrictions. */
export interface PermittedScan {
  /** The columns to read. */
  readonly fields: readonly Field[];
  /** The rows of a batch of `fields` that may be read, with the columns of the caller, masked. */
  apply(stored: Batch): Batch;
}

/** Plans a scan of columns. Throws unsupported for a mask that cannot be applied. */
export function permittedScan(
  { restrictions }: ReadContext,
  requested: readonly Field[],
): PermittedScan {
  if (restrictions === undefined) return { fields: requested, apply: (stored) => stored };
  const permitted = permittedColumns(restrictions, requested);
  return {
    fields: permitted.fields,
    apply(stored) {
      const batch = passingRows(permitted, stored);
      const columns = requested.map((field, i) => maskedColumn(permitted, batch, field, i));
      return { ...batch, columns };
    },
  };
}

function passingRows({ accepts }: PermittedColumns, batch: Batch): Batch {
  if (accepts === null) return batch;
  const { rows, columns } = batch;
  const passing: number[] = [];
  for (let row = 0; row < rows; row++) {
    if (accepts(columns.map((column) => valueAt(column, row)))) passing.push(row);
  }
  return selectRows(batch, Int32Array.from(passing));
}

function maskedColumn(
  { masks }: PermittedColumns,
  { columns, rows }: Batch,
  { type }: Field,
  i: number,
): ColumnVector {
  const mask = masks[i];
  return mask === null ? columns[i] : vectorOf(type, valuesOf(columns[i], rows).map(mask));
}
