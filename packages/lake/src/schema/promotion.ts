import type { Type, Value } from './type.ts';

/**
 * Type promotion: files written under an older type, read under a wider one (format/spec.md,
 * "Schema Evolution").
 */

/**
 * Whether a file column of type `from` may be read as `to` (equal types, or an allowed promotion).
 * Primitive types only.
 */
export function canPromote(from: Type, to: Type): boolean {
  if (from.kind === to.kind) return sameShape(from, to);
  switch (from.kind) {
    case 'unknown':
      return true;
    case 'int':
      return to.kind === 'long';
    case 'float':
      return to.kind === 'double';
    case 'date':
      return to.kind === 'timestamp' || to.kind === 'timestamp_ns';
    default:
      return false;
  }
}

function sameShape(from: Type, to: Type): boolean {
  if (from.kind === 'decimal' && to.kind === 'decimal') {
    return from.scale === to.scale && from.precision <= to.precision;
  }
  if (from.kind === 'fixed' && to.kind === 'fixed') return from.length === to.length;
  return true;
}

/** A value of type `from` as a value of type `to`. `canPromote(from, to)` must hold. */
export function promote(from: Type, to: Type, value: Value): Value {
  if (value === null || from.kind === to.kind) return value;
  switch (from.kind) {
    case 'unknown':
      return null;
    case 'int':
      return BigInt(value as number);
    case 'date':
      return BigInt(value as number) * (to.kind === 'timestamp_ns' ? DAY_NS : DAY_US);
    default:
      return value;
  }
}

const DAY_US = 86_400_000_000n;
const DAY_NS = 86_400_000_000_000n;
