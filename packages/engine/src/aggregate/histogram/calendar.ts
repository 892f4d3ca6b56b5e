/**
 * Calendar buckets of instants: minutes to decades as clocks in a time zone show them. Days, weeks
 * (from Monday) to decades begin at local midnight; where a zone's clock jumps over it, at the
 * instant of the jump. All in milliseconds since 1970 as numbers, which hold every
 * instant of a column exactly; bounds of buckets are whole seconds.
 */
import type { CalendarUnit } from '@lakehouse-search/contract';
import { firstDay, nextFirstDay } from '../../schema/values/calendar-days.ts';
import { daysFromCivil } from '../../schema/values/date-value.ts';
import { type CalendarBucket, type OffsetAt, stepBucket } from './clock-steps.ts';

export const CALENDAR_UNITS = [
  'minute',
  'hour',
  'day',
  'week',
  'month',
  'quarter',
  'year',
  'decade',
] as const satisfies readonly CalendarUnit[];

const DAY = 86_400_000;
/** What `Intl` can tell of; outside, the zone's offset at the edge holds. */
const FIRST = -62_135_596_800_000;
const LAST = 253_402_300_799_000;
const KEPT_OFFSETS = 100_000;

/** Zones that have been asked for, with what is known of them. */
const zones = new Map<string, OffsetAt>();
const KEPT_ZONES = 16;

/** The offsets of an IANA zone or `±HH:MM`; null where there is no such zone. */
export function zoneOffsets(zone: string): OffsetAt | null {
  const known = zones.get(zone);
  if (known !== undefined) return known;
  const offsets = makeOffsets(zone);
  if (offsets === null) return null;
  if (zones.size >= KEPT_ZONES) zones.clear();
  zones.set(zone, offsets);
  return offsets;
}

function makeOffsets(zone: string): OffsetAt | null {
  const fixed = fixedOffset(zone);
  if (fixed !== null) return () => fixed;
  let format: Intl.DateTimeFormat;
  try {
    const two = '2-digit' as const;
    const parts = { month: two, day: two, hour: two, minute: two, second: two } as const;
    format = new Intl.DateTimeFormat('en-US', {
      ...{ timeZone: zone, hourCycle: 'h23', calendar: 'gregory', year: 'numeric', era: 'short' },
      ...parts,
    } as Intl.DateTimeFormatOptions);
  } catch {
    return null;
  }
  const known = new Map<number, number>();
  return (instant) => {
    const second = Math.floor(Math.min(Math.max(instant, FIRST), LAST) / 1000);
    let offset = known.get(second);
    if (offset === undefined) {
      offset = offsetBy(format, second * 1000);
      if (known.size >= KEPT_OFFSETS) known.clear();
      known.set(second, offset);
    }
    return offset;
  };
}

function fixedOffset(zone: string): number | null {
  if (/^(utc|z|gmt)$/i.test(zone)) return 0;
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? [];
  if (sign === undefined || Number(hours) > 18 || Number(minutes) > 59) return null;
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000;
}

function offsetBy(format: Intl.DateTimeFormat, instant: number): number {
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const of = (name: Intl.DateTimeFormatPartTypes) => Number(parts.get(name));
  const year = parts.get('era')?.startsWith('B') ? 1 - of('year') : of('year');
  const days = daysFromCivil(year, of('month'), of('day'));
  const seconds = of('hour') * 3600 + of('minute') * 60 + of('second');
  return days * DAY + seconds * 1000 - instant;
}

/** Buckets by the clock of a time zone. */
export interface ClockInterval {
  /** A unit of the calendar, or a length in milliseconds. */
  readonly unit: CalendarUnit | number;
  readonly zone: string;
  /** Milliseconds by which each bucket begins later. */
  readonly offset: number;
}

/** The bucket of `instant` by a zone's clock, which is known. */
export function clockBucket(
  instant: number,
  { unit, zone, offset }: ClockInterval,
): CalendarBucket {
  const { start, end } = calendarBucket(instant - offset, unit, zoneOffsets(zone)!);
  return { start: start + offset, end: end + offset };
}

/** The start of the bucket after the one that starts at `start`. */
export const nextClockStart = (start: number, interval: ClockInterval): number =>
  clockBucket(clockBucket(start, interval).end, interval).start;

function calendarBucket(
  instant: number,
  unit: ClockInterval['unit'],
  offsetAt: OffsetAt,
): CalendarBucket {
  if (typeof unit === 'number') return stepBucket(instant, unit, offsetAt);
  const offset = offsetAt(instant);
  const local = instant + offset;
  if (unit === 'minute' || unit === 'hour') {
    const length = unit === 'minute' ? 60_000 : 3_600_000;
    const start = Math.floor(local / length) * length - offset;
    return { start, end: start + length };
  }
  const first = firstDay(Math.floor(local / DAY), unit);
  const start = instantOf(first * DAY, offsetAt);
  const end = instantOf(nextFirstDay(first, unit) * DAY, offsetAt);
  return { start, end };
}

/** The first instant at which a zone's clock shows at least `local`. */
function instantOf(local: number, offsetAt: OffsetAt): number {
  const around = [offsetAt(local - DAY), offsetAt(local), offsetAt(local + DAY)];
  const right = around.map((o) => local - o).filter((t) => t + offsetAt(t) === local);
  if (right.length > 0) return Math.min(...right);
  let low = local - Math.max(...around) - 1000;
  let high = local - Math.min(...around);
  while (high - low > 1000) {
    const middle = low + Math.floor((high - low) / 2000) * 1000;
    if (middle + offsetAt(middle) < local) low = middle;
    else high = middle;
  }
  return high;
}
