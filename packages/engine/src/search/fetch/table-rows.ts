import type { JsonObject } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import type { Mapping } from '../../schema/mapping.ts';
import type { RequestedRow, RowCost } from './rows.ts';

/** Rows of the table, in the order of the request. */
export interface ReadTableRows {
  /** null: the table has no row of the key, or it is not a row of the caller's tenant. */
  readonly rows: readonly (JsonObject | null)[];
  /** The snapshot that they are of; null: the table has none. */
  readonly snapshot: string | null;
}

/**
 * Reads rows of the table by key: every top-level column unless some are named. Adds to `cost`.
 * Throws invalid_argument for a column that is not there, and what the table throws.
 */
export type ReadRows = (
  wanted: readonly RequestedRow[],
  columns: readonly string[] | 'none' | undefined,
  cost: RowCost,
) => Promise<ReadTableRows>;

/** Reads rows of a table for the caller of a tenant, or for one without. */
export function rowsOfTable(
  openTable: () => Promise<SourceTable>,
  mapping: Mapping,
  tenant: string | undefined,
): ReadRows {
  return async (wanted, columns, cost) => {
    const { readRows, rowColumns, shownSnapshot } = await import('./rows.ts');
    const table = await openTable();
    const names = columns === 'none' ? [] : rowColumns(table, columns);
    const shown = shownSnapshot(table, mapping);
    const rows = await readRows(table, mapping, wanted, names, cost, tenant);
    return { rows, snapshot: shown === null ? null : String(shown) };
  };
}
