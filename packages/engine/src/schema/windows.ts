/**
 * Windows of an index: periods of the calendar (UTC), by the value of one DATE field. A window is
 * identified by its first day (days since 1970-01-01); documents without a value have a window of
 * their own, null.
 */
import { firstDay, nextFirstDay } from './values/calendar-days.ts';
import { formatDay, I64_MAX, I64_MIN } from './values/date-value.ts';

/** Periods that a window may have. */
export const WINDOW_UNITS = ['day', 'week', 'month', 'year'] as const;
export type WindowUnit = (typeof WINDOW_UNITS)[number];

/** The first day of a window; null: the window of documents without a date. */
export type WindowStart = number | null;

/** How a built index is cut into windows. */
export interface WindowLayout {
  /** Id of the plan of the DATE field. */
  readonly field: number;
  readonly every: WindowUnit;
}

/** Inclusive bounds of a window, in microseconds since 1970. */
export interface WindowRange {
  readonly lower: bigint;
  readonly upper: bigint;
}

const DAY_MICROS = 86_400_000_000n;

/** The window of an instant (microseconds since 1970). */
export function windowOf(micros: bigint, every: WindowUnit): number {
  let day = micros / DAY_MICROS;
  if (micros < 0n && day * DAY_MICROS !== micros) day -= 1n;
  return firstDay(Number(day), every);
}

/** The instants of a window. */
export function windowRange(start: number, every: WindowUnit): WindowRange {
  const lower = BigInt(start) * DAY_MICROS;
  const upper = BigInt(nextFirstDay(start, every)) * DAY_MICROS - 1n;
  return { lower: lower < I64_MIN ? I64_MIN : lower, upper: upper > I64_MAX ? I64_MAX : upper };
}

/**
 * The name of a window: `2026`, `2026-03`, `2026-03-09` (of a week its Monday); `none`: documents
 * without a date.
 */
export function windowName(start: WindowStart, every: WindowUnit): string {
  if (start === null) return 'none';
  const day = formatDay(start);
  const parts = every === 'year' ? 2 : every === 'month' ? 1 : 0;
  return day.slice(0, day.length - 3 * parts);
}

/** First and following day of a window as dates; null: documents without a date. */
export function windowDays(start: WindowStart, every: WindowUnit) {
  if (start === null) return { from: null, to: null };
  return { from: formatDay(start), to: formatDay(nextFirstDay(start, every)) };
}

/** Order of windows: by time, documents without a date last. */
export function compareWindows(a: WindowStart, b: WindowStart): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return a - b;
}
