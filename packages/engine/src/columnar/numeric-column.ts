import { doubleFromOrdered, doubleFromWords } from '../base/arrays/ordered-double.ts';
import { collectDemands, mapCold } from '../storage/cold-file.ts';
import type { Arena, Region } from '../storage/directory.ts';
import { corrupt } from '../storage/frame.ts';
import { type NeedSection, openSections } from '../storage/sections.ts';
import {
  type CodeSource,
  eachRun,
  fillCodes,
  fillPresent,
  fillWide,
  fillZones,
  type ZoneTruth,
} from './fill.ts';
import { ZONE_DOCS } from './numeric-encode.ts';

const SECTIONS = 6;
const SAFE = 2n ** 53n;
const TWO_32 = 2 ** 32;

/**
 * A numeric column on a mapped file (layout: numeric-encode.ts). LONG, DATE (µs) and BOOL (0, 1)
 * are i64; DOUBLE is stored as ordered integers (base/ordered-double): `fillRange` and `ordered…`
 * speak those, `valueAt` and `sortKey` doubles.
 */
export class NumericColumn {
  /** The memory that the column lies in, for kernels. */
  readonly arena: Arena;
  readonly docs: number;
  /** Number of values in all documents. */
  readonly values: number;
  readonly double: boolean;
  /** True when some document has more than one value. */
  readonly multi: boolean;
  /** Lowest and highest value of the column, as ordered integers; 0n when it has none. */
  readonly min: bigint;
  readonly max: bigint;
  /**
   * True when every `sortKey` is exact: always for DOUBLE, otherwise when all values lie within
   * ±2^53.
   */
  readonly exact: boolean;
  /**
   * Bits of documents that have a value; bits at and beyond `docs` are 0. Whole ranges of 256
   * documents.
   */
  readonly present: Int32Array;
  /**
   * Bytes a code: 1, 2, 4 (unsigned, value = base + gcd x code) or 8 (signed, the value itself).
   */
  readonly width: number;
  readonly base: bigint;
  readonly gcd: bigint;
  readonly #baseNumber: number;
  readonly #baseLow: number;
  readonly #baseHigh: number;
  readonly #step: number;
  readonly #starts: Int32Array;
  readonly #u8: Uint8Array;
  readonly #u16: Uint16Array;
  readonly #u32: Uint32Array;
  readonly #wide: BigInt64Array;
  readonly #lo: DataView;
  readonly #hi: DataView;
  readonly #need: NeedSection | undefined;
  /** Each document has one value. */
  readonly #full: boolean;

  private constructor(payload: Region, path: string) {
    this.arena = payload.arena;
    const sections = openSections(payload, SECTIONS, path);
    this.#need = sections.need;
    this.#need?.(0);
    const head = sections.view(0);
    if (head.byteLength < 48) throw corrupt(path, 'its head is too short');
    this.docs = head.getInt32(0, true);
    this.values = head.getInt32(4, true);
    this.width = head.getUint8(8);
    this.double = head.getUint8(9) === 1;
    this.multi = head.getUint8(10) === 1;
    this.#full = !this.multi && this.values === this.docs;
    this.base = head.getBigInt64(16, true);
    this.gcd = head.getBigInt64(24, true);
    this.min = head.getBigInt64(32, true);
    this.max = head.getBigInt64(40, true);
    this.exact = this.double || (this.min >= -SAFE && this.max <= SAFE);
    this.#baseNumber = Number(this.base);
    this.#baseLow = Number(BigInt.asUintN(32, this.base));
    this.#baseHigh = Number(BigInt.asIntN(32, this.base >> 32n));
    this.#step = Number(this.gcd);
    this.present = sections.i32(1);
    this.#starts = sections.i32(2);
    this.#lo = sections.view(4);
    this.#hi = sections.view(5);
    const codes = sections.bytes(3);
    const slots = this.multi ? this.values : this.docs;
    const zones = Math.ceil(this.docs / ZONE_DOCS);
    if (
      ![1, 2, 4, 8].includes(this.width) ||
      codes.length !== slots * this.width ||
      this.#lo.byteLength !== zones * this.width ||
      this.#hi.byteLength !== zones * this.width ||
      this.present.length !== 8 * Math.ceil(this.docs / 256) ||
      this.#starts.length !== (this.multi ? this.docs + 1 : 0)
    ) {
      throw corrupt(path, 'its sections do not fit its head');
    }
    const at = (width: number): [ArrayBuffer, number, number] => [
      codes.buffer as ArrayBuffer,
      codes.byteOffset,
      this.width === width ? slots : 0,
    ];
    this.#u8 = new Uint8Array(...at(1));
    this.#u16 = new Uint16Array(...at(2));
    this.#u32 = new Uint32Array(codes.buffer, codes.byteOffset, codes.length >> 2);
    this.#wide = new BigInt64Array(...at(8));
  }

