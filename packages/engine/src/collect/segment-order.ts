/**
 * Sort keys over one segment. A document has a sort rank per key: a number, lower ranks come
 * first. The rank is the value itself if a double holds it exactly, else an ordinal or the rank of
 * the document's key. It is negated in falling order, and +Infinity for a missing value (unless
 * the key says where missing values are: missing-place.ts). Equal
 * ranks may hide different values (integers beyond 2^53; infinities and NaN beside missing values):
 * then the values decide.
 */

import { lowerBoundBy } from '../base/arrays/lower-bound.ts';
import { doubleFromOrdered } from '../base/arrays/ordered-double.ts';
import { hasBit } from '../bitmap/bitmap.ts';
import type { NumericColumn } from '../columnar/numeric-column.ts';
import type { OrdinalColumn } from '../columnar/ordinal-column.ts';
import { valueOrder } from '../columnar/value-order.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { SegmentKeys } from '../segment/keys/keys.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { withMissing } from './missing-place.ts';
import { compareValues, type SortKey, type SortValue } from './order.ts';

/** One sort key over one segment. */
export interface SegmentSortKey {
  readonly desc: boolean;
  /** Documents without a value come first. */
  readonly missingFirst: boolean;
  rank(doc: number, score: number): number;
  /** True if documents with this rank may differ in value. */
  blurred(rank: number): boolean;
  value(doc: number, score: number): SortValue;
  /** The rank that a value from another segment would have in this one. */
  rankOf(value: SortValue): number;
  /** No document of the zone of 1,024 has a lower rank. */
  zoneStart(zone: number): number;
  /** No document of the zone has a higher rank; absent: not known. */
  readonly zoneEnd?: (zone: number) => number;
  /**
   * Sets the bits of the documents with this value, which is not null. Absent if documents have
   * several values, or if the column cannot tell which values are equal.
   */
  readonly fillEqual?: (value: SortValue, bits: Int32Array) => void;
  /** Sets the bits of the documents whose rank, a finite one, is not above this. */
  readonly fillUpTo?: (rank: number, bits: Int32Array) => void;
  /** Its column, where it has one. */
  readonly column?: object;
  /**
   * All documents by rising rank, equal values by key; null: pages are not requested often enough
   * to build this order.
   */
  readonly byValue?: () => Int32Array | null;
  /** Bounds the ranks of many documents by the column's codes; absent if the codes cannot. */
  readonly codes?: RankCodes;
}

/**
 * Codes of a column with one value per document. A document whose code is beyond `limit(rank)`
 * (above it in rising order, below it in falling order) has a higher rank. Other documents may have
 * a higher rank too.
 */
export interface RankCodes {
  readonly codes: Uint8Array | Uint16Array | Uint32Array;
  readonly desc: boolean;
  limit(rank: number): number;
}

/**
 * The sort keys of an order over one segment. Throws nothing: fields without a column were refused
 * before.
 */
export function segmentOrder(
  reader: SegmentReader,
  order: readonly SortKey[],
): readonly SegmentSortKey[] {
  return order.map((key) => {
    if (key.kind === 'score') return scoreKey(key.desc);
    if (key.kind === 'key') return documentKey(reader.keys, key.desc);
    const own = fieldKey(reader, key.field, key.desc);
    return key.missing === undefined ? own : withMissing(own, key.missing);
  });
}

function fieldKey(reader: SegmentReader, { id }: FieldPlan, desc: boolean): SegmentSortKey {
  const numeric = reader.numeric(id);
  if (numeric !== null) return numericKey(numeric, desc, reader.keys);
  const ordinals = reader.ordinals(id);
  return ordinals === null ? missingKey(desc) : ordinalKey(ordinals, desc, reader.keys);
}

function scoreKey(desc: boolean): SegmentSortKey {
  const sign = desc ? -1 : 1;
  return {
    desc,
    missingFirst: false,
    rank: (_, score) => sign * score,
    blurred: () => false,
    value: (_, score) => score,
    rankOf: (value) => sign * (value as number),
    zoneStart: () => Number.NEGATIVE_INFINITY,
  };
}

