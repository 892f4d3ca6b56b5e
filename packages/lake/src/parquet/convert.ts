/**
 * From Parquet's physical values to `Value`s of an Iceberg type (Iceberg format/spec.md, Appendix A
 * "Parquet"; type promotion: "Schema Evolution"). Timestamps come in ms, us or ns, INT96 in ns;
 * decimals in INT32, INT64 or big-endian bytes.
 */
import { bigintFromBytes } from '../schema/decimal.ts';
import type { Type, Value, VariantNode } from '../schema/type.ts';
import { uuidFromBytes } from '../schema/uuid.ts';
import type { PhysicalValue } from './encodings/page-values.ts';
import { type FaultPlace, parquetFault, parquetUnsupported } from './fault.ts';
import type { LeafNode, ParquetLogicalType, TimeUnit } from './schema-tree.ts';

/** Makes a `Value` of one stored value that is not null. */
export type Convert = (value: PhysicalValue) => Value;

/** Whether a converter gives the bytes as text and does nothing else. */
export function isPlainText(convert: Convert): boolean {
  return convert === toText;
}

/** How values of `leaf` are read as `type`. Throws `unsupported` if they cannot be. */
export function converter(leaf: LeafNode, type: Type, place: FaultPlace): Convert {
  const convert = isUnsigned(leaf) ? unsignedConvert(leaf, type, place) : convertTo(leaf, type);
  if (convert !== null) return convert;
  throw parquetUnsupported(place, `column "${leaf.path}" of ${storedType(leaf)} as ${type.kind}`);
}

/** How people write the stored type of a column. */
function storedType({ physical, logical, length }: LeafNode): string {
  const bytes = physical === 'fixed' ? `fixed[${length}]` : physical;
  if (logical.kind === 'int') return `${logical.signed ? 'int' : 'uint'}${logical.bits}`;
  return logical.kind === 'none' || logical.kind === 'other' ? bytes : `${bytes} ${logical.kind}`;
}

function isUnsigned({ logical }: LeafNode): boolean {
  return logical.kind === 'int' && !logical.signed;
}

/** UINT_8 to UINT_64: the bits are those of a signed number, which may be negative. */
function unsignedConvert(leaf: LeafNode, type: Type, place: FaultPlace): Convert | null {
  const { physical } = leaf;
  const isWhole = type.kind === 'decimal' && type.scale === 0;
  if (type.kind !== 'int' && type.kind !== 'long' && !isWhole) return null;
  if (physical !== 'int32' && physical !== 'int64') return null;
  const bits = physical === 'int32' ? 32 : 64;
  const digits = type.kind === 'decimal' ? type.precision : 0;
  const most = isWhole ? 10n ** BigInt(digits) - 1n : type.kind === 'int' ? MAX_INT : MAX_LONG;
  return (value) => {
    const whole = BigInt.asUintN(bits, BigInt(value as number | bigint));
    if (whole <= most) return type.kind === 'int' ? Number(whole) : whole;
    const what = `the value ${whole} of ${storedType(leaf)} column "${leaf.path}" as ${type.kind}`;
    throw parquetUnsupported(place, what);
  };
}

const MAX_INT = 2n ** 31n - 1n;
const MAX_LONG = 2n ** 63n - 1n;

function convertTo(leaf: LeafNode, type: Type): Convert | null {
  const { physical } = leaf;
  switch (type.kind) {
    case 'boolean':
      return physical === 'boolean' ? same : null;
    case 'int':
    case 'date':
      return physical === 'int32' ? same : null;
    case 'long':
      if (physical === 'int32') return toBigInt;
      return physical === 'int64' ? same : null;
    case 'float':
    case 'double':
      return physical === 'float' || (physical === 'double' && type.kind === 'double')
        ? same
        : null;
    case 'string':
      return physical === 'byte_array' ? toText : null;
    case 'binary':
      return physical === 'byte_array' || physical === 'fixed' ? toBytes : null;
    case 'fixed':
      return physical === 'fixed' && leaf.length === type.length ? toBytes : null;
    case 'uuid':
      return physical === 'fixed' && leaf.length === 16 ? toUuid : null;
    case 'decimal':
      return leaf.logical.kind === 'decimal' && leaf.logical.scale === type.scale
        ? decimalConvert(leaf)
        : null;
    case 'time':
      return timeConvert(leaf);
    case 'timestamp':
    case 'timestamptz':
      return timestampConvert(leaf, 'us');
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return timestampConvert(leaf, 'ns');
    default:
      return null;
  }
}

const same: Convert = (value) => value;
const toBigInt: Convert = (value) => BigInt(value as number);
const toBytes: Convert = (value) => (value as Uint8Array).slice();
const toText: Convert = (value) => textOf(value as Uint8Array);
const toUuid: Convert = (value) => uuidFromBytes(value as Uint8Array);

function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
}

