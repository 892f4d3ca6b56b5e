import {
  type Batch,
  type Field,
  type Row,
  type Type,
  type Value,
  valueAt,
  valueToJson,
} from '@lakehouse-search/lake';
import type { ColumnKind, OutputRow } from '../output/columns.ts';

/** Rows of a batch in their JSON form (docs/command-line.md, Values in JSON). */
export function* batchRows(batch: Batch, fields: readonly Field[]): Generator<OutputRow> {
  for (let i = 0; i < batch.rows; i++) {
    const row: Record<string, unknown> = {};
    fields.forEach((field, c) => {
      put(row, field.name, valueToJson(field.type, valueAt(batch.columns[c], i)));
    });
    yield row;
  }
}

/** A row of values in its JSON form; columns that `fields` does not name are left out. */
export function rowJson(row: Row, fields: readonly Field[]): OutputRow {
  const out: Record<string, unknown> = {};
  for (const field of fields) {
    if (!Object.hasOwn(row, field.name)) continue;
    put(out, field.name, valueToJson(field.type, row[field.name] as Value));
  }
  return out;
}

/** A column may have any name: assigning to `__proto__` would set the prototype. */
function put(row: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') row[name] = value;
  else Object.defineProperty(row, name, { value, enumerable: true });
}

/**
 * How a column of a table is printed in typed formats; what has no plain type there is text or
 * JSON.
 */
export function columnKind(type: Type): ColumnKind {
  switch (type.kind) {
    case 'boolean':
      return 'bool';
    case 'int':
      return 'int';
    case 'long':
      return 'long';
    case 'float':
    case 'double':
      return 'double';
    case 'timestamp':
    case 'timestamptz':
      return 'timestamp';
    case 'struct':
    case 'list':
    case 'map':
    case 'variant':
      return 'json';
    default:
      return 'text';
  }
}
