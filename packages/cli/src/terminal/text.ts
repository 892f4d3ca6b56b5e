import stringWidth from 'string-width';

/**
 * Text from a table may hold anything: control characters (escape sequences among them) would reach
 * the terminal. Line ends and tabs become blanks, all else that controls becomes `�`.
 */
export function printable(text: string): string {
  if (isEven(text)) return text;
  let out = '';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (isBreak(code)) out += ' ';
    else if (code < 32 || (code >= 127 && code < 160) || isBidiControl(code)) out += '\ufffd';
    else out += char;
  }
  return out;
}

function isBreak(code: number): boolean {
  return code === 9 || code === 10 || code === 13 || code === 0x2028 || code === 0x2029;
}

function isBidiControl(code: number): boolean {
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/** Columns that the text takes on a terminal; escape sequences take none. */
export function width(text: string): number {
  return isEven(text) ? text.length : stringWidth(text);
}

/**
 * Nothing but Latin, Greek and Cyrillic letters, common signs and lines for drawing: each UTF-16
 * unit takes one column, and terminals agree on it.
 */
export function isEven(text: string): boolean {
  return EVEN.test(text);
}
const EVEN = new RegExp(
  `^[${[
    ...[' -~', '\u00a1-\u00ac', '\u00ae-\u02ff', '\u0370-\u0482', '\u048a-\u052f'],
    ...['\u2010-\u2027', '\u2030-\u205e', '\u2190-\u21ff', '\u2500-\u259f', '\u25b8'],
  ].join('')}]*$`,
);

/** Cuts plain text to `columns`, with `…` where something is missing; never inside a character. */
export function cut(text: string, columns: number): string {
  if (width(text) <= columns) return text;
  if (isEven(text)) return `${text.slice(0, Math.max(0, columns - 1)).trimEnd()}…`;
  let out = '';
  let used = 0;
  for (const { segment } of SEGMENTER.segment(text)) {
    const w = width(segment);
    if (used + w > columns - 1) break;
    out += segment;
    used += w;
  }
  return `${out.trimEnd()}…`;
}
const SEGMENTER = new Intl.Segmenter('en', { granularity: 'grapheme' });

/** Lines of at most `columns`, broken at blanks; what follows the first stands `indent` in. A long word stays whole. */
export function wrap(text: string, columns: number, indent = '  '): string[] {
  const out: string[] = [];
  for (const word of text.split(' ')) {
    const last = out.at(-1);
    if (last === undefined) out.push(word);
    else if (width(last) + 1 + width(word) <= columns) out[out.length - 1] = `${last} ${word}`;
    else out.push(indent + word);
  }
  return out;
}

/** Pads to `columns`; figures to the right. */
export function pad(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const gap = ' '.repeat(Math.max(0, columns - width(text)));
  return side === 'left' ? text + gap : gap + text;
}
