/** Intervals of date histograms, and the places of their buckets. */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { type CalendarUnit, calendarBucket, zoneOffsets } from '@lakehouse-search/engine';
import { millisIn, textIn } from '../base/read-json.ts';
import { clipped, illegal, unserved } from '../query/refusal.ts';

/** An interval: a number of milliseconds, or a unit of the calendar in a time zone. */
export interface DateInterval {
  /** Undefined: a unit of the calendar. */
  readonly millis: number | undefined;
  readonly unit: CalendarUnit | undefined;
  readonly zone: string;
  /** Milliseconds by which each bucket begins later, or earlier if below 0. */
  readonly offset: number;
}

const UNITS: Readonly<Record<string, CalendarUnit>> = {
  '1m': 'minute',
  '1h': 'hour',
  '1d': 'day',
  '1w': 'week',
  '1M': 'month',
  '1q': 'quarter',
  '1y': 'year',
};
const SECOND = 1000;
const UTC: ReadonlySet<string> = new Set(['utc', 'z', 'gmt', '+00:00', 'etc/utc']);

/** Reads `fixed_interval` or `calendar_interval`, `time_zone` and `offset`. Throws RefusedDsl. */
export function readInterval(body: JsonObject): DateInterval {
  const { fixed_interval, calendar_interval, time_zone = 'UTC' } = body;
  const zone = textIn(time_zone, 'time_zone');
  if ((fixed_interval === undefined) === (calendar_interval === undefined)) {
    throw illegal(
      'Required one of fields [calendar_interval, fixed_interval], but none or both were ' +
        'specified.',
    );
  }
  const offset = offsetOf(body.offset);
  if (zoneOffsets(own(zone)) === null) {
    throw illegal(`[time_zone] has no zone [${clipped(zone)}]`);
  }
  if (fixed_interval !== undefined) return fixed(millisOf(fixed_interval), zone, offset);
  const text = textIn(calendar_interval, 'calendar_interval');
  if (text === 'second' || text === '1s') return fixed(SECOND, zone, offset);
  const unit = UNITS[text] ?? Object.values(UNITS).find((name) => name === text);
  if (unit === undefined) {
    throw illegal(
      `The supplied interval [${clipped(text)}] could not be parsed as a calendar interval.`,
    );
  }
  return { millis: undefined, unit, zone, offset };
}

/** The name of a zone for our calendar. */
const own = (zone: string): string => (UTC.has(zone.toLowerCase()) ? 'UTC' : zone);

/** `+6h`, `-1d`, or a number of milliseconds. */
function offsetOf(json: Json | undefined): number {
  if (json === undefined || json === null) return 0;
  if (typeof json === 'number') return json;
  const text = textIn(json, 'offset');
  const sign = text.startsWith('-') ? -1 : 1;
  const size = text.replace(/^[+-]/, '');
  if (/^0+$/.test(size)) return 0;
  const millis = sign * millisIn(size, 'offset');
  if (Number.isInteger(millis)) return millis;
  throw unserved(`[date_histogram] with [offset] of [${clipped(text)}] is not served`);
}

function millisOf(json: Json): number {
  const millis = millisIn(json, 'date_histogram.fixedInterval');
  if (millis >= 1 && Number.isInteger(millis)) return millis;
  throw illegal(`Zero or negative time interval [${clipped(String(json))}] not supported`);
}

const fixed = (millis: number, zone: string, offset: number): DateInterval => ({
  millis,
  unit: undefined,
  zone: own(zone),
  offset,
});

/** Clocks of all zones differ by multiples of it. */
const QUARTER_HOUR = 900_000;

/** Whether our engine has the buckets: no offset, and of a fixed interval no time zone. */
export const isOurs = ({ millis, zone, offset }: DateInterval): boolean =>
  offset === 0 && (millis === undefined || zone === 'UTC' || QUARTER_HOUR % millis === 0);

/** Our options of an interval without an offset. */
export const ourInterval = ({ millis, unit, zone }: DateInterval): JsonObject =>
  millis === undefined
    ? { calendar_interval: unit as string, time_zone: zone }
    : { fixed_interval: `${millis}ms` };

/** Milliseconds that a zone's clock is ahead of UTC at an instant. */
export const zoneOffset = (zone: string, millis: number): number =>
  zoneOffsets(own(zone))?.(millis) ?? 0;

/** The start of the bucket of an instant. */
export const bucketStart = (interval: DateInterval, at: number): number =>
  bucketOf(interval, at).start;

/** The start of the bucket after the one that starts at `start`. */
export const nextStart = (interval: DateInterval, start: number): number =>
  bucketOf(interval, bucketOf(interval, start).end).start;

function bucketOf({ millis, unit, zone, offset }: DateInterval, instant: number) {
  const at = instant - offset;
  if (millis !== undefined) {
    const local = Math.floor((at + zoneOffset(zone, at)) / millis) * millis;
    const start = instantOf(local, zone);
    return { start: start + offset, end: instantOf(local + millis, zone) + offset };
  }
  const { start, end } = calendarBucket(at, unit!, zoneOffsets(own(zone))!);
  return { start: start + offset, end: end + offset };
}

const DAY = 86_400_000;

/** The first instant at which a zone's clock shows a time, or a later one if it skips that. */
function instantOf(local: number, zone: string): number {
  const [before, after] = [zoneOffset(zone, local - DAY), zoneOffset(zone, local + DAY)];
  const shown = [local - before, local - after].filter((t) => t + zoneOffset(zone, t) === local);
  return shown.length === 0 ? local - before : Math.min(...shown);
}

/** Whether buckets can be found without a time zone. */
export const isUtc = ({ zone }: DateInterval): boolean => UTC.has(zone.toLowerCase());
