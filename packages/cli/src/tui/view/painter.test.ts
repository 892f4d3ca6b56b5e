import stringWidth from 'string-width';
import { describe, expect, it } from 'vitest';
import { isEven, printable } from '../../terminal/text.ts';
import { initialState, type State } from '../state/state.ts';
import { paint } from './paint.ts';
import { Painter } from './painter.ts';
import { span } from './spans.ts';

const ESC = '\u001b';
const INDEX = {
  ...{ name: 'x', fields: [], sortFields: [], facetFields: [], rowTexts: [] },
  modes: ['lexical'] as const,
};
const start = initialState(INDEX, { columns: 80, rows: 24 });

/** A painter, and what it has written since it was last asked. */
function painter() {
  let written: string[] = [];
  const made = new Painter((text) => written.push(text), false);
  const drawn = (state: State) => {
    written = [];
    made.draw(state);
    return written.join('');
  };
  return { made, drawn };
}

/** Rows that a frame goes to. */
const rowsOf = (frame: string) =>
  [...frame.replaceAll(ESC, '^').matchAll(/\^\[(\d+);1H/g)].map(([, row]) => Number(row));

describe('the painter', () => {
  it('draws changed rows only, each on its own line', () => {
    const { drawn } = painter();
    expect(rowsOf(drawn(start))).toEqual(Array.from({ length: 24 }, (_, i) => i + 1));
    expect(drawn({ ...start })).toBe('');
    expect(rowsOf(drawn({ ...start, note: 'done' }))).toEqual([24]);
  });

  it('erases a row before it is written again', () => {
    const { drawn } = painter();
    drawn(start);
    const frame = drawn({ ...start, note: '🏳️‍🌈 a' }).replaceAll(ESC, '^');
    expect(frame).toMatch(/\^\[24;1H\^\[2K/);
  });

  it('redraws everything after other output, and nothing during it', () => {
    const { made, drawn } = painter();
    drawn(start);
    made.forget();
    expect(rowsOf(drawn(start))).toHaveLength(24);
    made.pause();
    expect(drawn({ ...start, note: 'done' })).toBe('');
  });

  it('ends each frame at the top of the screen with line wrapping restored', () => {
    const { drawn } = painter();
    const frame = drawn(start).replaceAll(ESC, '^');
    expect(frame).toMatch(/^\^\[\?2026h\^\[\?7l/);
    expect(frame.endsWith('^[H^[?7h^[?2026l')).toBe(true);
  });

  it('sets the column after a text whose width depends on the terminal', () => {
    expect(paint([span('宽'), span(' │ ')], false)).toBe('宽\u001b[3G │ ');
    expect(paint([span('é ─'), span(' │ ')], false)).toBe('é ─ │ ');
  });

  it('shows the bar in reverse, and matches in it and under NO_COLOR underlined', () => {
    const bar = [
      { ...span('id=1', 'field'), bar: true },
      { ...span('leak', 'mark'), bar: true },
    ];
    const painted = '^[7mid=1^[27m^[7m^[1;4mleak^[22;24m^[27m';
    for (const color of [true, false]) {
      expect(paint(bar, color).replaceAll(ESC, '^')).toBe(painted);
    }
    const plain = paint([span('id=1', 'field'), span('leak', 'mark')], false);
    expect(plain.replaceAll(ESC, '^')).toBe('id=1^[1;4mleak^[22;24m');
  });

  it('measures texts as string-width does', () => {
    for (let code = 0; code < 0x10000; code++) {
      const char = String.fromCharCode(code);
      if (isEven(char)) expect([code, stringWidth(char), printable(char)]).toEqual([code, 1, char]);
    }
  });
});
