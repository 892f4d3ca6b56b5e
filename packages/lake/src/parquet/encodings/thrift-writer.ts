/**
 * Thrift's compact protocol, writing only (layout: thrift.ts). A struct is given as its fields by
 * ascending id; what is undefined is left out.
 */

import type { EncodedField } from './thrift.ts';

/** A value on its way out. Numbers are written as i32 unless they are named i64. */
export type ThriftOut =
  | boolean
  | number
  | string
  | Uint8Array
  | ({ readonly kind: 'encoded' } & EncodedField)
  | { readonly kind: 'i64'; readonly value: number }
  | { readonly kind: 'struct'; readonly fields: ThriftFields }
  | { readonly kind: 'list'; readonly items: readonly ThriftOut[] };
/** Fields of a struct: id and value, ids ascending. */
export type ThriftFields = readonly (readonly [number, ThriftOut | undefined])[];

/** A field that is an i64: a safe integer. */
export const i64 = (value: number): ThriftOut => ({ kind: 'i64', value });
/** A struct. */
export const struct = (...fields: ThriftFields): ThriftOut => ({ kind: 'struct', fields });
/** A list, whose items are all of the type of the first; of structs if it is empty. */
export const list = (items: readonly ThriftOut[]): ThriftOut => ({ kind: 'list', items });

/** A field of another file as it is encoded there. */
export const encoded = (field: EncodedField): ThriftOut => ({ kind: 'encoded', ...field });

/** The bytes of a struct. */
export function encodeThrift(fields: ThriftFields): Uint8Array {
  const out: number[] = [];
  writeFields(out, fields);
  return Uint8Array.from(out);
}

const TRUE = 1;
const FALSE = 2;
const STRUCT = 12;

function typeOf(value: ThriftOut): number {
  if (typeof value === 'boolean') return value ? TRUE : FALSE;
  if (typeof value === 'number') return 5;
  if (typeof value === 'string' || value instanceof Uint8Array) return 8;
  if (value.kind === 'encoded') return value.type;
  if (value.kind === 'i64') return 6;
  return value.kind === 'list' ? 9 : STRUCT;
}

function writeFields(out: number[], fields: ThriftFields): void {
  let before = 0;
  for (const [id, value] of fields) {
    if (value === undefined) continue;
    out.push(((id - before) << 4) | typeOf(value));
    before = id;
    if (typeof value !== 'boolean') writeValue(out, value);
  }
  out.push(0);
}

function writeValue(out: number[], value: ThriftOut): void {
  if (typeof value === 'boolean') out.push(value ? TRUE : FALSE);
  else if (typeof value === 'number') writeUint(out, zigzag(value));
  else if (typeof value === 'string') writeBytes(out, Buffer.from(value, 'utf8'));
  else if (value instanceof Uint8Array) writeBytes(out, value);
  else if (value.kind === 'encoded') for (const byte of value.bytes) out.push(byte);
  else if (value.kind === 'i64') writeUint(out, zigzag(value.value));
  else if (value.kind === 'struct') writeFields(out, value.fields);
  else writeList(out, value.items);
}

function writeList(out: number[], items: readonly ThriftOut[]): void {
  const type = items.length === 0 ? STRUCT : typeOf(items[0]);
  if (items.length < 15) out.push((items.length << 4) | type);
  else {
    out.push(0xf0 | type);
    writeUint(out, items.length);
  }
  for (const item of items) writeValue(out, item);
}

function writeBytes(out: number[], bytes: Uint8Array): void {
  writeUint(out, bytes.length);
  for (const byte of bytes) out.push(byte);
}

const zigzag = (value: number) => (value < 0 ? -2 * value - 1 : 2 * value);

/** An unsigned LEB128 number below 2^53. */
function writeUint(out: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    out.push((rest % 128) | 128);
    rest = Math.floor(rest / 128);
  }
  out.push(rest);
}
