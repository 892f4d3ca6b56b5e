/**
 * Parts of a change batch from JSON to memory. Each part is checked when it comes: names, types,
 * lengths and order of positions. Throws invalid_argument or limit_exceeded with the path of the
 * value.
 */
import { path } from '../checks/shared.ts';
import {
  type Check,
  type Fields,
  isPlain,
  list,
  object,
  oneOf,
  orNull,
  record,
  text,
  whole,
  wrong,
} from '../checks/values.ts';
import { REQUEST_LIMITS } from '../limits.ts';
import type { BatchPart, ChangeBatch, WireColumn } from './change-batch.ts';
import type { RowBatch, RowColumn, TypedPart } from './typed-batch.ts';

/** Rows of one part, at most: positions and offsets are 32-bit. */
const MOST_ROWS = 2 ** 31 - 1;
const MOST_COLUMNS = REQUEST_LIMITS.definitionFields + REQUEST_LIMITS.keyColumns;

/** Reads a value of a `values` column. Throws invalid_argument that names `field`. */
export type ReadValue = (value: unknown, field: string) => unknown;

const anyList: Check = (value, field) => {
  if (!Array.isArray(value)) throw wrong(field, value, 'an array');
};
const rising: Check = (value, field) => {
  anyList(value, field);
  const positions = value as readonly unknown[];
  if (positions.length > MOST_ROWS) throw wrong(`${field}.length`, positions.length, 'fewer rows');
  let last = -1;
  for (const position of positions) {
    if (typeof position !== 'number' || position <= last) {
      throw wrong(field, position, `more than ${last}: positions rise from 0`);
    }
    position_(position, field);
    last = position;
  }
};
const position_ = whole(0, MOST_ROWS);

type Part<K extends BatchPart['kind']> = BatchPart & { readonly kind: K };
const REMOVED_FIELDS: Fields<Part<'removed'>> = {
  kind: oneOf('removed'),
  path,
  positions: orNull(rising),
};
const ROWS_FIELDS: Fields<Part<'rows'>> = {
  kind: oneOf('rows'),
  file: path,
  positions: rising,
  columns: list(object, MOST_COLUMNS),
};
const checkRemoved = record(REMOVED_FIELDS, ['path', 'positions']);
const checkRows = record(ROWS_FIELDS, ['file', 'positions', 'columns']);
const kindOfPart = oneOf('removed', 'rows');

/** A part of a change batch, named `field` in errors. */
export function decodePart(part: unknown, field: string, read: ReadValue): TypedPart {
  object(part, field);
  const { kind } = part as { readonly kind?: unknown };
  kindOfPart(kind, `${field}.kind`);
  if (kind === 'removed') {
    checkRemoved(part, field);
    const { path, positions } = part as Part<'removed'>;
    return { kind, path, positions: positions === null ? null : Int32Array.from(positions) };
  }
  checkRows(part, field);
  return { kind: 'rows', batch: decodeRows(part as Part<'rows'>, field, read) };
}

/** The parts of a change batch, each decoded when it comes. */
export async function* decodeParts(
  parts: ChangeBatch['parts'],
  read: ReadValue,
): AsyncGenerator<TypedPart, void, undefined> {
  let at = 0;
  for await (const part of parts) yield decodePart(part, `batch.parts[${at++}]`, read);
}

function decodeRows(part: Part<'rows'>, field: string, read: ReadValue): RowBatch {
  const rows = part.positions.length;
  const columns = part.columns.map((column, i) => {
    const name = `${field}.columns[${i}]`;
    checkColumn(column, name);
    const { length } = column.values;
    if (length !== rows) throw wrong(`${name}.values.length`, length, String(rows));
    return decodeColumn(column, `${name}.values`, read);
  });
  return { rows, columns, file: part.file, positions: Int32Array.from(part.positions) };
}