/** A segment without any value of the field. */
function missingKey(desc: boolean): SegmentSortKey {
  return {
    desc,
    missingFirst: false,
    rank: () => Number.POSITIVE_INFINITY,
    blurred: () => true,
    value: () => null,
    rankOf: (value) => (value === null ? Number.POSITIVE_INFINITY : 0),
    zoneStart: () => Number.POSITIVE_INFINITY,
  };
}

function numericKey(column: NumericColumn, desc: boolean, keys: SegmentKeys): SegmentSortKey {
  const { exact } = column;
  const sign = desc ? -1 : 1;
  const value = (doc: number): bigint => (desc ? column.maxAt(doc) : column.minAt(doc));
  const number = (doc: number): number => {
    if (!exact) return Number(value(doc));
    return desc ? column.maxKey(doc) : column.sortKey(doc);
  };
  // NaN is above Infinity in the column's order: it shares Infinity's rank, and the values decide.
  const sound = (key: number): number => (Number.isNaN(key) ? Number.POSITIVE_INFINITY : key);
  const rank = (key: number): number => sign * sound(key);
  const { present } = column;
  const has = (doc: number): boolean => hasBit(present, doc);
  const plain = exact && !column.multi && !column.double;
  return {
    desc,
    missingFirst: false,
    column,
    byValue: () => valueOrder(column, desc, () => docsByRank(keys))?.docs ?? null,
    ...(plain && column.codes !== null ? { codes: rankCodes(column, column.codes, desc) } : {}),
    ...(plain ? equalAndUpTo(column, desc) : {}),
    ...(plain && column.values === column.docs ? { zoneEnd: zoneEnds(column, desc) } : {}),
    rank: plain
      ? (doc) => (has(doc) ? sign * column.sortKey(doc) : Number.POSITIVE_INFINITY)
      : (doc) => (has(doc) ? rank(number(doc)) : Number.POSITIVE_INFINITY),
    blurred: (at) => !exact || !Number.isFinite(at),
    value: (doc) => (column.has(doc) ? value(doc) : null),
    rankOf(other) {
      if (other === null) return Number.POSITIVE_INFINITY;
      return rank(column.double ? doubleFromOrdered(other as bigint) : Number(other as bigint));
    },
    zoneStart(zone) {
      const keys = column.zoneKeys(zone);
      if (keys === null) return Number.POSITIVE_INFINITY;
      if (!exact) return Number.NEGATIVE_INFINITY;
      return rank(desc ? keys.hi : keys.lo);
    },
  };
}

/** Of a column with exact whole numbers, one a document. */
const equalAndUpTo = (
  column: NumericColumn,
  desc: boolean,
): Required<Pick<SegmentSortKey, 'fillEqual' | 'fillUpTo'>> => ({
  fillEqual: (value, bits) => column.fillEquals(value as bigint, bits),
  fillUpTo: (rank, bits) =>
    desc
      ? column.fillRange(BigInt(Math.ceil(-rank)), column.max, bits)
      : column.fillRange(column.min, BigInt(Math.floor(rank)), bits),
});

/** The highest ranks of zones without a missing value. */
function zoneEnds(column: NumericColumn, desc: boolean): (zone: number) => number {
  return (zone) => {
    const keys = column.zoneKeys(zone);
    if (keys === null) return Number.POSITIVE_INFINITY;
    return desc ? -keys.lo : keys.hi;
  };
}

/** Numbers up to here have exact differences. */
const HALF_SAFE = 2 ** 52;

function rankCodes(column: NumericColumn, codes: RankCodes['codes'], desc: boolean): RankCodes {
  const base = Number(column.base);
  const step = Number(column.gcd);
  const none = desc ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return {
    codes,
    desc,
    limit(rank) {
      if (Math.abs(rank) > HALF_SAFE || Math.abs(base) > HALF_SAFE) return none;
      return desc ? Math.ceil((-rank - base) / step) : Math.floor((rank - base) / step);
    },
  };
}

