/**
 * How the postings of a term are stored (docs/format-inverted.md). Everything is little-endian.
 * `N` documents in ranges of 256, R = ceil(N / 256) ranges.
 *
 *   short   df < 128                 varint (delta - 1) << 1 | (tf > 1), varint tf if so; then
 *                                    the positions of all documents
 *   list    128 <= df < N / 24       list-terms.ts: blocks of 128 postings
 *   dense   df >= max(128, N / 24)   dense-terms.ts: a bitmap, and ranges of 256 documents
 *
 * Dense and list terms have a record of ten words (`RECORD`) and end with their best documents in
 * text fields (best-docs.ts). Short terms are reached from the dictionary. Positions are absolute
 * and rise; each takes as many bits as the last position of its document needs. Keyword fields have
 * neither positions nor frequencies.
 *
 * Only this folder computes addresses inside postings. `term-info.ts` has the addresses of a term,
 * the other files are functions over them. Compiled kernels decode postings by themselves and are
 * compared with these functions in postings.test.ts.
 */

/** Postings of a block of a list term; terms with fewer documents are short. */
export const LIST_BLOCK = 128;
/** Documents of a range. */
export const RANGE = 256;
export const RANGE_SHIFT = 8;
/** A term in at least one of so many documents has a bitmap. */
export const DENSE_SHARE = 24;
/** Documents of a range whose positions begin on a byte. */
export const GROUP = 64;

/** Kinds of terms: of a big term in its record, and of short ones. */
export const DENSE = 0;
export const LIST = 1;
export const SHORT = 2;

export const RECORD_WORDS = 10;
/**
 * Words of a big term's record: documents, start of its postings (words from the start of `big`),
 * kind, payload (bytes), positions (bytes), blocks, tenth best impact (f32), best impact (f32), 1
 * where offsets are u32, bytes of its postings.
 */
export const RECORD = {
  df: 0,
  start: 1,
  kind: 2,
  payload: 3,
  positions: 4,
  blocks: 5,
  tenth: 6,
  best: 7,
  wide: 8,
  bytes: 9,
} as const;

/** So many best impacts of a term are found; a record has the tenth. */
export const BEST = 16;
export const TENTH = 10;

/** A big text term stores at most so many best documents (best-docs.ts). */
export const MOST_BEST_DOCS = 32;
export const BEST_DOC_BYTES = 8;
/** Bytes of the best documents of a term at most. */
export const BEST_DOCS_BYTES = MOST_BEST_DOCS * BEST_DOC_BYTES + 8;
/** Frequencies from here on have no room: such a term has none. */
export const MOST_FREQUENCY = 0xffffff;
/** Impacts closer than this may give equal scores. */
export const APART = 1 + 1e-9;
/** As floats, upper bounds are widened by this. */
export const FLOAT_UP = 1 + 1e-6;

/** Bits that `value` needs; 0 for 0. */
export const bitsOf = (value: number): number => 32 - Math.clz32(value);
