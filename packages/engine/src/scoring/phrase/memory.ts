/**
 * Where the kernels of phrases with a list term keep what they need beside kernel-memory.ts (byte
 * addresses). A list or short term has these words where a dense term has others:
 *
 *   docs         decoded documents
 *   df, blocks   documents; blocks of 128
 *   lastDocs, heads, dataOffsets, data
 *                parts of a list term (postings/list-terms.ts); lastDocs 0: a short term, data:
 *                its postings
 *
 * The word positionBits[128 b] is the last posting of block b whose positions were located; -1: its
 * frequencies are not decoded either.
 */
export const LIST_FIELD = {
  docs: 0,
  df: 4,
  lastDocs: 8,
  heads: 12,
  dataOffsets: 16,
  data: 20,
  blocks: 24,
} as const;
/** Number of the best scores so far (i32), and the scores, falling. */
export const BEST_COUNT_AT = 448 * 1024;
export const BEST_AT = BEST_COUNT_AT + 16;
/** The kernel keeps at most so many best scores. */
export const MOST_BEST = 64;
/** Bucket i32[258] by impact (0: the best); sorting survivors uses them. */
export const BUCKETS_AT = BEST_AT + 8 * MOST_BEST;
/** A call emits at most so many documents; without best scores, so few. */
export const MOST_EMITTED = 512;
export const FEW_EMITTED = 16;
