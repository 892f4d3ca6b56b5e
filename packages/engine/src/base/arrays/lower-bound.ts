/** Values that rise: what a binary search looks through. */
type Rising = Int32Array | Uint32Array | Float64Array;

/** The first index from `from` on whose value is at least `value`; the length where none is. */
export function lowerBound(rising: Rising, value: number, from = 0): number {
  return lowerBoundIn(rising, value, from, rising.length);
}

/** The first index of [from, to) whose value is at least `value`; `to` where none is. */
export function lowerBoundIn(rising: Rising, value: number, from: number, to: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (rising[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The first index of [from, to) from which on `holds` is true; `to` where it never is. */
export function lowerBoundBy(from: number, to: number, holds: (at: number) => boolean): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}