  /** Opens a column's payload; `path` is for messages. Throws corrupt_index. */
  static open(payload: Region, path: string): NumericColumn {
    return new NumericColumn(payload, path);
  }

  /**
   * Codes by slot, for loops over whole columns; null at width 8. Slots of documents without a
   * value hold anything.
   */
  get codes(): Uint8Array | Uint16Array | Uint32Array | null {
    return this.width === 8 ? null : this.#narrowCodes();
  }

  /** Ordered values by slot at width 8; null at other widths. */
  get wide(): BigInt64Array | null {
    return this.width === 8 ? this.#wide : null;
  }

  /** Where the documents' slots begin (docs + 1 numbers); null: document d has slot d. */
  get starts(): Int32Array | null {
    return this.multi ? this.#starts : null;
  }

  /** True if what is read of it has to be demanded. */
  get cold(): boolean {
    return this.#need !== undefined;
  }

  /** Of a cold file: demands the values of a document. */
  needDoc(doc: number): void {
    const need = this.#need;
    if (need === undefined) return;
    if (this.multi) need(2, 4 * doc, 8);
    const [from, count] = this.multi ? [this.#starts[doc], this.count(doc)] : [doc, 1];
    const needPresent = () => (this.#full ? undefined : need(1, 4 * (doc >> 5), 4));
    collectDemands(needPresent);
    need(3, this.width * from, this.width * count);
    needPresent();
  }

  has(doc: number): boolean {
    return this.#full || (this.present[doc >> 5] & (1 << (doc & 31))) !== 0;
  }

  /** Number of values of a document. */
  count(doc: number): number {
    if (this.multi) return this.#starts[doc + 1] - this.#starts[doc];
    return this.has(doc) ? 1 : 0;
  }

  /**
   * The document's i-th value, in the order in which it was given: a number for DOUBLE, else a
   * bigint.
   */
  valueAt(doc: number, i: number): bigint | number {
    const ordered = this.orderedAt(doc, i);
    return this.double ? doubleFromOrdered(ordered) : ordered;
  }

  /** The document's i-th value as an ordered integer. */
  orderedAt(doc: number, i: number): bigint {
    const slot = this.multi ? this.#starts[doc] + i : doc;
    if (this.width === 8) return this.#wide[slot];
    return this.base + this.gcd * BigInt(this.#code(slot));
  }

  /**
   * The document's value as a number, its lowest one where it has several; only for documents
   * that have one. Exact when `exact`; otherwise rounded, still in order, and ties are to be
   * broken by `min`.
   */
  sortKey(doc: number): number {
    if (!this.multi) return this.numberAt(doc);
    if (this.double) return doubleFromOrdered(this.minAt(doc));
    let key = this.numberAt(this.#starts[doc]);
    for (let slot = this.#starts[doc] + 1; slot < this.#starts[doc + 1]; slot++) {
      key = Math.min(key, this.numberAt(slot));
    }
    return key;
  }

  /** As `sortKey`, with the document's highest value. */
  maxKey(doc: number): number {
    if (!this.multi) return this.numberAt(doc);
    if (this.double) return doubleFromOrdered(this.maxAt(doc));
    let key = this.numberAt(this.#starts[doc]);
    for (let slot = this.#starts[doc] + 1; slot < this.#starts[doc + 1]; slot++) {
      key = Math.max(key, this.numberAt(slot));
    }
    return key;
  }

  /** The document's lowest value as an ordered integer; only for documents that have one. */
  minAt(doc: number): bigint {
    let best = this.orderedAt(doc, 0);
    for (let i = this.count(doc) - 1; i > 0; i--) {
      const value = this.orderedAt(doc, i);
      if (value < best) best = value;
    }
    return best;
  }

  /** The document's highest value as an ordered integer; only for documents that have one. */
  maxAt(doc: number): bigint {
    let best = this.orderedAt(doc, 0);
    for (let i = this.count(doc) - 1; i > 0; i--) {
      const value = this.orderedAt(doc, i);
      if (value > best) best = value;
    }
    return best;
  }

  /** Number of zones of 1,024 documents. */
  get zones(): number {
    return Math.ceil(this.docs / ZONE_DOCS);
  }

  /**
   * Lowest and highest `sortKey`/`maxKey` of a zone, or null where no document of it has a value.
   */
  zoneKeys(zone: number): { readonly lo: number; readonly hi: number } | null {
    const lo = this.#zoneCode(this.#lo, zone);
    const hi = this.#zoneCode(this.#hi, zone);
    if (lo > hi) return null;
    return { lo: this.#keyOfCode(lo), hi: this.#keyOfCode(hi) };
  }

  /**
   * Sets the bits of documents that have a value in [lo, hi], ordered integers, both included.
   * Other bits stay.
   */
  fillRange(lo: bigint, hi: bigint, bits: Int32Array): void {
    const from = lo < this.min ? this.min : lo;
    const to = hi > this.max ? this.max : hi;
    if (from > to || this.values === 0) return;
    this.needRange(from, to);
    const { a, b } = this.#codesBetween(from, to);
    const truthOf = this.width === 8 ? this.#zonesIn(from, to) : this.#zonesIn(a, b);
    eachRun(this.zones, truthOf, (run, truth) => {
      if (truth === 'all') fillZones(this.present, run, bits);
      else if (this.width === 8) fillWide(this.#source(this.#wide), run, from, to, bits);
      else fillCodes(this.#source(this.#narrowCodes()), run, a, b, bits);
    });
  }

  /** Which zones have codes in [a, b], by their bounds; none if no code is between two values. */
  #zonesIn(a: number | bigint, b: number | bigint): (zone: number) => ZoneTruth {
    return (zone) => {
      const [low, high] = [this.#zoneCode(this.#lo, zone), this.#zoneCode(this.#hi, zone)];
      if (a > b || low > high || high < a || low > b) return 'none';
      return low >= a && high <= b ? 'all' : 'some';
    };
  }

  /** Demands what `fillRange` reads: the bounds of zones, then the values of zones between them. */
  needRange(lo: bigint, hi: bigint): void {
    const need = this.#need;
    const from = lo < this.min ? this.min : lo;
    const to = hi > this.max ? this.max : hi;
    if (need === undefined || from > to || this.values === 0) return;
    mapCold([1, 4, 5], (section) => need(section));
    const { a, b } = this.#codesBetween(from, to);
    const truthOf = this.width === 8 ? this.#zonesIn(from, to) : this.#zonesIn(a, b);
    mapCold(
      Array.from({ length: this.zones }, (_, zone) => zone),
      (zone) => {
        if (truthOf(zone) !== 'some') return;
        const first = zone * ZONE_DOCS;
        const docs = Math.min(ZONE_DOCS, this.docs - first);
        if (this.multi) need(2, 4 * first, 4 * (docs + 1));
        const slot = this.multi ? this.#starts[first] : first;
        const slots = this.multi ? this.#starts[first + docs] - slot : docs;
        need(3, this.width * slot, this.width * slots);
      },
    );
  }

  /** Whether a document has a value in [lo, hi], ordered integers, both included. */
  rangeTest(lo: bigint, hi: bigint): (doc: number) => boolean {
    const from = lo < this.min ? this.min : lo;
    const to = hi > this.max ? this.max : hi;
    if (from > to || this.values === 0) return () => false;
    const starts = this.starts;
    const wide = this.#wide;
    const { a, b } = this.#codesBetween(from, to);
    const codes = this.width === 8 ? null : this.#narrowCodes();
    const fits =
      codes === null
        ? (slot: number) => wide[slot] >= from && wide[slot] <= to
        : (slot: number) => codes[slot] >= a && codes[slot] <= b;
    if (starts === null) return (doc) => fits(doc) && this.has(doc);
    return (doc) => {
      for (let slot = starts[doc]; slot < starts[doc + 1]; slot++) if (fits(slot)) return true;
      return false;
    };
  }

  /** The first and the last code in a range of values; not at width 8. */
  #codesBetween(from: bigint, to: bigint): { readonly a: number; readonly b: number } {
    if (this.width === 8) return { a: 0, b: 0 };
    const a = Number((from - this.base + this.gcd - 1n) / this.gcd);
    return { a, b: Number((to - this.base) / this.gcd) };
  }

  /** Sets the bits of documents that have exactly this value (an ordered integer). */
  fillEquals(value: bigint, bits: Int32Array): void {
    this.fillRange(value, value, bits);
  }

  /** Sets the bits of documents that have a value. */
  fillHas(bits: Int32Array): void {
    this.#need?.(1);
    fillPresent(this.present, bits);
  }

  #source<T>(codes: T): CodeSource<T> & { readonly present: Int32Array } {
    const { arena, present, docs } = this;
    return { arena, codes, starts: this.starts, present, docs };
  }

  #narrowCodes(): Uint8Array | Uint16Array | Uint32Array {
    if (this.width === 1) return this.#u8;
    return this.width === 2 ? this.#u16 : this.#u32;
  }

  #code(slot: number): number {
    if (this.width === 1) return this.#u8[slot];
    return this.width === 2 ? this.#u16[slot] : this.#u32[slot];
  }

  /** The value of a slot as a number, as `sortKey` returns it. */
  numberAt(slot: number): number {
    if (this.width !== 8) return this.#numberOf(this.#code(slot));
    const low = this.#u32[2 * slot];
    const high = this.#u32[2 * slot + 1] | 0;
    return this.double ? doubleFromWords(low, high) : high * TWO_32 + low;
  }

  /**
   * The number of a code of 1, 2 or 4 bytes: base + gcd x code. Where a number is too short for
   * base, in two words, so that it is rounded once and equal values of two segments stay equal.
   */
  #numberOf(code: number): number {
    const delta = this.#step * code;
    if (this.exact && !this.double) return this.#baseNumber + delta;
    const low = this.#baseLow + (delta % TWO_32);
    const high = this.#baseHigh + Math.floor(delta / TWO_32) + (low >= TWO_32 ? 1 : 0);
    return this.double ? doubleFromWords(low | 0, high) : high * TWO_32 + (low % TWO_32);
  }

  #keyOfCode(code: number | bigint): number {
    if (typeof code === 'number') return this.#numberOf(code);
    return this.double ? doubleFromOrdered(code) : Number(code);
  }

  #zoneCode(bounds: DataView, zone: number): number | bigint {
    if (this.width === 1) return bounds.getUint8(zone);
    if (this.width === 2) return bounds.getUint16(2 * zone, true);
    if (this.width === 4) return bounds.getUint32(4 * zone, true);
    return bounds.getBigInt64(8 * zone, true);
  }
}
