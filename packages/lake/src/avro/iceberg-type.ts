import type { Field, Type } from '../schema/type.ts';
import type { AvroField, AvroType } from './avro-schema.ts';

/**
 * The Iceberg type of an Avro type without a schema (partition values of unknown transforms); null
 * if there is none. Format: format/spec.md, Appendix A, "Avro".
 */
export function icebergTypeOf(avro: AvroType): Type | null {
  switch (avro.kind) {
    case 'boolean':
    case 'float':
    case 'double':
    case 'string':
      return { kind: avro.kind };
    case 'null':
      return { kind: 'unknown' };
    case 'int':
      return avro.logical?.name === 'date' ? { kind: 'date' } : { kind: 'int' };
    case 'long':
      return longType(avro);
    case 'bytes':
      return decimalOf(avro) ?? { kind: 'binary' };
    case 'fixed':
      if (avro.logical?.name === 'uuid') return { kind: 'uuid' };
      return decimalOf(avro) ?? { kind: 'fixed', length: avro.size };
    case 'enum':
      return { kind: 'string' };
    case 'union': {
      const rest = avro.branches.filter((branch) => branch.kind !== 'null');
      return rest.length === 1 ? icebergTypeOf(rest[0]!) : null;
    }
    case 'record':
      return avro.variant ? { kind: 'variant' } : structOf(avro.fields);
    default:
      return null;
  }
}

function longType(avro: AvroType & { kind: 'long' | string }): Type {
  const logical = 'logical' in avro ? avro.logical : null;
  const zoned = logical?.adjustToUtc === true;
  switch (logical?.name) {
    case 'time-micros':
      return { kind: 'time' };
    case 'timestamp-micros':
    case 'timestamp-millis':
      return { kind: zoned ? 'timestamptz' : 'timestamp' };
    case 'timestamp-nanos':
      return { kind: zoned ? 'timestamptz_ns' : 'timestamp_ns' };
    default:
      return { kind: 'long' };
  }
}

function decimalOf(avro: AvroType): Type | null {
  const logical = 'logical' in avro ? avro.logical : null;
  if (logical?.name !== 'decimal' || logical.precision === null) return null;
  return { kind: 'decimal', precision: logical.precision, scale: logical.scale };
}

function structOf(avroFields: readonly AvroField[]): Type | null {
  const fields: Field[] = [];
  for (const { name, fieldId, type } of avroFields) {
    const known = icebergTypeOf(type);
    if (known === null || fieldId === null) return null;
    fields.push({ id: fieldId, name, required: false, type: known });
  }
  return { kind: 'struct', fields };
}
