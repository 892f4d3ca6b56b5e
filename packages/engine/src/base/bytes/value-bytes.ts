/**
 * Plain values as bytes, and back: UTF-8 JSON of `{"v": 1, "kind": …, "value": …}`. Values that
 * JSON lacks are objects of one member whose name begins with `$`:
 *
 *     {"$bytes": base64}     Uint8Array
 *     {"$ints": base64}      Int32Array        {"$doubles": base64}  Float64Array
 *     {"$floats": base64}    Float32Array      {"$bigint": digits}   bigint
 *     {"$number": text}      NaN, Infinity, -Infinity, -0
 *     {"$map": [[key, value], …]}                {"$set": [value, …]}
 *     {"$object": [[name, value], …]}          an object with a member whose name begins with `$`
 *
 * Typed arrays are little-endian. Members that are undefined are left out. All other doubles are
 * exact: JSON prints the shortest text that reads back as the same number.
 */
import { LhsError } from '@lakehouse-search/contract';

const VERSION = 1;

type Wire = null | boolean | number | string | readonly Wire[] | { readonly [name: string]: Wire };

/** A value of some kind as bytes. Throws TypeError for functions and instances of classes. */
export function valueToBytes(kind: string, value: unknown): Uint8Array {
  const text = JSON.stringify({ v: VERSION, kind, value: toWire(value) });
  return new TextEncoder().encode(text);
}

/**
 * The value of bytes that hold one of this kind. Throws unsupported for another version or kind.
 */
export function valueFromBytes(kind: string, bytes: Uint8Array): unknown {
  const read: { v?: unknown; kind?: unknown; value: Wire } = JSON.parse(
    new TextDecoder().decode(bytes),
  );
  if (read.v === VERSION && read.kind === kind) return fromWire(read.value);
  const found = `"${String(read.kind)}" of version ${String(read.v)}`;
  throw new LhsError('unsupported', `expected "${kind}" of version ${VERSION}, found ${found}`);
}

function toWire(value: unknown): Wire {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') return numberToWire(value);
  if (typeof value === 'bigint') return { $bigint: String(value) };
  if (typeof value !== 'object') throw new TypeError(`${typeof value} has no byte form`);
  if (Array.isArray(value)) return value.map(toWire);
  if (ArrayBuffer.isView(value)) return arrayToWire(value);
  if (value instanceof Map) return { $map: Array.from(value, toWire) };
  if (value instanceof Set) return { $set: Array.from(value, toWire) };
  const prototype = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) {
    throw new TypeError(`${value.constructor.name} has no byte form`);
  }
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const entries = members.map(([name, member]): [string, Wire] => [name, toWire(member)]);
  if (entries.some(([name]) => name.startsWith('$'))) return { $object: entries };
  return Object.fromEntries(entries);
}

function numberToWire(value: number): Wire {
  if (Object.is(value, -0)) return { $number: '-0' };
  return Number.isFinite(value) ? value : { $number: String(value) };
}

function arrayToWire(value: ArrayBufferView): Wire {
  const text = Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('base64');
  if (value instanceof Uint8Array) return { $bytes: text };
  if (value instanceof Int32Array) return { $ints: text };
  if (value instanceof Float64Array) return { $doubles: text };
  if (value instanceof Float32Array) return { $floats: text };
  throw new TypeError(`${value.constructor.name} has no byte form`);
}

function fromWire(wire: Wire): unknown {
  if (wire === null || typeof wire !== 'object') return wire;
  if (Array.isArray(wire)) return wire.map(fromWire);
  const [first, ...others] = Object.entries(wire as { readonly [name: string]: Wire });
  if (first !== undefined && others.length === 0 && first[0].startsWith('$')) {
    return special(first[0], first[1]);
  }
  const entries = first === undefined ? [] : [first, ...others];
  return Object.fromEntries(entries.map(([name, member]) => [name, fromWire(member)]));
}

function special(name: string, wire: Wire): unknown {
  if (name === '$object') {
    const entries = wire as readonly (readonly [string, Wire])[];
    return Object.fromEntries(entries.map(([key, member]) => [key, fromWire(member)]));
  }
  if (name === '$map') return new Map(fromWire(wire) as [unknown, unknown][]);
  if (name === '$set') return new Set(fromWire(wire) as unknown[]);
  const text = String(wire);
  if (name === '$bigint') return BigInt(text);
  if (name === '$number') return Number(text);
  const { buffer } = new Uint8Array(Buffer.from(text, 'base64'));
  switch (name) {
    case '$bytes':
      return new Uint8Array(buffer);
    case '$ints':
      return new Int32Array(buffer);
    case '$doubles':
      return new Float64Array(buffer);
    case '$floats':
      return new Float32Array(buffer);
    default:
      throw new LhsError('unsupported', `"${name}" is no kind of value`);
  }
}
