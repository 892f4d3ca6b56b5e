import type { JsonObject, JsonValue } from '../base/json.ts';
import { decimalBytes } from '../schema/decimal.ts';
import type { Field, StructType, Type } from '../schema/type.ts';

/**
 * The Avro schema of an Iceberg struct, field ids and logical types on it (format/spec.md,
 * Appendix A, "Avro").
 */

/**
 * The record type called `name` whose fields are those of `struct`; optional fields are unions
 * with null.
 */
export function avroRecord(struct: StructType, name: string): JsonObject {
  return { type: 'record', name, fields: struct.fields.map(avroField) };
}

function avroField(field: Field): JsonObject {
  const name = avroName(field.name);
  const type = avroType(field.type, field.id);
  return {
    name,
    type: field.required ? type : ['null', type],
    ...(field.required ? {} : { default: null }),
    ...(name === field.name ? {} : { 'iceberg-field-name': field.name }),
    'field-id': field.id,
  };
}

/**
 * A name that Avro admits: other characters become `_xHEX`, a leading digit gets `_` before it.
 */
export function avroName(name: string): string {
  const safe = name.replace(
    /[^A-Za-z0-9_]/gu,
    (char) => `_x${char.codePointAt(0)!.toString(16).toUpperCase()}`,
  );
  return /^\d/.test(safe) || safe === '' ? `_${safe}` : safe;
}

function avroType(type: Type, id: number): JsonValue {
  switch (type.kind) {
    case 'struct':
      return avroRecord(type, `r${id}`);
    case 'list':
      return {
        type: 'array',
        items: optional(avroType(type.element, type.elementId), type.elementRequired),
        'element-id': type.elementId,
      };
    case 'map':
      return avroMap(type);
    case 'decimal':
      return {
        type: 'fixed',
        name: `decimal_${id}`,
        size: decimalBytes(type.precision),
        logicalType: 'decimal',
        precision: type.precision,
        scale: type.scale,
      };
    case 'fixed':
      return { type: 'fixed', name: `fixed_${id}`, size: type.length };
    case 'uuid':
      return { type: 'fixed', name: `uuid_${id}`, size: 16, logicalType: 'uuid' };
    default:
      return avroPrimitive(type.kind);
  }
}

function optional(type: JsonValue, required: boolean): JsonValue {
  return required ? type : ['null', type];
}

function avroMap(type: Type & { kind: 'map' }): JsonObject {
  const value = optional(avroType(type.value, type.valueId), type.valueRequired);
  if (type.key.kind === 'string') {
    return { type: 'map', values: value, 'key-id': type.keyId, 'value-id': type.valueId };
  }
  return {
    type: 'array',
    items: {
      type: 'record',
      name: `k${type.keyId}_v${type.valueId}`,
      fields: [
        { name: 'key', type: avroType(type.key, type.keyId), 'field-id': type.keyId },
        { name: 'value', type: value, 'field-id': type.valueId },
      ],
    },
    logicalType: 'map',
  };
}

function avroPrimitive(kind: string): JsonValue {
  switch (kind) {
    case 'date':
      return { type: 'int', logicalType: 'date' };
    case 'time':
      return { type: 'long', logicalType: 'time-micros' };
    case 'timestamp':
    case 'timestamptz':
      return timestamp('timestamp-micros', kind === 'timestamptz');
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return timestamp('timestamp-nanos', kind === 'timestamptz_ns');
    case 'binary':
      return 'bytes';
    case 'unknown':
      return 'null';
    default:
      return kind;
  }
}

function timestamp(logicalType: string, zoned: boolean): JsonObject {
  return { type: 'long', logicalType, 'adjust-to-utc': zoned };
}
