import { describe, expect, it } from 'vitest';
import { parseInterval } from './interval.ts';

describe('fixed intervals', () => {
  it.each([
    ['1us', 1n],
    ['500ms', 500_000n],
    ['30s', 30_000_000n],
    ['90 m', 5_400_000_000n],
    ['1 hour', 3_600_000_000n],
    ['2 Days', 172_800_000_000n],
    ['1w', 604_800_000_000n],
    ['2 weeks', 1_209_600_000_000n],
  ])('reads %s', (text, micros) => {
    expect(parseInterval(text)).toBe(micros);
  });

  it.each(['', '0s', '1', 'h', '-1h', '1.5h', '1 fortnight', '1month', '999999999999999w'])(
    'refuses "%s"',
    (text) => {
      expect(parseInterval(text)).toBeNull();
    },
  );
});
