/** What the kernel of texts (packages/engine/kernels/embed) shares with its caller. */

/** Places of the words of a state, in bytes. All but the last two stay as they are. */
export const STATE = {
  // The vocabulary's tables (vocabulary.ts).
  starts: 0,
  ends: 4,
  ids: 8,
  hashes: 12,
  mask: 16,
  beginnings: 20,
  bits: 24,
  text: 28,
  // Kinds of bytes; the word, hashes of its beginnings and its pieces; ids that were found.
  kinds: 32,
  word: 36,
  inner: 40,
  parts: 44,
  found: 48,
  // Of the model.
  unknown: 52,
  most: 56,
  rows: 60,
  scales: 64,
  dims: 68,
  // Ids in `found`, and the row of sums of the text.
  count: 72,
  row: 76,
} as const;
export const STATE_BYTES = 80;

/** Ids between two sums. */
export const MOST_IDS = 1024;

/** What a byte is: one of these, or greater: a letter, in lower case. */
export const KINDS = { dropped: 0, space: 1, mark: 2, other: 3 } as const;

/** By byte. */
export const KIND_OF = Uint8Array.from({ length: 256 }, (_, byte) => kindOf(byte));

function kindOf(byte: number): number {
  if (byte >= 0x80) return KINDS.other;
  if (byte === 9 || byte === 10 || byte === 13 || byte === 32) return KINDS.space;
  if (byte < 32 || byte === 127) return KINDS.dropped;
  if (byte >= 65 && byte <= 90) return byte + 32;
  return /[0-9a-z]/.test(String.fromCharCode(byte)) ? byte : KINDS.mark;
}
