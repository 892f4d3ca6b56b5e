/**
 * A Parquet file of few rows (parquet-format README, parquet.thrift), made in memory:
 *
 *   "PAR1", a page a column, FileMetaData (thrift compact), u32 LE length of it, "PAR1"
 *
 * One row group; version 1 data pages, PLAIN values, not compressed. A page of an optional column
 * begins with its definition levels: u32 LE length, then runs (varint count << 1, u8 level).
 */
import type { Field, Type, Value } from '../schema/type.ts';
import { encodeThrift, i64, list, struct, type ThriftOut } from './encodings/thrift-writer.ts';

const MAGIC = Buffer.from('PAR1', 'latin1');

/** How a column type is stored in a file: numbers of parquet.thrift. */
interface PlainType {
  readonly physical: number;
  readonly converted?: number;
  readonly logical?: ThriftOut;
  readonly encode: (values: readonly Value[]) => Uint8Array;
}

const timestamp = (zoned: boolean): PlainType => ({
  physical: 2,
  converted: 10,
  logical: struct([8, struct([1, zoned], [2, struct([2, struct()])])]),
  encode: int64s,
});

/** Numbers of `size` bytes each. */
const numbers =
  (size: number, write: (bytes: Buffer, value: Value, at: number) => void) =>
  (values: readonly Value[]): Uint8Array => {
    const bytes = Buffer.alloc(values.length * size);
    for (const [i, value] of values.entries()) write(bytes, value, i * size);
    return bytes;
  };

const int32s = numbers(4, (bytes, value, at) => bytes.writeInt32LE(value as number, at));
const int64s = numbers(8, (bytes, value, at) => bytes.writeBigInt64LE(value as bigint, at));
const float32s = numbers(4, (bytes, value, at) => bytes.writeFloatLE(value as number, at));
const float64s = numbers(8, (bytes, value, at) => bytes.writeDoubleLE(value as number, at));

const PLAIN: Readonly<Partial<Record<Type['kind'], PlainType>>> = Object.freeze({
  boolean: { physical: 0, encode: bits },
  int: { physical: 1, encode: int32s },
  date: { physical: 1, converted: 6, logical: struct([6, struct()]), encode: int32s },
  long: { physical: 2, encode: int64s },
  timestamp: timestamp(false),
  timestamptz: timestamp(true),
  float: { physical: 4, encode: float32s },
  double: { physical: 5, encode: float64s },
  string: { physical: 6, converted: 0, logical: struct([1, struct()]), encode: texts },
});

/** Whether `plainParquet` takes columns of this type. */
export const isPlainType = (type: Type): boolean => PLAIN[type.kind] !== undefined;

/**
 * The bytes of a file of `rows` rows: `columns` run parallel to `fields`, whose types
 * `isPlainType` accepts; a required field has no null.
 */
export function plainParquet(
  fields: readonly Field[],
  columns: readonly (readonly Value[])[],
  rows: number,
): Uint8Array {
  const parts: Uint8Array[] = [MAGIC];
  const chunks: ThriftOut[] = [];
  let offset = MAGIC.length;
  fields.forEach((field, i) => {
    const page = pageOf(field, columns[i]);
    chunks.push(chunkOf(field, rows, offset, page.length));
    parts.push(page);
    offset += page.length;
  });
  const footer = footerOf(fields, chunks, rows, offset - MAGIC.length);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([...parts, footer, length, MAGIC]);
}

const plainType = (field: Field) => PLAIN[field.type.kind] as PlainType;

function pageOf(field: Field, values: readonly Value[]): Uint8Array {
  const present = field.required ? values : values.filter((value) => value !== null);
  const levels = field.required ? new Uint8Array(0) : definitionLevels(values);
  const body = Buffer.concat([levels, plainType(field).encode(present)]);
  const header = encodeThrift([
    [1, 0],
    [2, body.length],
    [3, body.length],
    [5, struct([1, values.length], [2, 0], [3, 3], [4, 3])],
  ]);
  return Buffer.concat([header, body]);
}

function definitionLevels(values: readonly Value[]): Uint8Array {
  const runs: number[] = [];
  for (let from = 0; from < values.length; ) {
    const isNull = values[from] === null;
    let to = from;
    while (to < values.length && (values[to] === null) === isNull) to++;
    let count = (to - from) * 2;
    for (; count >= 128; count >>>= 7) runs.push((count & 127) | 128);
    runs.push(count, isNull ? 0 : 1);
    from = to;
  }
  const bytes = Buffer.alloc(4 + runs.length);
  bytes.writeUInt32LE(runs.length);
  bytes.set(runs, 4);
  return bytes;
}

function chunkOf(field: Field, rows: number, offset: number, bytes: number): ThriftOut {
  const metadata = struct(
    [1, plainType(field).physical],
    [2, list([0, 3])],
    [3, list([field.name])],
    [4, 0],
    [5, i64(rows)],
    [6, i64(bytes)],
    [7, i64(bytes)],
    [9, i64(offset)],
  );
  return struct([2, i64(offset)], [3, metadata]);
}

function footerOf(
  fields: readonly Field[],
  chunks: readonly ThriftOut[],
  rows: number,
  bytes: number,
): Uint8Array {
  const root = struct([4, 'table'], [5, fields.length]);
  return encodeThrift([
    [1, 1],
    [2, list([root, ...fields.map(schemaElement)])],
    [3, i64(rows)],
    [4, list([struct([1, list(chunks)], [2, i64(bytes)], [3, i64(rows)])])],
    [6, 'lhs'],
  ]);
}

function schemaElement(field: Field): ThriftOut {
  const { physical, converted, logical } = plainType(field);
  return struct(
    [1, physical],
    [3, field.required ? 0 : 1],
    [4, field.name],
    [6, converted],
    [9, field.id],
    [10, logical],
  );
}

function bits(values: readonly Value[]): Uint8Array {
  const bytes = new Uint8Array((values.length + 7) >> 3);
  values.forEach((value, i) => {
    if (value === true) bytes[i >> 3] |= 1 << (i & 7);
  });
  return bytes;
}

function texts(values: readonly Value[]): Uint8Array {
  const parts = values.flatMap((value) => {
    const text = Buffer.from(value as string, 'utf8');
    const length = Buffer.alloc(4);
    length.writeUInt32LE(text.length);
    return [length, text];
  });
  return Buffer.concat(parts);
}
