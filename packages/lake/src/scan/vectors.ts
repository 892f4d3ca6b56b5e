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

const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

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
  const offsets = new Int32Array(values.length + 1);
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as string | null;
    offsets[i + 1] = offsets[i] + (value === null ? 0 : Buffer.byteLength(value));
  }
  const bytes = new Uint8Array(offsets[values.length]);
  const text = Buffer.from(bytes.buffer);
  for (let i = 0; i < values.length; i++) {
    if (values[i] !== null) text.write(values[i] as string, offsets[i]);
  }
  return { kind: 'utf8', nulls, offsets, bytes };
}

/** A vector that holds `value` in each of `rows` rows. */
export function constantVector(type: Type, value: Value, rows: number): ColumnVector {
  return vectorOf(type, new Array<Value>(rows).fill(value));
}

/** Rows that follow one another, as pairs of first and end: copying runs beats copying rows. */
function runsOf(selection: Int32Array): Int32Array {
  const runs = new Int32Array(selection.length * 2);
  let at = 0;
  for (let i = 0; i < selection.length; i++) {
    if (i > 0 && selection[i] === selection[i - 1] + 1) runs[at - 1] = selection[i] + 1;
    else {
      runs[at++] = selection[i];
      runs[at++] = selection[i] + 1;
    }
  }
  return runs.subarray(0, at);
}

function pickRuns(vector: ColumnVector, runs: Int32Array, rows: number): ColumnVector {
  if (vector.kind === 'values') {
    const values: Value[] = [];
    for (let i = 0; i < runs.length; i += 2) {
      for (let row = runs[i]; row < runs[i + 1]; row++) values.push(vector.values[row]);
    }
    return { kind: 'values', values };
  }
  const nulls = vector.nulls && copyRuns(vector.nulls, runs, new Uint8Array(rows));
  switch (vector.kind) {
    case 'utf8':
      return pickText(vector.offsets, vector.bytes, nulls, runs, rows);
    case 'int32':
      return { ...vector, nulls, values: copyRuns(vector.values, runs, new Int32Array(rows)) };
    case 'float64':
      return { ...vector, nulls, values: copyRuns(vector.values, runs, new Float64Array(rows)) };
    case 'bool':
      return { ...vector, nulls, values: copyRuns(vector.values, runs, new Uint8Array(rows)) };
    default:
      return { ...vector, nulls, values: copyRuns(vector.values, runs, new BigInt64Array(rows)) };
  }
}

/** A run shorter than this is copied element by element: a call of `set` costs about as much. */
const SHORT_RUN = 8;

function copyRuns<A extends Uint8Array | Int32Array | Float64Array | BigInt64Array>(
  from: A,
  runs: Int32Array,
  to: A,
): A {
  let at = 0;
  for (let i = 0; i < runs.length; i += 2) {
    const [first, end] = [runs[i], runs[i + 1]];
    if (end - first < SHORT_RUN) for (let row = first; row < end; row++) to[at++] = from[row];
    else {
      to.set(from.subarray(first, end) as never, at);
      at += end - first;
    }
  }
  return to;
}

function pickText(
  from: Int32Array,
  source: Uint8Array,
  nulls: Uint8Array | null,
  runs: Int32Array,
  rows: number,
): ColumnVector {
  const offsets = new Int32Array(rows + 1);
  let at = 0;
  for (let i = 0; i < runs.length; i += 2) {
    const shift = offsets[at] - from[runs[i]];
    for (let row = runs[i]; row < runs[i + 1]; row++) offsets[++at] = from[row + 1] + shift;
  }
  const bytes = new Uint8Array(offsets[rows]);
  for (let i = 0, to = 0; i < runs.length; i += 2) {
    const [start, end] = [from[runs[i]], from[runs[i + 1]]];
    bytes.set(source.subarray(start, end), to);
    to += end - start;
  }
  return { kind: 'utf8', nulls, offsets, bytes };
}

/** The rows from `from` to `to` of a vector. */
export function sliceVector(vector: ColumnVector, from: number, to: number): ColumnVector {
  return pickRuns(vector, Int32Array.of(from, to), to - from);
}

/** The rows `selection` of a batch; the batch itself if that is all of them. */
export function selectRows(batch: Batch, selection: Int32Array): Batch {
  if (selection.length === batch.rows) return batch;
  const runs = runsOf(selection);
  const rows = selection.length;
  return {
    rows,
    columns: batch.columns.map((column) => pickRuns(column, runs, rows)),
    file: batch.file,
    positions: copyRuns(batch.positions, runs, new Int32Array(rows)),
  };
}
