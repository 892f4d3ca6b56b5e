import { decodePoint, encodePoint, lengthOf, pointOf } from './utf8.ts';

/** By code point of the basic plane: its folded form plus one, 0 while unknown. */
const KNOWN = new Uint16Array(0x10000);
const SIGMA = 0x3c3;
const FINAL_SIGMA = 0x3c2;

/**
 * The code point in lower case: Unicode's simple mapping (so İ is i, and ß stays ß), and final ς as
 * σ, so that the case and the place of a letter in its word do not matter.
 */
function lowerPoint(point: number): number {
  if (point > 0xfffe) return mapPoint(point);
  const known = KNOWN[point];
  if (known !== 0) return known - 1;
  const lower = mapPoint(point);
  if (lower < 0xffff) KNOWN[point] = lower + 1;
  return lower;
}

function mapPoint(point: number): number {
  if (point >= 0xd800 && point <= 0xdfff) return point;
  const lower = String.fromCodePoint(point).toLowerCase().codePointAt(0) ?? point;
  return lower === FINAL_SIGMA ? SIGMA : lower;
}

/** A text in lower case, code point by code point, as lowerPoint says. */
export function lowerText(text: string): string {
  let out = '';
  for (const character of text) {
    out += String.fromCodePoint(lowerPoint(character.codePointAt(0) ?? 0));
  }
  return out;
}

/**
 * Writes bytes[from .. to) in lower case from into[0] on; how many bytes it took. `into` needs room
 * for twice as many: some letters of two bytes have three in lower case. Invalid bytes stay as they
 * are.
 */
export function lowerBytes(bytes: Uint8Array, from: number, to: number, into: Uint8Array): number {
  let size = 0;
  for (let at = from; at < to; ) {
    const byte = bytes[at];
    if (byte < 0x80) {
      into[size++] = byte >= 65 && byte <= 90 ? byte + 32 : byte;
      at++;
      continue;
    }
    const decoded = decodePoint(bytes, at, to);
    const length = lengthOf(decoded);
    if (length === 1) into[size++] = byte;
    else size = encodePoint(lowerPoint(pointOf(decoded)), into, size);
    at += length;
  }
  return size;
}
