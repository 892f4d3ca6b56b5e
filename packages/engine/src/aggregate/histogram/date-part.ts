/**
 * Parts of dates as buckets, by the clock of a time zone: all Mondays of a column are one bucket.
 */
import type { DatePart } from '@lakehouse-search/contract';
import type { NumericColumn } from '../../columnar/numeric-column.ts';
import { civilFromDays } from '../../schema/values/date-value.ts';
import { type Coder, slotFiller, slotReader } from '../count/coder.ts';
import { zoneOffsets } from './calendar.ts';
import type { OffsetAt } from './clock-steps.ts';
import { millisOf } from './histogram-line.ts';

/** First and last number of each part; days of the week begin with Monday. */
const RANGES: Readonly<Record<DatePart, readonly [number, number]>> = {
  hour_of_day: [0, 23],
  day_of_week: [1, 7],
  day_of_month: [1, 31],
  month_of_year: [1, 12],
};

/** All parts. */
export const DATE_PARTS = Object.keys(RANGES) as readonly DatePart[];

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const CACHED_DAYS = 100_000;

/** The parts of a column's instants by the clock of a zone, which is known. */
export function datePartCoder(
  column: NumericColumn,
  { part, zone }: { readonly part: DatePart; readonly zone: string },
): Coder {
  const [first, last] = RANGES[part];
  const millis = millisOf(column);
  const partAt = partReader(part, dailyOffsets(zoneOffsets(zone)!));
  const codeAt = (slot: number) => partAt(millis(slot)) - first;
  return {
    size: last - first + 1,
    ordered: true,
    read: slotReader(column, codeAt),
    fill: slotFiller(column, (docs, count, out) => {
      for (let i = 0; i < count; i++) out[i] = codeAt(docs[i]);
    }),
    key: (code) => BigInt(code + first),
    count: () => null,
  };
}

/** The part of an instant in milliseconds. */
function partReader(part: DatePart, offsetAt: OffsetAt): (instant: number) => number {
  if (part === 'hour_of_day') {
    return (instant) => {
      const local = instant + offsetAt(instant);
      return Math.floor((local - Math.floor(local / DAY) * DAY) / HOUR);
    };
  }
  let [lastDay, lastPart] = [Number.NaN, 0];
  return (instant) => {
    const day = Math.floor((instant + offsetAt(instant)) / DAY);
    if (day !== lastDay) [lastDay, lastPart] = [day, partOfDay(day, part)];
    return lastPart;
  };
}

/** `day`: since 1970-01-01, a Thursday. */
function partOfDay(day: number, part: Exclude<DatePart, 'hour_of_day'>): number {
  if (part === 'day_of_week') return day + 4 - Math.floor((day + 3) / 7) * 7;
  const [, month, dayOfMonth] = civilFromDays(day);
  return part === 'month_of_year' ? month : dayOfMonth;
}

/** The same offsets, looked up once for each day of UTC in which the clock is not changed. */
function dailyOffsets(offsetAt: OffsetAt): OffsetAt {
  const known = new Map<number, number | null>();
  return (instant) => {
    const day = Math.floor(instant / DAY);
    let offset = known.get(day);
    if (offset === undefined) {
      const [first, last] = [offsetAt(day * DAY), offsetAt((day + 1) * DAY)];
      offset = first === last ? first : null;
      if (known.size >= CACHED_DAYS) known.clear();
      known.set(day, offset);
    }
    return offset ?? offsetAt(instant);
  };
}
