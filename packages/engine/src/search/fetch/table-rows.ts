import { type JsonObject, LhsError } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import type { Mapping } from '../../schema/mapping.ts';
import type { RequestedRow, RowCost } from './rows.ts';

/** Rows of the table, in the order of the request. */
export interface ReadTableRows {
  /** null: the table has no row of the key, or it is not a row of the caller's tenant. */
  readonly rows: readonly (JsonObject | null)[];
  /** By row: true if another row or none is at the requested locator. Absent: not known. */
  readonly moved?: readonly boolean[];
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
  /** A snapshot, branch or tag, instead of what the index follows. */
  asOf?: string,
) => Promise<ReadTableRows>;

/** Reads rows of a table for the caller of a tenant, or for one without. */
export function rowsOfTable(
  openTable: () => Promise<SourceTable>,
  mapping: Mapping,
  tenant: string | undefined,
  snapshotOf?: (table: SourceTable, name: string) => bigint,
): ReadRows {
  return async (wanted, columns, cost, asOf) => {
    const { readRows, rowColumns, shownSnapshot } = await import('./rows.ts');
    const table = await openTable();
    const names = columns === 'none' ? [] : rowColumns(table, columns);
    if (asOf !== undefined && (tenant !== undefined || snapshotOf === undefined)) throw noHistory();
    const shown = asOf === undefined ? shownSnapshot(table, mapping) : snapshotOf?.(table, asOf);
    const options = { cost, snapshotId: shown ?? undefined };
    const read = await readRows(table, mapping, wanted, names, options, tenant);
    return { ...read, snapshot: shown == null ? null : String(shown) };
  };
}

/** Which documents a tenant had is known of the newest commit alone. */
const noHistory = (): LhsError =>
  new LhsError('unsupported', '"as_of" does not go with the rows of a tenant');
