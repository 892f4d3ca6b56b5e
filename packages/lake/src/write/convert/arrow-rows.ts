import { readFile } from 'node:fs/promises';
import { zstdDecompressSync } from 'node:zlib';
import type { Data, DataType, RecordBatch, TimeUnit } from 'apache-arrow';
import { LakeError } from '../../base/errors.ts';
import { lz4FrameDecompress } from '../../parquet/encodings/lz4.ts';
import { type Field, MapValue, type StructType, type Type, type Value } from '../../schema/type.ts';
import type { InputFile } from '../input/input-files.ts';
import { rowLine, type TypedLines } from './typed-rows.ts';

type Arrow = typeof import('apache-arrow');
type ValueAt = (row: number) => Value;

/** Opens an Arrow IPC file or stream. Throws invalid_argument if it is damaged, unsupported. */
export async function arrowLines(file: InputFile): Promise<TypedLines> {
  const arrow = await import('apache-arrow');
  const { CompressionType, compressionRegistry } = arrow;
  compressionRegistry.set(CompressionType.LZ4_FRAME, { decode: lz4FrameDecompress });
  compressionRegistry.set(CompressionType.ZSTD, { decode: (bytes) => zstdDecompressSync(bytes) });
  try {
    const reader = arrow.RecordBatchReader.from(await readFile(file.path)).open();
    const fields = reader.schema.fields.map(({ name, type: from }, i): Field => {
      const type = tableType(arrow, from);
      if (type === null) throw unread(file, name, from);
      return { id: i + 1, name, required: false, type };
    });
    const type: StructType = { kind: 'struct', fields };
    return { type, lines: linesOf(arrow, reader, type, file) };
  } catch (error) {
    throw damaged(file, error);
  }
}

function damaged({ shown, path }: InputFile, error: unknown): LakeError {
  if (error instanceof LakeError) return error;
  const message = `cannot read ${shown}: ${(error as Error).message}`;
  return new LakeError('invalid_argument', message, { file: path, cause: error });
}

function unread({ shown, path }: InputFile, column: string, type: DataType): LakeError {
  const what = `column "${column}" of ${shown} has the arrow type ${type}`;
  return new LakeError('unsupported', `${what}, which tables do not have`, { file: path });
}

function* linesOf(
  arrow: Arrow,
  batches: Iterable<RecordBatch>,
  type: StructType,
  file: InputFile,
): Generator<string> {
  try {
    for (const { data, numRows } of batches) {
      const row = valuesOf(arrow, data, type);
      for (let i = 0; i < numRows; i++) yield rowLine(type, row(i) as Record<string, Value>);
    }
  } catch (error) {
    throw damaged(file, error);
  }
}

/** The table type of an Arrow type; null if there is none. */
function tableType(arrow: Arrow, type: DataType): Type | null {
  const { DataType, Precision } = arrow;
  if (DataType.isInt(type)) {
    if (type.bitWidth < 32) return { kind: 'int' };
    if (type.bitWidth === 32) return { kind: type.isSigned ? 'int' : 'long' };
    return type.isSigned ? { kind: 'long' } : { kind: 'decimal', precision: 20, scale: 0 };
  }
  if (DataType.isFloat(type)) {
    return { kind: type.precision === Precision.DOUBLE ? 'double' : 'float' };
  }
  if (DataType.isDecimal(type)) {
    return { kind: 'decimal', precision: type.precision, scale: type.scale };
  }
  if (DataType.isTimestamp(type)) {
    const kind = type.timezone == null ? 'timestamp' : 'timestamptz';
    return { kind: type.unit === arrow.TimeUnit.NANOSECOND ? `${kind}_ns` : kind };
  }
  if (DataType.isDictionary(type)) {
    return DataType.isUtf8(type.dictionary) ? { kind: 'string' } : null;
  }
  if (DataType.isUtf8(type) || DataType.isLargeUtf8(type)) return { kind: 'string' };
  if (DataType.isNull(type)) return { kind: 'string' };
  if (DataType.isBool(type)) return { kind: 'boolean' };
  if (DataType.isDate(type)) return { kind: 'date' };
  if (DataType.isTime(type)) return { kind: 'time' };
  const isBytes = DataType.isBinary(type) || DataType.isLargeBinary(type);
  if (isBytes || DataType.isFixedSizeBinary(type)) return { kind: 'binary' };
  return nestedType(arrow, type);
}

