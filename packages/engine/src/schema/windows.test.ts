import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { I64_MAX, I64_MIN, parseDate } from './values/date-value.ts';
import {
  compareWindows,
  WINDOW_UNITS,
  windowDays,
  windowName,
  windowOf,
  windowRange,
} from './windows.ts';

const micros = (text: string): bigint => parseDate(text)!;

describe('a window', () => {
  test.each([
    ['day', '2026-03-11T23:59:59.999999Z', '2026-03-11', '2026-03-12'],
    ['week', '2026-03-11', '2026-03-09', '2026-03-16'],
    ['month', '2026-02-28', '2026-02', '2026-03-01'],
    ['month', '2025-12-31', '2025-12', '2026-01-01'],
    ['year', '2024-12-31', '2024', '2025-01-01'],
    ['year', '-000001-06-01', '-000001', '0000-01-01'],
  ] as const)('of a %s that contains %s is %s, up to %s', (every, date, name, to) => {
    const start = windowOf(micros(date), every);
    expect(windowName(start, every)).toBe(name);
    expect(windowDays(start, every).to).toBe(to);
  });

  test('contains exactly the instants between its bounds', () => {
    const instants = fc.bigInt({ min: I64_MIN, max: I64_MAX });
    fc.assert(
      fc.property(instants, fc.constantFrom(...WINDOW_UNITS), (instant, every) => {
        const start = windowOf(instant, every);
        const { lower, upper } = windowRange(start, every);
        expect(lower <= instant && instant <= upper).toBe(true);
        expect(windowOf(lower, every)).toBe(start);
        expect(windowOf(upper, every)).toBe(start);
        if (upper < I64_MAX) expect(windowOf(upper + 1n, every)).toBeGreaterThan(start);
      }),
    );
  });

  test('without dates comes last', () => {
    expect([3, null, -5, 0].sort(compareWindows)).toEqual([-5, 0, 3, null]);
    expect(windowName(null, 'day')).toBe('none');
  });
});
