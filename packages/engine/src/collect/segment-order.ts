/**
 * Sort keys over one segment. A document's `place` for a key is a number, lower stands earlier: the
 * value itself where numbers hold it exactly, an ordinal, a key's rank; negated when falling,
 * +Infinity when missing. Equal places may hide different values (integers beyond 2^53, infinities
 * and NaN beside missing values): then the values decide.
 */

import { doubleFromOrdered } from '../base/ordered-double.ts';
import type { NumericColumn } from '../columnar/numeric-column.ts';
import type { OrdinalColumn } from '../columnar/ordinal-column.ts';
import { valueOrder } from '../columnar/value-order.ts';
import type { SegmentKeys } from '../segment/keys.ts';
import type { SegmentReader } from '../segment/segment-reader.ts';
import { compareValues, type SortKey, type SortValue } from './order.ts';

/** One sort key over one segment. */
export interface SegmentSortKey {
  readonly desc: boolean;
  place(doc: number, score: number): number;
  /** True when documents with this place may differ in value. */
  blurred(place: number): boolean;
  value(doc: number, score: number): SortValue;
  /** Where a value from elsewhere would stand among this segment's places. */
  placeOf(value: SortValue): number;
  /** No document of the zone of 1,024 has a lower place. */
  zonePlace(zone: number): number;
  /** No document of the zone has a higher place; absent: not known. */
  readonly zoneEnd?: (zone: number) => number;
  /**
   * Sets the bits of the documents whose value equals one that is not null; absent: of several
   * values, or of what tells no equal ones apart.
   */
  readonly fillEqual?: (value: SortValue, bits: Int32Array) => void;
  /** Its column, where it has one. */
  readonly column?: object;
  /**
   * All documents by rising place, equal values by key; null: pages are not asked for often enough
   * for that.
   */
  readonly byValue?: () => Int32Array | null;
  /** What tells many documents' places from the column's codes, where they tell them. */
  readonly codes?: PlaceCodes;
}

/**
 * Codes of a column with one value a document. A document whose code is beyond `limit(place)`
 * (above it when rising, below it when falling) has a higher place; one that is not may have, too.
 */
export interface PlaceCodes {
  readonly codes: Uint8Array | Uint16Array | Uint32Array;
  readonly desc: boolean;
  limit(place: number): number;
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
    const numeric = reader.numeric(key.field.id);
    if (numeric !== null) return numericKey(numeric, key.desc, reader.keys);
    const ordinals = reader.ordinals(key.field.id);
    return ordinals === null ? missingKey(key.desc) : ordinalKey(ordinals, key.desc, reader.keys);
  });
}

function scoreKey(desc: boolean): SegmentSortKey {
  const sign = desc ? -1 : 1;
  return {
    desc,
    place: (_, score) => sign * score,
    blurred: () => false,
    value: (_, score) => score,
    placeOf: (value) => sign * (value as number),
    zonePlace: () => Number.NEGATIVE_INFINITY,
  };
}

