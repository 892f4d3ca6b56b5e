/** The plain kernels over decoded lists: see `Kernels`, of whose functions these are the bodies. */

/** Documents of a list whose bit is set, or is not. */
export function sieve(
  i32: Int32Array,
  sourceAt: number,
  n: number,
  bitmapAt: number,
  intoAt: number,
  hitsAt: number,
  first: number,
  flip: number,
): number {
  let m = 0;
  for (let i = 0; i < n; i++) {
    const doc = i32[(sourceAt >> 2) + i];
    i32[(intoAt >> 2) + m] = doc;
    if (hitsAt !== 0) i32[(hitsAt >> 2) + m] = first === 1 ? i : i32[(hitsAt >> 2) + i];
    m += ((i32[(bitmapAt >> 2) + (doc >> 5)] >>> doc) ^ flip) & 1;
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
