import { type ErasureReport, LhsError } from '@lakehouse-search/contract';

/**
 * Throws already_exists if the table still has a row, snapshot_not_reached if the index has not
 * applied its deletion.
 */
export function requireErasable({ index, in_table, remains, snapshot }: ErasureReport): void {
  const next = [{ step: 'sync', index }] as const;
  const [first] = in_table;
  if (first !== undefined) {
    const others = in_table.length === 1 ? '' : ` and ${in_table.length - 1} others`;
    const message = `key ${first + 1}${others} is still in the table at snapshot ${snapshot}`;
    const hint = 'delete the rows from the table; the index has to apply that before an erasure';
    throw new LhsError('already_exists', message, { hint, next, details: { keys: in_table } });
  }
  if (!remains.some(({ place }) => place === 'live_document')) return;
  const message = `"${index}" has not applied the deletion of the rows`;
  throw new LhsError('snapshot_not_reached', message, { next });
}
