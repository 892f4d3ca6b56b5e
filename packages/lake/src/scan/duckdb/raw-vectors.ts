import type duckdb from '@duckdb/node-bindings';
import { LakeError } from '../../base/errors.ts';
import { releaseArrays } from '../../base/release-arrays.ts';
import { MapValue, type StructType, type Type, type Value } from '../../schema/type.ts';
import type { ColumnVector } from '../batch.ts';
import { valuesOf, vectorKind } from '../vectors.ts';
import { bindings } from './library.ts';
import { type ChunkBudget, readStrings, spend } from './raw-strings.ts';

/**
 * DuckDB's result vectors as our column vectors, copied with typed arrays and without a JavaScript
 * value per row if the type is flat. Layouts are those of DuckDB's C API (duckdb.h, "Vector
 * Interface"): fixed-width values in a plain array, a validity bit per row (1 = valid), text as
 * 16-byte `duckdb_string_t`, lists as (offset, length) pairs of 64-bit integers into a child
 * vector, structs as one child vector a field, maps as lists of {key, value}, DECIMAL in 16, 32,
 * 64 or 128 bits by its precision, UUID as a 128-bit integer with its top bit flipped.
 */

/**
 * Copies `rows` rows of a vector whose DuckDB type is what `duckType` names for `type`. Throws
 * ChunkTooLarge if their texts and lists are more than `budget`.
 */
export function readVector(
  vector: duckdb.Vector,
  rows: number,
  type: Type,
  budget: ChunkBudget,
): ColumnVector {
  const nulls = readNulls(vector, rows);
  switch (vectorKind(type)) {
    case 'utf8':
      return type.kind === 'uuid'
        ? { kind: 'utf8', nulls, ...readUuids(vector, rows, nulls) }
        : { kind: 'utf8', nulls, ...readStrings(vector, rows, nulls, budget) };
    case 'int32':
      return { kind: 'int32', nulls, values: new Int32Array(copy(vector, rows * 4)) };
    case 'int64':
      return { kind: 'int64', nulls, values: new BigInt64Array(copy(vector, rows * 8)) };
    case 'float64':
      return { kind: 'float64', nulls, values: readDoubles(vector, rows, type) };
    case 'bool':
      return { kind: 'bool', nulls, values: new Uint8Array(copy(vector, rows)) };
    default:
      return { kind: 'values', values: readValues(vector, rows, type, nulls, budget) };
  }
}

function copy(vector: duckdb.Vector, bytes: number): ArrayBuffer {
  const owned = new Uint8Array(bytes);
  if (bytes > 0) {
    const data = bindings().vector_get_data(vector, bytes);
    owned.set(data);
    releaseArrays([data]);
  }
  return owned.buffer;
}

/** One byte a row, 1 where it is NULL; null if none is. */
function readNulls(vector: duckdb.Vector, rows: number): Uint8Array | null {
  const bits = bindings().vector_get_validity(
    vector,
    Math.ceil(rows / 64) * 8,
  ) as Uint8Array | null;
  if (!bits || rows === 0) return null;
  let nulls: Uint8Array | null = null;
  for (let row = 0; row < rows; row++) {
    const byte = bits[row >>> 3];
    if (byte === 0xff) {
      row |= 7;
    } else if ((byte & (1 << (row & 7))) === 0) {
      nulls ??= new Uint8Array(rows);
      nulls[row] = 1;
    }
  }
  return nulls;
}

function readDoubles(vector: duckdb.Vector, rows: number, type: Type): Float64Array {
  if (type.kind === 'double') return new Float64Array(copy(vector, rows * 8));
  return Float64Array.from(new Float32Array(copy(vector, rows * 4)));
}

