import { isPlainType } from '../../parquet/plain-file.ts';
import { parseDate, parseTimestamp } from '../../schema/civil-time.ts';
import type { Field, Schema, Type, Value } from '../../schema/type.ts';
import type { WriteInput } from '../input/input.ts';

/**
 * Rows in memory that need no DuckDB to become a file, column by column in the schema's order.
 * Opening a DuckDB for them costs ten times what writing them does.
 */
export interface PlainRows {
  readonly rows: number;
  readonly columns: readonly (readonly Value[])[];
}

/** More rows than this are written faster by DuckDB. */
export const PLAIN_ROWS = 2048;

/** Whether files of these columns can be written without DuckDB. */
export const isPlainSchema = ({ fields }: Pick<Schema, 'fields'>): boolean =>
  fields.every((field) => isPlainType(field.type));

/**
 * Few rows whose values are plainly of their column's type (numbers, texts, ISO dates); null
 * if anything is to be converted or refused: that is DuckDB's work.
 */
export function plainRows(input: WriteInput, schema: Schema): PlainRows | null {
  if (input.kind !== 'rows' || input.rows.length === 0) return null;
  return input.rows.length > PLAIN_ROWS ? null : plainValues(input.rows, schema);
}

/** As `plainRows`, however many they are. */
export function plainValues(
  rows: readonly Readonly<Record<string, unknown>>[],
  schema: Pick<Schema, 'fields'>,
): PlainRows | null {
  if (!isPlainSchema(schema)) return null;
  const names = new Set(schema.fields.map(({ name }) => name));
  if (rows.some((row) => Object.keys(row).some((name) => !names.has(name)))) return null;
  const columns: (readonly Value[])[] = [];
  for (const field of schema.fields) {
    const column = plainColumn(
      field,
      rows.map((row) => (Object.hasOwn(row, field.name) ? row[field.name] : undefined)),
    );
    if (column === null) return null;
    columns.push(column);
  }
  return { rows: rows.length, columns };
}

function plainColumn(field: Field, given: readonly unknown[]): readonly Value[] | null {
  const values: Value[] = [];
  for (const cell of given) {
    const isNull = cell === null || cell === undefined;
    const value = isNull ? null : plainValue(field.type, cell);
    if (value === undefined || (value === null && field.required)) return null;
    values.push(value);
  }
  return values;
}

const DATE = /^\d{4}-\d\d-\d\d$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?$/;
const ZONE = /(Z|\+00:00)$/;

/** A value of the type, or undefined if it is not plainly one. */
function plainValue({ kind }: Type, cell: unknown): Value | undefined {
  switch (kind) {
    case 'boolean':
      return typeof cell === 'boolean' ? cell : undefined;
    case 'string':
      return typeof cell === 'string' && cell.isWellFormed() ? cell : undefined;
    case 'int':
      return typeof cell === 'number' && cell === (cell | 0) ? cell : undefined;
    case 'long':
      return plainLong(cell);
    case 'float':
    case 'double':
      return typeof cell === 'number' && Number.isFinite(cell) ? cell : undefined;
    case 'date':
      return matching(cell, DATE, parseDate);
    case 'timestamp':
      return matching(cell, TIMESTAMP, (text) => parseTimestamp(text, 6));
    case 'timestamptz':
      if (typeof cell !== 'string' || !ZONE.test(cell)) return undefined;
      return matching(cell.replace(ZONE, ''), TIMESTAMP, (text) => parseTimestamp(text, 6));
    default:
      return undefined;
  }
}

function plainLong(cell: unknown): bigint | undefined {
  if (typeof cell === 'number') return Number.isSafeInteger(cell) ? BigInt(cell) : undefined;
  if (typeof cell !== 'bigint') return undefined;
  return BigInt.asIntN(64, cell) === cell ? cell : undefined;
}

function matching(cell: unknown, form: RegExp, parse: (text: string) => Value): Value | undefined {
  if (typeof cell !== 'string' || !form.test(cell)) return undefined;
  return parse(cell) ?? undefined;
}
