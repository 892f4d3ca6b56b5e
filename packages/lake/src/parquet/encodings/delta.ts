/**
 * DELTA_BINARY_PACKED and the byte array encodings over it (parquet-format Encodings.md):
 *
 *   varint block size (values), varint miniblocks a block, varint total count, zigzag first value,
 *   blocks
 *   block := zigzag least delta, one width byte a miniblock, miniblocks (bit-packed excess over it)
 *
 * Sums wrap at the type's width. DELTA_LENGTH_BYTE_ARRAY: the lengths so encoded, then all bytes.
 * DELTA_BYTE_ARRAY: shared prefix lengths so encoded, then the suffixes as DELTA_LENGTH_BYTE_ARRAY.
 */
import { LIMITS } from '../../base/limits.ts';
import { byteArrayValues, type PageValues } from './page-values.ts';
import { unpackBits, wideBits } from './rle.ts';

const BLOCK_VALUES_MAX = 65_536;

interface Decoded<T> {
  readonly values: T;
  /** Where the encoding ended. */
  readonly end: number;
}

/**
 * `count` 32-bit integers from `at` on, or null if the input is not that encoding of that many.
 */
export function decodeDelta32(
  input: Uint8Array,
  at: number,
  count: number,
): Decoded<Int32Array> | null {
  const cursor = new DeltaCursor(input, at);
  const head = cursor.head(count);
  if (head === null) return null;
  const out = new Int32Array(count);
  const deltas = new Int32Array(head.perMiniblock);
  let value = Number(BigInt.asIntN(32, head.first));
  if (count > 0) out[0] = value;
  for (let filled = 1; filled < count; ) {
    const block = cursor.block(head.miniblocks);
    if (block === null) return null;
    const least = Number(BigInt.asIntN(32, block.least));
    for (let mini = 0; mini < head.miniblocks && filled < count; mini++) {
      const width = block.widths[mini];
      const from = width > 32 ? -1 : cursor.miniblock(width, head.perMiniblock);
      if (from < 0) return null;
      unpackBits(input, from, width, deltas, 0, head.perMiniblock);
      const take = Math.min(head.perMiniblock, count - filled);
      for (let i = 0; i < take; i++) {
        value = (value + least + deltas[i]) | 0;
        out[filled++] = value;
      }
    }
  }
  return { values: out, end: cursor.at };
}

/**
 * `count` 64-bit integers from `at` on, or null if the input is not that encoding of that many.
 */
export function decodeDelta64(
  input: Uint8Array,
  at: number,
  count: number,
): Decoded<BigInt64Array> | null {
  const cursor = new DeltaCursor(input, at);
  const head = cursor.head(count);
  if (head === null) return null;
  const out = new BigInt64Array(count);
  let value = head.first;
  if (count > 0) out[0] = value;
  for (let filled = 1; filled < count; ) {
    const block = cursor.block(head.miniblocks);
    if (block === null) return null;
    for (let mini = 0; mini < head.miniblocks && filled < count; mini++) {
      const width = block.widths[mini];
      const from = width > 64 ? -1 : cursor.miniblock(width, head.perMiniblock);
      if (from < 0) return null;
      const take = Math.min(head.perMiniblock, count - filled);
      for (let i = 0; i < take; i++) {
        const delta = width === 0 ? 0n : wideBits(input, from, i * width, width);
        value = BigInt.asIntN(64, value + block.least + delta);
        out[filled++] = value;
      }
    }
  }
  return { values: out, end: cursor.at };
}

/** DELTA_LENGTH_BYTE_ARRAY from `at` on, or null. */
export function decodeDeltaLengths(
  input: Uint8Array,
  at: number,
  count: number,
): PageValues | null {
  const lengths = decodeDelta32(input, at, count);
  if (lengths === null) return null;
  const starts = new Int32Array(count);
  const ends = new Int32Array(count);
  let next = lengths.end;
  for (let i = 0; i < count; i++) {
    const length = lengths.values[i];
    if (length < 0 || next + length > input.length) return null;
    starts[i] = next;
    next += length;
    ends[i] = next;
  }
  return byteArrayValues(input, starts, ends);
}

/**
 * DELTA_BYTE_ARRAY, or null; the strings are put together in one buffer of at most
 * LIMITS.parquetPageBytes.
 */
export function decodeDeltaStrings(input: Uint8Array, count: number): PageValues | null {
  const prefixes = decodeDelta32(input, 0, count);
  if (prefixes === null) return null;
  const suffixes = decodeDeltaLengths(input, prefixes.end, count);
  if (suffixes === null) return null;
  const ends = new Int32Array(count);
  const starts = new Int32Array(count);
  let total = 0;
  let previous = 0;
  for (let i = 0; i < count; i++) {
    const prefix = prefixes.values[i];
    if (prefix < 0 || prefix > previous) return null;
    previous = prefix + (suffixes.get(i) as Uint8Array).length;
    starts[i] = total;
    total += previous;
    if (total > LIMITS.parquetPageBytes) return null;
    ends[i] = total;
  }
  const out = new Uint8Array(total);
  for (let i = 0; i < count; i++) {
    const prefix = prefixes.values[i];
    if (prefix > 0) out.copyWithin(starts[i], starts[i - 1], starts[i - 1] + prefix);
    out.set(suffixes.get(i) as Uint8Array, starts[i] + prefix);
  }
  return byteArrayValues(out, starts, ends);
}

interface DeltaHead {
  readonly miniblocks: number;
  readonly perMiniblock: number;
  readonly first: bigint;
}

class DeltaCursor {
  at: number;
  readonly #input: Uint8Array;

  constructor(input: Uint8Array, at: number) {
    this.#input = input;
    this.at = at;
  }

  head(count: number): DeltaHead | null {
    const size = this.#varint();
    const miniblocks = this.#varint();
    const total = this.#varint();
    const first = this.#zigzag();
    if (size === null || miniblocks === null || total === null || first === null) return null;
    if (Number(total) !== count || size > BLOCK_VALUES_MAX || miniblocks < 1n) return null;
    const perMiniblock = Number(size) / Number(miniblocks);
    if (perMiniblock < 8 || perMiniblock % 8 !== 0) return null;
    return { miniblocks: Number(miniblocks), perMiniblock, first };
  }

  block(miniblocks: number): { least: bigint; widths: Uint8Array } | null {
    const least = this.#zigzag();
    if (least === null || this.at + miniblocks > this.#input.length) return null;
    this.at += miniblocks;
    return { least, widths: this.#input.subarray(this.at - miniblocks, this.at) };
  }

  /**
   * Where the miniblock begins, or -1 past the end. The last one may be cut after its last value.
   */
  miniblock(width: number, values: number): number {
    const from = this.at;
    if (from > this.#input.length || (width > 0 && from === this.#input.length)) return -1;
    this.at = Math.min(this.#input.length, from + (width * values) / 8);
    return from;
  }

  #zigzag(): bigint | null {
    const value = this.#varint();
    return value === null ? null : (value >> 1n) ^ -(value & 1n);
  }

  #varint(): bigint | null {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      if (this.at >= this.#input.length) return null;
      const byte = this.#input[this.at++];
      value |= BigInt(byte & 127) << shift;
      if (byte < 128) return BigInt.asUintN(64, value);
    }
    return null;
  }
}
