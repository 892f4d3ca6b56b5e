/** Unsigned 32-bit values in ascending order, and the place that each had before. */
export interface RadixOrder {
  readonly values: Uint32Array;
  readonly order: Int32Array;
}

/** Sorts a copy of `values`, by four stable passes of eight bits; equal values keep their order. */
export function radixOrder(values: Uint32Array): RadixOrder {
  let sorted = values;
  let order = new Int32Array(values.length);
  for (let i = 0; i < order.length; i++) order[i] = i;
  for (let shift = 0; shift < 32; shift += 8) [sorted, order] = radixPass(sorted, order, shift);
  return { values: sorted, order };
}

function radixPass(
  values: Uint32Array,
  order: Int32Array,
  shift: number,
): [Uint32Array<ArrayBuffer>, Int32Array<ArrayBuffer>] {
  const places = new Int32Array(257);
  for (const value of values) places[((value >>> shift) & 255) + 1]++;
  for (let digit = 0; digit < 256; digit++) places[digit + 1] += places[digit];
  const nextValues = new Uint32Array(values.length);
  const nextOrder = new Int32Array(values.length);
  for (let i = 0; i < values.length; i++) {
    const place = places[(values[i] >>> shift) & 255]++;
    nextValues[place] = values[i];
    nextOrder[place] = order[i];
  }
  return [nextValues, nextOrder];
}
