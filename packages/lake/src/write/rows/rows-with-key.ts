import { LakeError } from '../../base/errors.ts';
import type { TableHandle } from '../../catalog/table-handle.ts';
import type { Condition } from '../../plan/condition.ts';
import type { Schema, Value } from '../../schema/type.ts';
import type { SourceTable } from '../../source-table.ts';
import type { RowsByFile } from './delete-rows.ts';
import { scanNear } from './key-range.ts';
import { plainKeys } from './key-rows.ts';
import { plainValues } from './plain-rows.ts';

/** The values of a key by column. */
export type KeyValues = Readonly<Record<string, unknown>>;

/** Finds rows of a table at one version. */
export type FindRows = (source: SourceTable, handle: TableHandle) => Promise<RowsByFile>;

/**
 * Finds the rows with these keys. Throws duplicate_key, null_key, and invalid_argument for values
 * of other types than the columns have.
 */
export function rowsWithKey(
  schema: Schema,
  names: readonly string[],
  keys: readonly KeyValues[],
): FindRows {
  const fields = schema.fields.filter(({ name }) => names.includes(name));
  const plain = plainValues(keys, {
    fields: fields.map((field) => ({ ...field, required: false })),
  });
  if (plain === null) {
    const columns = fields.map(({ name, type }) => `"${name}" (${type.kind})`).join(', ');
    throw new LakeError('invalid_argument', `a key to delete has not one value for ${columns}`);
  }
  const wanted = plainKeys(plain, { ...schema, fields }, names);
  const parts = fields.map(({ id }, i): Condition => {
    return { kind: 'in', fieldId: id, values: plain.columns[i].filter(isValue) };
  });
  const near: Condition = { kind: 'and', parts };
  return (source, handle) => wanted.rowsAmong(scanNear({ source, handle }, near, names));
}

const isValue = (value: Value): value is Exclude<Value, null> => value !== null;

/** Adds rows to a selection; positions stay ascending. */
export function addRows(into: RowsByFile, more: RowsByFile): void {
  for (const [file, rows] of more) {
    const all = new Set([...(into.get(file) ?? []), ...rows]);
    into.set(
      file,
      [...all].sort((a, b) => a - b),
    );
  }
}
