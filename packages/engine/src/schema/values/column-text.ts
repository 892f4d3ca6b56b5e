import type { Type, Value } from '@lakehouse-search/lake';
import {
  formatDay,
  formatTime,
  formatTimestamp,
  I64_MAX,
  I64_MIN,
  parseDate,
} from './date-value.ts';
import { parseDouble, parseLong } from './values.ts';

/**
 * The canonical text of a column's value, as it stands in coordinates: integers in decimal, strings
 * as they are, date `YYYY-MM-DD`, time `HH:MM:SS.ffffff`, timestamps ISO-8601 with six digits (nine
 * for nanoseconds) and `Z` where zoned, decimals with their full scale, uuid in lower case, binary
 * as base64, floats as the shortest text that reads back. `value` is not null and of `type`, which
 * has a canonical text.
 */
export function columnText(type: Type, value: Value): string {
  switch (type.kind) {
    case 'date':
      return formatDay(value as number);
    case 'time':
      return formatTime(value as bigint, 6);
    case 'timestamp':
      return formatTimestamp(value as bigint, 6);
    case 'timestamptz':
      return `${formatTimestamp(value as bigint, 6)}Z`;
    case 'timestamp_ns':
      return formatTimestamp(value as bigint, 9);
    case 'timestamptz_ns':
      return `${formatTimestamp(value as bigint, 9)}Z`;
    case 'decimal':
      return scaledText(value as bigint, type.scale);
    case 'binary':
    case 'fixed':
      return Buffer.from(value as Uint8Array).toString('base64');
    case 'float':
    case 'double':
      return Object.is(value, -0) ? '-0' : String(value);
    default:
      return String(value);
  }
}

function scaledText(unscaled: bigint, scale: number): string {
  if (scale === 0) return String(unscaled);
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const text = `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return unscaled < 0n ? `-${text}` : text;
}

/**
 * The value whose canonical text is `text`, or null where no value of the type has that text.
 * Inverse of `columnText`.
 */
export function parseColumnText(type: Type, text: string): Value {
  const value = looseColumnValue(type, text);
  return value !== null && columnText(type, value) === text ? value : null;
}

function looseColumnValue(type: Type, text: string): Value {
  switch (type.kind) {
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : null;
    case 'int': {
      const value = parseLong(text);
      return value !== null && BigInt.asIntN(32, value) === value ? Number(value) : null;
    }
    case 'long':
      return parseLong(text);
    case 'float':
    case 'double':
      return parseDouble(text);
    case 'date': {
      const micros = text.includes('-') && !/^-?\d+$/.test(text) ? parseDate(text) : null;
      return micros === null ? null : Number(micros / 86_400_000_000n);
    }
    case 'time':
      return parseTime(text);
    case 'timestamp':
    case 'timestamptz':
      return /T/.test(text) ? parseDate(text) : null;
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return parseNanos(text);
    case 'decimal':
      return parseDecimal(text, type.scale);
    case 'binary':
    case 'fixed':
      return new Uint8Array(Buffer.from(text, 'base64'));
    case 'string':
      return text;
    case 'uuid':
      return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text) ? text : null;
    default:
      return null;
  }
}

function parseTime(text: string): bigint | null {
  const instant = /^\d\d:\d\d:\d\d\.\d{6}$/.test(text) ? parseDate(`1970-01-01T${text}`) : null;
  return instant;
}

function parseNanos(text: string): bigint | null {
  const match = /^(.*T\d\d:\d\d:\d\d)\.(\d{9})(Z?)$/.exec(text);
  const seconds = match === null ? null : parseDate(match[1]);
  if (match === null || seconds === null) return null;
  const nanos = seconds * 1000n + BigInt(match[2]);
  return nanos >= I64_MIN && nanos <= I64_MAX ? nanos : null;
}

function parseDecimal(text: string, scale: number): bigint | null {
  const match = /^(-?)(\d{1,38})(?:\.(\d{1,38}))?$/.exec(text);
  if (match === null || (match[3]?.length ?? 0) !== scale) return null;
  const unscaled = BigInt(match[2] + (match[3] ?? ''));
  return match[1] === '-' ? -unscaled : unscaled;
}
