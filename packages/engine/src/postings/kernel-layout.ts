/** What the kernels of postings (packages/engine/kernels/postings) and their caller agree on. */

/** Addresses, bytes. */
export const POSTINGS_MEMORY = {
  /** Address of the next position to write. */
  POSITION: 0,
  /** What encoding a term returns: bytes from the start of the term, blocks, whether it is wide. */
  PAYLOAD: 4,
  POSITIONS: 8,
  BLOCKS: 12,
  WIDE: 16,
  /** Where impacts are noted: bytes from the start of the term, of the first one. */
  NOTED: 20,
  /** Long documents: address of their numbers, of their norms (f64), how many. */
  LONG_DOCS: 24,
  LONG_NORMS: 28,
  LONG_COUNT: 32,
  /** f64[16]: best impacts of the term. */
  BEST: 64,
  /** u8[256]: bits of a position by code. */
  WIDTHS: 192,
  /** f64[256]: norms by code; from 240 on a document has a norm of its own. */
  NORMS: 448,
  /** f64[256] and i32[128]: impacts and deltas of a block. */
  IMPACTS: 2496,
  DELTAS: 4544,
  /** f64[32]: impacts of the best documents. */
  BEST_DOCS: 5056,
  /** Where the lengths of documents begin. */
  DATA: 5376,
} as const;
