/** Intervals of date histograms, and the places of their buckets. */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { millisIn, textIn } from '../base/read-json.ts';
import { clipped, illegal, unserved } from '../query/refusal.ts';

/** An interval: a number of milliseconds, or a unit of the calendar in a time zone. */
export interface DateInterval {
  /** Undefined: a unit of the calendar. */
  readonly millis: number | undefined;
  readonly unit: string | undefined;
  readonly zone: string;
}

const UNITS: Readonly<Record<string, string>> = {
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

/** Reads `fixed_interval` or `calendar_interval`, and `time_zone`. Throws RefusedDsl. */
export function readInterval(body: JsonObject): DateInterval {
  const { fixed_interval, calendar_interval, time_zone = 'UTC' } = body;
  const zone = textIn(time_zone, 'time_zone');
  if ((fixed_interval === undefined) === (calendar_interval === undefined)) {
    throw illegal(
      'Required one of fields [calendar_interval, fixed_interval], but none or both were ' +
        'specified.',
    );
  }
  if (fixed_interval !== undefined) return fixed(millisOf(fixed_interval), zone);
  const text = textIn(calendar_interval, 'calendar_interval');
  if (text === 'second' || text === '1s') return fixed(SECOND, zone);
  const unit = UNITS[text] ?? Object.values(UNITS).find((name) => name === text);
  if (unit !== undefined) return { millis: undefined, unit, zone };
  throw illegal(
    `The supplied interval [${clipped(text)}] could not be parsed as a calendar interval.`,
  );
}

function millisOf(json: Json): number {
  const millis = millisIn(json, 'date_histogram.fixedInterval');
  if (millis >= 1 && Number.isInteger(millis)) return millis;
  throw illegal(`Zero or negative time interval [${clipped(String(json))}] not supported`);
}

function fixed(millis: number, zone: string): DateInterval {
  if (UTC.has(zone.toLowerCase())) return { millis, unit: undefined, zone: 'UTC' };
  throw unserved(
    '[fixed_interval] with a [time_zone] other than UTC is not served by this adapter',
  );
}

/** Our options of an interval. */
export const ourInterval = ({ millis, unit, zone }: DateInterval): JsonObject =>
  millis === undefined
    ? { calendar_interval: unit as string, time_zone: zone }
    : { fixed_interval: `${millis}ms` };

/** Milliseconds that a zone's clock is ahead of UTC at an instant. */
export function zoneOffset(zone: string, millis: number): number {
  if (UTC.has(zone.toLowerCase())) return 0;
  const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? offsetParts(zone, millis);
  if (sign === undefined) return 0;
  return (sign === '-' ? -60_000 : 60_000) * (Number(hours) * 60 + Number(minutes ?? 0));
}

function offsetParts(zone: string, millis: number): readonly string[] {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
  const parts = format.formatToParts(millis);
  const text = parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
  return /([+-])(\d\d):(\d\d)/.exec(text) ?? [];
}

/** The start of the bucket of an instant, in UTC. */
export function bucketStart({ millis, unit }: DateInterval, at: number): number {
  if (millis !== undefined) return Math.floor(at / millis) * millis;
  const day = 86_400_000;
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  switch (unit) {
    case 'minute':
      return Math.floor(at / 60_000) * 60_000;
    case 'hour':
      return Math.floor(at / 3_600_000) * 3_600_000;
    case 'day':
      return Math.floor(at / day) * day;
    case 'week':
      return Math.floor((at / day + 3) / 7) * 7 * day - 3 * day;
    case 'month':
      return Date.UTC(year, month);
    case 'quarter':
      return Date.UTC(year, month - (month % 3));
    default:
      return Date.UTC(year, 0);
  }
}

/** The longest of each unit, in days: the next bucket starts within it. */
const LONGEST: Readonly<Record<string, number>> = { week: 7, month: 31, quarter: 92, year: 366 };

/** The start of the bucket after the one that starts at `start`, in UTC. */
export function nextStart(interval: DateInterval, start: number): number {
  const { millis, unit = '' } = interval;
  if (millis !== undefined) return start + millis;
  if (unit === 'minute') return start + 60_000;
  if (unit === 'hour') return start + 3_600_000;
  return bucketStart(interval, start + (LONGEST[unit] ?? 1) * 86_400_000);
}

/** Whether buckets can be found without our engine. */
export const isUtc = ({ zone }: DateInterval): boolean => UTC.has(zone.toLowerCase());
