import type { Schema } from '@lakehouse-search/lake';
import type { ColumnTable, Fault } from '../column-table.ts';
import type { Definition } from '../definition.ts';
import type { KeySpec } from './key.ts';
import { keyTypeFault } from './key-types.ts';
import { isRowKey } from './row-key.ts';

/** The key of a definition over a table: its columns are used first. */
export function resolveKey(
  definition: Definition,
  schema: Schema,
  columns: ColumnTable,
  table: string,
  fault: Fault,
): KeySpec {
  const { partition } = definition.key;
  if (definition.key.row) return resolveRowKey(schema, columns, table, fault);
  const identifiers = schema.fields
    .filter((field) => schema.identifierFieldIds.includes(field.id))
    .map((field) => field.name)
    .filter((name) => !partition.includes(name));
  const given = definition.key.identifier;
  const identifier = given.length > 0 ? given : identifiers;
  if (identifier.length === 0) {
    fault(
      { whole: 1 },
      `${table} has no identifier fields; name the key's columns, ` +
        'key: { identifier: [...] }, or key: row',
    );
  }
  for (const name of [...partition, ...identifier]) {
    const at = columns.use(name, { key: name });
    const type = at === null ? null : columns.used[at].type;
    const problem = type === null ? null : keyTypeFault(type);
    if (problem !== null) fault({ key: name }, `column "${name}" is ${problem}`);
  }
  return Object.freeze({ partition, identifier });
}

/** The key of `key: row`: the last column of a table's schema, which the table does not store. */
function resolveRowKey(schema: Schema, columns: ColumnTable, table: string, fault: Fault): KeySpec {
  const field = schema.fields.find(isRowKey);
  if (field === undefined) {
    fault(
      { whole: 1 },
      `${table} has a column called like the key of key: row; name the columns of the key`,
    );
    return { partition: [], identifier: [] };
  }
  columns.use(field.name, { key: field.name });
  return Object.freeze({ partition: [], identifier: [field.name] });
}
