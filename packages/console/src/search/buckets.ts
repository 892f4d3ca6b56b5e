/** Bars of a histogram: their width, their bounds, and the bars that no document is in. */
import type { AggSpec, FieldDescription } from '@lakehouse-search/contract';

/** Bars of a histogram, at most. */
const MOST_BARS = 60;
const SECOND = 1e6;
const DAY = 86_400 * SECOND;

/** How the values of a field are cut: the aggregation, and the value where the next bar begins. */
export interface Cut {
  readonly agg: AggSpec;
  readonly next: (from: number) => number;
}

/** A bar: documents with a value from `from` to below `to`. Dates are microseconds since 1970. */
export interface Bar {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

const FIXED = ['1s', '5s', '15s', '1m', '5m', '15m', '1h', '3h', '12h'] as const;
const UNITS = { s: SECOND, m: 60 * SECOND, h: 3600 * SECOND } as const;
const CALENDAR = [
  ['day', DAY],
  ['week', 7 * DAY],
  ['month', 30 * DAY],
  ['quarter', 91 * DAY],
  ['year', 365 * DAY],
  ['decade', 3652 * DAY],
] as const;
const MONTHS = { month: 1, quarter: 3, year: 12, decade: 120 } as const;

/** The narrowest cut of a field between two values that makes at most 60 bars. */
export function cutOf({ name: field, type }: FieldDescription, least: number, most: number): Cut {
  return type === 'DATE' ? dateCut(field, most - least) : numberCut(field, most - least, type);
}

function dateCut(field: string, span: number): Cut {
  for (const fixed_interval of FIXED) {
    const [, n, unit] = /^(\d+)(\w)$/.exec(fixed_interval)!;
    const width = Number(n) * UNITS[unit as keyof typeof UNITS];
    if (span / width > MOST_BARS) continue;
    return { agg: { date_histogram: { field, fixed_interval } }, next: (from) => from + width };
  }
  const [calendar_interval, width] =
    CALENDAR.find(([, size]) => span / size <= MOST_BARS) ?? CALENDAR[CALENDAR.length - 1];
  const agg = { date_histogram: { field, calendar_interval } };
  if (calendar_interval === 'day' || calendar_interval === 'week') {
    return { agg, next: (from) => from + width };
  }
  return { agg, next: (from) => monthsLater(from, MONTHS[calendar_interval]) };
}

function monthsLater(from: number, months: number): number {
  const date = new Date(from / 1000);
  return date.setUTCMonth(date.getUTCMonth() + months) * 1000;
}

function numberCut(field: string, span: number, type: string): Cut {
  const rough = Math.max(span / MOST_BARS, Number.MIN_VALUE);
  const ten = 10 ** Math.floor(Math.log10(rough));
  const nice = [1, 2, 5, 10].map((n) => n * ten).find((width) => span / width <= MOST_BARS)!;
  const interval = type === 'LONG' ? Math.max(1, Math.round(nice)) : nice;
  return { agg: { histogram: { field, interval } }, next: (from) => from + interval };
}

/** The bars of counted buckets; between two of them also those without documents. */
export function barsOf(
  buckets: readonly { readonly key: number; readonly doc_count: number }[],
  { next }: Cut,
): readonly Bar[] {
  const bars: Bar[] = [];
  for (const { key, doc_count } of buckets) {
    for (let from = bars.at(-1)?.to ?? key; from < key && bars.length <= 4 * MOST_BARS; ) {
      bars.push({ from, to: next(from), count: 0 });
      from = next(from);
    }
    bars.push({ from: key, to: next(key), count: doc_count });
  }
  return bars;
}

/** A bound of a bar as a query has it: an instant, or the number. */
export const boundOf = (value: number, type: string): string =>
  type === 'DATE' ? new Date(value / 1000).toISOString().replace('.000Z', 'Z') : String(value);
