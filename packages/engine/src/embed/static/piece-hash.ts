/**
 * The hash of a piece of a word: FNV-1a from one of two seeds, mixed where a slot is looked for.
 */

/** Seed of pieces that begin a word. */
export const BEGINS = 0x811c9dc5 | 0;
/** Seed of pieces that go on. */
export const GOES_ON = 0x2f0b4a27;
export const PRIME = 0x01000193;

/** The hash with one byte more. */
export const hashStep = (hash: number, byte: number): number => Math.imul(hash ^ byte, PRIME);

/** The slot where a hash is looked for first; then the next ones. */
export const firstSlot = (hash: number, mask: number): number =>
  (hash ^ (hash >>> 15) ^ (hash >>> 7)) & mask;
