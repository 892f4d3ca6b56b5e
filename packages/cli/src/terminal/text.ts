import stringWidth from 'string-width';
import { isEven, printable } from './printable.ts';

export { isEven, printable };

/** Columns that the text takes on a terminal; escape sequences take none. */
export function width(text: string): number {
  return isEven(text) ? text.length : stringWidth(text);
}

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

/**
 * Lines of at most `columns`, broken at blanks; lines after the first are indented. A long word
 * stays whole, and so does a command in parentheses: `(lhs index sync incidents)`.
 */
export function wrap(text: string, columns: number, indent = '  '): string[] {
  const out: string[] = [];
  for (const word of text.split(BREAK)) {
    const last = out.at(-1);
    if (last === undefined) out.push(word);
    else if (width(last) + 1 + width(word) <= columns) out[out.length - 1] = `${last} ${word}`;
    else out.push(indent + word);
  }
  return out;
}

const BREAK = / (?!(?<=\(lhs [^()]*)[^()]*\))/;

/** Pads to `columns`; figures to the right. */
export function pad(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const gap = ' '.repeat(Math.max(0, columns - width(text)));
  return side === 'left' ? text + gap : gap + text;
}