function nestedType(arrow: Arrow, type: DataType): Type | null {
  const { DataType } = arrow;
  const inner = (type.children ?? []).map((child) => tableType(arrow, child.type));
  const [first] = inner;
  if (first === undefined || inner.includes(null)) return null;
  if (DataType.isStruct(type)) {
    const fields = type.children.map(
      ({ name }, i): Field => ({ id: i + 1, name, required: false, type: inner[i] as Type }),
    );
    return { kind: 'struct', fields };
  }
  if (DataType.isMap(type) && first?.kind === 'struct') {
    const [key, value] = first.fields.map((field) => field.type);
    return { kind: 'map', keyId: 0, key, valueId: 0, valueRequired: false, value };
  }
  const isList = DataType.isList(type) || DataType.isLargeList(type);
  if ((!isList && !DataType.isFixedSizeList(type)) || first === null) return null;
  return { kind: 'list', elementId: 0, elementRequired: false, element: first };
}

/** Reads values as the table has them: those of times and decimals are exact. */
function valuesOf(arrow: Arrow, data: Data, type: Type): ValueAt {
  const read = readerOf(arrow, data, type);
  return (row) => (data.getValid(row) ? read(row) : null);
}

function readerOf(arrow: Arrow, data: Data, type: Type): ValueAt {
  const numbers: ArrayLike<number | bigint> = data.values;
  const { unit = 0 } = data.type as { readonly unit?: TimeUnit };
  switch (type.kind) {
    case 'long':
      return (row) => BigInt(numbers[row]);
    case 'decimal':
      return decimals(numbers, data.stride);
    case 'date':
      return unit === (arrow.DateUnit.DAY as number)
        ? (row) => Number(numbers[row])
        : (row) => Number(BigInt(numbers[row]) / 86_400_000n);
    case 'time':
    case 'timestamp':
    case 'timestamptz':
      return (row) => micros(arrow, BigInt(numbers[row]), unit);
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return (row) => BigInt(numbers[row]);
    case 'struct': {
      const inner = type.fields.map((field, i) => valuesOf(arrow, data.children[i], field.type));
      return (row) => Object.fromEntries(type.fields.map(({ name }, i) => [name, inner[i](row)]));
    }
    case 'list':
      return listReader(data, valuesOf(arrow, data.children[0], type.element));
    case 'map': {
      const [keys, values] = data.children[0].children;
      const key = valuesOf(arrow, keys, type.key);
      const value = valuesOf(arrow, values, type.value);
      const entries = listReader(data, (row) => [key(row), value(row)]);
      return (row) => new MapValue(entries(row) as [Value, Value][]);
    }
    default: {
      const vector = arrow.makeVector(data);
      return (row) => vector.get(row) as Value;
    }
  }
}

/** Words of 32 bits, the lowest first; those of 64 bits are one number. */
const decimals = (words: ArrayLike<number | bigint>, stride: number): ValueAt => {
  if (typeof words[0] === 'bigint') return (row) => words[row] as bigint;
  return (row) => {
    let value = 0n;
    for (let i = stride - 1; i >= 0; i--) value = (value << 32n) | BigInt(words[row * stride + i]);
    return BigInt.asIntN(32 * stride, value);
  };
};

function micros({ TimeUnit }: Arrow, value: bigint, unit: TimeUnit): bigint {
  if (unit === TimeUnit.SECOND) return value * 1_000_000n;
  if (unit === TimeUnit.MILLISECOND) return value * 1000n;
  return unit === TimeUnit.NANOSECOND ? value / 1000n : value;
}

function listReader(data: Data, item: ValueAt): (row: number) => Value[] {
  const offsets = data.valueOffsets as ArrayLike<number | bigint> | undefined;
  const size = (data.type as { readonly listSize?: number }).listSize;
  const edge = (row: number) => (size === undefined ? Number(offsets?.[row]) : row * size);
  return (row) => {
    const from = edge(row);
    return Array.from({ length: edge(row + 1) - from }, (_, i) => item(from + i));
  };
}
