/** Count, sum and bounds of a field. */
import type { StatsResult } from '@lakehouse-search/contract';
import { doubleFromOrdered } from '../../base/arrays/ordered-double.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { doubleToJson, longToJson } from '../../schema/values/values.ts';
import { addDouble, type DoubleSum, doubleSum } from '../loops/exact-sum.ts';

/** Sum, least and greatest value in the column's ordered space; null: no value. */
export interface StatsPartial {
  count: number;
  min: bigint | null;
  max: bigint | null;
  /** Integers. */
  whole: bigint;
  /** Doubles. */
  double: DoubleSum;
}

/** The stats of no value. */
export const noStats = (): StatsPartial => ({
  count: 0,
  min: null,
  max: null,
  whole: 0n,
  double: { sum: 0, compensation: 0 },
});

/** Merges `other` into `into`. */
export function mergeStats(into: StatsPartial, other: StatsPartial): void {
  into.count += other.count;
  if (into.min === null || (other.min !== null && other.min < into.min)) into.min = other.min;
  if (into.max === null || (other.max !== null && other.max > into.max)) into.max = other.max;
  into.whole += other.whole;
  addDouble(into.double, other.double.sum);
  addDouble(into.double, other.double.compensation);
}

/** The figures of a field. */
export function statsResult(field: FieldPlan, stats: StatsPartial): StatsResult {
  const { count, min, max, whole } = stats;
  if (field.type === 'DOUBLE') {
    const sum = doubleSum(stats.double);
    const bound = (value: bigint | null) =>
      value === null ? null : doubleToJson(doubleFromOrdered(value));
    const avg = count === 0 ? null : doubleToJson(sum / count);
    return { count, min: bound(min), max: bound(max), sum: doubleToJson(sum), avg };
  }
  const bound = (value: bigint | null) => (value === null ? null : longToJson(value));
  const avg = count === 0 ? null : average(whole, BigInt(count));
  return { count, min: bound(min), max: bound(max), sum: longToJson(whole), avg };
}

/** A quotient of integers as the nearest double or its neighbour, however large they are. */
function average(sum: bigint, count: bigint): number {
  return Number(sum / count) + Number(sum % count) / Number(count);
}
