import { bigintToFixedBytes, decimalBytes } from '../schema/decimal.ts';
import type { Field, MapValue, StructValue, Type, Value } from '../schema/type.ts';
import { uuidToBytes } from '../schema/uuid.ts';

/** A growing buffer in Avro's binary encoding; writes what `avro-schema-json` declares. */
export class AvroSink {
  private buffer: Buffer = Buffer.allocUnsafe(4096);
  private at = 0;

  /** A copy of the bytes written so far. */
  bytes(): Uint8Array {
    return new Uint8Array(this.buffer.subarray(0, this.at));
  }

  /** How many bytes were written so far. */
  get length(): number {
    return this.at;
  }

  private room(length: number): void {
    if (this.at + length <= this.buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.at + length));
    this.buffer.copy(larger, 0, 0, this.at);
    this.buffer = larger;
  }

  raw(bytes: Uint8Array): void {
    this.room(bytes.length);
    this.buffer.set(bytes, this.at);
    this.at += bytes.length;
  }

  long(value: bigint | number): void {
    this.room(10);
    const small = Number(value);
    if (small >= -0x40000000 && small < 0x40000000) {
      let rest = ((small << 1) ^ (small >> 31)) >>> 0;
      for (; rest >= 0x80; rest >>>= 7) this.buffer[this.at++] = (rest & 0x7f) | 0x80;
      this.buffer[this.at++] = rest;
      return;
    }
    let rest = BigInt.asUintN(64, (BigInt(value) << 1n) ^ (BigInt(value) >> 63n));
    for (; rest >= 0x80n; rest >>= 7n) this.buffer[this.at++] = Number(rest & 0x7fn) | 0x80;
    this.buffer[this.at++] = Number(rest);
  }

  boolean(value: boolean): void {
    this.room(1);
    this.buffer[this.at++] = value ? 1 : 0;
  }

  float(value: number): void {
    this.room(4);
    this.at = this.buffer.writeFloatLE(value, this.at);
  }

  double(value: number): void {
    this.room(8);
    this.at = this.buffer.writeDoubleLE(value, this.at);
  }

  prefixed(bytes: Uint8Array): void {
    this.long(bytes.length);
    this.raw(bytes);
  }
}

/**
 * Writes the fields of a struct. Throws RangeError for a null in a required field or a value that
 * does not fit.
 */
export function writeStruct(sink: AvroSink, fields: readonly Field[], row: StructValue): void {
  for (const field of fields) {
    writeOptional(sink, field.type, field.required, row[field.name] ?? null, field.name);
  }
}

function writeOptional(
  sink: AvroSink,
  type: Type,
  required: boolean,
  value: Value,
  what: string,
): void {
  if (required) {
    if (value === null) throw new RangeError(`required field "${what}" is null`);
    writeValue(sink, type, value);
    return;
  }
  sink.long(value === null ? 0 : 1);
  if (value !== null) writeValue(sink, type, value);
}

function writeValue(sink: AvroSink, type: Type, value: Exclude<Value, null>): void {
  switch (type.kind) {
    case 'boolean':
      sink.boolean(value as boolean);
      break;
    case 'float':
      sink.float(value as number);
      break;
    case 'double':
      sink.double(value as number);
      break;
    case 'string':
      sink.prefixed(Buffer.from(value as string, 'utf8'));
      break;
    case 'binary':
      sink.prefixed(value as Uint8Array);
      break;
    case 'fixed':
    case 'uuid':
    case 'decimal':
      sink.raw(fixedBytes(type, value));
      break;
    case 'struct':
      writeStruct(sink, type.fields, value as StructValue);
      break;
    case 'list':
      writeList(sink, type, value as readonly Value[]);
      break;
    case 'map':
      writeMap(sink, type, value as MapValue);
      break;
    case 'unknown':
    case 'variant':
      throw new RangeError(`values of type ${type.kind} are not written to avro`);
    default:
      sink.long(value as bigint | number);
  }
}

function fixedBytes(type: Type, value: Value): Uint8Array {
  if (type.kind === 'decimal') {
    return bigintToFixedBytes(value as bigint, decimalBytes(type.precision));
  }
  const bytes = type.kind === 'uuid' ? uuidToBytes(value as string) : (value as Uint8Array);
  const length = type.kind === 'fixed' ? type.length : 16;
  if (bytes?.length === length) return bytes;
  throw new RangeError(`a ${type.kind} value does not have ${length} bytes`);
}

function writeList(sink: AvroSink, type: Type & { kind: 'list' }, items: readonly Value[]): void {
  if (items.length > 0) {
    sink.long(items.length);
    for (const item of items) {
      writeOptional(sink, type.element, type.elementRequired, item, 'element');
    }
  }
  sink.long(0);
}

function writeMap(sink: AvroSink, type: Type & { kind: 'map' }, map: MapValue): void {
  if (map.entries.length > 0) {
    sink.long(map.entries.length);
    for (const [key, value] of map.entries) {
      writeOptional(sink, type.key, true, key, 'key');
      writeOptional(sink, type.value, type.valueRequired, value, 'value');
    }
  }
  sink.long(0);
}
