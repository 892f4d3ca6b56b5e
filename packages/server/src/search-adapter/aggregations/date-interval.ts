/** Intervals of date histograms, and the places of their buckets. */
import type { CalendarUnit, Json, JsonObject } from '@lakehouse-search/contract';
import {
  type ClockInterval,
  clockBucket,
  nextClockStart,
  zoneOffsets,
} from '@lakehouse-search/engine/internal';
import { millisIn, textIn } from '../base/read-json.ts';
import { clipped, illegal, unserved } from '../query/refusal.ts';

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
export function readInterval(body: JsonObject): ClockInterval {
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
  return { unit, zone: own(zone), offset };
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

const fixed = (unit: number, zone: string, offset: number): ClockInterval => ({
  unit,
  zone: own(zone),
  offset,
});

/** Our options of an interval. */
export function ourInterval({ unit, zone, offset }: ClockInterval): JsonObject {
  const own = {
    ...(zone === 'UTC' ? {} : { time_zone: zone }),
    ...(offset === 0 ? {} : { offset: `${offset}ms` }),
  };
  const name = typeof unit === 'number' ? 'fixed_interval' : 'calendar_interval';
  return { [name]: typeof unit === 'number' ? `${unit}ms` : unit, ...own };
}

/** Milliseconds that a zone's clock is ahead of UTC at an instant. */
export const zoneOffset = (zone: string, millis: number): number =>
  zoneOffsets(own(zone))?.(millis) ?? 0;

/** The start of the bucket of an instant. */
export const bucketStart = (interval: ClockInterval, at: number): number =>
  clockBucket(Math.floor(at), interval).start;

/** The start of the bucket after the one that starts at `start`. */
export const nextStart = (interval: ClockInterval, start: number): number =>
  nextClockStart(start, interval);

/** Whether buckets can be found without a time zone. */
export const isUtc = ({ zone }: ClockInterval): boolean => UTC.has(zone.toLowerCase());
