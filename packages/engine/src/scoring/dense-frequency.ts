import { popcount } from '../bitmap/bitmap.ts';
import { RANGE_SHIFT } from '../inverted/format.ts';
import type { Clause } from './clause.ts';

/** Frequency of a dense term in a document that holds it: its rank in its range, then its bits. */
export function denseFrequency(clause: Clause, doc: number): number {
  const { u8, i32, view } = clause.reader.arena;
  const range = doc >> RANGE_SHIFT;
  const width = u8[clause.widthAt + range];
  if (width === 0) return 1;
  const own = clause.bitmapWords + (doc >> 5);
  let rank = popcount(i32[own] & (2 ** (doc & 31) - 1));
  for (let w = clause.bitmapWords + (range << 3); w < own; w++) rank += popcount(i32[w]);
  const bit = (rank + 1) * width;
  const word = view.getInt32(clause.boundary(range) - ((bit + 7) >> 3), true);
  return ((word >>> (-bit & 7)) & (2 ** width - 1)) + 1;
}
