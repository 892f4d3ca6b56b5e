import type { Type, Value } from '../schema/type.ts';
import type { Batch, ColumnVector } from './batch.ts';

/**
 * Column vectors from values and back. A vector is immutable once it is part of a batch; selecting
 * rows copies them.
 */

/** Which kind of vector holds values of `type`. */
export function vectorKind(type: Type): ColumnVector['kind'] {
  switch (type.kind) {
    case 'string':
    case 'uuid':
      return 'utf8';
    case 'int':
    case 'date':
      return 'int32';
    case 'long':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return 'int64';
    case 'float':
    case 'double':
      return 'float64';
    case 'boolean':
      return 'bool';
    default:
      return 'values';
  }
}

const decoder = new TextDecoder('utf-8');
const encoder = new TextEncoder();

/** The value at `row` of a vector (uuid as text, dates as days, 64-bit integers as bigint). */
export function valueAt(vector: ColumnVector, row: number): Value {
  if (vector.kind === 'values') return vector.values[row];
  if (vector.nulls !== null && vector.nulls[row] === 1) return null;
  switch (vector.kind) {
    case 'utf8':
      return decoder.decode(vector.bytes.subarray(vector.offsets[row], vector.offsets[row + 1]));
    case 'bool':
      return vector.values[row] === 1;
    default:
      return vector.values[row];
  }
}

/** Whether `row` of a vector is SQL NULL. */
export function isNullAt(vector: ColumnVector, row: number): boolean {
  if (vector.kind === 'values') return vector.values[row] === null;
  return vector.nulls !== null && vector.nulls[row] === 1;
}

/** All values of a vector, `rows` of them. */
export function valuesOf(vector: ColumnVector, rows: number): Value[] {
  const values = new Array<Value>(rows);
  for (let row = 0; row < rows; row++) values[row] = valueAt(vector, row);
  return values;
}

function nullMap(values: readonly Value[]): Uint8Array | null {
  let nulls: Uint8Array | null = null;
  for (let i = 0; i < values.length; i++) {
    if (values[i] !== null) continue;
    nulls ??= new Uint8Array(values.length);
    nulls[i] = 1;
  }
  return nulls;
}

/** A vector of `values`, which must be values of `type`. */
export function vectorOf(type: Type, values: readonly Value[]): ColumnVector {
  const kind = vectorKind(type);
  const nulls = nullMap(values);
  switch (kind) {
    case 'utf8':
      return textVector(values, nulls);
    case 'int32':
      return { kind, nulls, values: Int32Array.from(values, (v) => (v ?? 0) as number) };
    case 'int64':
      return { kind, nulls, values: BigInt64Array.from(values, (v) => (v ?? 0n) as bigint) };
    case 'float64':
      return { kind, nulls, values: Float64Array.from(values, (v) => (v ?? 0) as number) };
    case 'bool':
      return { kind, nulls, values: Uint8Array.from(values, (v) => (v === true ? 1 : 0)) };
    default:
      return { kind: 'values', values };
  }
}

function textVector(values: readonly Value[], nulls: Uint8Array | null): ColumnVector {
  const parts = values.map((v) => (v === null ? null : encoder.encode(v as string)));
  const offsets = new Int32Array(values.length + 1);
  for (let i = 0; i < parts.length; i++) offsets[i + 1] = offsets[i] + (parts[i]?.length ?? 0);
  const bytes = new Uint8Array(offsets[parts.length]);
  for (let i = 0; i < parts.length; i++) bytes.set(parts[i] ?? [], offsets[i]);
  return { kind: 'utf8', nulls, offsets, bytes };
}

/** A vector that holds `value` in each of `rows` rows. */
export function constantVector(type: Type, value: Value, rows: number): ColumnVector {
  return vectorOf(type, new Array<Value>(rows).fill(value));
}

/** The rows `selection` (ascending or not) of a vector, in that order. */
export function selectVector(vector: ColumnVector, selection: Int32Array): ColumnVector {
  const count = selection.length;
  if (vector.kind === 'values') {
    return { kind: 'values', values: Array.from(selection, (row) => vector.values[row]) };
  }
  const nulls = vector.nulls && pick(vector.nulls, selection, new Uint8Array(count));
  switch (vector.kind) {
    case 'utf8':
      return selectText(vector.offsets, vector.bytes, nulls, selection);
    case 'int32':
      return { ...vector, nulls, values: pick(vector.values, selection, new Int32Array(count)) };
    case 'float64':
      return { ...vector, nulls, values: pick(vector.values, selection, new Float64Array(count)) };
    case 'bool':
      return { ...vector, nulls, values: pick(vector.values, selection, new Uint8Array(count)) };
    default: {
      const values = new BigInt64Array(count);
      for (let i = 0; i < count; i++) values[i] = vector.values[selection[i]];
      return { ...vector, nulls, values };
    }
  }
}

function pick<A extends Uint8Array | Int32Array | Float64Array>(
  from: A,
  selection: Int32Array,
  to: A,
): A {
  for (let i = 0; i < selection.length; i++) to[i] = from[selection[i]];
  return to;
}

function selectText(
  from: Int32Array,
  source: Uint8Array,
  nulls: Uint8Array | null,
  selection: Int32Array,
): ColumnVector {
  const offsets = new Int32Array(selection.length + 1);
  for (let i = 0; i < selection.length; i++) {
    const row = selection[i];
    offsets[i + 1] = offsets[i] + from[row + 1] - from[row];
  }
  const bytes = new Uint8Array(offsets[selection.length]);
  for (let i = 0; i < selection.length; i++) {
    const row = selection[i];
    bytes.set(source.subarray(from[row], from[row + 1]), offsets[i]);
  }
  return { kind: 'utf8', nulls, offsets, bytes };
}

/** The rows `selection` of a batch; the batch itself where that is all of them. */
export function selectRows(batch: Batch, selection: Int32Array): Batch {
  if (selection.length === batch.rows) return batch;
  return {
    rows: selection.length,
    columns: batch.columns.map((column) => selectVector(column, selection)),
    file: batch.file,
    positions: pick(batch.positions, selection, new Int32Array(selection.length)),
  };
}
