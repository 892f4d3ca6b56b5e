/**
 * The plain kernels over decoded lists and bitmaps: see `Kernels`, of whose functions these are the
 * bodies.
 */
import { popcount } from '../base/bitmap.ts';

/** Documents of a list whose bit is set. */
export function sieve(
  i32: Int32Array,
  sourceAt: number,
  n: number,
  bitmapAt: number,
  intoAt: number,
  hitsAt: number,
  first: number,
): number {
  let m = 0;
  for (let i = 0; i < n; i++) {
    const doc = i32[(sourceAt >> 2) + i];
    i32[(intoAt >> 2) + m] = doc;
    if (hitsAt !== 0) i32[(hitsAt >> 2) + m] = first === 1 ? i : i32[(hitsAt >> 2) + i];
    m += (i32[(bitmapAt >> 2) + (doc >> 5)] >>> doc) & 1;
  }
  return m;
}

/** Common values of two rising lists. */
export function intersect(
  i32: Int32Array,
  aAt: number,
  aSize: number,
  bAt: number,
  bSize: number,
  intoAt: number,
  iAt: number,
  jAt: number,
): number {
  const [a, b, into] = [aAt >> 2, bAt >> 2, intoAt >> 2];
  let count = 0;
  for (let i = 0, j = 0; i < aSize && j < bSize; ) {
    const x = i32[a + i];
    const y = i32[b + j];
    if (x === y) {
      if (iAt !== 0) {
        i32[(iAt >> 2) + count] = i;
        i32[(jAt >> 2) + count] = j;
      }
      i32[into + count++] = x;
    }
    if (x <= y) i++;
    if (y <= x) j++;
  }
  return count;
}

/** Sets the bits of documents whose deltas - 1 stand at `width` bits; returns the last one. */
export function mark(
  i32: Int32Array,
  data: number,
  n: number,
  width: number,
  last: number,
  bitmap: number,
  docs: number,
): number {
  const mask = (1 << width) - 1;
  let doc = last;
  for (let i = 0, bit = 0; i < n; i++, bit += width) {
    const word = data + (bit >> 5);
    const shift = bit & 31;
    let value = i32[word] >>> shift;
    if (shift + width > 32) value |= i32[word + 1] << (32 - shift);
    doc += (value & mask) + 1;
    if (doc >= docs) throw new RangeError(`document ${doc} of ${docs}`);
    i32[bitmap + (doc >> 5)] |= 1 << doc;
  }
  return doc;
}

/** Bits in all of some bitmaps and not in `blocked`. */
export function countAll(
  i32: Int32Array,
  bitmaps: readonly number[],
  blockedAt: number,
  bytes: number,
): number {
  let count = 0;
  for (let i = 0; i < bytes >> 2; i++) {
    let word = blockedAt === 0 ? -1 : ~i32[(blockedAt >> 2) + i];
    for (const at of bitmaps) word &= i32[(at >> 2) + i];
    if (word !== 0) count += popcount(word);
  }
  return count;
}

/** Bits in any of some bitmaps and not in `blocked`. */
export function countAny(
  i32: Int32Array,
  bitmaps: readonly number[],
  blockedAt: number,
  bytes: number,
): number {
  let count = 0;
  for (let i = 0; i < bytes >> 2; i++) {
    let word = 0;
    for (const at of bitmaps) word |= i32[(at >> 2) + i];
    if (blockedAt !== 0) word &= ~i32[(blockedAt >> 2) + i];
    if (word !== 0) count += popcount(word);
  }
  return count;
}
