/** The first index from `from` on whose value is at least `value`; the length where none is. */
export function lowerBound(ascending: Int32Array | Uint32Array, value: number, from = 0): number {
  let low = from;
  let high = ascending.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ascending[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
