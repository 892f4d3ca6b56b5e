/**
 * Vectors of one field, at most one a document. Payload: sections
 *
 *   0 head, 16 bytes: i32 docs | i32 count (documents with a vector) | i32 dims | u8 similarity
 *              (SIMILARITIES) | zero
 *   1 present  bitmap over the documents: those with a vector; empty where all have one
 *   2 ranks    i32 per range of 256 documents: vectors before it; empty where all have one
 *   3 docs     i32[count]: the document of each vector, rising; empty where all have one
 *   4 scales   f32[count]: component c of vector j is scale x code (base/fixed-vector.ts)
 *   5 norms    f64[count]: square root of the sum of the squares of the codes
 *   6 rests    f32[count]: length of what the first pass does not see of a vector, in codes:
 *              square root of the sum of low^2, rounded up
 *   7 high     i8[count x row]: code >> 8, dims of them a vector, then zeros; row = dims rounded up
 *              to 16
 *   8 low      i8[count x row]: (code & 255) - 128, in the same places
 *
 * So code = 256 high + low + 128. The first pass of a search reads section 7 alone and takes low
 * for 0: whatever a query is, that is wrong by at most its length times `rests`.
 */

/** Number of sections. */
export const SECTIONS = 9;

/** Similarities by their number on disk. */
export const SIMILARITIES = Object.freeze(['cosine', 'dot', 'l2'] as const);
export type Similarity = (typeof SIMILARITIES)[number];

/** Code less 256 high less low. */
export const MIDDLE = 128;

/** Bytes of a vector in each plane. */
export const rowBytes = (dims: number): number => (dims + 15) & -16;

/** Rests are rounded up by this before they become f32, which rounds by half of it at most. */
const UP = 1 + 2 ** -22;

/**
 * Splits the codes of one vector into bytes at `at` of both planes; returns its norm and rest as
 * sections 5 and 6 keep them.
 */
export function splitCodes(
  codes: Int16Array,
  from: number,
  dims: number,
  high: Int8Array,
  low: Int8Array,
  at: number,
): { readonly norm: number; readonly rest: number } {
  let squares = 0;
  let rest = 0;
  for (let c = 0; c < dims; c++) {
    const code = codes[from + c];
    const left = (code & 255) - MIDDLE;
    high[at + c] = code >> 8;
    low[at + c] = left;
    squares += code * code;
    rest += left * left;
  }
  return { norm: Math.sqrt(squares), rest: roundedRest(rest) };
}

/** The rest of a sum of squares, as section 6 keeps it. */
export const roundedRest = (squares: number): number => Math.fround(Math.sqrt(squares) * UP);