function readUuids(
  vector: duckdb.Vector,
  rows: number,
  nulls: Uint8Array | null,
): { offsets: Int32Array; bytes: Uint8Array } {
  const stored = Buffer.from(copy(vector, rows * 16));
  for (let row = 0; row < rows; row++) {
    stored.subarray(row * 16, row * 16 + 16).reverse();
    stored[row * 16] ^= 0x80;
  }
  const hex = stored.toString('hex');
  const offsets = new Int32Array(rows + 1);
  const bytes = Buffer.alloc(rows * 36);
  for (let row = 0, at = 0; row < rows; row++, offsets[row] = at) {
    if (nulls?.[row]) continue;
    at += bytes.write(uuidText(hex.slice(row * 32, row * 32 + 32)), at, 'latin1');
  }
  return { offsets, bytes: bytes.subarray(0, offsets[rows]) };
}

function uuidText(hex: string): string {
  const ends = [8, 12, 16, 20, 32];
  return ends.map((end, i) => hex.slice(ends[i - 1] ?? 0, end)).join('-');
}

function readValues(
  vector: duckdb.Vector,
  rows: number,
  type: Type,
  nulls: Uint8Array | null,
  budget: ChunkBudget,
): Value[] {
  const present = (value: (row: number) => Value): Value[] => {
    const values = new Array<Value>(rows);
    for (let row = 0; row < rows; row++) values[row] = nulls?.[row] ? null : value(row);
    return values;
  };
  switch (type.kind) {
    case 'decimal':
      return present(decimalReader(vector, rows, type.precision));
    case 'binary':
    case 'fixed': {
      const { offsets, bytes } = readStrings(vector, rows, nulls, budget);
      return present((row) => bytes.subarray(offsets[row], offsets[row + 1]));
    }
    case 'list': {
      const lists = readLists(vector, rows, type.element, budget);
      return present((row) => lists.slice(row));
    }
    case 'map': {
      const fields = [entryField('key', type.key), entryField('value', type.value)];
      const lists = readLists(vector, rows, { kind: 'struct', fields }, budget);
      return present((row) => new MapValue(lists.slice(row).map((e) => entry(e))));
    }
    case 'struct': {
      const children = readStruct(vector, rows, type, budget);
      return present((row) => Object.freeze(structAt(type, children, row)));
    }
    default:
      throw new LakeError('internal', `type "${type.kind}" has no DuckDB vector`);
  }
}

const entryField = (name: string, type: Type) => ({ id: 0, name, required: false, type });
const entry = (value: Value): readonly [Value, Value] => {
  const struct = value as { readonly key: Value; readonly value: Value };
  return [struct.key, struct.value];
};

function decimalReader(vector: duckdb.Vector, rows: number, precision: number) {
  if (precision <= 4) {
    const shorts = new Int16Array(copy(vector, rows * 2));
    return (row: number) => BigInt(shorts[row]);
  }
  if (precision <= 9) {
    const ints = new Int32Array(copy(vector, rows * 4));
    return (row: number) => BigInt(ints[row]);
  }
  const longs = new BigInt64Array(copy(vector, rows * (precision <= 18 ? 8 : 16)));
  if (precision <= 18) return (row: number) => longs[row];
  return (row: number) => (longs[2 * row + 1] << 64n) | BigInt.asUintN(64, longs[2 * row]);
}

/** What an item of a list weighs beside its bytes. */
const ITEM_BYTES = 16;

function readLists(vector: duckdb.Vector, rows: number, element: Type, budget: ChunkBudget) {
  const entries = new BigUint64Array(copy(vector, rows * 16));
  const size = bindings().list_vector_get_size(vector);
  spend(budget, size * ITEM_BYTES);
  const child = readVector(bindings().list_vector_get_child(vector), size, element, budget);
  const values = valuesOf(child, size);
  return {
    slice: (row: number): Value[] => {
      const start = Number(entries[2 * row]);
      return values.slice(start, start + Number(entries[2 * row + 1]));
    },
  };
}

function readStruct(
  vector: duckdb.Vector,
  rows: number,
  type: StructType,
  budget: ChunkBudget,
): Value[][] {
  return type.fields.map((field, i) => {
    const child = bindings().struct_vector_get_child(vector, i);
    return valuesOf(readVector(child, rows, field.type, budget), rows);
  });
}

function structAt(type: StructType, children: Value[][], row: number): Record<string, Value> {
  return Object.fromEntries(type.fields.map((field, i) => [field.name, children[i][row]]));
}
