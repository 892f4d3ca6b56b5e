import { LakeError } from '../../../packages/lake/src/base/errors.ts';
import { loadTable } from '../../../packages/lake/src/catalog/load-table.ts';
import type { Schema } from '../../../packages/lake/src/schema/type.ts';
import type { TableConfig } from '../../../packages/lake/src/source-table.ts';
import { type InputKeys, plainKeys } from '../../../packages/lake/src/write/rows/key-rows.ts';
import { plainValues } from '../../../packages/lake/src/write/rows/plain-rows.ts';
import {
  commitRows,
  countRows,
  identifierNames,
  type WriteResult,
} from '../../../packages/lake/src/write/table-writer.ts';

/**
 * Deletes the rows that have one of these keys. `keys`: values by column name, each of `key`
 * (default: the table's identifier fields). Nothing is committed where there are none. Throws
 * invalid_argument without a key or where a value is not plainly of its column's type.
 */
export async function deleteKeys(
  config: TableConfig,
  keys: readonly Readonly<Record<string, unknown>>[],
  key?: readonly string[],
): Promise<WriteResult> {
  const table = await loadTable(config);
  const names = key ?? identifierNames(table.metadata.schema);
  const wanted = namedKeys(keys, table.metadata.schema, names);
  let deleted = 0;
  const snapshot = await commitRows(table, 'delete', [], async (source) => {
    const rows = await wanted.rowsAmong(source.scan({ columns: names }));
    deleted = countRows(rows);
    return rows;
  });
  return { snapshot, inserted: 0, updated: 0, deleted };
}

function namedKeys(
  keys: readonly Readonly<Record<string, unknown>>[],
  schema: Schema,
  names: readonly string[],
): InputKeys {
  const fields = schema.fields.filter((field) => names.includes(field.name));
  const rows = plainValues(keys, { fields });
  if (rows !== null) return plainKeys(rows, { ...schema, fields }, names);
  throw new LakeError('invalid_argument', 'a key is not a value of its columns', {
    details: { expected: `objects with ${names.join(', ')}, as JSON writes them` },
  });
}
