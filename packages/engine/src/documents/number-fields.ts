import type { ColumnVector, Type } from '@lakehouse-search/lake';
import type { FieldBlock } from '../schema/field-block.ts';
import type { MappedField } from '../schema/mapping.ts';
import { presentRows, startsOf } from './vectors/vector-values.ts';

type NumberVector = Exclude<ColumnVector, { kind: 'utf8' } | { kind: 'values' }>;

/** Microseconds of one unit of a DATE's column, as multiplier or divisor. */
export interface DateScale {
  readonly multiply: bigint;
  readonly divide: bigint;
}

/** How a column of `type` counts time, for a DATE field. */
export function dateScale(type: Type, format: string | undefined): DateScale {
  if (type.kind === 'date') return { multiply: 86_400_000_000n, divide: 1n };
  if (type.kind === 'timestamp_ns' || type.kind === 'timestamptz_ns') {
    return { multiply: 1n, divide: 1000n };
  }
  if (format === 'epoch_s') return { multiply: 1_000_000n, divide: 1n };
  if (format === 'epoch_ms') return { multiply: 1000n, divide: 1n };
  return { multiply: 1n, divide: 1n };
}

/** Microseconds of `value` units, rounded down; beyond 64 bits the nearest end of the range. */
export function toMicros(value: bigint, { multiply, divide }: DateScale): bigint {
  const scaled = value * multiply;
  if (divide === 1n) return clamp(scaled);
  const whole = scaled / divide;
  return clamp(scaled < 0n && whole * divide !== scaled ? whole - 1n : whole);
}

function clamp(value: bigint): bigint {
  if (BigInt.asIntN(64, value) === value) return value;
  return value < 0n ? -(2n ** 63n) : 2n ** 63n - 1n;
}

/**
 * LONG, DATE and BOOL fields of a fixed-width column; NULLs are left out. 64-bit columns without
 * NULLs are shared.
 */
export function longsOfColumn(
  field: MappedField,
  vector: NumberVector,
  type: Type,
  rows: number,
): FieldBlock {
  const scale = field.plan.type === 'DATE' ? dateScale(type, field.definition?.format) : null;
  const asIs = scale === null || (scale.multiply === 1n && scale.divide === 1n);
  const present = presentRows(vector.nulls, rows);
  const starts = startsOf(present, rows);
  if (vector.kind === 'int64' && asIs && present === null) {
    return { kind: 'long', starts, values: vector.values.subarray(0, rows) };
  }
  const count = present?.length ?? rows;
  const values = new BigInt64Array(count);
  for (let i = 0; i < count; i++) {
    const value = vector.values[present === null ? i : present[i]];
    const wide = typeof value === 'bigint' ? value : BigInt(value);
    values[i] = asIs ? wide : toMicros(wide, scale);
  }
  return { kind: 'long', starts, values };
}

/** DOUBLE fields of a fixed-width column. 64-bit integers beyond 2^53 become the nearest double. */
export function doublesOfColumn(vector: NumberVector, rows: number): FieldBlock {
  const present = presentRows(vector.nulls, rows);
  const starts = startsOf(present, rows);
  if (vector.kind === 'float64' && present === null) {
    return { kind: 'double', starts, values: vector.values.subarray(0, rows) };
  }
  const count = present?.length ?? rows;
  const values = new Float64Array(count);
  for (let i = 0; i < count; i++) {
    values[i] = Number(vector.values[present === null ? i : present[i]]);
  }
  return { kind: 'double', starts, values };
}
