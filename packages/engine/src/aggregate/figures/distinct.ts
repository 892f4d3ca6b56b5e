import { LIMITS } from '../../base/limits.ts';
import type { BucketKey } from '../bucket-key.ts';
import { addToRegisters, estimate, mergeRegisters, REGISTERS } from './hyperloglog.ts';

/** Distinct values: kept as they are up to a bound, then as registers (hyperloglog.ts). */
export interface Distinct {
  values: Set<BucketKey> | null;
  registers: Uint8Array | null;
}

export const noDistinct = (): Distinct => ({ values: new Set(), registers: null });

/** Notes a value. */
export function addDistinct(into: Distinct, value: BucketKey): void {
  if (into.values === null) {
    addToRegisters(into.registers!, value);
    return;
  }
  into.values.add(value);
  if (into.values.size > LIMITS.aggExactValues) toRegisters(into);
}

/** into = what both have seen. */
export function mergeDistinct(into: Distinct, other: Distinct): void {
  if (other.values !== null) {
    for (const value of other.values) addDistinct(into, value);
    return;
  }
  toRegisters(into);
  mergeRegisters(into.registers!, other.registers!);
}

function toRegisters(distinct: Distinct): void {
  if (distinct.values === null) return;
  const registers = new Uint8Array(REGISTERS);
  for (const value of distinct.values) addToRegisters(registers, value);
  distinct.registers = registers;
  distinct.values = null;
}

/** The number of distinct values: exact, or estimated. */
export const distinctCount = ({ values, registers }: Distinct): number =>
  values === null ? estimate(registers!) : values.size;
