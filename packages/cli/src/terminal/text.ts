import stringWidth from 'string-width';

/**
 * Text from a table may hold anything: control characters (escape sequences among them) would reach
 * the terminal. Line ends and tabs become blanks, all else that controls becomes `�`.
 */
export function printable(text: string): string {
  let out = '';
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (code === 9 || code === 10 || code === 13) out += ' ';
    else if (code < 32 || (code >= 127 && code < 160) || isBidiControl(code)) out += '\ufffd';
    else out += char;
  }
  return out;
}

function isBidiControl(code: number): boolean {
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/** Columns that the text takes on a terminal; escape sequences take none. */
export function width(text: string): number {
  return stringWidth(text);
}

/** Cuts plain text to `columns`, with `…` where something is missing; never inside a character. */
export function cut(text: string, columns: number): string {
  if (width(text) <= columns) return text;
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
