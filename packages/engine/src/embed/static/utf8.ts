/** How many bytes `codePointAt` took, in its low bits. */
export const LENGTH_BITS = 3;
const LENGTH_MASK = (1 << LENGTH_BITS) - 1;
/** Stands for a byte that is no part of a character. */
const REPLACEMENT = 0xfffd;
const NOT_UTF8 = (REPLACEMENT << LENGTH_BITS) | 1;

/** Bytes of what `codePointAt` gave. */
export const lengthOf = (packed: number): number => packed & LENGTH_MASK;

/**
 * The code point that begins at a byte, times 8, plus the number of its bytes. A byte that begins
 * none counts as U+FFFD of length 1, so that what follows it is read as it stands.
 */
export function codePointAt(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at];
  if (first < 0x80) return (first << LENGTH_BITS) | 1;
  const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (first < 0xc2 || first > 0xf4 || at + length > end) return NOT_UTF8;
  let code = first & (0xff >> (length + 1));
  for (let k = 1; k < length; k++) {
    const next = bytes[at + k];
    if ((next & 0xc0) !== 0x80) return NOT_UTF8;
    code = (code << 6) | (next & 0x3f);
  }
  const least = length === 2 ? 0x80 : length === 3 ? 0x800 : 0x10000;
  const surrogate = code >= 0xd800 && code < 0xe000;
  return code < least || code > 0x10ffff || surrogate ? NOT_UTF8 : (code << LENGTH_BITS) | length;
}
