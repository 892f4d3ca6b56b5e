import type { JsonValue } from '../base/json.ts';
import { formatDate, formatTime, formatTimestamp } from './civil-time.ts';
import { formatDecimal } from './decimal.ts';
import {
  type MapValue,
  type StructValue,
  type Type,
  type Value,
  type VariantNode,
  VariantValue,
} from './type.ts';

/**
 * Values as people and programs see them in JSON: longs beyond 2^53 as strings, decimals as
 * strings at full scale, dates and times in ISO-8601 (6 fraction digits, 9 for nanoseconds, Z
 * if zoned), binary as base64, NaN and infinities as strings, structs as objects, maps as
 * arrays of {key, value}, variants as their JSON. -0 stays a number.
 */
export function valueToJson(type: Type, value: Value): JsonValue {
  if (value === null || value === undefined) return null;
  switch (type.kind) {
    case 'long':
      return longToJson(value as bigint);
    case 'float':
    case 'double':
      return doubleToJson(value as number);
    case 'date':
      return formatDate(value as number);
    case 'time':
      return formatTime(value as bigint);
    case 'timestamp':
    case 'timestamptz':
      return formatTimestamp(value as bigint, 6, type.kind === 'timestamptz');
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return formatTimestamp(value as bigint, 9, type.kind === 'timestamptz_ns');
    case 'decimal':
      return formatDecimal(value as bigint, type.scale);
    case 'binary':
    case 'fixed':
      return bytesToJson(value as Uint8Array);
    case 'variant':
      return value instanceof VariantValue ? variantToJson(value.node) : null;
    case 'unknown':
      return null;
    case 'list':
      return (value as readonly Value[]).map((item) => valueToJson(type.element, item));
    case 'map':
      return (value as MapValue).entries.map(([k, v]) => ({
        key: valueToJson(type.key, k),
        value: valueToJson(type.value, v),
      }));
    case 'struct': {
      const struct = value as StructValue;
      return Object.fromEntries(
        type.fields.map((f) => [f.name, valueToJson(f.type, struct[f.name] ?? null)]),
      );
    }
    default:
      return value as JsonValue;
  }
}

/** A long as a number if a double holds it exactly, else as decimal text. */
export function longToJson(value: bigint): JsonValue {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value.toString();
}

/** A double, with "NaN", "Infinity" and "-Infinity" as strings. */
export function doubleToJson(value: number): JsonValue {
  return Number.isFinite(value) ? value : String(value);
}

function bytesToJson(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64');
}

/**
 * A variant's JSON: objects with sorted keys, decimals of at most 15 digits as numbers and as
 * strings beyond, the rest as `valueToJson` has it.
 */
export function variantToJson(node: VariantNode): JsonValue {
  switch (node.kind) {
    case 'null':
      return null;
    case 'int64':
      return longToJson(node.value);
    case 'float':
    case 'double':
      return doubleToJson(node.value);
    case 'decimal':
      return variantDecimal(node.unscaled, node.scale);
    case 'date':
      return formatDate(node.value);
    case 'time':
      return formatTime(node.value);
    case 'timestamp':
    case 'timestamptz':
      return formatTimestamp(node.value, 6, node.kind === 'timestamptz');
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return formatTimestamp(node.value, 9, node.kind === 'timestamptz_ns');
    case 'binary':
      return bytesToJson(node.value);
    case 'array':
      return node.elements.map(variantToJson);
    case 'object':
      return Object.fromEntries(
        [...node.fields]
          .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
          .map(([key, member]) => [key, variantToJson(member)]),
      );
    default:
      return node.value;
  }
}

function variantDecimal(unscaled: bigint, scale: number): JsonValue {
  const text = formatDecimal(unscaled, scale);
  const digits = text.replace(/[-.]/g, '').replace(/^0+/, '').length;
  return digits <= 15 ? Number(text) : text;
}
