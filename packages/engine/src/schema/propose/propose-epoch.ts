import type { Value } from '@lakehouse-search/lake';
import { nameWords } from './key-names.ts';

const TIME =
  /^(ts|time|timestamp|datetime|date|at|on|when|epoch|unix|created|updated|modified|millis|ms)$/;

/** Whether a column is named like a time: `created_at`, `eventTime`. */
export const isTimeName = (name: string): boolean =>
  nameWords(name).some((word) => TIME.test(word));

/** Seconds from 2001 to 2039. */
const FIRST = 1e9;
const LAST = 2.2e9;
const UNITS = [
  ['epoch_s', 1],
  ['epoch_ms', 1e3],
  ['epoch_us', 1e6],
] as const;

/**
 * How a column of whole numbers counts the time since 1970: it is named like a time, and all its
 * values are times of this century. undefined: they are numbers.
 */
export function epochFormat(name: string, sample: readonly Value[]): string | undefined {
  const values = sample.filter((value) => value !== null).map(Number);
  if (!isTimeName(name) || values.length === 0) return undefined;
  const isOf = (unit: number) => values.every((v) => v >= FIRST * unit && v < LAST * unit);
  return UNITS.find(([, unit]) => isOf(unit))?.[0];
}
