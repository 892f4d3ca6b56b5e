import { collectDemands } from '../storage/cold-file.ts';
import type { Arena, Region } from '../storage/directory.ts';
import { corrupt } from '../storage/frame.ts';
import { type NeedSection, openSections } from '../storage/sections.ts';
import { ByteList } from './byte-list.ts';
import { eachRun, fillCodes } from './fill.ts';

const SECTIONS = 7;
/** Dictionaries of so many bytes are demanded whole with the first document. */
const SMALL_DICTIONARY = 2 ** 18;

/**
 * A column of byte strings by ordinal on a mapped file (layout: ordinal-writer.ts). Ordinals
 * follow the strings' order.
 */
export class OrdinalColumn {
  /** The memory that the column lies in, for kernels. */
  readonly arena: Arena;
  readonly docs: number;
  /** Number of values in all documents. */
  readonly values: number;
  /** Number of distinct values: ordinals are 0 .. size - 1. */
  readonly size: number;
  /** True when some document has more than one value. */
  readonly multi: boolean;
  readonly #width: number;
  readonly #starts: Int32Array;
  readonly #u8: Uint8Array;
  readonly #u16: Uint16Array;
  readonly #i32: Int32Array;
  readonly #dictionary: ByteList;
  readonly #lo: Int32Array;
  readonly #hi: Int32Array;
  readonly #need: NeedSection | undefined;
  /** Bytes of a small dictionary; 0: it is large. */
  readonly #smallBytes: number;

