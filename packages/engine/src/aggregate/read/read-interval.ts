import { type CalendarInterval, type CalendarUnit, LhsError } from '@lakehouse-search/contract';
import { didYouMean, wrong } from '@lakehouse-search/contract/internal';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { CALENDAR_UNITS, zoneOffsets } from '../histogram/calendar.ts';
import { DATE_PARTS } from '../histogram/date-part.ts';
import { type HistogramInterval, intervalHint, parseInterval } from '../histogram/interval.ts';
import type { AggregationOptions } from './read-options.ts';

const SHORT: Readonly<Partial<Record<string, CalendarUnit>>> = {
  '1m': 'minute',
  '1h': 'hour',
  '1d': 'day',
  '1w': 'week',
  '1M': 'month',
  '1q': 'quarter',
  '1y': 'year',
  '10y': 'decade',
} satisfies Record<Exclude<CalendarInterval, CalendarUnit>, CalendarUnit>;

/** The interval of a date histogram: a length or a unit of the calendar, in a time zone. */
export function readInterval(options: AggregationOptions): HistogramInterval {
  const { path } = options;
  const fixed = options.maybeText('fixed_interval');
  const calendar = options.maybeText('calendar_interval');
  if ((fixed === undefined) === (calendar === undefined)) {
    const message = `"${path}" needs "fixed_interval" or "calendar_interval", one of the two`;
    throw new LhsError('invalid_argument', message);
  }
  const offset = offsetOf(options.maybeText('offset'), path);
  const zone = options.maybeText('time_zone');
  const known = readZone(options);
  if (fixed === undefined) {
    return { kind: 'calendar', unit: unitOf(calendar!, path), zone: known, offset };
  }
  const micros = parseInterval(fixed);
  if (micros === null) {
    const expected = 'a duration like "30s", "1h" or "7d"';
    throw wrong(`${path}.fixed_interval`, fixed, expected, intervalHint(fixed));
  }
  if (zone === undefined && offset === 0) return { kind: 'fixed', width: micros };
  const unit = Number(micros / 1000n);
  if (micros % 1000n === 0n && Number.isSafeInteger(unit)) {
    return { kind: 'calendar', unit, zone: known, offset };
  }
  const message = `"${path}.fixed_interval" with "time_zone" or "offset" is in whole milliseconds`;
  throw new LhsError('invalid_argument', message);
}

/** The part of dates by which a date_part groups, in a time zone. */
export function readDatePart(options: AggregationOptions): HistogramInterval {
  const text = options.text('part');
  const part = DATE_PARTS.find((name) => name === text);
  if (part !== undefined) return { kind: 'part', part, zone: readZone(options) };
  const near = didYouMean(text, DATE_PARTS);
  const message = `"${options.path}.part" is "${text}": expected ${DATE_PARTS.join(', ')}${near}`;
  throw new LhsError('invalid_argument', message);
}

function readZone(options: AggregationOptions): string {
  const zone = options.maybeText('time_zone') ?? 'UTC';
  if (zoneOffsets(zone) !== null) return zone;
  const expected = 'an IANA zone like "Europe/Berlin", or "+02:00"';
  throw wrong(`${options.path}.time_zone`, zone, expected);
}

/** Milliseconds of `6h`, `+90m` or `-1d`. */
function offsetOf(text: string | undefined, path: string): number {
  if (text === undefined) return 0;
  const micros = parseInterval(text.replace(/^[+-]/, ''));
  if (micros !== null && micros % 1000n === 0n) {
    return (text.startsWith('-') ? -1 : 1) * Number(micros / 1000n);
  }
  throw wrong(`${path}.offset`, text, 'a duration in whole milliseconds, like "6h" or "-1d"');
}

/** The interval of a histogram of numbers: above 0, and whole for a LONG field. */
export function readWidth(options: AggregationOptions, field: FieldPlan): HistogramInterval {
  const path = `${options.path}.interval`;
  const width = options.get('interval');
  if (typeof width !== 'number' || !(width > 0)) throw wrong(path, width, 'a number above 0');
  if (field.type === 'DOUBLE') return { kind: 'numbers', width };
  if (Number.isSafeInteger(width)) return { kind: 'fixed', width: BigInt(width) };
  throw wrong(path, width, `a whole number, because "${field.name}" is ${field.type}`);
}

function unitOf(text: string, path: string): CalendarUnit {
  const unit = SHORT[text] ?? CALENDAR_UNITS.find((name) => name === text);
  if (unit !== undefined) return unit;
  const near = didYouMean(text, CALENDAR_UNITS);
  const units = CALENDAR_UNITS.join(', ');
  const message = `"${path}.calendar_interval" is "${text}": expected ${units}${near}`;
  const hint = `a date_part groups by ${DATE_PARTS.join(', ')}; a range by other periods`;
  throw new LhsError('invalid_argument', message, { hint });
}
