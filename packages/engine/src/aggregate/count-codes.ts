/**
 * Counting loops over whole columns, one for each element type: a loop over several kinds of typed
 * arrays is several times slower. Words of 32 matching documents go into four rows of counts in
 * turn, so that equal neighbours do not wait for each other; other words visit their bits.
 */

import type { Codes } from './loops.ts';

/** Above this many codes one row of counts is used: four would not stay in the cache. */
const FOUR_ROWS = 1 << 15;

/**
 * Documents of `bits` by code, codes 0 .. size - 1. `present`: which documents have a value; null
 * where the codes tell. Only for columns with one value a document.
 */
export function countCodes(
  codes: Codes,
  bits: Int32Array,
  present: Int32Array | null,
  size: number,
): Int32Array {
  const row = size <= FOUR_ROWS ? size : 0;
  const counts = new Int32Array(row === 0 ? size : 4 * size);
  const kept = present ?? bits;
  if (codes instanceof Uint8Array) count8(codes, bits, kept, row, counts);
  else if (codes instanceof Uint16Array) count16(codes, bits, kept, row, counts);
  else count32(codes, bits, kept, row, counts);
  if (row === 0) return counts;
  for (let i = 0; i < size; i++) {
    counts[i] += counts[size + i] + counts[2 * size + i] + counts[3 * size + i];
  }
  return counts.subarray(0, size);
}

function count8(
  codes: Uint8Array,
  bits: Int32Array,
  present: Int32Array,
  row: number,
  counts: Int32Array,
): void {
  const [second, third, fourth] = [row, 2 * row, 3 * row];
  for (let i = 0; i < bits.length; i++) {
    let word = bits[i] & present[i];
    const base = i << 5;
    if (word === -1) {
      for (let doc = base; doc < base + 32; doc += 4) {
        counts[codes[doc]]++;
        counts[second + codes[doc + 1]]++;
        counts[third + codes[doc + 2]]++;
        counts[fourth + codes[doc + 3]]++;
      }
    } else {
      for (; word !== 0; word &= word - 1) counts[codes[base + 31 - Math.clz32(word & -word)]]++;
    }
  }
}

function count16(
  codes: Uint16Array,
  bits: Int32Array,
  present: Int32Array,
  row: number,
  counts: Int32Array,
): void {
  const [second, third, fourth] = [row, 2 * row, 3 * row];
  for (let i = 0; i < bits.length; i++) {
    let word = bits[i] & present[i];
    const base = i << 5;
    if (word === -1) {
      for (let doc = base; doc < base + 32; doc += 4) {
        counts[codes[doc]]++;
        counts[second + codes[doc + 1]]++;
        counts[third + codes[doc + 2]]++;
        counts[fourth + codes[doc + 3]]++;
      }
    } else {
      for (; word !== 0; word &= word - 1) counts[codes[base + 31 - Math.clz32(word & -word)]]++;
    }
  }
}

function count32(
  codes: Uint32Array | Int32Array,
  bits: Int32Array,
  present: Int32Array,
  row: number,
  counts: Int32Array,
): void {
  const [second, third, fourth] = [row, 2 * row, 3 * row];
  for (let i = 0; i < bits.length; i++) {
    let word = bits[i] & present[i];
    const base = i << 5;
    if (word === -1) {
      for (let doc = base; doc < base + 32; doc += 4) {
        counts[codes[doc]]++;
        counts[second + codes[doc + 1]]++;
        counts[third + codes[doc + 2]]++;
        counts[fourth + codes[doc + 3]]++;
      }
    } else {
      for (; word !== 0; word &= word - 1) counts[codes[base + 31 - Math.clz32(word & -word)]]++;
    }
  }
}
