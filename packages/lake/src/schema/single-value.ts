import { bigintFromBytes, bigintToBytes } from './decimal.ts';
import type { Type, Value } from './type.ts';
import { uuidFromBytes, uuidToBytes } from './uuid.ts';

/**
 * Single values as bytes: bounds and partition summaries (format/spec.md, Appendix D, "Binary
 * single-value serialization"). Little-endian numbers, big-endian decimals and UUIDs, bare UTF-8.
 */

/**
 * The value of `type` in `bytes`, or undefined if they cannot be one (a bound to be ignored).
 * Bounds written before a promotion are shorter: 4 bytes of an int serve a long, those of a float
 * a double, those of a date a timestamp.
 */
export function decodeSingleValue(type: Type, bytes: Uint8Array): Value | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  switch (type.kind) {
    case 'boolean':
      return bytes.length === 1 ? bytes[0] !== 0 : undefined;
    case 'int':
    case 'date':
      return bytes.length === 4 ? view.getInt32(0, true) : undefined;
    case 'long':
    case 'time':
      return decodeLong(view);
    case 'timestamp':
    case 'timestamptz':
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return decodeTicks(view, type.kind.endsWith('_ns') ? 86_400_000_000_000n : 86_400_000_000n);
    case 'float':
      return bytes.length === 4 ? view.getFloat32(0, true) : undefined;
    case 'double':
      if (bytes.length === 4) return view.getFloat32(0, true);
      return bytes.length === 8 ? view.getFloat64(0, true) : undefined;
    case 'string':
      return decodeText(bytes);
    case 'uuid':
      return bytes.length === 16 ? uuidFromBytes(bytes) : undefined;
    case 'binary':
    case 'fixed':
      return bytes;
    case 'decimal':
      return bytes.length > 0 && bytes.length <= 16 ? bigintFromBytes(bytes) : undefined;
    default:
      return undefined;
  }
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Text cut in the middle of a character is no bound: repairing it would move it. */
function decodeText(bytes: Uint8Array): string | undefined {
  try {
    return UTF8.decode(bytes);
  } catch {
    return undefined;
  }
}

function decodeLong(view: DataView): bigint | undefined {
  if (view.byteLength === 8) return view.getBigInt64(0, true);
  return view.byteLength === 4 ? BigInt(view.getInt32(0, true)) : undefined;
}

function decodeTicks(view: DataView, perDay: bigint): bigint | undefined {
  if (view.byteLength === 8) return view.getBigInt64(0, true);
  return view.byteLength === 4 ? BigInt(view.getInt32(0, true)) * perDay : undefined;
}

/**
 * The bytes of a value, or undefined for types that have no single-value form (nested types,
 * variant, unknown).
 */
export function encodeSingleValue(type: Type, value: Value): Uint8Array | undefined {
  if (value === null) return undefined;
  switch (type.kind) {
    case 'boolean':
      return new Uint8Array([value === true ? 1 : 0]);
    case 'int':
    case 'date':
      return fill(4, (view) => view.setInt32(0, value as number, true));
    case 'long':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return fill(8, (view) => view.setBigInt64(0, value as bigint, true));
    case 'float':
      return fill(4, (view) => view.setFloat32(0, value as number, true));
    case 'double':
      return fill(8, (view) => view.setFloat64(0, value as number, true));
    case 'string':
      return new Uint8Array(Buffer.from(value as string, 'utf8'));
    case 'uuid':
      return uuidToBytes(value as string) ?? undefined;
    case 'binary':
    case 'fixed':
      return value as Uint8Array;
    case 'decimal':
      return bigintToBytes(value as bigint);
    default:
      return undefined;
  }
}

function fill(length: number, write: (view: DataView) => void): Uint8Array {
  const bytes = new Uint8Array(length);
  write(new DataView(bytes.buffer));
  return bytes;
}
