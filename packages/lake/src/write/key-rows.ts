import { LakeError } from '../base/errors.ts';
import type { Batch } from '../scan/batch.ts';
import { quoteName } from '../scan/duckdb/instance.ts';
import { valueAt } from '../scan/vectors.ts';
import type { Field, Schema, Value } from '../schema/type.ts';
import { valueToJson } from '../schema/value-json.ts';
import type { PlainRows } from './plain-rows.ts';
import type { WriterSession } from './writer-session.ts';

/** The keys of the staged input, to be compared with rows of the table. */
export interface InputKeys {
  /** Whether row `row` of a batch that holds the key columns has a key of the input. */
  has(batch: Batch, row: number): boolean;
}

const KEY_TYPES = new Set([
  'int',
  'long',
  'string',
  'uuid',
  'date',
  'boolean',
  'timestamp',
  'timestamptz',
]);

/**
 * Reads the keys of table `input`. Throws duplicate_key, column_not_found, unsupported (key type),
 * null_key.
 */
export async function keyReader(
  session: WriterSession,
  schema: Schema,
  names: readonly string[],
): Promise<InputKeys> {
  const fields = names.map((name) => keyField(schema, name));
  const texts = fields.map((f) => `CAST(${quoteName(f.name)} AS VARCHAR)`).join(', ');
  const rows = await session.rows(`SELECT ${texts} FROM input`);
  return keysOf(
    fields,
    rows.map((row) => row.map((cell, i) => inputText(fields[i], cell))),
  );
}

/** As `keyReader`, of rows in memory. */
export function plainKeys(
  { rows, columns }: PlainRows,
  schema: Schema,
  names: readonly string[],
): InputKeys {
  const fields = names.map((name) => keyField(schema, name));
  const places = fields.map((field) => schema.fields.indexOf(field));
  const cells = (row: number) => places.map((at, i) => requireText(fields[i], columns[at][row]));
  return keysOf(
    fields,
    Array.from({ length: rows }, (_, row) => cells(row)),
  );
}

function keysOf(fields: readonly Field[], rows: readonly (readonly string[])[]): InputKeys {
  const keys = new Set<string>();
  for (const cells of rows) {
    const key = JSON.stringify(cells);
    if (keys.has(key)) {
      throw new LakeError('duplicate_key', `the input has the key ${key} twice`);
    }
    keys.add(key);
  }
  return {
    has: (batch, row) =>
      keys.has(JSON.stringify(fields.map((f, c) => tableText(f, valueAt(batch.columns[c], row))))),
  };
}

function requireText(field: Field, value: Value): string {
  return inputText(field, tableText(field, value));
}

function keyField(schema: Schema, name: string): Field {
  const field = schema.fields.find((f) => f.name === name);
  if (field === undefined)
    throw new LakeError('column_not_found', `key column "${name}" is not in the table`);
  if (KEY_TYPES.has(field.type.kind)) return field;
  throw new LakeError(
    'unsupported',
    `a column of type ${field.type.kind} ("${name}") cannot be a key here`,
  );
}

/** DuckDB's text of a value, in the form of `tableText`. */
function inputText(field: Field, cell: unknown): string {
  if (cell === null || cell === undefined) {
    throw new LakeError('null_key', `key column "${field.name}" is null in the input`);
  }
  return normal(field, String(cell));
}

function tableText(field: Field, value: Value): string | null {
  return value === null ? null : normal(field, String(valueToJson(field.type, value)));
}

/** Timestamps without trailing zeros, `T` and zone, so that both spellings meet. */
function normal(field: Field, text: string): string {
  if (!field.type.kind.startsWith('timestamp')) return text;
  const plain = text.replace('T', ' ').replace(/(Z|\+00(:00)?)$/, '');
  return plain.includes('.') ? plain.replace(/\.?0+$/, '') : plain;
}
