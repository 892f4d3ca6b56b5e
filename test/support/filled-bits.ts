import { expect } from 'vitest';
import { Bitmaps } from '../../packages/engine/src/bitmap/bitmaps.ts';
import type { Arena } from '../../packages/engine/src/storage/directory.ts';

/** The documents whose bits `fill` sets, the same inside and outside of the arena. */
export function filledBits(arena: Arena, docs: number, fill: (bits: Int32Array) => void): number[] {
  const bits = new Int32Array(8 * Math.ceil(docs / 256));
  fill(bits);
  const near = new Bitmaps(arena, docs).take();
  fill(near);
  expect(near).toEqual(bits);
  return Array.from({ length: 32 * bits.length }, (_, doc) => doc).filter(
    (doc) => (bits[doc >> 5] >>> (doc & 31)) & 1,
  );
}
