import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parsePeriod } from './date-period.ts';

const NOW = Date.parse('2026-03-31T10:20:30.456Z');
const micros = (iso: string) => BigInt(Date.parse(iso)) * 1000n;
/** A period as `from .. to`, in milliseconds, with the last microsecond left out. */
function shown(text: string): string | null {
  const period = parsePeriod(text, NOW);
  if (period === null) return null;
  const iso = (at: bigint) => new Date(Number(at / 1000n)).toISOString();
  return period.from === period.to
    ? iso(period.from)
    : `${iso(period.from)} .. ${iso(period.to + 1n)}`;
}

describe('dates of queries', () => {
  it.each([
    ['2025', '2025-01-01T00:00:00.000Z .. 2026-01-01T00:00:00.000Z'],
    ['2024-02', '2024-02-01T00:00:00.000Z .. 2024-03-01T00:00:00.000Z'],
    ['2025-12', '2025-12-01T00:00:00.000Z .. 2026-01-01T00:00:00.000Z'],
    ['2025-10-03', '2025-10-03T00:00:00.000Z'],
    ['2025-10-03/d', '2025-10-03T00:00:00.000Z .. 2025-10-04T00:00:00.000Z'],
    ['2025-10-03T23:10:00-02:00/d', '2025-10-04T00:00:00.000Z .. 2025-10-05T00:00:00.000Z'],
    ['2025-10-03T14:22:10Z/h', '2025-10-03T14:00:00.000Z .. 2025-10-03T15:00:00.000Z'],
    ['2025-10-03T14:22:10Z/m', '2025-10-03T14:22:00.000Z .. 2025-10-03T14:23:00.000Z'],
    ['2025-10-03T14:22:10.5Z/s', '2025-10-03T14:22:10.000Z .. 2025-10-03T14:22:11.000Z'],
    ['2025-10-03/w', '2025-09-29T00:00:00.000Z .. 2025-10-06T00:00:00.000Z'],
    ['1969-12-28/w', '1969-12-22T00:00:00.000Z .. 1969-12-29T00:00:00.000Z'],
    ['2025-10-03/M', '2025-10-01T00:00:00.000Z .. 2025-11-01T00:00:00.000Z'],
    ['1960-02-10/y', '1960-01-01T00:00:00.000Z .. 1961-01-01T00:00:00.000Z'],
    ['2025-10-03||-1M', '2025-09-03T00:00:00.000Z'],
    ['2025-10-03-1d', '2025-10-02T00:00:00.000Z'],
    ['2024-02-29+1y', '2025-02-28T00:00:00.000Z'],
    ['2025||+1M', '2025-02-01T00:00:00.000Z'],
    ['2025-10-03+2w-12h/M', '2025-10-01T00:00:00.000Z .. 2025-11-01T00:00:00.000Z'],
    ['now', '2026-03-31T10:20:30.456Z'],
    ['now-7d/d', '2026-03-24T00:00:00.000Z .. 2026-03-25T00:00:00.000Z'],
    ['now-1M', '2026-02-28T10:20:30.456Z'],
    ['now-1M+1M', '2026-03-28T10:20:30.456Z'],
    ['now-13M', '2025-02-28T10:20:30.456Z'],
    ['now+90m', '2026-03-31T11:50:30.456Z'],
    ['now/y', '2026-01-01T00:00:00.000Z .. 2027-01-01T00:00:00.000Z'],
    ['1704412800000000', '2024-01-05T00:00:00.000Z'],
    ['-10000', '1969-12-31T23:59:59.990Z'],
  ])('%s is %s', (text, expected) => {
    expect(shown(text)).toBe(expected);
  });

  it.each([
    'no',
    'nowhere',
    'now7d',
    'now-7',
    'now-7D',
    'now-7d/',
    'now-7d/q',
    'now-',
    '2025-13',
    '2025-02-30/d',
    '2025-10-03/dd',
    '||',
    '/d',
    '+1d',
    'now-999999999y-999999999y',
    `now${'+1d'.repeat(40)}`,
    'now-7d/d/d',
  ])('%s is no date', (text) => {
    expect(shown(text)).toBeNull();
  });

  it('reaches from the first microsecond to the last one', () => {
    expect(parsePeriod('2025-10', NOW)).toEqual({
      from: micros('2025-10-01T00:00:00Z'),
      to: micros('2025-11-01T00:00:00Z') - 1n,
    });
  });

  it('moves and rounds as the calendar of JavaScript does', () => {
    const instants = fc.date({
      min: new Date('1900-01-01T00:00:00Z'),
      max: new Date('2200-01-01T00:00:00Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(instants, fc.integer({ min: -500, max: 500 }), (date, months) => {
        const sign = months < 0 ? '' : '+';
        const found = parsePeriod(`${date.toISOString()}||${sign}${months}M/M`, NOW);
        const first = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months, 1);
        const next = Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + months + 1, 1);
        expect(found).toEqual({ from: BigInt(first) * 1000n, to: BigInt(next) * 1000n - 1n });
        const day = parsePeriod(`${date.toISOString()}/d`, NOW);
        expect(day?.from).toBe(BigInt(Math.floor(date.getTime() / 86_400_000)) * 86_400_000_000n);
      }),
    );
  });
});
