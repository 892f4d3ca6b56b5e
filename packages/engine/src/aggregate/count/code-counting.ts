/** Documents of some segments by owner and code of a field. */

import { LIMITS } from '../../base/limits.ts';
import type { BucketKey } from '../bucket-key.ts';
import { type LimitOfBuckets, tooMany } from '../bucket-limit.ts';
import type { SegmentPart } from '../segment-collector.ts';
import type { MissingCount, PartCounts } from './choose-buckets.ts';
import type { CodeCounter } from './code-counter.ts';
import type { FieldValues } from './coder.ts';
import { DenseCounter } from './dense-counter.ts';
import { NumberedCounter, SortedCounter } from './sparse-counters.ts';

/** Pairs of owner and code that are counted in one array: 16 MiB. */
const DENSE_PAIRS = 1 << 22;
/** Codes of one owner that are counted in an array: 64 MiB. */
const DENSE_CODES = 1 << 24;
/** Ratio of codes to documents above which sorting is faster than an array. */
const SPARSE = 16;
const FEW_CODES = 1024;

/** The codes to count. */
export interface CountedCodes {
  /** The aggregation, for messages. */
  readonly name: string;
  /** Documents without a value are counted too. */
  readonly missing?: boolean;
  /** The limit on buckets; absent: that of nested ones. */
  readonly limit?: LimitOfBuckets;
}

/** A counter for each segment. */
export class CodeCounting {
  readonly collectors: readonly CodeCounter[];
  readonly #values: readonly (FieldValues | null)[];

  /** Counts for all owners at once; null if there are too many pairs of owner and code. */
  static of(
    parts: readonly SegmentPart[],
    values: readonly (FieldValues | null)[],
    owners: number,
    counted: CountedCodes,
  ): CodeCounting | null {
    if (owners > 1 && values.some((own) => !fits(own, owners))) return null;
    return new CodeCounting(parts, values, owners, counted);
  }

  private constructor(
    parts: readonly SegmentPart[],
    values: readonly (FieldValues | null)[],
    owners: number,
    counted: CountedCodes,
  ) {
    this.#values = values;
    this.collectors = parts.map(({ count }, i) => counterOf(values[i], owners, count, counted));
  }

  /** The counts of an owner by segment. */
  counted(owner: number): readonly PartCounts[] {
    return this.collectors.flatMap((counter, part): PartCounts[] => {
      const values = this.#values[part];
      return values === null ? [] : [{ part, values, counts: counter.counts(owner) }];
    });
  }

  /** The documents of an owner without a value, under a key. */
  missing(owner: number, key: BucketKey): MissingCount | null {
    const parts: number[] = [];
    let count = 0;
    this.collectors.forEach((counter, part) => {
      const own = counter.missing(owner);
      count += own;
      if (own > 0) parts.push(part);
    });
    return count === 0 ? null : { key, count, parts };
  }
}

function fits(values: FieldValues | null, owners: number): boolean {
  if (values === null) return true;
  const { coder } = values;
  return coder !== null && (!coder.ordered || owners * coder.size <= DENSE_PAIRS);
}

function counterOf(
  values: FieldValues | null,
  owners: number,
  count: number,
  { name, missing = false, limit = 'aggNestedBuckets' }: CountedCodes,
): CodeCounter {
  if (values === null) return new DenseCounter(null, owners, missing);
  const { coder } = values;
  if (coder !== null && !coder.ordered) {
    return new NumberedCounter(coder, LIMITS[limit], () => tooMany(name, limit));
  }
  const sparse = coder !== null && coder.size > Math.max(FEW_CODES, SPARSE * count);
  if (coder === null || (owners === 1 && (sparse || coder.size > DENSE_CODES))) {
    return new SortedCounter(values, missing, count);
  }
  return new DenseCounter(coder, owners, missing);
}
