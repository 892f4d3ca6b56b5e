import { describe, expect, it } from 'vitest';
import { type CalendarUnit, calendarBucket, nextCalendarStart, zoneOffsets } from './calendar.ts';

const at = (iso: string) => Date.parse(iso);
const iso = (instant: number) => new Date(instant).toISOString().replace('.000Z', 'Z');
const bucket = (instant: string, unit: CalendarUnit, zone: string) => {
  const { start, end } = calendarBucket(at(instant), unit, zoneOffsets(zone)!);
  return `${iso(start)} ${iso(end)}`;
};

describe('calendar buckets', () => {
  it.each<readonly [string, CalendarUnit, string, string]>([
    ['2024-02-29T12:00:00Z', 'year', 'UTC', '2024-01-01T00:00:00Z 2025-01-01T00:00:00Z'],
    ['2024-05-31T12:00:00Z', 'quarter', 'UTC', '2024-04-01T00:00:00Z 2024-07-01T00:00:00Z'],
    ['2024-02-29T12:00:00Z', 'month', 'UTC', '2024-02-01T00:00:00Z 2024-03-01T00:00:00Z'],
    ['2024-03-03T23:00:00Z', 'week', 'UTC', '2024-02-26T00:00:00Z 2024-03-04T00:00:00Z'],
    ['1969-12-31T23:59:59Z', 'day', 'UTC', '1969-12-31T00:00:00Z 1970-01-01T00:00:00Z'],
    ['0001-01-01T00:00:00Z', 'year', 'UTC', '0001-01-01T00:00:00Z 0002-01-01T00:00:00Z'],
    // Local midnight is 23:00 UTC in winter, 22:00 in summer: the day of the change has 23 hours.
    ['2024-03-31T12:00:00Z', 'day', 'Europe/Berlin', '2024-03-30T23:00:00Z 2024-03-31T22:00:00Z'],
    ['2024-10-27T12:00:00Z', 'day', 'Europe/Berlin', '2024-10-26T22:00:00Z 2024-10-27T23:00:00Z'],
    ['2024-06-15T20:00:00Z', 'hour', 'Asia/Kolkata', '2024-06-15T19:30:00Z 2024-06-15T20:30:00Z'],
    // Clocks went from 23:59:59 to 01:00: the day begins at the jump.
    [
      '2018-11-04T12:00:00Z',
      'day',
      'America/Sao_Paulo',
      '2018-11-04T03:00:00Z 2018-11-05T02:00:00Z',
    ],
    ['2024-06-15T12:00:00Z', 'month', '-03:30', '2024-06-01T03:30:00Z 2024-07-01T03:30:00Z'],
  ])('%s by %s in %s', (instant, unit, zone, wanted) => {
    expect(bucket(instant, unit, zone)).toBe(wanted);
  });

  it('cover time without gaps or overlaps', () => {
    const offsets = zoneOffsets('America/New_York')!;
    for (const unit of ['day', 'week', 'month', 'quarter', 'year'] as const) {
      let { start } = calendarBucket(at('2019-01-01T00:00:00Z'), unit, offsets);
      for (let i = 0; i < 40; i++) {
        const next = nextCalendarStart(start, unit, offsets);
        expect(calendarBucket(start, unit, offsets)).toEqual({ start, end: next });
        expect(calendarBucket(next - 1, unit, offsets).start).toBe(start);
        start = next;
      }
    }
  });

  it('accept known time zones only', () => {
    expect(zoneOffsets('Mars/Olympus')).toBeNull();
    expect(zoneOffsets('+25:00')).toBeNull();
    expect(zoneOffsets('UTC')!(0)).toBe(0);
  });
});
