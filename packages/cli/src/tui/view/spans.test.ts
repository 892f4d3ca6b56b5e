import { describe, expect, it } from 'vitest';
import { width } from '../../terminal/text.ts';
import { fit, type Line, span } from './spans.ts';

const text = (line: Line) => line.map((one) => one.text).join('');

describe('spans', () => {
  it('are cut or padded to the column, with a mark where text was cut', () => {
    const words = [span('ab'), span('cd', 'mark'), span('ef')];
    expect([3, 4, 5, 6, 8].map((columns) => text(fit(words, columns)))).toEqual([
      'ab…',
      'abc…',
      'abcd…',
      'abcdef',
      'abcdef  ',
    ]);
    expect(text(fit([span('ab'), span('  ')], 2))).toBe('ab');
    expect(text(fit([span('a'), span('宽'), span('x')], 3))).toBe('a… ');
    expect(text(fit([span('a')], 0))).toBe('');
  });

  it('keep the exact width with wide characters at any position', () => {
    const line = ['宽b', 'é', '👩‍👩‍👧', 'x', ' ', 'ｆ'].map((part) => span(part));
    for (let columns = 0; columns < 14; columns++) {
      expect(width(text(fit(line, columns)))).toBe(columns);
    }
  });
});
