/**
 * Value encodings by id (parquet-format Encodings.md): 0 PLAIN, 2 PLAIN_DICTIONARY, 3 RLE, 5
 * DELTA_BINARY_PACKED, 6 DELTA_LENGTH_BYTE_ARRAY, 7 DELTA_BYTE_ARRAY, 8 RLE_DICTIONARY, 9
 * BYTE_STREAM_SPLIT.
 */

import { type FaultPlace, parquetFault, parquetUnsupported } from '../fault.ts';
import type { LeafNode, Physical } from '../schema-tree.ts';
import { decodeDelta32, decodeDelta64, decodeDeltaLengths, decodeDeltaStrings } from './delta.ts';
import { walkHybrid } from './hybrid-runs.ts';
import { arrayValues, dictionaryValues, type PageValues } from './page-values.ts';
import { plainByteArrays } from './plain-byte-arrays.ts';
import { decodeHybrid } from './rle.ts';

const WIDTHS: Readonly<Partial<Record<Physical, number>>> = {
  int32: 4,
  int64: 8,
  int96: 12,
  float: 4,
  double: 8,
};
const JULIAN_DAY_OF_1970 = 2_440_588n;
const NANOS_PER_DAY = 86_400_000_000_000n;

/** The `count` values of a page. Throws the file's `*_invalid` error, or `unsupported`. */
export function decodeValues(
  leaf: LeafNode,
  encoding: number,
  input: Uint8Array,
  count: number,
  dictionary: PageValues | null,
  place: FaultPlace,
): PageValues {
  const values = decode(leaf, encoding, input, count, dictionary, place);
  if (values === null) {
    throw parquetFault(
      place,
      `a page of "${leaf.path}" does not hold ${count} values in encoding ${encoding}`,
    );
  }
  return values;
}

function decode(
  leaf: LeafNode,
  encoding: number,
  input: Uint8Array,
  count: number,
  dictionary: PageValues | null,
  place: FaultPlace,
): PageValues | null {
  if (count === 0) return arrayValues([]);
  switch (encoding) {
    case 0:
      return decodePlain(leaf, input, count);
    case 2:
    case 8:
      return decodeIndices(input, count, dictionary, place);
    case 3:
      return leaf.physical === 'boolean' ? decodeRleBooleans(input, count) : null;
    case 5:
      return decodeDeltaIntegers(leaf, input, count);
    case 6:
      return leaf.physical === 'byte_array' ? decodeDeltaLengths(input, 0, count) : null;
    case 7:
      return decodeStrings(leaf, input, count);
    case 9:
      return decodeSplit(leaf, input, count);
    default:
      throw parquetUnsupported(place, `encoding ${encoding} of column "${leaf.path}"`);
  }
}

/** PLAIN; also what dictionary pages hold. Null if the input is too short. */
export function decodePlain(leaf: LeafNode, input: Uint8Array, count: number): PageValues | null {
  if (leaf.physical === 'boolean') return plainBooleans(input, count);
  if (leaf.physical === 'byte_array') return plainByteArrays(input, count);
  const width = widthOf(leaf);
  if (width * count > input.length) return null;
  return fixedWidth(leaf.physical, input, count, width);
}

function widthOf(leaf: LeafNode): number {
  return WIDTHS[leaf.physical] ?? leaf.length;
}

function fixedWidth(
  physical: Physical,
  input: Uint8Array,
  length: number,
  width: number,
): PageValues {
  const view = new DataView(input.buffer, input.byteOffset, input.byteLength);
  const bytes = input.length;
  switch (physical) {
    case 'int32':
      return { length, bytes, get: (i) => view.getInt32(i * 4, true) };
    case 'int64':
      return { length, bytes, get: (i) => view.getBigInt64(i * 8, true) };
    case 'float':
      return { length, bytes, get: (i) => view.getFloat32(i * 4, true) };
    case 'double':
      return { length, bytes, get: (i) => view.getFloat64(i * 8, true) };
    case 'int96':
      return { length, bytes, get: (i) => int96Nanos(view, i * 12) };
    default:
      return { length, bytes, get: (i) => input.subarray(i * width, (i + 1) * width) };
  }
}

function int96Nanos(view: DataView, at: number): bigint {
  const day = BigInt(view.getInt32(at + 8, true)) - JULIAN_DAY_OF_1970;
  return day * NANOS_PER_DAY + view.getBigInt64(at, true);
}

function plainBooleans(input: Uint8Array, length: number): PageValues | null {
  if ((length + 7) >>> 3 > input.length) return null;
  return { length, bytes: input.length, get: (i) => ((input[i >>> 3] >>> (i & 7)) & 1) === 1 };
}

function decodeIndices(
  input: Uint8Array,
  count: number,
  dictionary: PageValues | null,
  place: FaultPlace,
): PageValues | null {
  const width = input[0];
  if (dictionary === null || width === undefined || width > 32) return null;
  const runs = walkHybrid(input.subarray(1), width, count);
  return runs === null ? null : dictionaryValues(dictionary, runs, input.length, place);
}

function decodeRleBooleans(input: Uint8Array, count: number): PageValues | null {
  if (input.length < 4) return null;
  const length = new DataView(input.buffer, input.byteOffset).getUint32(0, true);
  if (4 + length > input.length) return null;
  const bits = new Uint8Array(count);
  if (!decodeHybrid(input.subarray(4, 4 + length), 1, bits)) return null;
  return { length: count, bytes: count, get: (i) => bits[i] === 1 };
}

function decodeDeltaIntegers(leaf: LeafNode, input: Uint8Array, count: number): PageValues | null {
  if (leaf.physical === 'int64') {
    const longs = decodeDelta64(input, 0, count);
    return longs && arrayValues(longs.values);
  }
  if (leaf.physical !== 'int32') return null;
  const ints = decodeDelta32(input, 0, count);
  return ints && arrayValues(ints.values, count * 4);
}

function decodeStrings(leaf: LeafNode, input: Uint8Array, count: number): PageValues | null {
  if (leaf.physical !== 'byte_array' && leaf.physical !== 'fixed') return null;
  const values = decodeDeltaStrings(input, count);
  if (values === null || leaf.physical === 'byte_array') return values;
  for (let i = 0; i < count; i++) {
    if ((values.get(i) as Uint8Array).length !== leaf.length) return null;
  }
  return values;
}

function decodeSplit(leaf: LeafNode, input: Uint8Array, count: number): PageValues | null {
  const { physical } = leaf;
  if (physical === 'boolean' || physical === 'byte_array' || physical === 'int96') return null;
  const width = widthOf(leaf);
  if (width * count > input.length) return null;
  const joined = new Uint8Array(width * count);
  for (let byte = 0; byte < width; byte++) {
    for (let i = 0; i < count; i++) joined[i * width + byte] = input[byte * count + i];
  }
  return fixedWidth(physical, joined, count, width);
}
