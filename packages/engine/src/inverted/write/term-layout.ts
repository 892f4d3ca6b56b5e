/**
 * What the kernel of term tables (packages/engine/kernels/inverted) and its callers agree on: the
 * hash of a term, and what lies before the table in their memory.
 */

/**
 * The hash of a term begins as its length; each eight bytes, zero padded, are two words, each of
 * which turns it left by `rotate` bits, is mixed in by xor, and multiplies it. The first slot is
 * the hash folded with `mix`.
 */
export const TERM_HASH = { rotate: 5, multiply: 0x9e3779b1 | 0, mix: 0x2c1b3c6d } as const;

/** Texts that a kernel takes at once. */
const TEXT_BYTES = 1 << 20;
const IDS_MOST = 1 << 15;
/** Tokens of a batch; IDS_MOST is a multiple. */
const BATCH = 64;
/** Kernels read past the end of a text and of the pool. */
const SLACK = 64;

/** A token of a batch, by byte: where it lies, its hash, number + 1 of the term that has it. */
export const TOKEN_RECORD = { at: 0, length: 4, hash: 8, found: 12, bytes: 16 } as const;

const IDS = 64 + BATCH * TOKEN_RECORD.bytes;
const TEXT = IDS + 4 * IDS_MOST;
const BITS = TEXT + TEXT_BYTES + SLACK;

/** Addresses and sizes, bytes but for `IDS_MOST` and `BATCH`. */
export const TERM_MEMORY = {
  /** Two words: number of terms, address at which the kernel has stopped. */
  STATE: 0,
  RECORDS: 64,
  BATCH,
  /** Longest token that the kernel takes. */
  TOKEN_MOST: 255,
  /** Numbers of the tokens of a call. */
  IDS,
  IDS_MOST,
  TEXT,
  TEXT_BYTES,
  /** A bit per byte of the text. */
  BITS,
  /** The table: pool, starts, slots. */
  TABLE: BITS + (TEXT_BYTES + SLACK) / 8 + SLACK,
  SLACK,
} as const;
