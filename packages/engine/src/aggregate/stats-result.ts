import type { StatsResult } from '@lakehouse-search/contract';
import { doubleFromOrdered } from '../base/ordered-double.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { doubleToJson, longToJson } from '../schema/values.ts';
import { doubleSum } from './exact-sum.ts';
import type { StatsPartial } from './partial.ts';

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
