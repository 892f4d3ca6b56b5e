import { complement, type RegexNode, regexError } from './regex-node.ts';
import type { CodePointRange } from './utf8.ts';

const DIGITS: readonly CodePointRange[] = [[0x30, 0x39]];
const WORD: readonly CodePointRange[] = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/** What \s is in JavaScript. */
const SPACE: readonly CodePointRange[] = [
  [9, 13],
  [32, 32],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const SETS: Readonly<Record<string, readonly CodePointRange[]>> = {
  d: DIGITS,
  D: complement(DIGITS),
  w: WORD,
  W: complement(WORD),
  s: SPACE,
  S: complement(SPACE),
};
const CONTROLS: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

/**
 * The escape at pattern[at] (a backslash) and where it ends: `\d \D \w \W \s \S` (ASCII digits and
 * letters, Unicode spaces), `\t \n \v \f \r`, `\xHH`, `\uHHHH`, `\u{H…}`, or a character that is no
 * ASCII letter or digit, as it is.
 */
export function readEscape(pattern: string, at: number): { node: RegexNode; to: number } {
  const letter = pattern[at + 1];
  if (letter === undefined) {
    throw regexError(
      pattern,
      at,
      at + 1,
      'nothing follows the last "\\"',
      'write \\\\ for a backslash',
    );
  }
  if (Object.hasOwn(SETS, letter))
    return { node: { kind: 'set', ranges: SETS[letter] }, to: at + 2 };
  if (Object.hasOwn(CONTROLS, letter)) {
    return { node: { kind: 'point', point: CONTROLS[letter] }, to: at + 2 };
  }
  if (letter === 'x' || letter === 'u') return readHex(pattern, at, letter);
  if (/[A-Za-z0-9]/.test(letter)) {
    const hint = 'back-references, \\b and \\p{…} are not supported; \\d \\w \\s are';
    throw regexError(pattern, at, at + 2, `"\\${letter}" means nothing`, hint);
  }
  const point = pattern.codePointAt(at + 1) ?? 0;
  return { node: { kind: 'point', point }, to: at + (point > 0xffff ? 3 : 2) };
}

function readHex(pattern: string, at: number, letter: string): { node: RegexNode; to: number } {
  const rest = pattern.slice(at + 2, at + 12);
  const form =
    letter === 'x' ? /^([0-9A-Fa-f]{2})/ : /^(?:([0-9A-Fa-f]{4})|\{([0-9A-Fa-f]{1,6})\})/;
  const found = form.exec(rest);
  const point = Number.parseInt(found?.[1] ?? found?.[2] ?? '', 16);
  if (found === null || point > 0x10ffff) {
    const hint = 'write \\xHH, \\uHHHH or \\u{H…} with hexadecimal digits up to 10ffff';
    throw regexError(pattern, at, at + 2, `"\\${letter}" is followed by no code point`, hint);
  }
  return { node: { kind: 'point', point }, to: at + 2 + found[0].length };
}
