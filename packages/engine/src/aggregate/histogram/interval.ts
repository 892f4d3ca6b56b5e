/** Intervals of histograms. */
import type { DatePart } from '@lakehouse-search/contract';
import type { ClockInterval } from './calendar.ts';

/**
 * How values fall into buckets. `fixed`: whole numbers (LONG; DATE in microseconds). `numbers`:
 * DOUBLE, whose buckets are numbered from the one that begins at 0 (number-buckets.ts).
 */
export type HistogramInterval =
  | { readonly kind: 'fixed'; readonly width: bigint }
  | { readonly kind: 'numbers'; readonly width: number }
  | ({ readonly kind: 'calendar' } & ClockInterval)
  /** Buckets are numbered as the part is: 0 to 23, 1 to 7, and so on. */
  | { readonly kind: 'part'; readonly part: DatePart; readonly zone: string };

/** Units of a fixed interval in microseconds. Days and weeks are of 24 and 168 hours. */
const UNITS: Readonly<Record<string, bigint>> = {
  us: 1n,
  ms: 1000n,
  s: 1_000_000n,
  m: 60_000_000n,
  h: 3_600_000_000n,
  d: 86_400_000_000n,
  w: 604_800_000_000n,
};
const WORDS: Readonly<Record<string, string>> = {
  microsecond: 'us',
  millisecond: 'ms',
  second: 's',
  sec: 's',
  minute: 'm',
  min: 'm',
  hour: 'h',
  day: 'd',
  week: 'w',
};
/** About 29,000 years: more than a column's 64 bits of microseconds need. */
const LONGEST = 2n ** 53n * 100n;

/**
 * Microseconds of `1h`, `90m`, `30s`, `500ms`, `1 day`, `2 weeks`, or null where the text is no
 * such duration (at least 1 µs). Short units are lower case: `1M` would be a month elsewhere.
 */
export function parseInterval(text: string): bigint | null {
  const [, digits, name] = /^\s*(\d{1,15})\s*([a-z]+)\s*$/i.exec(text) ?? [];
  if (digits === undefined) return null;
  const unit = UNITS[name] ?? UNITS[WORDS[name.toLowerCase().replace(/s$/, '')] ?? ''];
  if (unit === undefined) return null;
  const micros = BigInt(digits) * unit;
  return micros >= 1n && micros <= LONGEST ? micros : null;
}

const CALENDAR: Readonly<Record<string, string>> = { M: 'month', q: 'quarter', y: 'year' };

/** What to write instead of a text that is no fixed interval; undefined: nothing is near. */
export function intervalHint(text: string): string | undefined {
  const name = /^\s*\d+\s*([a-z]+)\s*$/i.exec(text)?.[1] ?? '';
  const word = name.toLowerCase().replace(/s$/, '');
  const unit = CALENDAR[name] ?? Object.values(CALENDAR).find((own) => own === word);
  if (unit !== undefined) {
    return `a ${unit} has no fixed length: take "calendar_interval": "${unit}"`;
  }
  const lower = text.toLowerCase();
  return parseInterval(lower) === null ? undefined : `did you mean "${lower}"?`;
}
