import { type FaultPlace, parquetFault } from './fault.ts';
import type { HybridRuns } from './hybrid-runs.ts';

/**
 * One value as Parquet stores it: INT96 is nanoseconds since 1970; byte arrays are views into their
 * page.
 */
export type PhysicalValue = boolean | number | bigint | Uint8Array;

/** The values of a page without its nulls, decoded one by one when asked for. */
export interface PageValues {
  readonly length: number;
  /** Memory that the page keeps alive. */
  readonly bytes: number;
  /** The value at `index`, which must be below `length`. */
  get(index: number): PhysicalValue;
  /** Byte arrays only: the value at `index` as UTF-8 text, without a view in between. */
  readonly text?: (index: number) => string;
}

/** Values that are already there. */
export function arrayValues(
  values: ArrayLike<PhysicalValue>,
  bytes: number = values.length * 8,
): PageValues {
  return { length: values.length, bytes, get: (index) => values[index] };
}

/**
 * Byte arrays that lie one after the other: value i is `bytes[ends[i - 1] .. ends[i])` after `gap`
 * bytes of length.
 */
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
    text: (index) => buffer.toString('utf8', starts[index], ends[index]),
  };
}

/**
 * Values given by their index in a dictionary; `inputBytes` is what the indices keep alive. Asking
 * for a value whose index lies outside the dictionary throws the file's `*_invalid` error.
 */
export function dictionaryValues(
  dictionary: PageValues,
  indices: HybridRuns,
  inputBytes: number,
  place: FaultPlace,
): PageValues {
  const { text } = dictionary;
  const checked = (index: number): number => {
    const entry = indices.get(index);
    if (entry < dictionary.length) return entry;
    throw parquetFault(place, `value ${entry} of a dictionary of ${dictionary.length}`);
  };
  return {
    length: indices.length,
    bytes: indices.bytes + inputBytes,
    get: (index) => dictionary.get(checked(index)),
    text: text && ((index) => text(checked(index))),
  };
}
