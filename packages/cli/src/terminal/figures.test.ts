import { describe, expect, it } from 'vitest';
import { bar, sparkline } from './figures.ts';

describe('bars and sparklines', () => {
  it('draw bars to an eighth of a column', () => {
    expect(bar(1, 4)).toBe('████');
    expect(bar(0.5, 5)).toBe('██▌');
    expect(bar(0.0001, 5)).toBe('▏');
    expect(bar(0, 5)).toBe('');
    expect(bar(7, 3)).toBe('███');
  });

  it('draw sparklines within the width, with the maximum full and zero blank', () => {
    expect(sparkline([1, 2, 4, 8, 0], 10)).toBe('▁▂▄█ ');
    expect(sparkline([1, 1, 8, 8], 2)).toBe('▁█');
    expect(sparkline([], 10)).toBe(' ');
    expect([
      ...sparkline(
        Array.from({ length: 1000 }, (_, i) => i + 1),
        40,
      ),
    ]).toHaveLength(40);
  });
});
