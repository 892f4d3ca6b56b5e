import type { DoubleSum } from './exact-sum.ts';

/** Count, sum and bounds of 64-bit values. The bounds mean nothing if the count is 0. */
export interface WideSums {
  readonly count: number;
  readonly sum: bigint;
  readonly min: bigint;
  readonly max: bigint;
}

/** The same for doubles; the bounds are ordered integers (base/arrays/ordered-double.ts). */
export interface DoubleSums {
  readonly count: number;
  readonly sum: DoubleSum;
  readonly min: bigint;
  readonly max: bigint;
}

/**
 * Buckets next to one another on a line of codes, or of 64-bit values less `first`: x lies in the
 * bucket cells[x >> shift] or in the next one, if x is above lasts[bucket]. `lasts`: the last x of
 * each bucket; the very last bucket has no end.
 */
export interface BucketLine {
  readonly first: bigint;
  readonly shift: number;
  readonly cells: Int32Array;
  readonly lasts: Uint32Array | BigUint64Array;
}
