/**
 * Loops over the codes of whole columns in plain JavaScript: counts, sums, copies. Each has one
 * function per element type: a loop over several kinds of typed arrays is several times slower.
 * To count, words of 32 matching documents go into four rows of counts in turn, so that equal
 * neighbours do not wait for each other. Other words visit their bits.
 */

/** Codes of a column with one value a document: ordinals + 1, or multiples over a base. */
export type Codes = Uint8Array | Uint16Array | Uint32Array | Int32Array;

/** What the codes of some documents come to; the bounds mean nothing where there is none. */
export interface CodeSums {
  readonly count: number;
  readonly sum: bigint;
  readonly min: number;
  readonly max: number;
}

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
  const mask = present ?? bits;
  if (codes instanceof Uint8Array) count8(codes, bits, mask, row, counts);
  else if (codes instanceof Uint16Array) count16(codes, bits, mask, row, counts);
  else count32(codes, bits, mask, row, counts);
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

/** The sum of the codes of so many words, each below 2^32, stays exact below 2^53. */
const EXACT_WORDS = 1 << 15;

/** Count, sum and bounds of the codes of documents of both bitmaps; one value a document. */
export function sumCodes(codes: Codes, bits: Int32Array, present: Int32Array): CodeSums {
  let [count, sum, min, max] = [0, 0n, Number.POSITIVE_INFINITY, -1];
  for (let from = 0; from < bits.length; from += EXACT_WORDS) {
    const part = sumPart(codes, bits, present, from, Math.min(from + EXACT_WORDS, bits.length));
    count += part.count;
    sum += BigInt(part.sum);
    min = Math.min(min, part.min);
    max = Math.max(max, part.max);
  }
  return { count, sum, min, max };
}

function sumPart(
  codes: Codes,
  bits: Int32Array,
  present: Int32Array,
  from: number,
  to: number,
): { readonly count: number; readonly sum: number; readonly min: number; readonly max: number } {
  let [count, sum, min, max] = [0, 0, Number.POSITIVE_INFINITY, -1];
  for (let i = from; i < to; i++) {
    for (let word = bits[i] & present[i]; word !== 0; word &= word - 1) {
      const code = codes[(i << 5) + 31 - Math.clz32(word & -word)];
      count++;
      sum += code;
      if (code < min) min = code;
      if (code > max) max = code;
    }
  }
  return { count, sum, min, max };
}

/** The codes of docs[0 .. count), one value a document, to `out`. */
export function takeCodes(codes: Codes, docs: Int32Array, count: number, out: Taken): void {
  if (codes instanceof Uint8Array) take8(codes, docs, count, out);
  else if (codes instanceof Uint16Array) take16(codes, docs, count, out);
  else take32(codes, docs, count, out);
}

/** Unsigned codes of 32 bits stay what they are in a double. */
type Taken = Int32Array | Float64Array;

function take8(codes: Uint8Array, docs: Int32Array, count: number, out: Taken): void {
  for (let i = 0; i < count; i++) out[i] = codes[docs[i]];
}

function take16(codes: Uint16Array, docs: Int32Array, count: number, out: Taken): void {
  for (let i = 0; i < count; i++) out[i] = codes[docs[i]];
}

function take32(
  codes: Uint32Array | Int32Array,
  docs: Int32Array,
  count: number,
  out: Taken,
): void {
  for (let i = 0; i < count; i++) out[i] = codes[docs[i]];
}
