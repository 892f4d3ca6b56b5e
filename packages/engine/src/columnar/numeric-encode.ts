/**
 * A numeric column (LONG, DATE, BOOL as they are; DOUBLE as ordered integers,
 * base/ordered-double). Payload: sections
 *
 *   0 head, 64 bytes: i32 docs | i32 values | u8 width | u8 double | u8 multi | u8 0 | i32 zones |
 *   i64 base | i64 gcd
 *     | i64 min | i64 max | zero
 *   1 present   i32[8 x ceil(docs / 256)]: bit of a document that has a value
 *   2 starts    i32[docs + 1] when multi, else empty: document d holds values starts[d] .. starts[d
 *   + 1)
 *   3 codes     width x (multi ? values : docs): (value - base) / gcd, unsigned; at width 8 the
 *   value itself, signed
 *   4 zone lo   width x zones: lowest code of 1,024 documents; lo > hi in a zone without a value
 *   5 zone hi   the same, highest
 *
 * Width is 1, 2, 4 or 8 bytes, so that a value is one load. A document without a value has code 0
 * in a single-valued column.
 */
import { packSections } from '../storage/sections.ts';
import { atMostOne } from './starts.ts';

export const ZONE_DOCS = 1024;
const HEAD_BYTES = 64;

type SmallCodes = Uint8Array | Uint16Array | Uint32Array;
interface Encoded {
  readonly base: bigint;
  readonly gcd: bigint;
  readonly min: bigint;
  readonly max: bigint;
  readonly width: number;
  /** Slots in document order (multi: values in order), then the zones' bounds. */
  readonly codes: ArrayBufferView;
  readonly lo: ArrayBufferView;
  readonly hi: ArrayBufferView;
}

/**
 * The payload's parts of a column: values in document order, starts (docs + 1) counted in values.
 */
export function encodeNumeric(
  values: BigInt64Array,
  starts: Int32Array,
  double: boolean,
): Uint8Array[] {
  const docs = starts.length - 1;
  const multi = !atMostOne(starts);
  const encoded = encodeValues(values, starts, multi);
  const head = new DataView(new ArrayBuffer(HEAD_BYTES));
  head.setInt32(0, docs, true);
  head.setInt32(4, values.length, true);
  head.setUint8(8, encoded.width);
  head.setUint8(9, double ? 1 : 0);
  head.setUint8(10, multi ? 1 : 0);
  head.setInt32(12, zoneCount(docs), true);
  [encoded.base, encoded.gcd, encoded.min, encoded.max].forEach((value, i) => {
    head.setBigInt64(16 + 8 * i, value, true);
  });
  const { codes, lo, hi } = encoded;
  const storedStarts = multi ? starts : new Int32Array(0);
  return packSections([head, presence(starts), storedStarts, codes, lo, hi]);
}

const zoneCount = (docs: number): number => Math.ceil(docs / ZONE_DOCS);

/** Bits of the documents that have a value; whole ranges of 256 documents. */
function presence(starts: Int32Array): Int32Array {
  const docs = starts.length - 1;
  const bits = new Int32Array(8 * Math.ceil(docs / 256));
  for (let doc = 0; doc < docs; doc++) {
    if (starts[doc + 1] > starts[doc]) bits[doc >> 5] |= 1 << (doc & 31);
  }
  return bits;
}

function encodeValues(values: BigInt64Array, starts: Int32Array, multi: boolean): Encoded {
  let min = 0n;
  let max = 0n;
  if (values.length > 0) [min, max] = bounds(values);
  if (max - min < 2n ** 53n) {
    const deltas = differences(values, min);
    const step = commonStep(deltas);
    const top = Number(max - min) / step;
    if (top < 2 ** 32) {
      const width = top < 256 ? 1 : top < 65_536 ? 2 : 4;
      const coded = encodeSmall(deltas, step, width, starts, multi);
      return { base: min, gcd: BigInt(step), min, max, width, ...coded };
    }
  }
  return { base: 0n, gcd: 1n, min, max, width: 8, ...encodeWide(values, starts, multi) };
}

