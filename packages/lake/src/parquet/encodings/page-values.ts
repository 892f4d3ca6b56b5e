import { type FaultPlace, parquetFault } from '../fault.ts';
import type { HybridRuns } from './hybrid-runs.ts';

/**
 * One value as Parquet stores it: INT96 is nanoseconds since 1970; byte arrays are views into their
 * page.
 */
export type PhysicalValue = boolean | number | bigint | Uint8Array;

/** The values of a page without its nulls, decoded one by one on request. */
export interface PageValues {
  readonly length: number;
  /** Memory that the page keeps alive. */
  readonly bytes: number;
  /** The value at `index`, which must be below `length`. */
  get(index: number): PhysicalValue;
  /** Byte arrays only: reads values as UTF-8 text, without a view in between. */
  readonly texts?: PageTexts;
}

/** The byte arrays of a page as UTF-8 text. */
export interface PageTexts {
  text(index: number): string;
  /** Bytes of the value at `index`. */
  size(index: number): number;
}

/** Values that are already there. */
export function arrayValues(
  values: ArrayLike<PhysicalValue>,
  bytes: number = values.length * 8,
): PageValues {
  return { length: values.length, bytes, get: (index) => values[index] };
}

/** Adjacent byte arrays: value i is `bytes[ends[i - 1] .. ends[i])` after `gap` bytes of length. */
export function byteArrayValues(
  bytes: Uint8Array,
  starts: Int32Array,
  ends: Int32Array,
): PageValues {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return {
    length: starts.length,
    bytes: bytes.length + starts.length * 8,
    get: (index) => bytes.subarray(starts[index], ends[index]),
    texts: {
      text: (index) => buffer.toString('utf8', starts[index], ends[index]),
      size: (index) => ends[index] - starts[index],
    },
  };
}

/** From here on a text is worth being decoded once. */
const LONG_TEXT_BYTES = 256;
/** A dictionary of so few values is referred to often, whatever their length. */
const FEW_VALUES = 1024;

/**
 * The values of a dictionary page. Where they are long or few, every reference to a text gets the
 * same string, which is decoded once; `bytes` has room for all of them.
 */
export function sharedTexts(values: PageValues): PageValues {
  const { texts, length } = values;
  const isWorthIt = length <= FEW_VALUES || values.bytes >= length * LONG_TEXT_BYTES;
  if (texts === undefined || !isWorthIt) return values;
  const known = new Array<string | undefined>(length);
  const sizes = new Int32Array(length).fill(-1);
  const size = (index: number): number => {
    if (sizes[index] < 0) sizes[index] = texts.size(index);
    return sizes[index];
  };
  return {
    length,
    bytes: values.bytes * 3 + length * 32,
    get: (index) => values.get(index),
    texts: { size, text: (index) => (known[index] ??= texts.text(index)) },
  };
}

/**
 * Values by their index in a dictionary; `inputBytes` is the memory that the indices keep alive.
 * Reading a value whose index is outside the dictionary throws the file's `*_invalid` error.
 */
export function dictionaryValues(
  dictionary: PageValues,
  indices: HybridRuns,
  inputBytes: number,
  place: FaultPlace,
): PageValues {
  const { texts } = dictionary;
  const checked = (index: number): number => {
    const entry = indices.get(index);
    if (entry < dictionary.length) return entry;
    throw parquetFault(place, `value ${entry} of a dictionary of ${dictionary.length}`);
  };
  return {
    length: indices.length,
    bytes: indices.bytes + inputBytes,
    get: (index) => dictionary.get(checked(index)),
    texts: texts && {
      text: (index) => texts.text(checked(index)),
      size: (index) => texts.size(checked(index)),
    },
  };
}
