/**
 * Doubles as signed 64-bit integers in the same order (IEEE 754 totalOrder, sign folded): bits of
 * a positive number stay, those of a negative one are flipped but for the sign. -0 becomes 0,
 * every NaN the one quiet NaN, above +Infinity.
 */
const double = new Float64Array(1);
const bits = new BigInt64Array(double.buffer);
const words = new Int32Array(double.buffer);

/** The ordered integer of a double. */
export function orderedFromDouble(value: number): bigint {
  double[0] = value === 0 ? 0 : Number.isNaN(value) ? Number.NaN : value;
  if (words[1] < 0) {
    words[0] = ~words[0];
    words[1] ^= 0x7fffffff;
  }
  return bits[0];
}

/** The double of an ordered integer. */
export function doubleFromOrdered(ordered: bigint): number {
  bits[0] = ordered;
  return unfold();
}

/** The same from the two 32-bit words of the ordered integer, low word first: no bigint is made. */
export function doubleFromWords(low: number, high: number): number {
  words[0] = low;
  words[1] = high;
  return unfold();
}

function unfold(): number {
  if (words[1] < 0) {
    words[0] = ~words[0];
    words[1] ^= 0x7fffffff;
  }
  return double[0];
}
