/** The buckets of a histogram over a column of whole numbers, all of them at once where they are not many. */
import type { CalendarUnit } from '@lakehouse-search/contract';
import type { NumericColumn } from '../../columnar/numeric-column.ts';
import type { BucketLine } from '../loops/loops.ts';
import { bucketLine, LINE_BUCKETS } from './bucket-line.ts';
import { type ClockInterval, clockBucket } from './calendar.ts';
import type { HistogramInterval } from './interval.ts';

/** Buckets from the one of a column's least value to the one of its greatest. */
export interface HistogramLine {
  /** By bucket: what it is called, and from which value on it reaches. */
  readonly keys: readonly bigint[];
  readonly starts: readonly bigint[];
  /** Null for columns of few codes, and where a grid does not do. */
  readonly line: BucketLine | null;
}

/** An interval over whole numbers. */
type LineInterval = Exclude<HistogramInterval, { readonly kind: 'numbers' | 'part' }>;

/** Lines that are kept for a column. */
const CACHED_LINES = 8;
/** About the shortest of each unit. */
const MICROS: Readonly<Record<CalendarUnit, bigint>> = {
  minute: 60_000_000n,
  hour: 3_600_000_000n,
  day: 82_800_000_000n,
  week: 604_800_000_000n,
  month: 2_419_200_000_000n,
  quarter: 7_776_000_000_000n,
  year: 31_536_000_000_000n,
  decade: 315_532_800_000_000n,
};

const lines = new WeakMap<NumericColumn, Map<string, HistogramLine | null>>();

/**
 * The line of an interval over a column with values; null where it has more buckets than are worth
 * their making.
 */
export function histogramLine(column: NumericColumn, interval: LineInterval): HistogramLine | null {
  const cached = lines.get(column) ?? new Map<string, HistogramLine | null>();
  lines.set(column, cached);
  const name =
    interval.kind === 'fixed'
      ? `${interval.width}`
      : `${interval.unit} ${interval.zone} ${interval.offset}`;
  let line = cached.get(name);
  if (line === undefined) {
    if (cached.size >= CACHED_LINES) cached.clear();
    cached.set(name, (line = makeLine(column, interval)));
  }
  return line;
}

function makeLine(column: NumericColumn, interval: LineInterval): HistogramLine | null {
  const width = interval.kind === 'fixed' ? interval.width : microsOf(interval);
  const buckets = (column.max - column.min) / width + 2n;
  if (buckets > LINE_BUCKETS || buckets > 1024 + column.values) return null;
  const made =
    interval.kind === 'fixed' ? fixedStarts(column, interval.width) : clockStarts(column, interval);
  return { ...made, line: column.width < 4 ? null : bucketLine(column, made.starts) };
}

const microsOf = ({ unit }: ClockInterval): bigint =>
  typeof unit === 'number' ? BigInt(unit) * 1000n : MICROS[unit];

function fixedStarts({ min, max }: NumericColumn, width: bigint) {
  const starts: bigint[] = [];
  for (let start = floorTo(min, width); start <= max; start += width) starts.push(start);
  return { keys: starts, starts };
}

function clockStarts({ min, max }: NumericColumn, interval: ClockInterval) {
  const keys: bigint[] = [];
  const starts: bigint[] = [];
  let from = min;
  while (from <= max) {
    const instant = Number(floorTo(from, 1000n) / 1000n);
    const { start, end } = clockBucket(instant, interval);
    keys.push(BigInt(start) * 1000n);
    // Where a clock was set back the bucket before may end after this one's start.
    starts.push(starts.length === 0 ? BigInt(start) * 1000n : from);
    from = BigInt(end) * 1000n;
  }
  return { keys, starts };
}

/** The greatest multiple of `width` that is not above `value`. */
export function floorTo(value: bigint, width: bigint): bigint {
  const rest = value % width;
  return rest < 0n ? value - rest - width : value - rest;
}

/** The instant of a slot in milliseconds, rounded down. */
export function millisOf(column: NumericColumn): (slot: number) => number {
  if (column.exact) return (slot) => Math.floor(column.numberAt(slot) / 1000);
  const { codes, wide, base, gcd } = column;
  return (slot) =>
    Number(floorTo(wide?.[slot] ?? base + gcd * BigInt(codes![slot]), 1000n) / 1000n);
}
