/** Instants of a segment as numbered buckets of time. */
import type { NumericColumn } from '../columnar/numeric-column.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import type { Aggregation } from './aggregation.ts';
import { type CalendarUnit, calendarBucket, type OffsetAt, zoneOffsets } from './calendar.ts';
import { type Coder, DENSE_CODES, slotReader, wideCoder } from './coder.ts';
import { countCodes, countSteps32 } from './count-codes.ts';

const EXACT = 2 ** 50;

/** The buckets of a date histogram; null where no document of the segment has a value. */
export function histogramCoder(
  reader: SegmentReader,
  { field, interval }: Extract<Aggregation, { readonly kind: 'date_histogram' }>,
): Coder | null {
  const column = reader.numeric(field.id);
  if (column === null || column.values === 0) return null;
  if (interval.kind === 'calendar') return calendarCoder(column, interval.unit, interval.zone);
  return fixedCoder(column, interval.micros);
}

/**
 * value = base + gcd x code lies in bucket floor(value / width). From the first bucket of the column
 * that is floor((code x step + shift) / width), in units of gcd where it divides all.
 */
function fixedCoder(column: NumericColumn, width: bigint): Coder {
  const { codes, base, gcd, max } = column;
  const first = floorTo(base, width);
  const [off, span] = [base - first, max - first];
  if (codes === null || span >= BigInt(EXACT) || span / width >= 2n ** 31n) {
    return wideCoder(column, (value) => floorTo(value, width));
  }
  const unit = width % gcd === 0n && off % gcd === 0n ? gcd : 1n;
  const [step, shift] = [Number(gcd / unit), Number(off / unit)];
  const inverse = 1 / Number(width / unit);
  const bucketOf = (code: number) => Math.floor((code * step + shift + 0.5) * inverse);
  const size = Number(span / width) + 1;
  return {
    size,
    ordered: true,
    read: slotReader(column, (slot) => bucketOf(codes[slot])),
    key: (code) => first + width * BigInt(code),
    count(matches) {
      if (column.multi || size > DENSE_CODES) return null;
      if (codes instanceof Uint32Array) {
        return countSteps32(codes, matches, column.present, { step, shift, inverse }, size);
      }
      const values = Number((max - base) / gcd) + 1;
      const counts = new Int32Array(size);
      countCodes(codes, matches, column.present, values).forEach((count, code) => {
        counts[bucketOf(code)] += count;
      });
      return counts;
    },
  };
}

function calendarCoder(column: NumericColumn, unit: CalendarUnit, zone: string): Coder {
  const buckets = new CalendarBuckets(unit, zoneOffsets(zone)!);
  const { codes, wide, base, gcd } = column;
  const slow = (slot: number) =>
    Number(floorTo(wide?.[slot] ?? base + gcd * BigInt(codes![slot]), 1000n) / 1000n);
  const fast = (slot: number) => Math.floor(column.numberAt(slot) / 1000);
  const millis = column.exact ? fast : slow;
  return {
    size: Number.POSITIVE_INFINITY,
    ordered: false,
    read: slotReader(column, (slot) => buckets.of(millis(slot))),
    key: (code) => BigInt(buckets.starts[code]) * 1000n,
    count: () => null,
  };
}

/** Calendar buckets that were met, found again by bisection. Codes are given as they come. */
class CalendarBuckets {
  /** By code. */
  readonly starts: number[] = [];
  readonly #unit: CalendarUnit;
  readonly #offsetAt: OffsetAt;
  /** Rising, side by side. */
  readonly #from: number[] = [];
  readonly #to: number[] = [];
  readonly #codes: number[] = [];
  #last = 0;

  constructor(unit: CalendarUnit, offsetAt: OffsetAt) {
    this.#unit = unit;
    this.#offsetAt = offsetAt;
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
    const { start, end } = calendarBucket(instant, this.#unit, this.#offsetAt);
    this.#from.splice(at, 0, start);
    this.#to.splice(at, 0, end);
    this.#codes.splice(at, 0, this.starts.push(start) - 1);
    return at;
  }
}

/** The greatest multiple of `width` that is not above `value`. */
export function floorTo(value: bigint, width: bigint): bigint {
  const rest = value % width;
  return rest < 0n ? value - rest - width : value - rest;
}
