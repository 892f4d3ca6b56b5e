/* Hashes of pieces of words (embed/static/piece-hash.ts). */

INLINE i32 hashStep(i32 hash, i32 byte) { return (hash ^ byte) * PRIME; }

/* Where a hash falls under a mask. */
INLINE i32 falls(i32 hash, i32 mask) { return (hash ^ shr(hash, 15) ^ shr(hash, 7)) & mask; }

/* Whether the piece at text + start goes on a word: `#` is before it. */
INLINE i32 continues(i32 text, i32 start) { return start > 0 && U8(text)[start - 1] == '#'; }