const checkColumn = record(
  { kind: oneOf('utf8', 'int32', 'int64', 'float64', 'bool', 'values'), values: anyList },
  ['kind', 'values'],
);

function decodeColumn(column: WireColumn, field: string, read: ReadValue): RowColumn {
  const { kind } = column;
  if (kind === 'values') {
    return { kind, values: column.values.map((value, i) => read(value, `${field}[${i}]`)) };
  }
  if (kind === 'utf8') return decodeTexts(column.values, field);
  const rows = column.values.length;
  if (kind === 'int32') return numeric(kind, column.values, new Int32Array(rows), int32, field);
  if (kind === 'float64') return numeric(kind, column.values, new Float64Array(rows), float, field);
  if (kind === 'bool') return numeric(kind, column.values, new Uint8Array(rows), bool, field);
  const { nulls, values } = numeric('int64', column.values, new BigInt64Array(rows), int64, field);
  return { kind: 'int64', nulls, values };
}

/** Fills `values` by `decode`; nulls are marked apart, and absent if there are none. */
function numeric<K, N extends number | bigint, A extends { [i: number]: N }>(
  kind: K,
  wire: readonly unknown[],
  values: A,
  decode: (value: unknown) => N | undefined,
  field: string,
) {
  let nulls: Uint8Array | null = null;
  for (let i = 0; i < wire.length; i++) {
    if (wire[i] === null) {
      nulls ??= new Uint8Array(wire.length);
      nulls[i] = 1;
      continue;
    }
    const value = decode(wire[i]);
    if (value === undefined) throw wrong(`${field}[${i}]`, wire[i], `a value of kind ${kind}`);
    values[i] = value;
  }
  return { kind, nulls, values };
}

const int32 = (value: unknown): number | undefined =>
  typeof value === 'number' && (value | 0) === value && !Object.is(value, -0) ? value : undefined;

const bool = (value: unknown): number | undefined =>
  typeof value === 'boolean' ? Number(value) : undefined;

const FLOATS: ReadonlyMap<unknown, number> = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
  ['-0', -0],
]);
const float = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : FLOATS.get(value);

function int64(value: unknown): bigint | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : undefined;
  if (typeof value !== 'string' || !/^-?\d{1,19}$/.test(value)) return undefined;
  const whole = BigInt(value);
  return BigInt.asIntN(64, whole) === whole ? whole : undefined;
}

function decodeTexts(wire: readonly unknown[], field: string): RowColumn {
  const texts = wire.map((value, i) => {
    return value === null ? null : textBytes(value, `${field}[${i}]`);
  });
  const offsets = new Int32Array(wire.length + 1);
  let nulls: Uint8Array | null = null;
  for (let i = 0; i < texts.length; i++) {
    const bytes = texts[i];
    if (bytes === null) {
      nulls ??= new Uint8Array(wire.length);
      nulls[i] = 1;
    }
    offsets[i + 1] = offsets[i] + (bytes?.length ?? 0);
  }
  const bytes = new Uint8Array(offsets[wire.length]);
  texts.forEach((text, i) => {
    if (text !== null) bytes.set(text, offsets[i]);
  });
  return { kind: 'utf8', nulls, offsets, bytes };
}

const encoder = new TextEncoder();

function textBytes(value: unknown, field: string): Uint8Array {
  if (typeof value === 'string') return encoder.encode(value);
  return decodeBytes(value, field);
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** The bytes of `{"base64": "…"}`. Throws invalid_argument. */
export function decodeBytes(value: unknown, field: string): Uint8Array {
  if (!isPlain(value)) throw wrong(field, value, 'a string or {"base64": "…"}');
  record({ base64: text }, ['base64'])(value, field);
  const { base64 } = value as { readonly base64: string };
  if (BASE64.test(base64)) return Uint8Array.from(atob(base64), (unit) => unit.charCodeAt(0));
  throw wrong(`${field}.base64`, base64, 'base64 with padding');
}
