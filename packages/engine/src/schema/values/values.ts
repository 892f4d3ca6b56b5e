import { type Json, LhsError } from '@lakehouse-search/contract';
import { INEXACT, isInexact } from '@lakehouse-search/contract/internal';
import type { FieldType } from '../definition.ts';
import type { FieldPlan } from '../field-plan.ts';
import { formatDate, I64_MAX, I64_MIN, parseDate } from './date-value.ts';
import { comparedText } from './folded-keyword.ts';
import { formatIp, parseIp } from './ip-value.ts';

/** One value as structures hold it (field-block.ts): UTF-8 or 16 bytes, an i64, or a double. */
export type FieldValue =
  | { readonly kind: 'bytes'; readonly value: Uint8Array }
  | { readonly kind: 'long'; readonly value: bigint }
  | { readonly kind: 'double'; readonly value: number };

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What a text of `type` should look like, for messages. */
export const VALUE_SHAPES: Readonly<Record<FieldType, string>> = Object.freeze({
  TEXT: 'text',
  KEYWORD: 'text',
  LONG: 'an integer from -2^63 to 2^63 - 1',
  DOUBLE: 'a number',
  DATE: 'an ISO-8601 date ("2025-11-03", "2025-11-03T14:22:10Z") or epoch microseconds',
  IP: 'an IPv4 or IPv6 address',
  BOOL: 'true or false',
  VECTOR: 'a vector',
});

/**
 * The value that a query term or a range bound names for a field of `type`, or null when the text
 * is no such value (`VALUE_SHAPES[type]` says what was expected). KEYWORD and TEXT: the text's
 * UTF-8 bytes, unanalysed.
 */
export function parseFieldValue(type: FieldType, text: string): FieldValue | null {
  switch (type) {
    case 'TEXT':
    case 'KEYWORD':
      return { kind: 'bytes', value: encoder.encode(text) };
    case 'LONG':
      return long(parseLong(text));
    case 'DATE':
      return long(parseDate(text));
    case 'BOOL':
      return long(/^true$/i.test(text) ? 1n : /^false$/i.test(text) ? 0n : null);
    case 'DOUBLE': {
      const value = parseDouble(text);
      return value === null ? null : { kind: 'double', value };
    }
    case 'IP': {
      const value = parseIp(text);
      return value === null ? null : { kind: 'bytes', value };
    }
    case 'VECTOR':
      return null;
  }
}

function long(value: bigint | null): FieldValue | null {
  return value === null ? null : { kind: 'long', value };
}

/** A decimal integer within 64 bits, or null. */
export function parseLong(text: string): bigint | null {
  if (!/^[+-]?\d{1,40}$/.test(text)) return null;
  const value = BigInt(text.startsWith('+') ? text.slice(1) : text);
  return value >= I64_MIN && value <= I64_MAX ? value : null;
}

/**
 * A decimal number (`1`, `-2.5`, `.5`, `1e-3`) within the range of doubles, `NaN`, `Infinity` or
 * `-Infinity`, or null.
 */
export function parseDouble(text: string): number | null {
  if (text === 'NaN' || text === 'Infinity' || text === '-Infinity') return Number(text);
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text)) return null;
  const value = Number(text);
  return Number.isFinite(value) ? value : null;
}

/**
 * As `parseFieldValue`, for a value of a JSON request; null for arrays, objects, null and the
 * infinities that JSON makes of numbers beyond the range of doubles. Throws invalid_argument that
 * names the value by `path` if it is a whole number that JSON has rounded.
 */
export function jsonFieldValue(
  field: Pick<FieldPlan, 'type' | 'folded'>,
  json: Json,
  path: string,
): FieldValue | null {
  if (typeof json === 'object') return null;
  if (typeof json === 'number' && !Number.isFinite(json)) return null;
  if (field.type !== 'DOUBLE' && isInexact(json)) {
    throw new LhsError('invalid_argument', `"${path}" ${INEXACT}`);
  }
  return parseFieldValue(field.type, comparedText(field, String(json)));
}

/**
 * A field's value as it travels in `fields`, `sort` and buckets: DATE ISO-8601 with microseconds,
 * LONG a number or beyond 2^53 a string, DOUBLE a number or `"NaN"`, `"Infinity"`, `"-Infinity"`,
 * IP canonical text, BOOL a boolean.
 */
export function fieldValueToJson(
  type: FieldType,
  value: Uint8Array | bigint | number,
): string | number | boolean {
  switch (type) {
    case 'LONG':
      return longToJson(BigInt(value as bigint));
    case 'DATE':
      return formatDate(BigInt(value as bigint));
    case 'BOOL':
      return Number(value) !== 0;
    case 'DOUBLE':
      return doubleToJson(Number(value));
    case 'IP':
      return formatIp(value as Uint8Array);
    default:
      return decoder.decode(value as Uint8Array);
  }
}

/** A number where it is exact, else the decimal digits. */
export function longToJson(value: bigint): number | string {
  const exact = value >= -9_007_199_254_740_991n && value <= 9_007_199_254_740_991n;
  return exact ? Number(value) : String(value);
}

/** JSON has no NaN and no infinities: those travel as strings. */
export function doubleToJson(value: number): number | string {
  return Number.isFinite(value) ? value : String(value);
}
