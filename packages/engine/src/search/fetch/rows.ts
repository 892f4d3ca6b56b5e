/**
 * Rows of the table, by key. Steps:
 *
 * 1. Keys whose document is known are read at its locator: a point read of the data file.
 * 2. A row counts only when its key columns are the key that was asked for. Locators of rows that
 *    have been rewritten, compacted or deleted since the index was built lead nowhere, or to
 *    another row.
 * 3. What is left is looked up by key in the table as it is now.
 */

import { type Json, type JsonObject, LhsError } from '@lakehouse-search/contract';
import { didYouMean } from '@lakehouse-search/contract/internal';
import {
  type Locator,
  type Row,
  type SourceTable,
  type Type,
  valueToJson,
} from '@lakehouse-search/lake';
import { readableFields } from '@lakehouse-search/lake/internal';
import { mapInTurns } from '../../base/turns.ts';
import { isRowKey } from '../../schema/keys/row-key.ts';
import type { Mapping } from '../../schema/mapping.ts';
import { columnText, parseColumnText } from '../../schema/values/column-text.ts';
import { tenantRows } from '../tenant.ts';
import type { ReadTableRows } from './table-rows.ts';

/** Bytes and requests that reading took so far. */
export interface RowCost {
  bytes: number;
  requests: number;
}

/** A row to read: the canonical texts of its key columns and, where known, where it was. */
export interface RequestedRow {
  readonly texts: readonly string[];
  readonly locator: Locator | null;
}

/**
 * The columns to read; every stored top-level column that can be read if none is named. Throws
 * invalid_argument for a column that is not there.
 */
export function rowColumns(
  table: SourceTable,
  requested: readonly string[] | undefined,
): readonly string[] {
  const readable = readableFields(table.schema);
  const stored = readable.filter((field) => !isRowKey(field)).map(({ name }) => name);
  if (requested === undefined || requested.length === 0) return stored;
  const known = readable.map(({ name }) => name);
  const unknown = requested.find((name) => !known.includes(name));
  if (unknown === undefined) return [...new Set(requested)];
  const near = didYouMean(unknown, known);
  const message = `column "${unknown}" is not in ${table.name}${near}`;
  throw new LhsError('invalid_argument', message, { hint: `columns: ${known.join(', ')}` });
}

/**
 * The snapshot whose rows an index shows: of the branch or tag that it follows, else the table's
 * current one; null for a table without any. Throws not_found for a branch that is gone.
 */
export function shownSnapshot(table: SourceTable, { definition }: Mapping): bigint | null {
  const { ref } = definition.source;
  if (ref === undefined) return table.currentSnapshotId;
  const found = table.refs.find(({ name }) => name === ref);
  if (found !== undefined) return found.snapshotId;
  throw new LhsError('not_found', `source.ref: "${ref}" is no branch or tag of ${table.name}`);
}

/**
 * The rows of `wanted`, in order; null where the table has no row of that key, or where it is not a
 * row of the caller's `tenant`. `moved`: the rows that are no longer at their locator.
 */
export async function readRows(
  table: SourceTable,
  mapping: Mapping,
  wanted: readonly RequestedRow[],
  columns: readonly string[],
  options: { readonly snapshotId: bigint | undefined; readonly cost: RowCost },
  tenant?: string,
): Promise<Pick<ReadTableRows, 'rows' | 'moved'>> {
  const names = keyNames(table, mapping);
  const owned = tenantRows(mapping, table, tenant);
  const guarding = owned === null ? [] : [owned.column];
  const read = [...new Set([...names, ...guarding, ...columns])];
  const rows: (Row | null)[] = await rowsAtLocators(table, names, wanted, read, options);
  const moved = wanted.map(({ locator }, i) => locator !== null && rows[i] === null);
  const left = wanted.flatMap((_, i) => (rows[i] === null ? [i] : []));
  const keys = await mapInTurns(left, (i) => keyValues(table, names, wanted[i].texts));
  const readable = left.filter((_, i) => keys[i] !== null);
  if (readable.length > 0) {
    const values = keys.filter((one) => one !== null);
    const found = await table.lookupKeys(names, values, read, options);
    readable.forEach((at, i) => {
      rows[at] = found[i]?.row ?? null;
    });
  }
  const types = columns.map((name) => [name, typeOf(table, name)] as const);
  const shown = await mapInTurns(rows, (row) => {
    const isShown = row !== null && (owned === null || owned.owns(row));
    return isShown ? rowToJson(row, types) : null;
  });
  return { rows: shown, moved };
}

/** What the key's columns are called in the table now: they are found by field id. */
export function keyNames(table: SourceTable, { columns, keyColumns }: Mapping): readonly string[] {
  const byId = new Map(table.schema.fields.map((field) => [field.id, field.name]));
  return columns.slice(0, keyColumns).map(({ id, name }) => {
    const now = byId.get(id);
    if (now !== undefined) return now;
    throw new LhsError('schema_changed', `key column "${name}" is no longer in ${table.name}`, {
      hint: 'change the key in the definition, then reindex',
    });
  });
}

async function rowsAtLocators(
  table: SourceTable,
  names: readonly string[],
  wanted: readonly RequestedRow[],
  columns: readonly string[],
  options: { readonly snapshotId: bigint | undefined; readonly cost: RowCost },
): Promise<(Row | null)[]> {
  const rows = wanted.map((): Row | null => null);
  const located = wanted.flatMap(({ locator }, i) => (locator === null ? [] : [{ i, locator }]));
  if (located.length === 0) return rows;
  const locators = located.map(({ locator }) => locator);
  const found = await table.lookup(locators, columns, options);
  const types = names.map((name) => [name, typeOf(table, name)] as const);
  await mapInTurns(located, ({ i }, at) => {
    const row = found[at] ?? null;
    if (row !== null && hasKey(types, row, wanted[i].texts)) rows[i] = row;
  });
  return rows;
}

/** Columns with their types. */
type Columns = readonly (readonly [name: string, type: Type])[];

/** Texts of columns are canonical: equal values have equal texts. */
function hasKey(columns: Columns, row: Row, texts: readonly string[]): boolean {
  return columns.every(([name, type], at) => {
    const value = row[name];
    return value !== null && value !== undefined && columnText(type, value) === texts[at];
  });
}

/** The key's values by type; null when a text is no value of its column: no row can have it. */
export function keyValues(table: SourceTable, names: readonly string[], texts: readonly string[]) {
  const values = names.map((name, i) => parseColumnText(typeOf(table, name), texts[i]));
  return values.includes(null) ? null : values;
}

function typeOf(table: SourceTable, name: string) {
  const field = table.schema.fields.find((candidate) => candidate.name === name);
  if (field !== undefined) return field.type;
  throw new LhsError('internal', `column "${name}" is not in ${table.name}`);
}

function rowToJson(row: Row, columns: Columns): JsonObject {
  const entries = columns.map(([name, type]): [string, Json] => {
    return [name, valueToJson(type, row[name] ?? null) as Json];
  });
  return Object.fromEntries(entries);
}
