/** Whole days, weeks (from Monday), months, quarters, years and decades, in days since 1970-01-01. */
import { civilFromDays, daysFromCivil } from './date-value.ts';

/** A unit of the calendar that consists of whole days. */
export type DayUnit = 'day' | 'week' | 'month' | 'quarter' | 'year' | 'decade';

/** Days of the longest of each unit. */
const LONGEST = { month: 31, quarter: 92, year: 366, decade: 3653 } as const;

/** The first day of the unit that contains `day`. */
export function firstDay(day: number, unit: DayUnit): number {
  if (unit === 'day') return day;
  // 1970-01-01 was a Thursday.
  if (unit === 'week') return Math.floor((day + 3) / 7) * 7 - 3;
  const [year, month] = civilFromDays(day);
  if (unit === 'month') return daysFromCivil(year, month, 1);
  if (unit === 'quarter') return daysFromCivil(year, month - ((month - 1) % 3), 1);
  return daysFromCivil(unit === 'year' ? year : Math.floor(year / 10) * 10, 1, 1);
}

/** The first day of the next unit, if `day` is the first one of a unit. */
export function nextFirstDay(day: number, unit: DayUnit): number {
  if (unit === 'day') return day + 1;
  if (unit === 'week') return day + 7;
  return firstDay(day + LONGEST[unit], unit);
}
