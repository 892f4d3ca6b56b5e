import { isEven, width } from '../../terminal/text.ts';
import type { Line, Span, Tone } from './spans.ts';

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
/** Under NO_COLOR the cursor and the choice stay reversed, and matches bold and underlined. */
const UNCOLOURED: readonly Tone[] = ['chosen', 'cursor', 'mark'];
/** Tones that show in the bar: its colours are the terminal's own, in reverse. */
const IN_BAR: readonly Tone[] = ['mark', 'strong'];
const [BAR_ON, BAR_OFF] = ['\u001b[7m', '\u001b[27m'];

/**
 * A line as escape sequences; without colour as plain as it can be. Behind a text whose columns
 * terminals do not agree on (wide, combined, right to left), the next run goes to its own column.
 */
export function paint(line: Line, color: boolean): string {
  let out = '';
  let column = 0;
  let unsure = false;
  for (const one of line) {
    const { text } = one;
    if (text === '') continue;
    if (unsure) out += `\u001b[${column + 1}G`;
    out += styled(one, color);
    column += width(text);
    unsure = !isEven(text);
  }
  return out;
}

function styled({ text, tone, bar }: Span, color: boolean): string {
  const shows = bar === true ? IN_BAR.includes(tone) : color || UNCOLOURED.includes(tone);
  const [on, off] = shows ? COLOURS[tone] : COLOURS.plain;
  const own = on === '' ? text : `\u001b[${on}m${text}\u001b[${off}m`;
  return bar === true ? BAR_ON + own + BAR_OFF : own;
}
