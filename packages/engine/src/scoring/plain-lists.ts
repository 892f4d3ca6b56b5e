/** The plain kernels over decoded lists: the bodies of functions of `Kernels`. */
import type { Intersection, Sieve } from './kernels.ts';

/** Documents of a list whose bit is set, or is not. */
export function sieve(
  i32: Int32Array,
  { sourceAt, size, bitmapAt, intoAt, hitsAt, first, flip }: Sieve,
): number {
  let m = 0;
  for (let i = 0; i < size; i++) {
    const doc = i32[(sourceAt >> 2) + i];
    i32[(intoAt >> 2) + m] = doc;
    if (hitsAt !== 0) i32[(hitsAt >> 2) + m] = first === 1 ? i : i32[(hitsAt >> 2) + i];
    m += ((i32[(bitmapAt >> 2) + (doc >> 5)] >>> doc) ^ flip) & 1;
  }
  return m;
}

/** Common values of two rising lists. */
export function intersect(i32: Int32Array, lists: Intersection): number {
  const { aSize, bSize, aIndexesAt, bIndexesAt } = lists;
  const [a, b, into] = [lists.aAt >> 2, lists.bAt >> 2, lists.intoAt >> 2];
  let count = 0;
  for (let i = 0, j = 0; i < aSize && j < bSize; ) {
    const x = i32[a + i];
    const y = i32[b + j];
    if (x === y) {
      if (aIndexesAt !== 0) {
        i32[(aIndexesAt >> 2) + count] = i;
        i32[(bIndexesAt >> 2) + count] = j;
      }
      i32[into + count++] = x;
    }
    if (x <= y) i++;
    if (y <= x) j++;
  }
  return count;
}
