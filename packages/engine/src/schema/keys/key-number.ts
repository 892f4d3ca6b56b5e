/**
 * Numbers in keys: bytes that sort as the numbers do. A number is a decimal text of a column of
 * integers, or of decimals of one scale (column-text.ts).
 *
 *     0 and above   F6  n         the text
 *     below 0       F5  FF - n    the text without its sign, each digit d as 9 - d
 *
 * n is the number of digits before the point. F5 and F6 begin no UTF-8 text, so a key shows which
 * of its parts are numbers.
 */
import { LhsError } from '@lakehouse-search/contract';

const NEGATIVE = 0xf5;
const POSITIVE = 0xf6;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const DIGITS = /^-?(\d{1,100})(?:\.\d{1,100})?$/;
const decoder = new TextDecoder('latin1');
/** Bytes before the digits. */
export const NUMBER_HEAD = 2;

/** The sorting form of a decimal text, or null if the text is no number. */
export function numberForm(text: string): Uint8Array | null {
  const match = DIGITS.exec(text);
  if (match === null) return null;
  const negative = text.charCodeAt(0) !== match[1].charCodeAt(0);
  const from = negative ? 1 : 0;
  const bytes = new Uint8Array(NUMBER_HEAD + text.length - from);
  bytes[0] = negative ? NEGATIVE : POSITIVE;
  bytes[1] = negative ? 0xff - match[1].length : match[1].length;
  for (let i = from; i < text.length; i++) {
    bytes[NUMBER_HEAD + i - from] = negative ? mirrored(text.charCodeAt(i)) : text.charCodeAt(i);
  }
  return bytes;
}

/** A digit d as 9 - d; the point as it is. */
const mirrored = (byte: number): number => (byte === POINT ? POINT : ZERO + NINE - byte);

/** Whether the part bytes[from .. to) of a key is a number in sorting form. */
export function isNumberForm(bytes: Uint8Array, from: number, to: number): boolean {
  return to - from > NUMBER_HEAD && (bytes[from] === POSITIVE || bytes[from] === NEGATIVE);
}

/** The decimal text of a sorting form. Throws corrupt_index if the bytes are none. */
export function numberText(bytes: Uint8Array): string {
  const negative = bytes[0] === NEGATIVE;
  const digits = bytes.subarray(NUMBER_HEAD);
  const text = decoder.decode(negative ? digits.map(mirrored) : digits);
  const whole = DIGITS.exec(text)?.[1].length;
  if (whole !== (negative ? 0xff - bytes[1] : bytes[1])) {
    const hex = Buffer.from(bytes.subarray(0, 64)).toString('hex');
    throw new LhsError('corrupt_index', `key number 0x${hex} is not in sorting form`);
  }
  return negative ? `-${text}` : text;
}

/** The integer of a sorting form of at most `most` digits, or NaN. */
export function wholeNumber(bytes: Uint8Array, from: number, to: number, most: number): number {
  if (!isNumberForm(bytes, from, to) || to - from - NUMBER_HEAD > most) return Number.NaN;
  const negative = bytes[from] === NEGATIVE;
  const first = from + NUMBER_HEAD;
  const lead = negative ? NINE : ZERO;
  if (bytes[first] === lead && (negative || to - first > 1)) return Number.NaN;
  if (bytes[from + 1] !== (negative ? 0xff - (to - first) : to - first)) return Number.NaN;
  let value = 0;
  for (let i = first; i < to; i++) {
    const digit = negative ? NINE - bytes[i] : bytes[i] - ZERO;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return negative ? -value : value;
}

/** Writes the sorting form of an integer to out[at ..]; returns its end. */
export function writeNumber(value: number, out: Uint8Array, at: number): number {
  const negative = value < 0;
  const text = String(Math.abs(value));
  out[at++] = negative ? NEGATIVE : POSITIVE;
  out[at++] = negative ? 0xff - text.length : text.length;
  for (let i = 0; i < text.length; i++) {
    out[at++] = negative ? mirrored(text.charCodeAt(i)) : text.charCodeAt(i);
  }
  return at;
}
