/**
 * Dates as queries write them: a stretch of time, from its first to its last microsecond.
 *
 * - A year (`2025`) and a month (`2025-10`) are the whole period; any other ISO-8601 date and epoch
 *   microseconds (five digits or more) are an instant.
 * - `now` is the instant of the request.
 * - Date math follows: `now-7d`, `2025-10-03+12h`, `2025-10-03||-1M`. Units are y, M, w, d, h, m
 *   and s; months and years end on the last day of a shorter month.
 * - `/u` at the end is the whole unit that holds the instant: `now-1d/d`, `2025-10-03/d`. Weeks
 *   begin on Monday. All of it is in UTC.
 */
import { civilFromDays, daysFromCivil, I64_MAX, I64_MIN, parseDate } from './date-value.ts';

/** From the first to the last microsecond since 1970, both included. */
export interface Period {
  readonly from: bigint;
  readonly to: bigint;
}

const SECOND = 1_000_000n;
const DAY = 86_400n * SECOND;
const UNITS: Readonly<Record<string, bigint>> = {
  s: SECOND,
  m: 60n * SECOND,
  h: 3600n * SECOND,
  d: DAY,
  w: 7n * DAY,
};
/** 1970-01-01 was a Thursday: the Monday before it is three days earlier. */
const MONDAY = -3n * DAY;

const MATH = /^(.+?)(?:\|\|)?((?:[+-]\d{1,9}[yMwdhms])*)(?:\/([yMwdhms]))?$/;
const MOST_MATH = 80;

/** True for a text that means another instant at another time: `now`, `now-7d/d`. */
const isRelativeDate = (text: string): boolean => /^now(?:$|[+\-/|])/.test(text);

/** The text with `now` written out; `now` in milliseconds since 1970. */
export function settleRelativeDate(text: string, now: number): string {
  return isRelativeDate(text) ? `${new Date(now).toISOString()}${text.slice(3)}` : text;
}

/** The period that a text means; null for a text that is no date. `now`: milliseconds since 1970. */
export function parsePeriod(text: string, now: number = Date.now()): Period | null {
  if (text.length > MOST_MATH) return null;
  const plain = wholePeriod(settleRelativeDate(text, now));
  if (plain !== null) return plain;
  const match = MATH.exec(settleRelativeDate(text, now));
  if (match === null) return null;
  const [, base, steps, round] = match;
  const start = wholePeriod(base);
  if (start === null || (steps === '' && round === undefined)) return null;
  const moved = moveBy(start.from, steps);
  if (moved === null) return null;
  return round === undefined ? { from: moved, to: moved } : unitOf(moved, round);
}

function wholePeriod(text: string): Period | null {
  const year = /^\d{4}$/.test(text);
  if (year || /^(?:[+-]\d{6}|\d{4})-\d\d$/.test(text)) {
    const from = parseDate(year ? `${text}-01` : text);
    return from === null ? null : unitOf(from, year ? 'y' : 'M');
  }
  const instant = parseDate(text);
  return instant === null ? null : { from: instant, to: instant };
}

/** The instant after the steps of date math; null beyond 64 bits. */
function moveBy(instant: bigint, steps: string): bigint | null {
  let at = instant;
  for (const [, sign, count, unit] of steps.matchAll(/([+-])(\d+)([yMwdhms])/g)) {
    const n = sign === '-' ? -Number(count) : Number(count);
    const micros = UNITS[unit];
    at = micros === undefined ? moveMonths(at, unit === 'y' ? 12 * n : n) : at + BigInt(n) * micros;
    if (at < I64_MIN || at > I64_MAX) return null;
  }
  return at;
}

function moveMonths(instant: bigint, months: number): bigint {
  const day = floorTo(instant, DAY, 0n);
  const [year, month, dayOfMonth] = civilFromDays(Number(day / DAY));
  const index = year * 12 + (month - 1) + months;
  const first = (of: number) => daysFromCivil(Math.floor(of / 12), (((of % 12) + 12) % 12) + 1, 1);
  const last = first(index + 1) - first(index);
  return BigInt(first(index) + Math.min(dayOfMonth, last) - 1) * DAY + (instant - day);
}

/** The whole unit that holds an instant; null where it goes beyond 64 bits. */
function unitOf(instant: bigint, unit: string): Period | null {
  const [from, next] = unitBounds(instant, unit);
  return from < I64_MIN || next - 1n > I64_MAX ? null : { from, to: next - 1n };
}

function unitBounds(instant: bigint, unit: string): [bigint, bigint] {
  const micros = UNITS[unit];
  if (micros !== undefined) {
    const from = floorTo(instant, micros, unit === 'w' ? MONDAY : 0n);
    return [from, from + micros];
  }
  const [year, month] = civilFromDays(Number(floorTo(instant, DAY, 0n) / DAY));
  const first = (y: number, m: number) => BigInt(daysFromCivil(y, m, 1)) * DAY;
  if (unit === 'y') return [first(year, 1), first(year + 1, 1)];
  return [first(year, month), month === 12 ? first(year + 1, 1) : first(year, month + 1)];
}

/** The greatest multiple of `size` (counted from `origin`) that is at most `value`. */
function floorTo(value: bigint, size: bigint, origin: bigint): bigint {
  const rest = (value - origin) % size;
  return value - (rest < 0n ? rest + size : rest);
}
