/**
 * Values of an RLE / bit-packing hybrid (rle.ts) by index, without unpacking them all: the run
 * headers are walked once, a value is unpacked when it is read. If one of 50,000 dictionary indices
 * of a page is wanted, only the headers are read.
 */
import { wideBits } from './rle.ts';

/** A walked encoding of `length` values. */
export class HybridRuns {
  readonly length: number;
  readonly #input: Uint8Array;
  readonly #width: number;
  /** By run: index of its first value, and after the last run `length`. */
  readonly #first: Int32Array;
  /** By run: offset of packed values, or -1 - value of a repeated one. */
  readonly #content: Float64Array;
  #run = 0;

  constructor(
    input: Uint8Array,
    width: number,
    length: number,
    first: readonly number[],
    content: readonly number[],
  ) {
    this.#input = input;
    this.#width = width;
    this.length = length;
    this.#first = Int32Array.from(first);
    this.#content = Float64Array.from(content);
  }

  /** Memory beyond the input's own. */
  get bytes(): number {
    return this.#content.length * 12;
  }

  /** The value at `index`, which must be below `length`. */
  get(index: number): number {
    const run = this.#find(index);
    const content = this.#content[run];
    if (content < 0) return -1 - content;
    const width = this.#width;
    const bit = (index - this.#first[run]) * width;
    if (width > 24) return Number(wideBits(this.#input, content, bit, width));
    let at = content + (bit >>> 3);
    let bits = (this.#input[at] >>> (bit & 7)) | 0;
    for (let have = 8 - (bit & 7); have < width; have += 8) bits |= this.#input[++at] << have;
    return bits & ((1 << width) - 1);
  }

  #find(index: number): number {
    const first = this.#first;
    const known = this.#run;
    if (index >= first[known] && index < first[known + 1]) return known;
    let low = 0;
    let high = this.#content.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (first[middle] <= index) low = middle;
      else high = middle - 1;
    }
    this.#run = low;
    return low;
  }
}

/**
 * Walks the runs of `length` values of `width` bits (0 to 32); null if the input ends too early
 * or is no such encoding.
 */
export function walkHybrid(input: Uint8Array, width: number, length: number): HybridRuns | null {
  const first: number[] = [];
  const content: number[] = [];
  let at = 0;
  let filled = 0;
  if (width === 0 && length > 0) {
    first.push(0);
    content.push(-1);
    filled = length;
  }
  while (filled < length) {
    let header = 0;
    for (let shift = 0; ; shift += 7) {
      if (at >= input.length || shift > 28) return null;
      const byte = input[at++];
      header += (byte & 127) * 2 ** shift;
      if (byte < 128) break;
    }
    const run = Math.floor(header / 2);
    const packed = header % 2 === 1;
    const count = Math.min(packed ? run * 8 : run, length - filled);
    // writers may leave out the padding of the last group
    const bytes = packed ? (count * width + 7) >>> 3 : (width + 7) >>> 3;
    if (at + bytes > input.length) return null;
    if (count > 0) {
      first.push(filled);
      content.push(packed ? at : -1 - littleEndian(input, at, bytes));
    }
    at += packed ? run * width : bytes;
    filled += count;
  }
  first.push(length);
  return new HybridRuns(input, width, length, first, content);
}

function littleEndian(input: Uint8Array, at: number, bytes: number): number {
  let value = 0;
  for (let i = 0; i < bytes; i++) value += input[at + i] * 2 ** (8 * i);
  return value;
}
