import { describe, expect, it } from 'vitest';
import { dateFormat, isoOfMicros, microsOfIso } from './date-format.ts';

const AT = Date.UTC(2026, 1, 3, 4, 5, 6, 7) * 1000 + 89;

describe('dateFormat', () => {
  it.each([
    [undefined, 0, '2026-02-03T04:05:06.007089Z'],
    ['epoch_millis', 0, '1770091506007.089'],
    ['epoch_second||date', 0, '1770091506.007089'],
    ['yyyy-MM-dd', 0, '2026-02-03'],
    [`yyyy-MM-dd'T'HH:mm:ss.SSS${'X'.repeat(3)}`, 3_600_000, '2026-02-03T05:05:06.007+01:00'],
    ['strict_date_time_no_millis', -5_400_000, '2026-02-03T02:35:06-01:30'],
    ['HH:mm', 0, '04:05'],
  ])('%s at offset %i', (format, offset, expected) => {
    expect(dateFormat(format)(AT, offset)).toBe(expected);
  });

  it('writes whole milliseconds without microseconds', () => {
    expect(dateFormat()(1_700_000_000_000_000, 0)).toBe('2023-11-14T22:13:20.000Z');
  });

  it.each(['yyyyy', 'Q', 'w'])('refuses the pattern %s', (pattern) => {
    expect(() => dateFormat(pattern)).toThrow('Invalid format');
  });
});

describe('microsOfIso', () => {
  it.each([AT, 0, -1, -62_135_596_800_000_000])('reads %i back', (micros) => {
    expect(microsOfIso(isoOfMicros(micros))).toBe(micros);
  });

  it('reads a time without a zone as UTC, and no other text', () => {
    expect(microsOfIso('2023-11-14T22:13:20.000001')).toBe(1_700_000_000_000_001);
    expect(microsOfIso('soon')).toBeUndefined();
  });
});
