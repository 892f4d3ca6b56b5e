import type { JsonValue } from '../base/json.ts';
import type { JsonNode } from '../base/json-node.ts';
import {
  formatDate,
  formatTime,
  formatTimestamp,
  parseDate,
  parseTime,
  parseTimestamp,
} from './civil-time.ts';
import { formatDecimal, parseDecimal } from './decimal.ts';
import { type Field, MapValue, type StructValue, type Type, type Value } from './type.ts';
import { uuidToBytes } from './uuid.ts';

/** Default values as JSON (format/spec.md, Appendix D, "JSON single-value serialization"). */

/** A default of `type`. Throws the node's code if the JSON is no value of the type. */
export function parseDefault(type: Type, node: JsonNode): Value {
  switch (type.kind) {
    case 'boolean':
      return node.boolean();
    case 'int':
      return node.int();
    case 'long':
      return node.long();
    case 'float':
    case 'double':
      return node.number();
    case 'string':
      return node.string();
    case 'struct':
      return parseStruct(type.fields, node);
    case 'list':
      return node.items().map((item) => (item.present ? parseDefault(type.element, item) : null));
    case 'map':
      return parseMap(type.key, type.value, node);
    case 'unknown':
    case 'variant':
      return node.fail(`a default of type ${type.kind} must be null`);
    default:
      return parseText(type, node, node.string());
  }
}

function parseText(type: Type, node: JsonNode, text: string): Value {
  const value = textValue(type, text);
  return value ?? node.fail(`"${text.slice(0, 100)}" is no default of type ${type.kind}`);
}

function textValue(type: Type, text: string): Value {
  switch (type.kind) {
    case 'date':
      return parseDate(text);
    case 'time':
      return parseTime(text);
    case 'timestamp':
    case 'timestamptz':
      return parseTimestamp(text, 6);
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return parseTimestamp(text, 9);
    case 'decimal':
      return parseDecimal(text, type.scale);
    case 'uuid':
      return uuidToBytes(text) === null ? null : text.toLowerCase();
    case 'binary':
    case 'fixed':
      return /^([0-9a-f]{2})*$/i.test(text) ? new Uint8Array(Buffer.from(text, 'hex')) : null;
    default:
      return null;
  }
}

function parseStruct(fields: readonly Field[], node: JsonNode): StructValue {
  const value: Record<string, Value> = Object.create(null) as Record<string, Value>;
  for (const field of fields) {
    const member = node.get(String(field.id));
    value[field.name] = member.present
      ? parseDefault(field.type, member)
      : (field.initialDefault ?? null);
  }
  return Object.freeze(value);
}

function parseMap(key: Type, value: Type, node: JsonNode): MapValue {
  const keys = node.get('keys').items();
  const values = node.get('values').items();
  if (keys.length !== values.length) node.fail('a map default has more keys than values, or fewer');
  return new MapValue(
    keys.map((k, i) => {
      const item = values[i]!;
      return [parseDefault(key, k), item.present ? parseDefault(value, item) : null] as const;
    }),
  );
}

/** The JSON form of a default. */
export function defaultToJson(type: Type, value: Value): JsonValue {
  if (value === null) return null;
  switch (type.kind) {
    case 'date':
      return formatDate(value as number);
    case 'time':
      return formatTime(value as bigint);
    case 'timestamp':
      return formatTimestamp(value as bigint, 6, false);
    case 'timestamptz':
      return `${formatTimestamp(value as bigint, 6, false)}+00:00`;
    case 'timestamp_ns':
      return formatTimestamp(value as bigint, 9, false);
    case 'timestamptz_ns':
      return `${formatTimestamp(value as bigint, 9, false)}+00:00`;
    case 'decimal':
      return formatDecimal(value as bigint, type.scale);
    case 'binary':
    case 'fixed':
      return Buffer.from(value as Uint8Array).toString('hex');
    case 'list':
      return (value as readonly Value[]).map((item) => defaultToJson(type.element, item));
    case 'map': {
      const { entries } = value as MapValue;
      return {
        keys: entries.map(([k]) => defaultToJson(type.key, k)),
        values: entries.map(([, v]) => defaultToJson(type.value, v)),
      };
    }
    case 'struct': {
      const struct = value as StructValue;
      return Object.fromEntries(
        type.fields.map((f) => [String(f.id), defaultToJson(f.type, struct[f.name] ?? null)]),
      );
    }
    default:
      return value as JsonValue;
  }
}
