import { compareValues } from './compare.ts';
import { decodeSingleValue } from './single-value.ts';
import type { Type, Value } from './type.ts';

/**
 * Bounds of a column as a manifest or a page index records them. Nobody has compared them with the
 * rows, so they are used only if they do not contradict themselves.
 */
export interface Bounds {
  readonly lower?: Value;
  readonly upper?: Value;
}

/** No bound at all. */
export const NO_BOUNDS: Bounds = Object.freeze({});

/** Both bounds, or none if they are inverted or NaN. */
export function usableBounds(lower: Value | undefined, upper: Value | undefined): Bounds {
  const [low, high] = [notNaN(lower), notNaN(upper)];
  if (low !== undefined && high !== undefined && compareValues(low, high) > 0) return NO_BOUNDS;
  return { lower: low, upper: high };
}

function notNaN(value: Value | undefined): Value | undefined {
  return value === null || Number.isNaN(value) ? undefined : value;
}

/** The usable bounds in two single values (format/spec.md, Appendix D). */
export function decodeBounds(
  type: Type,
  lower: Uint8Array | undefined,
  upper: Uint8Array | undefined,
): Bounds {
  return usableBounds(
    lower && decodeSingleValue(type, lower),
    upper && decodeSingleValue(type, upper),
  );
}

/**
 * The order of a value and an upper bound. A text or byte string that begins with the bound counts
 * as smaller: some writers cut a bound without raising its end.
 */
export function compareToUpper(value: Value, upper: Value): number {
  return startsWith(value, upper) ? -1 : compareValues(value, upper);
}

function startsWith(value: Value, upper: Value): boolean {
  if (typeof value === 'string') return value.startsWith(upper as string);
  if (!(value instanceof Uint8Array)) return false;
  const bytes = upper as Uint8Array;
  return Buffer.compare(value.subarray(0, bytes.length), bytes) === 0;
}

/** Whether a value may be among values with these bounds. */
export function admits({ lower, upper }: Bounds, value: Value): boolean {
  if (lower !== undefined && compareValues(value, lower) < 0) return false;
  return upper === undefined || compareToUpper(value, upper) <= 0;
}
