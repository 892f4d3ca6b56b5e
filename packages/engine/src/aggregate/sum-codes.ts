/** Sums of codes, exact: at most so many codes below 2^32 stay below 2^53. */
import type { CodeSums, Codes } from './loops.ts';

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