function decimalConvert(leaf: LeafNode): Convert | null {
  if (leaf.physical === 'int32') return toBigInt;
  if (leaf.physical === 'int64') return same;
  if (leaf.physical !== 'fixed' && leaf.physical !== 'byte_array') return null;
  return (value) => bigintFromBytes(value as Uint8Array);
}

function timeConvert(leaf: LeafNode): Convert | null {
  const unit = leaf.logical.kind === 'time' ? leaf.logical.unit : 'us';
  if (leaf.physical === 'int32') return (value) => BigInt(value as number) * 1000n;
  if (leaf.physical !== 'int64') return null;
  return unit === 'us' ? same : scaled(unit, 'us');
}

function timestampConvert(leaf: LeafNode, to: 'us' | 'ns'): Convert | null {
  const { physical, logical } = leaf;
  if (physical === 'int96') return scaled('ns', to);
  if (physical === 'int32' && logical.kind === 'date') {
    const perDay = to === 'us' ? 86_400_000_000n : 86_400_000_000_000n;
    return (value) => BigInt(value as number) * perDay;
  }
  if (physical !== 'int64') return null;
  return scaled(logical.kind === 'timestamp' ? logical.unit : to, to);
}

const NANOS: Readonly<Record<TimeUnit, bigint>> = { ms: 1_000_000n, us: 1000n, ns: 1n };

function scaled(from: TimeUnit, to: TimeUnit): Convert {
  if (from === to) return same;
  if (NANOS[from] > NANOS[to]) {
    const factor = NANOS[from] / NANOS[to];
    return (value) => (value as bigint) * factor;
  }
  const divisor = NANOS[to] / NANOS[from];
  return (value) => floorDivide(value as bigint, divisor);
}

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  return value % divisor < 0n ? quotient - 1n : quotient;
}

/**
 * How a shredded `typed_value` leaf becomes a variant node (VariantShredding.md, "Shredded Value
 * Types").
 */
export function variantConverter(
  leaf: LeafNode,
  place: FaultPlace,
): (value: PhysicalValue) => VariantNode {
  const convert = toVariant(leaf, leaf.logical);
  if (convert === null) {
    throw parquetFault(
      place,
      `column "${leaf.path}" (${leaf.physical} ${leaf.logical.kind}) is no shredded variant type`,
    );
  }
  return convert as (value: PhysicalValue) => VariantNode;
}

function toVariant(
  leaf: LeafNode,
  logical: ParquetLogicalType,
): ((value: never) => VariantNode) | null {
  switch (leaf.physical) {
    case 'boolean':
      return (value: boolean) => ({ kind: 'boolean', value });
    case 'float':
    case 'double': {
      const kind = leaf.physical;
      return (value: number) => ({ kind, value });
    }
    case 'int32':
      return variantInt32(logical);
    case 'int64':
      return variantInt64(logical);
    default:
      return variantBytes(leaf, logical);
  }
}

function variantInt32(logical: ParquetLogicalType): ((value: number) => VariantNode) | null {
  if (logical.kind === 'date') return (value) => ({ kind: 'date', value });
  if (logical.kind === 'decimal') {
    const { scale } = logical;
    return (value) => ({ kind: 'decimal', unscaled: BigInt(value), scale });
  }
  const bits = logical.kind === 'int' ? logical.bits : 32;
  if (logical.kind !== 'int' && logical.kind !== 'none') return null;
  const kind = bits === 8 ? 'int8' : bits === 16 ? 'int16' : 'int32';
  return (value) => ({ kind, value });
}

function variantInt64(logical: ParquetLogicalType): ((value: bigint) => VariantNode) | null {
  switch (logical.kind) {
    case 'none':
    case 'int':
      return (value) => ({ kind: 'int64', value });
    case 'decimal': {
      const { scale } = logical;
      return (unscaled) => ({ kind: 'decimal', unscaled, scale });
    }
    case 'time':
      return logical.unit === 'us' ? (value) => ({ kind: 'time', value }) : null;
    case 'timestamp': {
      if (logical.unit === 'ms') return null;
      const base = logical.utc ? 'timestamptz' : 'timestamp';
      const kind = logical.unit === 'us' ? base : (`${base}_ns` as const);
      return (value) => ({ kind, value });
    }
    default:
      return null;
  }
}

function variantBytes(
  leaf: LeafNode,
  logical: ParquetLogicalType,
): ((value: Uint8Array) => VariantNode) | null {
  if (leaf.physical === 'int96') return null;
  if (logical.kind === 'decimal') {
    const { scale } = logical;
    return (value) => ({ kind: 'decimal', unscaled: bigintFromBytes(value), scale });
  }
  if (logical.kind === 'string') return (value) => ({ kind: 'string', value: textOf(value) });
  if (logical.kind === 'uuid' && leaf.length === 16) {
    return (value) => ({ kind: 'uuid', value: uuidFromBytes(value) });
  }
  return logical.kind === 'none' && leaf.physical === 'byte_array'
    ? (value) => ({ kind: 'binary', value: value.slice() })
    : null;
}