/** A segment without any value of the field. */
function missingKey(desc: boolean): SegmentSortKey {
  return {
    desc,
    place: () => Number.POSITIVE_INFINITY,
    blurred: () => true,
    value: () => null,
    placeOf: (value) => (value === null ? Number.POSITIVE_INFINITY : 0),
    zonePlace: () => Number.POSITIVE_INFINITY,
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
  // NaN is above Infinity in the column's order: it shares Infinity's place, and the values decide.
  const sound = (key: number): number => (Number.isNaN(key) ? Number.POSITIVE_INFINITY : key);
  const place = (key: number): number => sign * sound(key);
  const { present } = column;
  const has = (doc: number): boolean => (present[doc >> 5]! & (1 << (doc & 31))) !== 0;
  const plain = exact && !column.multi && !column.double;
  return {
    desc,
    column,
    byValue: () => valueOrder(column, desc, () => docsByRank(keys))?.docs ?? null,
    ...(plain && column.codes !== null ? { codes: placeCodes(column, column.codes, desc) } : {}),
    ...(plain ? { fillEqual: (value, bits) => column.fillEquals(value as bigint, bits) } : {}),
    ...(plain && column.values === column.docs ? { zoneEnd: zoneEnds(column, desc) } : {}),
    place: plain
      ? (doc) => (has(doc) ? sign * column.sortKey(doc) : Number.POSITIVE_INFINITY)
      : (doc) => (has(doc) ? place(number(doc)) : Number.POSITIVE_INFINITY),
    blurred: (at) => !exact || !Number.isFinite(at),
    value: (doc) => (column.has(doc) ? value(doc) : null),
    placeOf(other) {
      if (other === null) return Number.POSITIVE_INFINITY;
      return place(column.double ? doubleFromOrdered(other as bigint) : Number(other as bigint));
    },
    zonePlace(zone) {
      const keys = column.zoneKeys(zone);
      if (keys === null) return Number.POSITIVE_INFINITY;
      if (!exact) return Number.NEGATIVE_INFINITY;
      return place(desc ? keys.hi : keys.lo);
    },
  };
}

/** The highest places of zones without a missing value. */
function zoneEnds(column: NumericColumn, desc: boolean): (zone: number) => number {
  return (zone) => {
    const keys = column.zoneKeys(zone);
    if (keys === null) return Number.POSITIVE_INFINITY;
    return desc ? -keys.lo : keys.hi;
  };
}

/** Numbers up to here have exact differences. */
const HALF_SAFE = 2 ** 52;

function placeCodes(column: NumericColumn, codes: PlaceCodes['codes'], desc: boolean): PlaceCodes {
  const base = Number(column.base);
  const step = Number(column.gcd);
  const none = desc ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return {
    codes,
    desc,
    limit(place) {
      if (Math.abs(place) > HALF_SAFE || Math.abs(base) > HALF_SAFE) return none;
      return desc ? Math.ceil((-place - base) / step) : Math.floor((place - base) / step);
    },
  };
}

function ordinalKey(column: OrdinalColumn, desc: boolean, keys: SegmentKeys): SegmentSortKey {
  const ord = (doc: number): number => (desc ? column.maxOrd(doc) : column.ord(doc));
  const place = (at: number): number => (desc ? -at : at);
  return {
    desc,
    column,
    byValue: () => valueOrder(column, desc, () => docsByRank(keys))?.docs ?? null,
    place(doc) {
      const at = ord(doc);
      return at < 0 ? Number.POSITIVE_INFINITY : place(at);
    },
    blurred: () => false,
    ...(column.multi ? {} : { fillEqual: (value, bits) => fillOrdinal(column, value, bits) }),
    value(doc) {
      const at = ord(doc);
      return at < 0 ? null : column.bytesOf(at);
    },
    placeOf(value) {
      if (value === null) return Number.POSITIVE_INFINITY;
      const at = column.find(value as Uint8Array);
      return place(at >= 0 ? at : column.lowerBound(value as Uint8Array) - 0.5);
    },
    zonePlace(zone) {
      const ords = column.zoneOrds(zone);
      if (ords === null) return Number.POSITIVE_INFINITY;
      return place(desc ? ords.hi : ords.lo);
    },
  };
}

function fillOrdinal(column: OrdinalColumn, value: SortValue, bits: Int32Array): void {
  const at = column.find(value as Uint8Array);
  if (at >= 0) column.fillOrds(at, at, bits);
}

function documentKey(keys: SegmentKeys, desc: boolean): SegmentSortKey {
  const place = (at: number): number => (desc ? -at : at);
  return {
    desc,
    place: (doc) => place(keys.ranks[doc]!),
    blurred: () => false,
    value: (doc) => keys.key(doc),
    placeOf: (value) => place(rankOfKey(keys, value as Uint8Array)),
    zonePlace: () => Number.NEGATIVE_INFINITY,
  };
}

/** Documents of a segment by key rank; made at the first order by key. */
const byRank = new WeakMap<SegmentKeys, Int32Array>();

/** The documents of a segment in the order of their keys. */
export function docsByRank(keys: SegmentKeys): Int32Array {
  let docs = byRank.get(keys);
  if (docs === undefined) {
    docs = new Int32Array(keys.docs);
    for (let doc = 0; doc < docs.length; doc++) docs[keys.ranks[doc]!] = doc;
    byRank.set(keys, docs);
  }
  return docs;
}

/** The rank of a key; half a rank below the next one where the segment does not have it. */
export function rankOfKey(keys: SegmentKeys, key: Uint8Array): number {
  const docs = docsByRank(keys);
  let low = 0;
  let high = docs.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (Buffer.compare(keys.key(docs[middle]!), key) < 0) low = middle + 1;
    else high = middle;
  }
  const found = low < docs.length && Buffer.compare(keys.key(docs[low]!), key) === 0;
  return found ? low : low - 0.5;
}

/**
 * Below 0 when document `a` of the segment, with its score, stands before `b`; ties go by key rank.
 */
export function compareDocs(
  keys: readonly SegmentSortKey[],
  ranks: Int32Array,
  a: number,
  scoreA: number,
  b: number,
  scoreB: number,
): number {
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const place = key.place(a, scoreA);
    const other = key.place(b, scoreB);
    if (place !== other) return place < other ? -1 : 1;
    if (!key.blurred(place)) continue;
    const order = compareValues(key.value(a, scoreA), key.value(b, scoreB), key.desc);
    if (order !== 0) return order;
  }
  return ranks[a]! - ranks[b]!;
}
