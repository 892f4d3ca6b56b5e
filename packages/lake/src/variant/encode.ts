/**
 * Nodes to VARIANT bytes (layout: decode.ts, variant-metadata.ts). The dictionary is sorted and
 * shared by the whole value; ids, offsets and decimals take the smallest width that fits; integers
 * keep the width of their node.
 */
import { LakeError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import type { VariantNode } from '../schema/type.ts';
import { encodeVariantMetadata, uintWidth, writeUint } from './variant-metadata.ts';

/** The two binary columns of a VARIANT. */
export interface VariantBytes {
  readonly metadata: Uint8Array;
  readonly value: Uint8Array;
}

/**
 * Encodes a node. Throws `invalid_argument` for a decimal of more than 38 digits or too deep a
 * tree.
 */
export function encodeVariant(node: VariantNode): VariantBytes {
  const names = new Set<string>();
  collectNames(node, names, 0);
  const sorted = [...names].sort(byUtf8);
  const ids = new Map(sorted.map((name, id) => [name, id]));
  return { metadata: encodeVariantMetadata(sorted), value: encodeNode(node, ids) };
}

function collectNames(node: VariantNode, names: Set<string>, depth: number): void {
  if (depth > LIMITS.variantDepth) {
    throw new LakeError(
      'invalid_argument',
      `variant nests deeper than ${LIMITS.variantDepth} levels; flatten it`,
    );
  }
  if (node.kind === 'array') {
    for (const element of node.elements) collectNames(element, names, depth + 1);
  } else if (node.kind === 'object') {
    for (const [name, field] of node.fields) {
      names.add(name);
      collectNames(field, names, depth + 1);
    }
  }
}

function byUtf8(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a, 'utf8'), Buffer.from(b, 'utf8'));
}

function encodeNode(node: VariantNode, ids: ReadonlyMap<string, number>): Uint8Array {
  switch (node.kind) {
    case 'array':
      return encodeArray(node.elements.map((element) => encodeNode(element, ids)));
    case 'object': {
      const fields = [...node.fields].map(([name, field]) => ({
        id: ids.get(name)!,
        bytes: encodeNode(field, ids),
      }));
      return encodeObject(fields.sort((a, b) => a.id - b.id));
    }
    default:
      return encodePrimitive(node);
  }
}

type PrimitiveNode = Exclude<VariantNode, { kind: 'array' } | { kind: 'object' }>;

function encodePrimitive(node: PrimitiveNode): Uint8Array {
  switch (node.kind) {
    case 'null':
      return primitive(0, 0);
    case 'boolean':
      return primitive(node.value ? 1 : 2, 0);
    case 'int8':
      return primitive(3, 1, (view) => view.setInt8(1, node.value));
    case 'int16':
      return primitive(4, 2, (view) => view.setInt16(1, node.value, true));
    case 'int32':
      return primitive(5, 4, (view) => view.setInt32(1, node.value, true));
    case 'double':
      return primitive(7, 8, (view) => view.setFloat64(1, node.value, true));
    case 'float':
      return primitive(14, 4, (view) => view.setFloat32(1, node.value, true));
    case 'date':
      return primitive(11, 4, (view) => view.setInt32(1, node.value, true));
    case 'decimal':
      return encodeDecimal(node.unscaled, node.scale);
    case 'string':
      return encodeString(node.value);
    case 'binary':
      return counted(15, node.value);
    case 'uuid':
      return primitive(20, 16, (_, out) =>
        out.set(Buffer.from(node.value.replaceAll('-', ''), 'hex'), 1),
      );
    default:
      return primitive(LONG_TYPES[node.kind], 8, (view) => view.setBigInt64(1, node.value, true));
  }
}

const LONG_TYPES = Object.freeze({
  int64: 6,
  timestamptz: 12,
  timestamp: 13,
  time: 17,
  timestamptz_ns: 18,
  timestamp_ns: 19,
});

function encodeDecimal(unscaled: bigint, scale: number): Uint8Array {
  const digits = (unscaled < 0n ? -unscaled : unscaled).toString().length;
  if (digits > 38 || scale < 0 || scale > 38) {
    throw new LakeError(
      'invalid_argument',
      `decimal ${unscaled} with scale ${scale} does not fit, expected at most 38 digits`,
    );
  }
  const [type, width] = digits <= 9 ? [8, 4] : digits <= 18 ? [9, 8] : [10, 16];
  return primitive(type, 1 + width, (view, out) => {
    out[1] = scale;
    if (width === 4) view.setInt32(2, Number(unscaled), true);
    else view.setBigInt64(2, BigInt.asIntN(64, unscaled), true);
    if (width === 16) view.setBigInt64(10, unscaled >> 64n, true);
  });
}

function primitive(
  type: number,
  bytes: number,
  fill?: (view: DataView, out: Uint8Array) => void,
): Uint8Array {
  const out = new Uint8Array(1 + bytes);
  out[0] = type << 2;
  fill?.(new DataView(out.buffer), out);
  return out;
}

function encodeString(text: string): Uint8Array {
  const bytes = Buffer.from(text, 'utf8');
  if (bytes.length > 63) return counted(16, bytes);
  const out = new Uint8Array(1 + bytes.length);
  out[0] = (bytes.length << 2) | 1;
  out.set(bytes, 1);
  return out;
}

function counted(type: number, bytes: Uint8Array): Uint8Array {
  const out = new Uint8Array(5 + bytes.length);
  out[0] = type << 2;
  writeUint(out, 1, 4, bytes.length);
  out.set(bytes, 5);
  return out;
}

function encodeArray(elements: readonly Uint8Array[]): Uint8Array {
  const total = byteSum(elements);
  const width = uintWidth(total);
  const large = elements.length > 255;
  const head = large ? 5 : 2;
  const out = new Uint8Array(head + (elements.length + 1) * width + total);
  out[0] = 3 | ((width - 1) << 2) | (large ? 16 : 0);
  writeUint(out, 1, large ? 4 : 1, elements.length);
  writeValues(out, head, width, elements);
  return out;
}

function encodeObject(fields: readonly { id: number; bytes: Uint8Array }[]): Uint8Array {
  const values = fields.map((field) => field.bytes);
  const total = byteSum(values);
  const width = uintWidth(total);
  const idWidth = uintWidth(fields.at(-1)?.id ?? 0);
  const large = fields.length > 255;
  const head = large ? 5 : 2;
  const offsetsAt = head + fields.length * idWidth;
  const out = new Uint8Array(offsetsAt + (fields.length + 1) * width + total);
  out[0] = 2 | ((width - 1) << 2) | ((idWidth - 1) << 4) | (large ? 64 : 0);
  writeUint(out, 1, large ? 4 : 1, fields.length);
  fields.forEach((field, i) => {
    writeUint(out, head + i * idWidth, idWidth, field.id);
  });
  writeValues(out, offsetsAt, width, values);
  return out;
}

function writeValues(
  out: Uint8Array,
  offsetsAt: number,
  width: number,
  values: readonly Uint8Array[],
): void {
  const valuesAt = offsetsAt + (values.length + 1) * width;
  let offset = 0;
  values.forEach((value, i) => {
    writeUint(out, offsetsAt + i * width, width, offset);
    out.set(value, valuesAt + offset);
    offset += value.length;
  });
  writeUint(out, offsetsAt + values.length * width, width, offset);
}

function byteSum(parts: readonly Uint8Array[]): number {
  return parts.reduce((sum, part) => sum + part.length, 0);
}
