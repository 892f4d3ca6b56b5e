import { civilFromDays } from './civil-time.ts';
import { compareValues } from './compare.ts';
import { bigintToBytes } from './decimal.ts';
import type { Type, Value } from './type.ts';
import { uuidToBytes } from './uuid.ts';

/**
 * Murmur3, x86 variant, 32-bit, seed 0 (format/spec.md, Appendix B). The signed hash of the bytes.
 */
export function murmur3(bytes: Uint8Array): number {
  const blocks = bytes.length >>> 2;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let hash = 0;
  for (let i = 0; i < blocks; i++) {
    hash ^= scramble(view.getInt32(i * 4, true));
    hash = (hash << 13) | (hash >>> 19);
    hash = (Math.imul(hash, 5) + 0xe6546b64) | 0;
  }
  let tail = 0;
  for (let i = bytes.length - 1; i >= blocks * 4; i--) tail = (tail << 8) | bytes[i]!;
  hash ^= scramble(tail) ^ bytes.length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) | 0;
}

function scramble(block: number): number {
  const mixed = Math.imul(block, 0xcc9e2d51);
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
}

/**
 * A partition transform (format/spec.md, "Partition Transforms"). `unknown` keeps the text of one
 * that is not of the spec.
 */
export type Transform =
  | { readonly kind: 'identity' | 'void' | 'year' | 'month' | 'day' | 'hour' }
  | { readonly kind: 'bucket'; readonly buckets: number }
  | { readonly kind: 'truncate'; readonly width: number }
  | { readonly kind: 'unknown'; readonly text: string };

const PLAIN = new Set(['identity', 'void', 'year', 'month', 'day', 'hour']);

/**
 * The transform that `text` names, e.g. `identity`, `bucket[16]`; plural forms (`days`) are
 * accepted too.
 */
export function parseTransform(text: string): Transform {
  const name = /^(year|month|day|hour)s$/.exec(text)?.[1] ?? text;
  if (PLAIN.has(name)) return Object.freeze({ kind: name as 'identity' });
  const match = /^(bucket|truncate)\[(\d{1,10})\]$/.exec(text);
  const width = match ? Number(match[2]) : 0;
  if (match === null || width < 1 || width > 0x7fffffff) {
    return Object.freeze({ kind: 'unknown', text });
  }
  return match[1] === 'bucket'
    ? Object.freeze({ kind: 'bucket', buckets: width })
    : Object.freeze({ kind: 'truncate', width });
}

/** The text that metadata records for a transform. */
export function transformText(transform: Transform): string {
  switch (transform.kind) {
    case 'bucket':
      return `bucket[${transform.buckets}]`;
    case 'truncate':
      return `truncate[${transform.width}]`;
    case 'unknown':
      return transform.text;
    default:
      return transform.kind;
  }
}

/** The type of a transformed value; null if only the file itself knows (unknown transforms). */
export function transformResultType(transform: Transform, source: Type): Type | null {
  switch (transform.kind) {
    case 'year':
    case 'month':
    case 'hour':
    case 'bucket':
      return { kind: 'int' };
    case 'day':
      return { kind: 'date' };
    case 'unknown':
      return null;
    default:
      return source;
  }
}

/** Whether a column of this type can be transformed so. */
export function transformAccepts(transform: Transform, type: Type): boolean {
  switch (transform.kind) {
    case 'identity':
      return !['struct', 'list', 'map', 'variant', 'unknown'].includes(type.kind);
    case 'bucket':
      return bucketBytes(type, sampleOf(type)) !== null;
    case 'truncate':
      return ['int', 'long', 'decimal', 'string', 'binary'].includes(type.kind);
    case 'hour':
      return type.kind.startsWith('timestamp');
    case 'year':
    case 'month':
    case 'day':
      return type.kind === 'date' || type.kind.startsWith('timestamp');
    case 'void':
      return true;
    default:
      return false;
  }
}

function sampleOf(type: Type): Value {
  switch (type.kind) {
    case 'int':
    case 'date':
      return 0;
    case 'string':
      return '';
    case 'uuid':
      return '00000000-0000-0000-0000-000000000000';
    case 'binary':
    case 'fixed':
      return new Uint8Array(0);
    default:
      return 0n;
  }
}

/**
 * The partition value of a column's value; null stays null. Throws RangeError for an unknown
 * transform or a wrong type.
 */
