/**
 * The start of every arena, which kernels and their callers share (all numbers are byte addresses
 * or offsets; storage/arena.ts keeps the first mebibyte free). A term of a query is described by
 * 128 bytes:
 *
 *   bitmap, base, offset, payload, impact, width, group
 *                places of a dense term's parts (postings/encode-dense.ts)
 *   bounds       f64[256]: the most that the term scores, by impact code
 *   frequencies, hits
 *                decoded frequencies of a list term; posting number by survivor
 *   weight       f64: boost x idf
 *   tf, byte, bit
 *                frequency in a document; where its positions lie
 *   phrasePosition
 *                position of the term in a phrase
 *   scanBit, scanLeft
 *                where a phrase goes on reading the term's positions
 *   positions, places, positionBits
 *                of a list term: address of positions, offsets of its blocks' from there (i32 by
 *                block), first bit of each posting's in its block (i32 by posting)
 *   offsetShift, offsetMask, baseMask
 *                1, 0xffff, -1 with 16-bit offsets; 2, -1, 0 with 32-bit ones
 */
export const TERM_BYTES = 128;
export const FIELD = {
  bitmap: 0,
  base: 4,
  offset: 8,
  payload: 12,
  impact: 16,
  width: 20,
  bounds: 24,
  frequencies: 28,
  hits: 32,
  weight: 40,
  tf: 48,
  byte: 52,
  bit: 56,
  phrasePosition: 60,
  group: 64,
  offsetShift: 68,
  offsetMask: 72,
  baseMask: 76,
  scanBit: 80,
  scanLeft: 84,
  positions: 88,
  places: 92,
  positionBits: 96,
} as const;
/**
 * Byte addresses of the rest: excluded bitmaps, number of emitted documents, walking cursors of
 * phrases, widths by code. Three words at 3392 are of the kernels of bitmaps (bitmap/).
 */
export const EXCLUDED_AT = 1024;
export const EMITTED_AT = 2060;
/** Documents that a kernel counted. */
export const COUNTED_AT = 2064;
export const CURSORS_AT = 2112;
export const WIDTHS_AT = 3072;
/** A word that is 0: the places of a short term. */
export const ZERO_AT = 3328;
/**
 * Emitted documents (~doc: the score is a bound), their scores; impacts f64[33][256], row 32 = 1.
 */
export const DOCS_AT = 4096;
export const SCORES_AT = 8192;
export const TABLE_AT = 65536;