function ordinalKey(column: OrdinalColumn, desc: boolean, keys: SegmentKeys): SegmentSortKey {
  const ord = (doc: number): number => (desc ? column.maxOrd(doc) : column.ord(doc));
  const rank = (at: number): number => (desc ? -at : at);
  return {
    desc,
    missingFirst: false,
    column,
    byValue: () => valueOrder(column, desc, () => docsByRank(keys))?.docs ?? null,
    rank(doc) {
      const at = ord(doc);
      return at < 0 ? Number.POSITIVE_INFINITY : rank(at);
    },
    blurred: () => false,
    ...(column.multi ? {} : { fillEqual: (value, bits) => fillOrdinal(column, value, bits) }),
    fillUpTo: (rank, bits) =>
      desc
        ? column.fillOrds(Math.ceil(-rank), column.size - 1, bits)
        : column.fillOrds(0, Math.floor(rank), bits),
    value(doc) {
      const at = ord(doc);
      return at < 0 ? null : column.bytesOf(at);
    },
    rankOf(value) {
      if (value === null) return Number.POSITIVE_INFINITY;
      const at = column.find(value as Uint8Array);
      return rank(at >= 0 ? at : column.lowerBound(value as Uint8Array) - 0.5);
    },
    zoneStart(zone) {
      const ords = column.zoneOrds(zone);
      if (ords === null) return Number.POSITIVE_INFINITY;
      return rank(desc ? ords.hi : ords.lo);
    },
  };
}

function fillOrdinal(column: OrdinalColumn, value: SortValue, bits: Int32Array): void {
  const at = column.find(value as Uint8Array);
  if (at >= 0) column.fillOrds(at, at, bits);
}

function documentKey(keys: SegmentKeys, desc: boolean): SegmentSortKey {
  const rank = (at: number): number => (desc ? -at : at);
  return {
    desc,
    missingFirst: false,
    rank: (doc) => rank(keys.rank(doc)),
    blurred: () => false,
    value: (doc) => keys.key(doc),
    rankOf: (value) => rank(rankOfKey(keys, value as Uint8Array)),
    zoneStart: () => Number.NEGATIVE_INFINITY,
  };
}

/** Documents of a segment by key rank; made at the first order by key. */
const byRank = new WeakMap<Pick<SegmentKeys, 'docs' | 'rank'>, Int32Array>();

/** The documents of a segment in the order of their keys. */
export function docsByRank(keys: Pick<SegmentKeys, 'docs' | 'rank'>): Int32Array {
  let docs = byRank.get(keys);
  if (docs === undefined) {
    docs = new Int32Array(keys.docs);
    for (let doc = 0; doc < docs.length; doc++) docs[keys.rank(doc)] = doc;
    byRank.set(keys, docs);
  }
  return docs;
}

/** The rank of a key; half a rank below the next key if the segment does not have it. */
export function rankOfKey(
  keys: Pick<SegmentKeys, 'docs' | 'rank' | 'key'>,
  key: Uint8Array,
): number {
  const docs = docsByRank(keys);
  const at = lowerBoundBy(0, docs.length, (i) => Buffer.compare(keys.key(docs[i]), key) >= 0);
  const found = at < docs.length && Buffer.compare(keys.key(docs[at]), key) === 0;
  return found ? at : at - 0.5;
}

/**
 * Below 0 if document `a` of the segment, with its score, comes before `b`; ties go by key rank.
 */
export function compareDocs(
  keys: readonly SegmentSortKey[],
  segmentKeys: SegmentKeys,
  a: number,
  scoreA: number,
  b: number,
  scoreB: number,
): number {
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i];
    const rank = key.rank(a, scoreA);
    const other = key.rank(b, scoreB);
    if (rank !== other) return rank < other ? -1 : 1;
    if (!key.blurred(rank)) continue;
    const [x, y] = [key.value(a, scoreA), key.value(b, scoreB)];
    const order = compareValues(x, y, key.desc, key.missingFirst);
    if (order !== 0) return order;
  }
  return segmentKeys.rank(a) - segmentKeys.rank(b);
}