export function applyTransform(transform: Transform, type: Type, value: Value): Value {
  if (value === null || transform.kind === 'void') return null;
  switch (transform.kind) {
    case 'identity':
      return value;
    case 'bucket': {
      const bytes = bucketBytes(type, value);
      if (bytes === null) throw new RangeError(`no bucket of a ${type.kind}`);
      return (murmur3(bytes) & 0x7fffffff) % transform.buckets;
    }
    case 'truncate':
      return truncate(type, value, transform.width);
    case 'unknown':
      throw new RangeError(`transform "${transform.text}" is not known`);
    default:
      return timePart(transform.kind, type, value);
  }
}

function longBytes(value: bigint): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigInt64(0, value, true);
  return bytes;
}

function bucketBytes(type: Type, value: Value): Uint8Array | null {
  switch (type.kind) {
    case 'int':
    case 'date':
      return longBytes(BigInt(value as number));
    case 'long':
    case 'time':
    case 'timestamp':
    case 'timestamptz':
    case 'timestamp_ns':
    case 'timestamptz_ns':
      return longBytes(value as bigint);
    case 'decimal':
      return bigintToBytes(value as bigint);
    case 'string':
      return Buffer.from(value as string, 'utf8');
    case 'uuid':
      return uuidToBytes(value as string);
    case 'binary':
    case 'fixed':
      return value as Uint8Array;
    default:
      return null;
  }
}

function truncate(type: Type, value: Value, width: number): Value {
  switch (type.kind) {
    case 'int': {
      const number = value as number;
      return number - (((number % width) + width) % width);
    }
    case 'long':
    case 'decimal': {
      const [number, step] = [value as bigint, BigInt(width)];
      return number - (((number % step) + step) % step);
    }
    case 'string':
      return truncateText(value as string, width);
    case 'binary':
      return (value as Uint8Array).slice(0, width);
    default:
      throw new RangeError(`no truncation of a ${type.kind}`);
  }
}

function truncateText(text: string, width: number): string {
  if (text.length <= width) return text;
  let units = 0;
  for (let points = 0; points < width && units < text.length; points++) {
    units += text.codePointAt(units)! > 0xffff ? 2 : 1;
  }
  return text.slice(0, units);
}

/**
 * Returns the results that may have produced a stored partition value. An `hour` or a truncated
 * integer that its type cannot hold is stored without its upper bits, as Java does.
 */
export function storedImages(transform: Transform, type: Type, stored: Value): readonly Value[] {
  const wraps = transform.kind === 'hour' || transform.kind === 'truncate';
  const ends = wraps ? ENDS[type.kind] : undefined;
  if (ends === undefined || stored === null) return [stored];
  const [least, greatest] = ends.map((end) => applyTransform(transform, type, end));
  const others =
    typeof stored === 'bigint'
      ? [stored - 2n ** 64n, stored + 2n ** 64n]
      : [(stored as number) - 2 ** 32, (stored as number) + 2 ** 32];
  const isResult = (value: Value) =>
    compareValues(least, value) <= 0 && compareValues(value, greatest) <= 0;
  return [stored, ...others.filter(isResult)];
}

const LONG_ENDS: readonly Value[] = [-(2n ** 63n), 2n ** 63n - 1n];

/** The least and the greatest value of types whose transformed values may overflow. */
const ENDS: { readonly [kind: string]: readonly Value[] | undefined } = {
  int: [-(2 ** 31), 2 ** 31 - 1],
  long: LONG_ENDS,
  timestamp: LONG_ENDS,
  timestamptz: LONG_ENDS,
  timestamp_ns: LONG_ENDS,
  timestamptz_ns: LONG_ENDS,
};

function floorDivide(value: bigint, by: bigint): number {
  const quotient = value / by;
  return Number(value % by < 0n ? quotient - 1n : quotient);
}

function timePart(kind: 'year' | 'month' | 'day' | 'hour', type: Type, value: Value): number {
  const perHour = type.kind.endsWith('_ns') ? 3_600_000_000_000n : 3_600_000_000n;
  if (kind === 'hour') return floorDivide(value as bigint, perHour);
  const days =
    type.kind === 'date' ? (value as number) : floorDivide(value as bigint, perHour * 24n);
  if (kind === 'day') return days;
  const [year, month] = civilFromDays(days);
  return kind === 'year' ? year - 1970 : (year - 1970) * 12 + month - 1;
}
