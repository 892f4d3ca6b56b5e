import { releaseArrays } from './release-arrays.ts';

/** Unsigned 32-bit values in ascending order, and the place that each had before. */
export interface RadixOrder {
  readonly values: Uint32Array;
  readonly order: Int32Array;
}

/** Bits of a pass. */
const BITS = 11;
const DIGITS = 1 << BITS;

/** Sorts a copy of `values`, by three stable passes; equal values keep their order. */
export function radixOrder(values: Uint32Array): RadixOrder {
  const order = new Int32Array(values.length);
  for (let i = 0; i < order.length; i++) order[i] = i;
  let from: RadixOrder = { values: values.slice(), order };
  let to: RadixOrder = {
    values: new Uint32Array(order.length),
    order: new Int32Array(order.length),
  };
  for (let shift = 0; shift < 32; shift += BITS) {
    radixPass(from, to, shift);
    [from, to] = [to, from];
  }
  releaseArrays([to.values, to.order]);
  return from;
}

function radixPass(from: RadixOrder, to: RadixOrder, shift: number): void {
  const { values, order } = from;
  const places = new Int32Array(DIGITS + 1);
  for (let i = 0; i < values.length; i++) places[((values[i] >>> shift) & (DIGITS - 1)) + 1]++;
  for (let digit = 0; digit < DIGITS; digit++) places[digit + 1] += places[digit];
  for (let i = 0; i < values.length; i++) {
    const place = places[(values[i] >>> shift) & (DIGITS - 1)]++;
    to.values[place] = values[i];
    to.order[place] = order[i];
  }
}
