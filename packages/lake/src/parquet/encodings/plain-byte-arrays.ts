/**
 * PLAIN byte arrays (u32 LE length, bytes, and so on) by index. The lengths are walked once to see
 * that they fit; only every 64th place is kept, so a page costs no memory beyond its bytes and a
 * value at most 63 steps from a kept place (none when values are read in order).
 */
import type { PageTexts, PageValues } from './page-values.ts';

const STEP_BITS = 6;
const STEP = 1 << STEP_BITS;

/** The `count` values of `input`, or null if they do not fit. */
export function plainByteArrays(input: Uint8Array, count: number): PageValues | null {
  if (count * 4 > input.length) return null;
  const kept = new Int32Array((count + STEP - 1) >>> STEP_BITS);
  let at = 0;
  for (let i = 0; i < count; i++) {
    if ((i & (STEP - 1)) === 0) kept[i >>> STEP_BITS] = at;
    if (at + 4 > input.length) return null;
    at += 4 + lengthAt(input, at);
    if (at > input.length) return null;
  }
  return new PlainByteArrays(input, kept, count);
}

class PlainByteArrays implements PageValues, PageTexts {
  readonly length: number;
  readonly bytes: number;
  readonly #input: Buffer;
  readonly #kept: Int32Array;
  /** A value and the place of its length: where the last look-up ended. */
  #index = 0;
  #at = 0;

  constructor(input: Uint8Array, kept: Int32Array, count: number) {
    this.#input = Buffer.from(input.buffer, input.byteOffset, input.byteLength);
    this.#kept = kept;
    this.length = count;
    this.bytes = input.length + kept.byteLength;
  }

  get(index: number): Uint8Array {
    const start = this.#seek(index) + 4;
    const { buffer, byteOffset } = this.#input;
    return new Uint8Array(buffer, byteOffset + start, lengthAt(this.#input, start - 4));
  }

  get texts(): PageTexts {
    return this;
  }

  text(index: number): string {
    const start = this.#seek(index) + 4;
    return this.#input.toString('utf8', start, start + lengthAt(this.#input, start - 4));
  }

  size(index: number): number {
    return lengthAt(this.#input, this.#seek(index));
  }

  #seek(index: number): number {
    const block = index >>> STEP_BITS;
    let from = this.#index;
    let at = this.#at;
    if (index < from || block > from >>> STEP_BITS) {
      from = block << STEP_BITS;
      at = this.#kept[block];
    }
    for (; from < index; from++) at += 4 + lengthAt(this.#input, at);
    this.#index = index;
    this.#at = at;
    return at;
  }
}

function lengthAt(input: Uint8Array, at: number): number {
  return (input[at] | (input[at + 1] << 8) | (input[at + 2] << 16) | (input[at + 3] << 24)) >>> 0;
}
