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
  // made here: it takes 20 ms of a start, and most texts are even
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' });
  for (const { segment } of segmenter.segment(text)) {
    const w = width(segment);
    if (used + w > columns - 1) break;
    out += segment;
    used += w;
  }
  return `${out.trimEnd()}…`;
}
let segmenter: Intl.Segmenter | undefined;

/**
 * Lines of at most `columns`, broken at blanks; lines after the first are indented. A long word
 * stays whole, and so does a command in parentheses: `(lhs index sync incidents)`.
 */
export function wrap(text: string, columns: number, indent = '  '): string[] {
  const [first, ...words] = wordsOf(text);
  const out = [first];
  let used = width(first);
  for (const word of words) {
    const more = width(word);
    if (used + 1 + more <= columns) {
      out[out.length - 1] += ` ${word}`;
      used += 1 + more;
    } else {
      out.push(indent + word);
      used = width(indent) + more;
    }
  }
  return out;
}

/** The words of a text; a command in parentheses is one. Linear in the length of the text. */
function wordsOf(text: string): string[] {
  const joined = text.replace(/\(lhs [^()]*\)/g, (command) => command.replaceAll(' ', INSIDE));
  return joined.split(' ').map((word) => word.replaceAll(INSIDE, ' '));
}

/** Replaces a blank at which no line may break; printed texts do not contain it. */
const INSIDE = '\0';

/** Pads to `columns`; figures to the right. */
export function pad(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const gap = ' '.repeat(Math.max(0, columns - width(text)));
  return side === 'left' ? text + gap : gap + text;
}
