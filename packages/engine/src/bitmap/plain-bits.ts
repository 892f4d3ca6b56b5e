import type { Arena } from '../storage/directory.ts';
import type { BitKernels } from './bit-kernels.ts';
import { popcount } from './bitmap.ts';

/** The kernels of bitmaps in TypeScript, for any number of them. */
export class PlainBits implements BitKernels {
  readonly simd = null;
  readonly #i32: Int32Array;

  constructor({ i32 }: Arena) {
    this.#i32 = i32;
  }

  countAll(bitmaps: readonly number[], blockedAt: number, bytes: number): number {
    const i32 = this.#i32;
    let count = 0;
    for (let i = 0; i < bytes >> 2; i++) {
      let word = blockedAt === 0 ? -1 : ~i32[(blockedAt >> 2) + i];
      for (const at of bitmaps) word &= i32[(at >> 2) + i];
      if (word !== 0) count += popcount(word);
    }
    return count;
  }

  countAny(bitmaps: readonly number[], blockedAt: number, bytes: number): number {
    const i32 = this.#i32;
    let count = 0;
    for (let i = 0; i < bytes >> 2; i++) {
      let word = 0;
      for (const at of bitmaps) word |= i32[(at >> 2) + i];
      if (blockedAt !== 0) word &= ~i32[(blockedAt >> 2) + i];
      if (word !== 0) count += popcount(word);
    }
    return count;
  }

  countEach(bitmaps: readonly number[], bitsAt: number, bytes: number): Int32Array {
    const i32 = this.#i32;
    const bits = bitsAt >> 2;
    return Int32Array.from(bitmaps, (at) => {
      let count = 0;
      for (let i = 0, a = at >> 2; i < bytes >> 2; i++) {
        const word = i32[a + i] & i32[bits + i];
        if (word !== 0) count += popcount(word);
      }
      return count;
    });
  }

  mark(
    dataAt: number,
    n: number,
    width: number,
    last: number,
    bitmapAt: number,
    docs: number,
  ): number {
    const i32 = this.#i32;
    const mask = (1 << width) - 1;
    let doc = last;
    for (let i = 0, bit = 0; i < n; i++, bit += width) {
      const word = (dataAt >> 2) + (bit >> 5);
      const shift = bit & 31;
      let value = i32[word] >>> shift;
      if (shift + width > 32) value |= i32[word + 1] << (32 - shift);
      doc += (value & mask) + 1;
      if (doc >= docs) throw new RangeError(`document ${doc} of ${docs}`);
      i32[(bitmapAt >> 2) + (doc >> 5)] |= 1 << doc;
    }
    return doc;
  }
}
