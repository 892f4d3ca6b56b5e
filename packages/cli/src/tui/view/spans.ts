import { cut, printable, width } from '../../terminal/text.ts';

/** How a run of text looks; what that means in colours is the painter's. */
export type Tone =
  | 'plain'
  | 'dim'
  | 'strong'
  | 'field'
  | 'operator'
  | 'value'
  | 'wrong'
  | 'mark'
  | 'chosen'
  | 'cursor';

/** A run of text in one style, without control characters. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
  /** It belongs to the row under the cursor. */
  readonly bar?: boolean;
}
/** A row of the screen, or a part of one. */
export type Line = readonly Span[];

/** A span whose text is safe to print. */
export function span(text: string, tone: Tone = 'plain'): Span {
  return { text: printable(text), tone };
}

/** Columns that a line takes. */
export function lineWidth(line: Line): number {
  return line.reduce((sum, { text }) => sum + width(text), 0);
}

/**
 * The line cut, with `…` where something is missing, or padded with blanks, to exactly `columns`.
 */
export function fit(line: Line, columns: number): Line {
  const out: Span[] = [];
  let room = Math.max(0, columns);
  for (const [i, one] of line.entries()) {
    const wide = width(one.text);
    if (wide <= room) {
      out.push(one);
      room -= wide;
      continue;
    }
    if (room > 0) room -= pushCut(out, one, room);
    else if (line.slice(i).some(({ text }) => text.trim() !== '')) room += cutShort(out);
    break;
  }
  if (room > 0) out.push({ text: ' '.repeat(room), tone: 'plain' });
  return out;
}

/** Columns that it takes. */
function pushCut(out: Span[], one: Span, room: number): number {
  const text = cut(one.text, room);
  out.push({ ...one, text });
  return width(text);
}

/** The last run gives way to `…`; columns that become free. */
function cutShort(out: Span[]): number {
  const last = out.pop();
  if (last === undefined) return 0;
  const wide = width(last.text);
  return wide - pushCut(out, { ...last, text: `${last.text} ` }, wide);
}

/** Left and right on one row of `columns`; the right one gives way last. */
export function spread(left: Line, right: Line, columns: number): Line {
  const wide = Math.min(lineWidth(right), columns);
  return [...fit(left, columns - wide), ...fit(right, wide)];
}

/** A whole row as the bar under the cursor. */
export function barred(line: Line): Line {
  return line.map((one) => ({ ...one, bar: true }));
}

/** Every span in one tone: what is no longer true is dimmed this way. */
export function toned(line: Line, tone: Tone): Line {
  return line.map(({ text }) => ({ text, tone }));
}
