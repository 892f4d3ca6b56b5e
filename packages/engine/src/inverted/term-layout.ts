/**
 * What the kernel of term tables (scripts/kernels-inverted) and its callers agree on: the hash of a
 * term, and what lies before the table in their memory.
 */

/**
 * The hash of a term begins as its length; each four bytes, zero padded, turn it left by `rotate`
 * bits, are mixed in by xor, and multiply it. The first slot is the hash folded with `mix`.
 */
export const TERM_HASH = { rotate: 5, multiply: 0x9e3779b1 | 0, mix: 0x2c1b3c6d } as const;

const TEXT_BYTES = 1 << 20;
const IDS_MOST = 1 << 15;
/** Kernels read past the end of a text and of the pool. */
const SLACK = 64;

/** Addresses and sizes, bytes but for `IDS_MOST`. */
export const TERM_MEMORY = {
  /** Two words: number of terms, address at which the kernel has stopped. */
  STATE: 0,
  /** The token in lower case. */
  SCRATCH: 64,
  /** Longest token that the kernel takes. */
  TOKEN_MOST: 255,
  /** Numbers of the tokens of a call. */
  IDS: 512,
  IDS_MOST,
  TEXT: 512 + 4 * IDS_MOST,
  TEXT_BYTES,
  /** The table: pool, starts, slots. */
  TABLE: 512 + 4 * IDS_MOST + TEXT_BYTES + SLACK,
  SLACK,
} as const;