function bounds(values: BigInt64Array): [bigint, bigint] {
  const words = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  let [min, max] = [0, 0];
  const before = (a: number, b: number): boolean => {
    const high = words[2 * a + 1] - words[2 * b + 1];
    return high !== 0 ? high < 0 : words[2 * a] >>> 0 < words[2 * b] >>> 0;
  };
  for (let i = 1; i < values.length; i++) {
    if (before(i, min)) min = i;
    else if (before(max, i)) max = i;
  }
  return [values[min], values[max]];
}

/** value - min, exact because every difference is below 2^53. */
function differences(values: BigInt64Array, min: bigint): Float64Array {
  const words = new Int32Array(values.buffer, values.byteOffset, 2 * values.length);
  const low = Number(BigInt.asUintN(32, min));
  const high = Number(BigInt.asIntN(32, min >> 32n));
  const deltas = new Float64Array(values.length);
  for (let i = 0; i < deltas.length; i++) {
    deltas[i] = (words[2 * i + 1] - high) * 4_294_967_296 + ((words[2 * i] >>> 0) - low);
  }
  return deltas;
}

function commonStep(deltas: Float64Array): number {
  let step = 0;
  for (let i = 0; i < deltas.length && step !== 1; i++) {
    let a = deltas[i];
    let b = step;
    while (b !== 0) {
      const rest = a % b;
      a = b;
      b = rest;
    }
    step = a;
  }
  return Math.max(step, 1);
}

function emptyCodes(width: number, length: number): SmallCodes {
  if (width === 1) return new Uint8Array(length);
  return width === 2 ? new Uint16Array(length) : new Uint32Array(length);
}

function encodeSmall(
  deltas: Float64Array,
  step: number,
  width: number,
  starts: Int32Array,
  multi: boolean,
): { codes: SmallCodes; lo: SmallCodes; hi: SmallCodes } {
  const docs = starts.length - 1;
  const zones = zoneCount(docs);
  const codes = emptyCodes(width, multi ? deltas.length : docs);
  const lo = emptyCodes(width, zones);
  const hi = emptyCodes(width, zones);
  lo.fill(2 ** (8 * width) - 1);
  for (let doc = 0; doc < docs; doc++) {
    const zone = doc >> 10;
    for (let i = starts[doc]; i < starts[doc + 1]; i++) {
      const code = deltas[i] / step;
      codes[multi ? i : doc] = code;
      if (code < lo[zone]) lo[zone] = code;
      if (code > hi[zone]) hi[zone] = code;
    }
  }
  markEmptyZones(lo, hi, starts);
  return { codes, lo, hi };
}

/** lo > hi says that a zone has no value. */
function markEmptyZones(lo: SmallCodes, hi: SmallCodes, starts: Int32Array): void {
  for (let zone = 0; zone < lo.length; zone++) {
    const end = Math.min((zone + 1) * ZONE_DOCS, starts.length - 1);
    if (starts[end] > starts[zone * ZONE_DOCS]) continue;
    lo[zone] = 1;
    hi[zone] = 0;
  }
}

function encodeWide(
  values: BigInt64Array,
  starts: Int32Array,
  multi: boolean,
): { codes: BigInt64Array; lo: BigInt64Array; hi: BigInt64Array } {
  const docs = starts.length - 1;
  const codes = multi ? values : new BigInt64Array(docs);
  const lo = new BigInt64Array(zoneCount(docs)).fill(1n);
  const hi = new BigInt64Array(zoneCount(docs));
  for (let zone = 0; zone < lo.length; zone++) {
    const end = Math.min((zone + 1) * ZONE_DOCS, docs);
    const from = starts[zone * ZONE_DOCS];
    if (starts[end] > from) [lo[zone], hi[zone]] = bounds(values.subarray(from, starts[end]));
  }
  if (multi) return { codes, lo, hi };
  for (let doc = 0; doc < docs; doc++) {
    if (starts[doc + 1] > starts[doc]) codes[doc] = values[starts[doc]];
  }
  return { codes, lo, hi };
}
