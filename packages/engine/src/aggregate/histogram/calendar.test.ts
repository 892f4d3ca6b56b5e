import { describe, expect, it } from 'vitest';
import { type ClockInterval, clockBucket, nextClockStart, zoneOffsets } from './calendar.ts';

const at = (iso: string) => Date.parse(iso);
const iso = (instant: number) => new Date(instant).toISOString().replace('.000Z', 'Z');
type Unit = ClockInterval['unit'];
const bucket = (instant: string, unit: Unit, zone: string, offset = 0) => {
  const { start, end } = clockBucket(at(instant), { unit, zone, offset });
  return `${iso(start)} ${iso(end)}`;
};

describe('calendar buckets', () => {
  it.each<readonly [string, Unit, string, string]>([
    ['2024-02-29T12:00:00Z', 'year', 'UTC', '2024-01-01T00:00:00Z 2025-01-01T00:00:00Z'],
    ['2024-02-29T12:00:00Z', 'decade', 'UTC', '2020-01-01T00:00:00Z 2030-01-01T00:00:00Z'],
    ['1969-12-31T23:59:59Z', 'decade', 'UTC', '1960-01-01T00:00:00Z 1970-01-01T00:00:00Z'],
    ['-000001-06-01T00:00:00Z', 'decade', 'UTC', '-000010-01-01T00:00:00Z 0000-01-01T00:00:00Z'],
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

  const MINUTE = 60_000;
  it.each<readonly [string, number, string, string]>([
    // The clock of Berlin was set back from 03:00 to 02:00 at 01:00 UTC.
    ['2015-10-25T00:30:00Z', 20, 'CET', '2015-10-25T00:20:00Z 2015-10-25T00:40:00Z'],
    ['2015-10-25T01:30:00Z', 20, 'CET', '2015-10-25T01:20:00Z 2015-10-25T01:40:00Z'],
    ['2015-10-25T00:30:00Z', 60, 'CET', '2015-10-25T00:00:00Z 2015-10-25T01:00:00Z'],
    ['2015-10-25T01:30:00Z', 60, 'CET', '2015-10-25T01:00:00Z 2015-10-25T02:00:00Z'],
    ['2015-10-25T12:00:00Z', 1440, 'CET', '2015-10-24T22:00:00Z 2015-10-25T23:00:00Z'],
    // It was set from 02:00 to 03:00: what begins between begins at 03:00.
    ['2016-03-27T01:10:00Z', 90, 'CET', '2016-03-27T01:00:00Z 2016-03-27T02:30:00Z'],
    ['2016-03-27T01:10:00Z', 30, 'CET', '2016-03-27T01:00:00Z 2016-03-27T01:30:00Z'],
    ['2016-03-27T00:59:00Z', 150, 'CET', '2016-03-26T22:30:00Z 2016-03-27T01:00:00Z'],
    ['2024-06-15T20:00:00Z', 720, 'Asia/Kolkata', '2024-06-15T18:30:00Z 2024-06-16T06:30:00Z'],
  ])('%s by %i minutes in %s', (instant, minutes, zone, wanted) => {
    expect(bucket(instant, minutes * MINUTE, zone)).toBe(wanted);
  });

  it('begin later by an offset', () => {
    const wanted = '2024-06-15T06:00:00Z 2024-06-16T06:00:00Z';
    expect(bucket('2024-06-15T12:00:00Z', 'day', 'UTC', 360 * MINUTE)).toBe(wanted);
    expect(bucket('2024-06-15T12:00:00Z', 1440 * MINUTE, 'UTC', 360 * MINUTE)).toBe(wanted);
  });

  const STEPS = [20, 43, 60, 90, 720, 1440, 2160, 100_000].map((minutes) => minutes * MINUTE);
  it.each(['America/New_York', 'Australia/Lord_Howe', 'America/Sao_Paulo', 'Pacific/Apia'])(
    'cover time without gaps or overlaps in %s',
    (zone) => {
      for (const unit of ['day', 'week', 'month', 'quarter', 'year', 'decade', ...STEPS] as const) {
        const interval = { unit, zone, offset: 0 };
        let { start } = clockBucket(at('2011-10-28T00:00:00Z'), interval);
        for (let i = 0; i < 400; i++) {
          const next = nextClockStart(start, interval);
          expect(clockBucket(start, interval)).toEqual({ start, end: next });
          expect(clockBucket(next - 1, interval).start).toBe(start);
          start = next;
        }
      }
    },
  );

  it('accept known time zones only', () => {
    expect(zoneOffsets('Mars/Olympus')).toBeNull();
    expect(zoneOffsets('+25:00')).toBeNull();
    expect(zoneOffsets('UTC')!(0)).toBe(0);
  });
});
