/** Instants and numbers of a segment as numbered buckets of a histogram. */
import type { NumericColumn } from '../../columnar/numeric-column.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import { type Coder, DENSE_CODES, slotFiller, slotReader, wideCoder } from '../count/coder.ts';
import { takeCodes } from '../loops/code-loops.ts';
import { loopsOf } from '../loops/compiled-loops.ts';
import type { BucketLine } from '../loops/loops.ts';
import { bucketOf } from './bucket-line.ts';
import { type ClockInterval, clockBucket } from './calendar.ts';
import { datePartCoder } from './date-part.ts';
import { floorTo, type HistogramLine, histogramLine, millisOf } from './histogram-line.ts';
import type { HistogramInterval } from './interval.ts';
import { numberCoder } from './number-buckets.ts';

const EXACT = 2n ** 50n;

/** The buckets of a histogram; null where no document of the segment has a value. */
export function histogramCoder(
  reader: SegmentReader,
  field: FieldPlan,
  interval: HistogramInterval,
): Coder | null {
  const column = reader.numeric(field.id);
  if (column === null || column.values === 0) return null;
  if (interval.kind === 'numbers') return numberCoder(column, interval.width);
  if (interval.kind === 'part') return datePartCoder(column, interval);
  const line = histogramLine(column, interval);
  if (line !== null && column.width < 4) return fewCodesCoder(column, line);
  if (line?.line) return lineCoder(column, line, line.line);
  if (interval.kind === 'calendar') return clockCoder(column, interval);
  return fixedCoder(column, interval.width);
}

/** Each code of 8 or 16 bits has its bucket. */
function fewCodesCoder(column: NumericColumn, { keys, starts }: HistogramLine): Coder {
  const codes = column.codes!;
  const { base, gcd, max } = column;
  const bucketOf = new Int32Array(Number((max - base) / gcd) + 1);
  for (let code = 0, bucket = 0; code < bucketOf.length; code++) {
    const value = base + gcd * BigInt(code);
    while (bucket + 1 < starts.length && value >= starts[bucket + 1]) bucket++;
    bucketOf[code] = bucket;
  }
  return {
    size: keys.length,
    ordered: true,
    read: slotReader(column, (slot) => bucketOf[codes[slot]]),
    fill: slotFiller(column, (docs, count, out) => {
      takeCodes(codes, docs, count, out);
      for (let i = 0; i < count; i++) out[i] = bucketOf[out[i]];
    }),
    key: (bucket) => keys[bucket],
    count(matches) {
      if (column.multi) return null;
      const { arena, present } = column;
      const counts = new Int32Array(keys.length);
      const values = loopsOf(arena).countCodes(codes, matches, present, bucketOf.length);
      for (let code = 0; code < values.length; code++) counts[bucketOf[code]] += values[code];
      return counts;
    },
  };
}

function lineCoder(column: NumericColumn, { keys }: HistogramLine, line: BucketLine): Coder {
  const bucketAt = bucketReader(column, line);
  return {
    size: keys.length,
    ordered: true,
    read: slotReader(column, bucketAt),
    fill: slotFiller(column, (docs, count, out) => {
      for (let i = 0; i < count; i++) out[i] = bucketAt(docs[i]);
    }),
    key: (bucket) => keys[bucket],
    count(matches) {
      if (column.multi) return null;
      const { arena, present, wide, codes } = column;
      const values = wide ?? (codes as Uint32Array);
      return loopsOf(arena).countBuckets(values, matches, present, line);
    },
  };
}

/** The bucket of a slot; without bigints where numbers are exact. */
function bucketReader(column: NumericColumn, line: BucketLine): (slot: number) => number {
  const { wide, codes, min, max } = column;
  if (wide === null) return (slot) => bucketOf(line, codes![slot]);
  if (!column.exact || max - min >= 2n ** 53n) return (slot) => bucketOf(line, wide[slot]);
  const { cells } = line;
  const first = Number(line.first);
  const cell = 2 ** -line.shift;
  const lasts = Float64Array.from(line.lasts as BigUint64Array, Number);
  return (slot) => {
    const x = column.numberAt(slot) - first;
    const bucket = cells[Math.floor(x * cell)];
    return x > lasts[bucket] ? bucket + 1 : bucket;
  };
}

/** Buckets of a fixed width that are too many for a line, or too narrow for a grid. */
function fixedCoder(column: NumericColumn, width: bigint): Coder {
  const { codes, base, gcd, max } = column;
  const first = floorTo(base, width);
  const [off, span] = [base - first, max - first];
  if (codes === null || span >= EXACT || span / width >= 2n ** 31n) {
    return wideCoder(column, (value) => floorTo(value, width));
  }
  // value = base + gcd x code lies in bucket floor((code x step + shift) / width) from the first.
  const unit = width % gcd === 0n && off % gcd === 0n ? gcd : 1n;
  const [step, shift] = [Number(gcd / unit), Number(off / unit)];
  const inverse = 1 / Number(width / unit);
  const bucketAt = (code: number) => Math.floor((code * step + shift + 0.5) * inverse);
  const size = Number(span / width) + 1;
  return {
    size,
    ordered: true,
    read: slotReader(column, (slot) => bucketAt(codes[slot])),
    fill: null,
    key: (code) => first + width * BigInt(code),
    count(matches) {
      if (column.multi || size > DENSE_CODES) return null;
      const counts = new Int32Array(size);
      forBoth(matches, column.present, (doc) => {
        counts[bucketAt(codes[doc])]++;
      });
      return counts;
    },
  };
}

function clockCoder(column: NumericColumn, interval: ClockInterval): Coder {
  const buckets = new ClockBuckets(interval);
  const millis = millisOf(column);
  return {
    size: Number.POSITIVE_INFINITY,
    ordered: false,
    read: slotReader(column, (slot) => buckets.of(millis(slot))),
    fill: null,
    key: (code) => BigInt(buckets.starts[code]) * 1000n,
    count: () => null,
  };
}

/** Buckets that were met, found again by bisection. Codes are given as they come. */
class ClockBuckets {
  /** By code. */
  readonly starts: number[] = [];
  readonly #interval: ClockInterval;
  /** Rising, side by side. */
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #codes: number[] = [];
  #last = 0;

  constructor(interval: ClockInterval) {
    this.#interval = interval;
  }

  /** The code of an instant's bucket (milliseconds). */
  of(instant: number): number {
    const last = this.#last;
    if (instant >= this.#from[last] && instant < this.#to[last]) return this.#codes[last];
    let low = 0;
    let high = this.#from.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#from[middle] <= instant) low = middle + 1;
      else high = middle;
    }
    this.#last = low > 0 && instant < this.#to[low - 1] ? low - 1 : this.#insert(low, instant);
    return this.#codes[this.#last];
  }

  #insert(at: number, instant: number): number {
    const { start, end } = clockBucket(instant, this.#interval);
    this.#from.splice(at, 0, start);
    this.#to.splice(at, 0, end);
    this.#codes.splice(at, 0, this.starts.push(start) - 1);
    return at;
  }
}

/** Calls `visit` with every document of both bitmaps. */
function forBoth(bits: Int32Array, present: Int32Array, visit: (doc: number) => void): void {
  for (let i = 0; i < bits.length; i++) {
    for (let word = bits[i] & present[i]; word !== 0; word &= word - 1) {
      visit((i << 5) + 31 - Math.clz32(word & -word));
    }
  }
}
