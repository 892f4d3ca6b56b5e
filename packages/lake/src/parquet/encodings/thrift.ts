/**
 * Thrift's compact protocol, reading only (thrift/doc/specs/thrift-compact-protocol.md): structs
 * are sequences of
 *
 *   u8 = id delta << 4 | type   (delta 0: a zigzag varint id follows) ... 0 ends the struct
 *
 * types 1 true, 2 false, 3 i8, 4 i16, 5 i32, 6 i64 (zigzag varints), 7 double, 8 binary (varint
 * length), 9 list and 10 set (u8 = count << 4 | type, count 15: varint), 11 map, 12 struct. Fields
 * are kept by id, unknown ones too.
 */
import { LIMITS } from '../../base/limits.ts';
import { type FaultPlace, parquetFault } from '../fault.ts';

/**
 * A decoded value: i8 to i64 are safe integers here, all else as its type says; maps are not kept.
 */
export type ThriftValue = boolean | number | Uint8Array | ThriftStruct | readonly ThriftValue[];
/** Fields by id. */
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;

/** The struct at `at` of `bytes`, and where it ends. Throws the file's `*_invalid` error. */
export function readThrift(
  bytes: Uint8Array,
  at: number,
  place: FaultPlace,
): { readonly struct: ThriftStruct; readonly end: number } {
  const reader = new ThriftReader(bytes, at, place);
  const struct = reader.struct(0);
  return { struct, end: reader.at };
}

/** A field as it is encoded: its type, and the bytes of its value. */
export interface EncodedField {
  readonly type: number;
  readonly bytes: Uint8Array;
}

/** The fields of the struct that `bytes` begin with, by id. Throws the file's `*_invalid` error. */
export function encodedFields(
  bytes: Uint8Array,
  place: FaultPlace,
): ReadonlyMap<number, EncodedField> {
  return new ThriftReader(bytes, 0, place).encodedFields();
}

class ThriftReader {
  at: number;
  readonly #bytes: Uint8Array;
  readonly #place: FaultPlace;

  constructor(bytes: Uint8Array, at: number, place: FaultPlace) {
    this.#bytes = bytes;
    this.at = at;
    this.#place = place;
  }

  struct(depth: number): ThriftStruct {
    if (depth > LIMITS.thriftDepth) throw this.#fault('metadata nests too deeply');
    const fields = new Map<number, ThriftValue>();
    this.#fields(depth, (id, _, value) => {
      if (value !== undefined) fields.set(id, value);
    });
    return fields;
  }

  encodedFields(): ReadonlyMap<number, EncodedField> {
    const fields = new Map<number, EncodedField>();
    this.#fields(0, (id, type, _, from) => {
      fields.set(id, { type, bytes: this.#bytes.subarray(from, this.at) });
    });
    return fields;
  }

  /** Calls `visit` with each field of a struct; its value begins at `from` and ends here. */
  #fields(
    depth: number,
    visit: (id: number, type: number, value: ThriftValue | undefined, from: number) => void,
  ): void {
    for (let id = 0; ; ) {
      const head = this.#byte();
      if (head === 0) return;
      const delta = head >>> 4;
      id = delta === 0 ? this.#int() : id + delta;
      const type = head & 15;
      const from = this.at;
      visit(id, type, type === 1 || type === 2 ? type === 1 : this.#value(type, depth), from);
    }
  }

  #value(type: number, depth: number): ThriftValue | undefined {
    switch (type) {
      case 1:
      case 2:
        return this.#byte() === 1;
      case 3:
        return (this.#byte() << 24) >> 24;
      case 4:
      case 5:
      case 6:
        return this.#int();
      case 7:
        return this.#double();
      case 8:
        return this.#take(this.#uint());
      case 9:
      case 10:
        return this.#list(depth);
      case 11:
        return this.#skipMap(depth);
      case 12:
        return this.struct(depth + 1);
      default:
        throw this.#fault(`metadata holds the unknown thrift type ${type}`);
    }
  }

  #list(depth: number): readonly ThriftValue[] {
    const head = this.#byte();
    const count = head >>> 4 === 15 ? this.#uint() : head >>> 4;
    // every item takes at least one byte
    if (count > this.#bytes.length - this.at) throw this.#fault(`a list of ${count} items`);
    const items: ThriftValue[] = [];
    for (let i = 0; i < count; i++) {
      const item = this.#value(head & 15, depth + 1);
      if (item !== undefined) items.push(item);
    }
    return items;
  }

  #skipMap(depth: number): undefined {
    const count = this.#uint();
    if (count === 0) return undefined;
    if (count > this.#bytes.length - this.at) throw this.#fault(`a map of ${count} entries`);
    const types = this.#byte();
    for (let i = 0; i < count; i++) {
      this.#value(types >>> 4, depth + 1);
      this.#value(types & 15, depth + 1);
    }
    return undefined;
  }

  #byte(): number {
    if (this.at >= this.#bytes.length) throw this.#fault('metadata ends too early');
    return this.#bytes[this.at++];
  }

  #take(length: number): Uint8Array {
    if (length > this.#bytes.length - this.at) throw this.#fault('metadata ends too early');
    this.at += length;
    return this.#bytes.subarray(this.at - length, this.at);
  }

  #double(): number {
    const bytes = this.#take(8);
    return new DataView(bytes.buffer, bytes.byteOffset, 8).getFloat64(0, true);
  }

  #uint(): number {
    let value = 0;
    for (let shift = 0; shift < 53; shift += 7) {
      const byte = this.#byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) {
        if (value > Number.MAX_SAFE_INTEGER) break;
        return value;
      }
    }
    throw this.#fault('metadata holds a number beyond 2^53');
  }

  #int(): number {
    const value = this.#uint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  #fault(what: string): Error {
    return parquetFault(this.#place, what);
  }
}

/** The number in field `id`, or null. */
export function numberAt(struct: ThriftStruct, id: number): number | null {
  const value = struct.get(id);
  return typeof value === 'number' ? value : null;
}

/** The struct in field `id`, or null. */
export function structAt(struct: ThriftStruct, id: number): ThriftStruct | null {
  const value = struct.get(id);
  return value instanceof Map ? value : null;
}

/** The list in field `id`, empty if there is none. */
export function listAt(struct: ThriftStruct, id: number): readonly ThriftValue[] {
  const value = struct.get(id);
  return Array.isArray(value) ? value : [];
}

/** The bytes in field `id`, or null. */
export function bytesAt(struct: ThriftStruct, id: number): Uint8Array | null {
  const value = struct.get(id);
  return value instanceof Uint8Array ? value : null;
}

/** The UTF-8 text in field `id`, or null. */
export function textAt(struct: ThriftStruct, id: number): string | null {
  const bytes = bytesAt(struct, id);
  return bytes === null ? null : Buffer.from(bytes).toString('utf8');
}
