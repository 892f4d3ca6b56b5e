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
 *   7 tails    f32[count]: length of the codes from component `head` on, rounded up; empty where
 *              all components are in the head
 *   8 head     i8[count x head row]: code >> 8 of the first `head` components (headDims)
 *   9 tail     i8[count x tail row]: code >> 8 of the others, then zeros
 *   10 low     i8[count x (head row + tail row)]: (code & 255) - 128 of all, in the same order
 *
 * A row is padded to 16 bytes. So code = 256 high + low + 128. The first pass of a search reads
 * section 8 alone and takes low for 0: whatever a query is, that is wrong by at most its length
 * times `rests`, and what the tail adds is at most the length of the query's tail times `tails`.
 * Whoever may be near by that is looked up in section 9.
 */
import type { Similarity } from '../schema/definition.ts';

/** Number of sections. */
export const VECTOR_SECTIONS = 11;

/** Similarities by their number on disk. */
export const STORED_SIMILARITIES: readonly Similarity[] = Object.freeze(['cosine', 'dot', 'l2']);

/** Code less 256 high less low. */
export const MIDDLE = 128;

/** Vectors of fewer dimensions are all head. */
const LEAST_SPLIT = 128;

/** Components in the head: about half of many, all of few. */
export const headDims = (dims: number): number =>
  dims < LEAST_SPLIT ? dims : ((dims >> 1) + 31) & -32;

/** Bytes of `dims` components in a row. */
export const rowBytes = (dims: number): number => (dims + 15) & -16;

/** Rests and tails are rounded up by this before they become f32, which rounds by half of it. */
const UP = 1 + 2 ** -22;

/** What sections 5 to 7 say of a vector. */
export interface Lengths {
  readonly norm: number;
  readonly rest: number;
  readonly tail: number;
}

/** Lengths of a vector by its codes. */
export function lengthsOf(codes: Int16Array, from: number, dims: number): Lengths {
  const head = headDims(dims);
  let squares = 0;
  let tail = 0;
  let rest = 0;
  for (let c = 0; c < dims; c++) {
    const code = codes[from + c];
    const left = (code & 255) - MIDDLE;
    squares += code * code;
    rest += left * left;
    if (c >= head) tail += code * code;
  }
  return lengthsFrom(squares, rest, tail);
}

/** Lengths by sums of squares: of all codes, of low bytes, of the codes behind the head. */
export const lengthsFrom = (squares: number, rest: number, tail: number): Lengths => ({
  norm: Math.sqrt(squares),
  rest: up(rest),
  tail: up(tail),
});

const up = (squares: number): number => Math.fround(Math.sqrt(squares) * UP);
