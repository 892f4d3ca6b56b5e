import { formatJson, type JsonValue } from '../base/json.ts';
import type { MapValue, StructValue, Type, Value } from '../schema/type.ts';
import { valueToJson } from '../schema/value-json.ts';

/**
 * The canonical text of a value: what keys are compared and sorted by, and how values without a
 * fixed width are hashed. Strings as they are, all else as the text of its JSON form; maps with
 * their entries sorted by the text of the key, so that two maps with the same entries are equal.
 * Null has none: it comes back as null.
 */
export function canonicalText(type: Type, value: Value): string | null {
  if (value === null) return null;
  if (type.kind === 'string' || type.kind === 'uuid') return value as string;
  if (Object.is(value, -0)) return '-0';
  const json = canonicalJson(type, value);
  return typeof json === 'string' ? json : formatJson(json);
}

function canonicalJson(type: Type, value: Value): JsonValue {
  if (value === null) return null;
  switch (type.kind) {
    case 'map': {
      const entries = (value as MapValue).entries.map(
        ([key, item]): readonly [string, JsonValue] => [
          formatJson(canonicalJson(type.key, key)),
          canonicalJson(type.value, item),
        ],
      );
      return entries.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    }
    case 'list':
      return (value as readonly Value[]).map((item) => canonicalJson(type.element, item));
    case 'struct': {
      const struct = value as StructValue;
      return type.fields.map((field) => canonicalJson(field.type, struct[field.name] ?? null));
    }
    case 'float':
    case 'double':
      return Object.is(value, -0) ? '-0' : valueToJson(type, value);
    default:
      return valueToJson(type, value);
  }
}
