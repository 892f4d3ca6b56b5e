/**
 * VARIANT bytes to nodes (parquet-format VariantEncoding.md, "Value encoding"). The two low bits of
 * the first byte:
 *
 *   0 primitive      type id in the upper six bits, then the value, little-endian (uuid big-endian)
 *   1 short string   length in the upper six bits, then UTF-8
 *   2 object         header: large << 4 | id size - 1 << 2 | offset size - 1; count (u8, u32 when
 *                    large); count ids; count + 1 offsets; values. Ids stand in the order of names,
 *                    values in any order.
 *   3 array          header: large << 2 | offset size - 1; count; count + 1 offsets; values
 *
 * Values may not share bytes: every node is charged its own bytes, and the sum may not exceed the
 * input, so a small value whose offsets all point at the same bytes cannot grow into a large tree.
 */
import { LakeError } from '../base/errors.ts';
import { LIMITS } from '../base/limits.ts';
import type { VariantNode } from '../schema/type.ts';
import { uuidFromBytes } from '../schema/uuid.ts';
import {
  parseVariantMetadata,
  readUint,
  utf8Text,
  type VariantMetadata,
  variantFault,
} from './variant-metadata.ts';

/**
 * The node of `value` under the dictionary `metadata`. Throws `data_file_invalid` or
 * `limit_exceeded`.
 */
export function decodeVariant(
  metadata: Uint8Array,
  value: Uint8Array,
  file = 'variant',
): VariantNode {
  return decodeVariantValue(parseVariantMetadata(metadata, file), value, file);
}

/** As `decodeVariant`, with a dictionary that is already parsed. */
export function decodeVariantValue(
  metadata: VariantMetadata,
  value: Uint8Array,
  file: string,
): VariantNode {
  if (value.length > LIMITS.variantBytes) {
    throw new LakeError('limit_exceeded', `variant of ${value.length} bytes is too large`, {
      file,
    });
  }
  return new Decoder(metadata, value, file).node(0, value.length, 0);
}

type Decode = (decoder: Decoder, at: number) => VariantNode;

class Decoder {
  readonly #metadata: VariantMetadata;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #file: string;
  #budget: number;

  constructor(metadata: VariantMetadata, bytes: Uint8Array, file: string) {
    this.#metadata = metadata;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#file = file;
    this.#budget = bytes.length;
  }

  /** The node that begins at `at` and may use no byte from `end` on. */
  node(at: number, end: number, depth: number): VariantNode {
    if (depth > LIMITS.variantDepth) {
      throw new LakeError('limit_exceeded', `variant nests deeper than ${LIMITS.variantDepth}`, {
        file: this.#file,
      });
    }
    if (at >= end) throw this.fault(`a value begins at byte ${at}, the data ends at ${end}`);
    const header = this.#bytes[at] >>> 2;
    switch (this.#bytes[at] & 3) {
      case 0:
        return this.#primitive(header, at, end);
      case 1:
        this.#charge(at, 1 + header, end);
        return { kind: 'string', value: this.text(at + 1, header) };
      case 2:
        return this.#object(header, at, end, depth);
      default:
        return this.#array(header, at, end, depth);
    }
  }

  int(at: number, width: 1 | 2 | 4): number {
    if (width === 1) return this.#view.getInt8(at);
    return width === 2 ? this.#view.getInt16(at, true) : this.#view.getInt32(at, true);
  }
  long(at: number): bigint {
    return this.#view.getBigInt64(at, true);
  }
  float(at: number, width: 4 | 8): number {
    return width === 4 ? this.#view.getFloat32(at, true) : this.#view.getFloat64(at, true);
  }
  text(at: number, length: number): string {
    return utf8Text(this.#bytes.subarray(at, at + length));
  }
  copy(at: number, length: number): Uint8Array {
    return this.#bytes.slice(at, at + length);
  }
  fault(what: string): LakeError {
    return variantFault(this.#file, what);
  }

  #charge(at: number, length: number, end: number): void {
    if (at + length > end) throw this.fault(`a value at byte ${at} needs ${length} bytes`);
    this.#budget -= length;
    if (this.#budget < 0) throw this.fault('values share bytes');
  }

  #primitive(type: number, at: number, end: number): VariantNode {
    const primitive = PRIMITIVES[type];
    if (primitive === undefined) throw this.fault(`primitive type ${type}, expected 0 to 20`);
    if (primitive.bytes === 'counted') return this.#counted(type, at, end);
    this.#charge(at, 1 + primitive.bytes, end);
    return primitive.decode(this, at + 1);
  }

  #counted(type: number, at: number, end: number): VariantNode {
    const length = readUint(this.#bytes, at + 1, 4, this.#file);
    this.#charge(at, 5 + length, end);
    if (type === BINARY) return { kind: 'binary', value: this.copy(at + 5, length) };
    return { kind: 'string', value: this.text(at + 5, length) };
  }

  #array(header: number, at: number, end: number, depth: number): VariantNode {
    const width = (header & 3) + 1;
    const large = (header & 4) !== 0;
    const count = this.#uint(at + 1, large ? 4 : 1);
    const offsetsAt = at + (large ? 5 : 2);
    const valuesAt = offsetsAt + (count + 1) * width;
    this.#charge(at, valuesAt - at, end);
    const valuesEnd = this.#valuesEnd(valuesAt, offsetsAt + count * width, width, end);
    const elements: VariantNode[] = [];
    for (let i = 0; i < count; i++) {
      const from = valuesAt + this.#uint(offsetsAt + i * width, width);
      elements.push(this.node(from, valuesEnd, depth + 1));
    }
    return { kind: 'array', elements };
  }

