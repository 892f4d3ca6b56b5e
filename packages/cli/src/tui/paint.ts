import { isEven, width } from '../terminal/text.ts';
import type { Line, Tone } from './spans.ts';

/**
 * Codes of the sixteen colours a terminal's theme sets, bold, faint, underlined and reverse: they
 * read on light and dark alike. No background, no fixed colour.
 */
const COLOURS: Readonly<Record<Tone, readonly [on: string, off: string]>> = {
  plain: ['', ''],
  dim: ['2', '22'],
  strong: ['1', '22'],
  field: ['36', '39'],
  operator: ['35', '39'],
  value: ['32', '39'],
  wrong: ['31', '39'],
  mark: ['1;4', '22;24'],
  chosen: ['7', '27'],
  cursor: ['7', '27'],
};
/** Under NO_COLOR only the place of the cursor and of the choice is shown by reverse. */
const REVERSE: readonly Tone[] = ['chosen', 'cursor'];

/**
 * A line as escape sequences; without colour as plain as it can be. Behind a text whose columns
 * terminals do not agree on (wide, combined, right to left), the next run goes to its own column.
 */
export function paint(line: Line, color: boolean): string {
  let out = '';
  let column = 0;
  let unsure = false;
  for (const { text, tone } of line) {
    if (text === '') continue;
    if (unsure) out += `\u001b[${column + 1}G`;
    const [on, off] = color || REVERSE.includes(tone) ? COLOURS[tone] : COLOURS.plain;
    out += on === '' ? text : `\u001b[${on}m${text}\u001b[${off}m`;
    column += width(text);
    unsure = !isEven(text);
  }
  return out;
}