  private constructor(payload: Region, path: string) {
    this.arena = payload.arena;
    const sections = openSections(payload, SECTIONS, path);
    this.#need = sections.need;
    this.#need?.(0);
    const head = sections.view(0);
    if (head.byteLength < 14) throw corrupt(path, 'its head is too short');
    this.docs = head.getInt32(0, true);
    this.values = head.getInt32(4, true);
    this.size = head.getInt32(8, true);
    this.#width = head.getUint8(12);
    this.multi = head.getUint8(13) === 1;
    this.#starts = sections.i32(1);
    this.#lo = sections.i32(5);
    this.#hi = sections.i32(6);
    const codes = sections.bytes(2);
    const slots = this.multi ? this.values : this.docs;
    if (
      ![1, 2, 4].includes(this.#width) ||
      codes.length !== slots * this.#width ||
      this.#starts.length !== (this.multi ? this.docs + 1 : 0) ||
      this.#lo.length !== Math.ceil(this.docs / 1024) ||
      this.#hi.length !== this.#lo.length
    ) {
      throw corrupt(path, 'its sections do not fit its head');
    }
    const at = (width: number): [ArrayBuffer, number, number] => [
      codes.buffer as ArrayBuffer,
      codes.byteOffset,
      this.#width === width ? slots : 0,
    ];
    this.#u8 = new Uint8Array(...at(1));
    this.#u16 = new Uint16Array(...at(2));
    this.#i32 = new Int32Array(...at(4));
    const data = sections.bytes(4);
    const bytes = data.byteOffset + data.length - sections.bytes(3).byteOffset;
    this.#smallBytes = bytes > SMALL_DICTIONARY ? 0 : bytes;
    const cold = sections.need === undefined ? null : { section: 3, need: sections.need };
    this.#dictionary = new ByteList(sections.i32(3), data, this.size, path, cold);
  }

  /** Opens a column's payload; `path` is for messages. Throws corrupt_index. */
  static open(payload: Region, path: string): OrdinalColumn {
    return new OrdinalColumn(payload, path);
  }

  /** Ordinal + 1 by slot, 0 where the document has no value: for loops over whole columns. */
  get codes(): Uint8Array | Uint16Array | Int32Array {
    if (this.#width === 1) return this.#u8;
    return this.#width === 2 ? this.#u16 : this.#i32;
  }

  /** Where the documents' slots begin (docs + 1 numbers); null: document d has slot d. */
  get starts(): Int32Array | null {
    return this.multi ? this.#starts : null;
  }

  /** Of a cold file: demands the codes of a document, and a small dictionary. */
  needDoc(doc: number): void {
    const need = this.#need;
    if (need === undefined) return;
    collectDemands(() => need(3, 0, this.#smallBytes));
    if (this.multi) need(1, 4 * doc, 8);
    const [from, count] = this.multi ? [this.#starts[doc], this.count(doc)] : [doc, 1];
    need(2, this.#width * from, this.#width * count);
  }

  has(doc: number): boolean {
    return this.count(doc) > 0;
  }

  /** Number of values of a document. */
  count(doc: number): number {
    if (this.multi) return this.#starts[doc + 1] - this.#starts[doc];
    return this.#code(doc) === 0 ? 0 : 1;
  }

  /** The document's ordinal, its lowest one where it has several; -1 when it has none. */
  ord(doc: number): number {
    if (!this.multi) return this.#code(doc) - 1;
    const [from, to] = [this.#starts[doc], this.#starts[doc + 1]];
    if (from === to) return -1;
    let lowest = this.#code(from);
    for (let slot = from + 1; slot < to; slot++) lowest = Math.min(lowest, this.#code(slot));
    return lowest - 1;
  }

  /** The document's highest ordinal; -1 when it has none. */
  maxOrd(doc: number): number {
    if (!this.multi) return this.#code(doc) - 1;
    let highest = 0;
    for (let slot = this.#starts[doc]; slot < this.#starts[doc + 1]; slot++) {
      highest = Math.max(highest, this.#code(slot));
    }
    return highest - 1;
  }

  /** The ordinal of the document's i-th value, in the order in which the values were given. */
  ordAt(doc: number, i: number): number {
    return this.#code(this.multi ? this.#starts[doc] + i : doc) - 1;
  }

  /** A copy of the document's i-th value. */
  valueAt(doc: number, i: number): Uint8Array {
    return this.bytesOf(this.ordAt(doc, i));
  }

  /** A copy of the string with this ordinal. */
  bytesOf(ord: number): Uint8Array {
    return this.#dictionary.get(ord);
  }

  /**
   * True when the string with this ordinal is bytes[0 .. length). Cheap when ordinals are asked in
   * order.
   */
  isString(ord: number, bytes: Uint8Array, length: number): boolean {
    return this.#dictionary.equals(ord, bytes, 0, length);
  }

  /** Order of the string with an ordinal against `bytes`. */
  compareString(ord: number, bytes: Uint8Array): number {
    return this.#dictionary.compare(ord, bytes);
  }

  /** Order of the string with an ordinal against one of another column. Cheap in rising order. */
  compareOrds(ord: number, other: OrdinalColumn, otherOrd: number): number {
    return this.#dictionary.compareWith(ord, other.#dictionary, otherOrd);
  }

  /** The ordinal of a string, or -1 when no document ever had it. */
  find(bytes: Uint8Array): number {
    const ord = this.lowerBound(bytes);
    return ord < this.size && this.#dictionary.compare(ord, bytes) === 0 ? ord : -1;
  }

  /** The first ordinal whose string is not before `bytes`; `size` when there is none. */
  lowerBound(bytes: Uint8Array): number {
    return this.#dictionary.lowerBound(bytes);
  }

  /** Calls `visit` with every string in order; the bytes are only valid during the call. */
  forEachValue(visit: (bytes: Uint8Array, length: number, ord: number) => void): void {
    this.#dictionary.forEach(visit);
  }

  /**
   * Lowest and highest ordinal of a zone of 1,024 documents, or null where none of them has a
   * value.
   */
  zoneOrds(zone: number): { readonly lo: number; readonly hi: number } | null {
    if (this.#lo[zone] > this.#hi[zone]) return null;
    return { lo: this.#lo[zone] - 1, hi: this.#hi[zone] - 1 };
  }

  /**
   * Sets the bits of documents that have an ordinal in [lo, hi], both included. Other bits stay.
   */
  fillOrds(lo: number, hi: number, bits: Int32Array): void {
    const from = Math.max(lo, 0) + 1;
    const to = Math.min(hi, this.size - 1) + 1;
    if (from > to) return;
    const { arena, codes, starts, docs } = this;
    const source = { arena, codes, starts, present: null, docs };
    const isNone = (zone: number) =>
      this.#lo[zone] > this.#hi[zone] || this.#hi[zone] < from || this.#lo[zone] > to;
    const truthOf = (zone: number) => (isNone(zone) ? 'none' : 'some');
    eachRun(this.#lo.length, truthOf, (run) => fillCodes(source, run, from, to, bits));
  }

  /** Sets the bits of documents that have a value. */
  fillHas(bits: Int32Array): void {
    this.fillOrds(0, this.size - 1, bits);
  }

  #code(slot: number): number {
    if (this.#width === 1) return this.#u8[slot];
    return this.#width === 2 ? this.#u16[slot] : this.#i32[slot];
  }
}
