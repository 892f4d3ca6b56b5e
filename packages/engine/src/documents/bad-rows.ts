/**
 * Rows that cannot become documents: a NULL in a key column, or a value that its field cannot take.
 * With `on_bad_row: skip` they are taken out of a batch before anything else is done with it, so
 * that keys, hashes, settling and verify see good rows only. Whether a row is bad depends on
 * nothing but the row and the definition.
 */
import type { Batch } from '@lakehouse-search/lake';
import { selectRows } from '@lakehouse-search/lake/internal';
import type { MappedField, Mapping } from '../schema/mapping.ts';
import { findNullKeys } from './encode-keys.ts';
import type { OnBadRow, RowFault } from './row-fault.ts';
import { isUsed, plainField } from './rows-to-block.ts';

/**
 * The rows of a batch that can become documents; `skip` receives the others, ascending, each with
 * its first fault. With `on_bad_row: refuse` the batch as it is: its conversion throws.
 */
export function goodRows(mapping: Mapping, batch: Batch, skip: OnBadRow): Batch {
  if (mapping.definition.onBadRow === 'refuse') return batch;
  const faults = faultsOf(mapping, batch);
  if (faults.size === 0) return batch;
  const good = new Int32Array(batch.rows - faults.size);
  let count = 0;
  for (let row = 0; row < batch.rows; row++) {
    const fault = faults.get(row);
    if (fault === undefined) good[count++] = row;
    else skip(row, fault);
  }
  return selectRows(batch, good);
}

function faultsOf(mapping: Mapping, batch: Batch): ReadonlyMap<number, () => RowFault> {
  const faults = new Map<number, () => RowFault>();
  const collect: OnBadRow = (row, fault) => {
    if (!faults.has(row)) faults.set(row, fault);
  };
  findNullKeys(mapping, batch, collect);
  for (const field of mapping.fields) {
    const { source } = field;
    if (source.kind !== 'columns' || !canFault(field, batch, source.columns)) continue;
    plainField(mapping, field, source.columns, batch, collect);
  }
  return faults;
}

/** False where every value of the column is one of the field's. */
function canFault(field: MappedField, batch: Batch, columns: readonly number[]): boolean {
  const { plan } = field;
  if (columns.length > 1 || !isUsed(field)) return false;
  const { kind } = batch.columns[columns[0]];
  if (kind === 'utf8') return plan.type !== 'TEXT' && plan.type !== 'VECTOR';
  return kind === 'values';
}
