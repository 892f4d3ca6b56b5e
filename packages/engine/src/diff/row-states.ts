import type { Coordinates } from '@lakehouse-search/contract';
import { type Row, type SourceTable, valueToJson } from '@lakehouse-search/lake';
import type { IndexSnapshot } from '../index/index-snapshot.ts';
import { keyOfCoordinates, textsOfCoordinates } from '../schema/keys/key.ts';
import type { Mapping } from '../schema/mapping.ts';
import { keyNames, keyValues } from '../search/fetch/rows.ts';
import { fromSource } from '../source/source-errors.ts';
import { withColdBytes } from '../storage/cold-cache.ts';
import { mapCold } from '../storage/cold-file.ts';

/** What became of a row between two snapshots. */
export interface RowState {
  readonly state: 'same' | 'inserted' | 'deleted' | 'changed';
  /** With `changed`: the columns of the index that differ. Absent if the table cannot tell. */
  readonly columns?: readonly string[];
}

/** A side of the index with the snapshot of the table that it shows. */
export interface RowSide {
  readonly index: IndexSnapshot;
  /** null: the table was empty. */
  readonly snapshotId: bigint | null;
}

/**
 * Rows by key at two snapshots: of each key, what `SourceTable.rowChanges` yields for it, but only
 * these keys are read. If the table has one of the snapshots no more, row hashes of the index
 * decide. Throws source_invalid, source_unreachable.
 */
export async function rowStates(
  table: SourceTable,
  mapping: Mapping,
  sides: { readonly from: RowSide; readonly to: RowSide },
  keys: readonly Coordinates[],
): Promise<readonly RowState[]> {
  const { from, to } = sides;
  if (keys.length === 0 || from.snapshotId === to.snapshotId) {
    return keys.map(() => ({ state: 'same' }));
  }
  if (!tableHas(table, from.snapshotId) || !tableHas(table, to.snapshotId)) {
    const state = (key: Coordinates) => stateByHash(mapping, from.index, to.index, key);
    return withColdBytes(() => mapCold(keys, state));
  }
  const ids = new Set(table.schema.fields.map(({ id }) => id));
  const columns = mapping.columns
    .filter(({ id }) => ids.has(id))
    .map(({ id }) => table.schema.fields.find((field) => field.id === id)!);
  const before = await rowsAt(table, mapping, from.snapshotId, keys);
  const after = await rowsAt(table, mapping, to.snapshotId, keys);
  return keys.map((_, i) => {
    const [a, b] = [before[i], after[i]];
    if (a === null) return { state: b === null ? 'same' : 'inserted' };
    if (b === null) return { state: 'deleted' };
    const text = (row: Row, column: (typeof columns)[number]) =>
      JSON.stringify(valueToJson(column.type, row[column.name] ?? null));
    const changed = columns.filter((column) => text(a, column) !== text(b, column));
    if (changed.length === 0) return { state: 'same' };
    return { state: 'changed', columns: changed.map(({ name }) => name) };
  });
}

/** True if the table can be read at a snapshot. */
export const tableHas = (table: SourceTable, id: bigint | null): boolean =>
  id === null || table.snapshots.some((snapshot) => snapshot.id === id);

/** What the response says about snapshots that the table has no more. */
export function notesOfSides(
  table: SourceTable,
  sides: readonly { readonly snapshotId: bigint | null }[],
): readonly string[] {
  return sides.flatMap(({ snapshotId }) => {
    if (tableHas(table, snapshotId)) return [];
    const message = `the table has snapshot ${snapshotId} no more: changed columns are not known`;
    return [message];
  });
}

async function rowsAt(
  table: SourceTable,
  mapping: Mapping,
  snapshotId: bigint | null,
  keys: readonly Coordinates[],
): Promise<readonly (Row | null)[]> {
  const none = keys.map((): Row | null => null);
  if (snapshotId === null) return none;
  const names = keyNames(table, mapping);
  const values = keys.map((key) => keyValues(table, names, textsOfCoordinates(mapping.key, key)));
  const possible = values.flatMap((own, i) => (own === null ? [] : [{ own, i }]));
  if (possible.length === 0) return none;
  const ids = new Set(mapping.columns.map(({ id }) => id));
  const columns = table.schema.fields.filter(({ id }) => ids.has(id)).map(({ name }) => name);
  const wanted = possible.map(({ own }) => own);
  const found = await fromSource(() =>
    table.lookupKeys(names, wanted, [...new Set([...names, ...columns])], { snapshotId }),
  );
  possible.forEach(({ i }, at) => {
    none[i] = found[at]?.row ?? null;
  });
  return none;
}

function stateByHash(
  mapping: Mapping,
  from: IndexSnapshot,
  to: IndexSnapshot,
  coordinates: Coordinates,
): RowState {
  const [a, b] = [from, to].map((side) => {
    const numbers = side.commit.key_numbers ?? [];
    return side.find(keyOfCoordinates({ ...mapping.key, numbers }, coordinates));
  });
  if (a === null) return { state: b === null ? 'same' : 'inserted' };
  if (b === null) return { state: 'deleted' };
  return { state: a.segment.hash(a.doc) === b.segment.hash(b.doc) ? 'same' : 'changed' };
}