  #object(header: number, at: number, end: number, depth: number): VariantNode {
    const width = (header & 3) + 1;
    const idWidth = ((header >>> 2) & 3) + 1;
    const large = (header & 16) !== 0;
    const count = this.#uint(at + 1, large ? 4 : 1);
    const idsAt = at + (large ? 5 : 2);
    const offsetsAt = idsAt + count * idWidth;
    const valuesAt = offsetsAt + (count + 1) * width;
    this.#charge(at, valuesAt - at, end);
    const valuesEnd = this.#valuesEnd(valuesAt, offsetsAt + count * width, width, end);
    const fields = new Map<string, VariantNode>();
    for (let i = 0; i < count; i++) {
      const name = this.#metadata.name(this.#uint(idsAt + i * idWidth, idWidth));
      if (fields.has(name)) throw this.fault(`an object has the field "${name}" twice`);
      const from = valuesAt + this.#uint(offsetsAt + i * width, width);
      fields.set(name, this.node(from, valuesEnd, depth + 1));
    }
    return { kind: 'object', fields };
  }

  #valuesEnd(valuesAt: number, lastOffsetAt: number, width: number, end: number): number {
    const valuesEnd = valuesAt + this.#uint(lastOffsetAt, width);
    if (valuesEnd > end) throw this.fault(`values end at byte ${valuesEnd}, the data at ${end}`);
    return valuesEnd;
  }

  #uint(at: number, width: number): number {
    return readUint(this.#bytes, at, width, this.#file);
  }
}

const BINARY = 15;

function decimal(width: 4 | 8 | 16): Decode {
  return (decoder, at) => {
    const scale = decoder.int(at, 1);
    if (scale < 0 || scale > 38) throw decoder.fault(`decimal scale ${scale}, expected 0 to 38`);
    if (width === 4) return { kind: 'decimal', unscaled: BigInt(decoder.int(at + 1, 4)), scale };
    if (width === 8) return { kind: 'decimal', unscaled: decoder.long(at + 1), scale };
    const low = BigInt.asUintN(64, decoder.long(at + 1));
    return { kind: 'decimal', unscaled: (decoder.long(at + 9) << 64n) | low, scale };
  };
}

function micros(kind: 'time' | 'timestamp' | 'timestamptz' | 'timestamp_ns' | 'timestamptz_ns'): {
  bytes: number;
  decode: Decode;
} {
  return { bytes: 8, decode: (decoder, at) => ({ kind, value: decoder.long(at) }) };
}

/** By primitive type id: how many bytes follow the header, and what they mean. */
const PRIMITIVES: readonly ({ bytes: number; decode: Decode } | { bytes: 'counted' })[] = [
  { bytes: 0, decode: () => ({ kind: 'null' }) },
  { bytes: 0, decode: () => ({ kind: 'boolean', value: true }) },
  { bytes: 0, decode: () => ({ kind: 'boolean', value: false }) },
  { bytes: 1, decode: (decoder, at) => ({ kind: 'int8', value: decoder.int(at, 1) }) },
  { bytes: 2, decode: (decoder, at) => ({ kind: 'int16', value: decoder.int(at, 2) }) },
  { bytes: 4, decode: (decoder, at) => ({ kind: 'int32', value: decoder.int(at, 4) }) },
  { bytes: 8, decode: (decoder, at) => ({ kind: 'int64', value: decoder.long(at) }) },
  { bytes: 8, decode: (decoder, at) => ({ kind: 'double', value: decoder.float(at, 8) }) },
  { bytes: 5, decode: decimal(4) },
  { bytes: 9, decode: decimal(8) },
  { bytes: 17, decode: decimal(16) },
  { bytes: 4, decode: (decoder, at) => ({ kind: 'date', value: decoder.int(at, 4) }) },
  micros('timestamptz'),
  micros('timestamp'),
  { bytes: 4, decode: (decoder, at) => ({ kind: 'float', value: decoder.float(at, 4) }) },
  { bytes: 'counted' },
  { bytes: 'counted' },
  micros('time'),
  micros('timestamptz_ns'),
  micros('timestamp_ns'),
  {
    bytes: 16,
    decode: (decoder, at) => ({ kind: 'uuid', value: uuidFromBytes(decoder.copy(at, 16)) }),
  },
];
