/**
 * Texts of key columns as packed bytes, and back. A text that has no packed form of its column's
 * kind is no value of that column.
 */

import { NUMBER_HEAD, wholeNumber, writeNumber } from '../../schema/keys/key-number.ts';

/** Kinds of texts that are packed into a fixed number of bytes. */
export type PackedKind = 'hex' | 'uuid' | 'integer' | 'number';

/** A packed kind with what all values of a column share. */
export interface PackedForm {
  readonly kind: PackedKind;
  /** Bytes of a packed value. */
  readonly width: number;
  /** The least value of a column of integers or numbers, which is subtracted; else 0. */
  readonly base: number;
}

const NO_DIGIT = 255;
const DIGITS = new Uint8Array(256).fill(NO_DIGIT);
for (let digit = 0; digit < 16; digit++) DIGITS['0123456789abcdef'.charCodeAt(digit)] = digit;
const CHARS = Uint8Array.from('0123456789abcdef', (char) => char.charCodeAt(0));

const DASH = 0x2d;
const ZERO = 0x30;
export const UUID_CHARS = 36;
export const UUID_BYTES = 16;
/** Whether a dash comes before byte i of a UUID. */
const dashBefore = (i: number): boolean => i === 4 || i === 6 || i === 8 || i === 10;
/** Longer integers may lie beyond 2^53. */
const MOST_DIGITS = 15;

/** Packs source[from .. to) into out[at ..]; false: it is no value of the form. */
export function packValue(
  { kind, width, base }: PackedForm,
  source: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
  at: number,
): boolean {
  if (kind === 'hex') return to - from === 2 * width && packHex(source, from, width, out, at);
  if (kind === 'uuid') return packUuid(source, from, to, out, at);
  const isNumber = kind === 'number';
  const value = isNumber ? parseNumber(source, from, to) : parseInteger(source, from, to);
  if (Number.isNaN(value) || value < base || value - base >= 256 ** width) return false;
  let rest = value - base;
  for (let i = 0; i < width; i++) {
    out[isNumber ? at + width - 1 - i : at + i] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return true;
}

/** The integer in sorting form (schema/keys/key-number.ts) in source[from .. to), or NaN. */
export const parseNumber = (source: Uint8Array, from: number, to: number): number =>
  wholeNumber(source, from, to, MOST_DIGITS);

/** Bytes that the values of a column need whose least and greatest are these. */
export function integerWidth(least: number, most: number): number {
  let width = 0;
  while (most - least >= 256 ** width) width++;
  return width;
}

/** Writes the text of the packed value at source[from ..] to out[at ..]; returns its end. */
export function unpackValue(
  { kind, width, base }: PackedForm,
  source: Uint8Array,
  from: number,
  out: Uint8Array,
  at: number,
): number {
  if (kind === 'integer') return unpackInteger(source, from, width, base, out, at);
  if (kind === 'number') return unpackNumber(source, from, width, base, out, at);
  let end = at;
  for (let i = 0; i < width; i++) {
    if (kind === 'uuid' && dashBefore(i)) out[end++] = DASH;
    const byte = source[from + i];
    out[end++] = CHARS[byte >> 4];
    out[end++] = CHARS[byte & 15];
  }
  return end;
}

/** Bytes of the longest text of a form. */
export function mostChars({ kind, width }: PackedForm): number {
  if (kind === 'uuid') return UUID_CHARS;
  return kind === 'hex' ? 2 * width : NUMBER_HEAD + MOST_DIGITS;
}

function packHex(
  source: Uint8Array,
  from: number,
  width: number,
  out: Uint8Array,
  at: number,
): boolean {
  let seen = 0;
  for (let i = 0; i < width; i++) {
    const high = DIGITS[source[from + 2 * i]];
    const low = DIGITS[source[from + 2 * i + 1]];
    seen |= high | low;
    out[at + i] = (high << 4) | low;
  }
  return seen < 16;
}

function packUuid(
  source: Uint8Array,
  from: number,
  to: number,
  out: Uint8Array,
  at: number,
): boolean {
  if (to - from !== UUID_CHARS) return false;
  let place = from;
  for (let i = 0; i < UUID_BYTES; i++) {
    if (dashBefore(i) && source[place++] !== DASH) return false;
    if (!packHex(source, place, 1, out, at + i)) return false;
    place += 2;
  }
  return true;
}

/** The integer that source[from .. to) writes without leading zeros, or NaN. */
export function parseInteger(source: Uint8Array, from: number, to: number): number {
  const negative = source[from] === DASH;
  const first = negative ? from + 1 : from;
  if (first >= to || to - first > MOST_DIGITS) return Number.NaN;
  if (source[first] === ZERO && (negative || to - first > 1)) return Number.NaN;
  let value = 0;
  for (let i = first; i < to; i++) {
    const digit = source[i] - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return negative ? -value : value;
}

/** Writes the text of the packed value at source[from ..] to out[at ..]; returns its end. */
type Unpack = (
  source: Uint8Array,
  from: number,
  width: number,
  base: number,
  out: Uint8Array,
  at: number,
) => number;

const unpackNumber: Unpack = (source, from, width, base, out, at) => {
  let value = 0;
  for (let i = 0; i < width; i++) value = value * 256 + source[from + i];
  return writeNumber(value + base, out, at);
};

const unpackInteger: Unpack = (source, from, width, base, out, at) => {
  let value = 0;
  for (let i = width - 1; i >= 0; i--) value = value * 256 + source[from + i];
  const text = String(value + base);
  for (let i = 0; i < text.length; i++) out[at + i] = text.charCodeAt(i);
  return at + text.length;
};
