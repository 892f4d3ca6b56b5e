import { LIMITS } from '../base/limits.ts';
import { countBits, forEachBit, popcount } from '../bitmap/bitmap.ts';
import type { Similarity } from '../schema/definition.ts';
import { mapCold } from '../storage/cold-file.ts';
import type { Arena, Pages, Region } from '../storage/directory.ts';
import { corrupt } from '../storage/frame.ts';
import { openSections, type Sections } from '../storage/sections.ts';
import { headDims, MIDDLE, rowBytes, STORED_SIMILARITIES, VECTOR_SECTIONS } from './format.ts';

/** Numbers of sections. */
const [SCALES, NORMS, RESTS, TAIL_LENGTHS, HEADS, TAILS, LOWS] = [4, 5, 6, 7, 8, 9, 10];
/** Slots so near to one another are demanded with those between them. */
const SLOTS_BETWEEN = 16;
/** Sections that are empty where vectors are all head. */
const OF_TAILS: ReadonlySet<number> = new Set([TAIL_LENGTHS, TAILS]);

/**
 * The vectors of a field on a mapped file (layout: format.ts). Vectors stand in slots 0 .. count -
 * 1, in the order of their documents.
 */
export class StoredVectors {
  readonly arena: Arena;
  readonly docs: number;
  /** Documents that have a vector. */
  readonly count: number;
  readonly dims: number;
  readonly metric: Similarity;
  /** Bytes of a vector in the planes of heads, of tails, and in both. */
  readonly headRow: number;
  readonly tailRow: number;
  readonly row: number;
  /** The document of each slot; null: slot and document are the same. */
  readonly docOf: Int32Array | null;
  readonly scales: Float32Array;
  readonly norms: Float64Array;
  readonly rests: Float32Array;
  /** Empty where vectors are all head. */
  readonly tails: Float32Array;
  readonly head: Int8Array;
  readonly tail: Int8Array;
  readonly low: Int8Array;
  /** Addresses of the planes in the arena. */
  readonly headAt: number;
  readonly tailAt: number;
  readonly lowAt: number;
  /** Hints to the operating system about pages of the file; null if it is not mapped. */
  readonly pages: Pages | null;
  /** Number of scans of the whole plane. */
  scans = 0;
  readonly #present: Int32Array;
  readonly #ranks: Int32Array;
  readonly #need: Sections['need'];
  readonly #has: Sections['has'];

  /** Opens a payload; `path` is for messages. Throws corrupt_index. */
  constructor(payload: Region, path: string) {
    const sections = openSections(payload, VECTOR_SECTIONS, path);
    const head = sections.view(0);
    if (head.byteLength < 16) throw corrupt(path, 'its head is too short');
    this.#need = sections.need;
    this.#has = sections.has;
    this.arena = payload.arena;
    this.pages = payload.pages ?? null;
    this.docs = head.getInt32(0, true);
    this.count = head.getInt32(4, true);
    this.dims = head.getInt32(8, true);
    const similarity = STORED_SIMILARITIES[head.getUint8(12)];
    this.headRow = rowBytes(headDims(this.dims));
    this.tailRow = rowBytes(this.dims - headDims(this.dims));
    this.row = this.headRow + this.tailRow;
    this.#present = sections.i32(1);
    this.#ranks = sections.i32(2);
    const docOf = sections.i32(3);
    const all = this.count === this.docs;
    this.docOf = all ? null : docOf;
    this.scales = sections.f32(4);
    this.norms = sections.f64(5);
    this.rests = sections.f32(6);
    this.tails = sections.f32(7);
    this.head = sections.i8(8);
    this.tail = sections.i8(9);
    this.low = sections.i8(10);
    this.headAt = this.head.byteOffset;
    this.tailAt = this.tail.byteOffset;
    this.lowAt = this.low.byteOffset;
    const ranges = all ? 0 : Math.ceil(this.docs / 256);
    if (
      similarity === undefined ||
      this.count < 0 ||
      this.count > this.docs ||
      this.dims < 1 ||
      this.dims > LIMITS.vectorDims ||
      this.#present.length !== 8 * ranges ||
      this.#ranks.length !== ranges ||
      docOf.length !== (all ? 0 : this.count) ||
      this.scales.length !== this.count ||
      this.norms.length !== this.count ||
      this.rests.length !== this.count ||
      this.tails.length !== (this.tailRow === 0 ? 0 : this.count) ||
      this.head.length !== this.count * this.headRow ||
      this.tail.length !== this.count * this.tailRow ||
      this.low.length !== this.count * this.row
    ) {
      throw corrupt(path, 'its sections do not fit its head');
    }
    this.metric = similarity;
  }

  /** Whether bytes have to be demanded before they are read. */
  get isCold(): boolean {
    return this.#need !== undefined;
  }

  /** Whether the tails of all vectors are here. */
  get hasTails(): boolean {
    return this.#has?.(TAILS) !== false;
  }

  /** Of a cold file: demands lengths and heads of some vectors; null: of all. */
  needHeads(slots: Int32Array | null): void {
    this.#needRows(this.#headSections, slots);
  }

  /** The same, with tails. */
  needHighs(slots: Int32Array | null): void {
    this.#needRows([...this.#headSections, [TAILS, this.tailRow]], slots);
  }

  /** Of a cold file: demands the tails of some vectors. */
  needTails(slots: Int32Array): void {
    this.#needRows([[TAILS, this.tailRow]], slots);
  }

  /** Of a cold file: demands the low bytes of some vectors. */
  needLows(slots: Int32Array): void {
    this.#needRows([[LOWS, this.row]], slots);
  }

  /** Of a cold file: demands all of a vector. */
  needVector(slot: number): void {
    const sections = [[SCALES, 4], ...this.#headSections, [TAILS, this.tailRow], [LOWS, this.row]];
    this.#needRows(sections, Int32Array.of(slot));
  }

  /** What bounds by heads read, and bytes of a vector there; scales are no part of a cosine. */
  get #headSections(): readonly (readonly number[])[] {
    const scales = this.metric === 'cosine' ? [] : [[SCALES, 4]];
    return [...scales, [NORMS, 8], [RESTS, 4], [TAIL_LENGTHS, 4], [HEADS, this.headRow]];
  }

  #needRows(sections: readonly (readonly number[])[], slots: Int32Array | null): void {
    const need = this.#need;
    if (need === undefined) return;
    const runs = slots === null ? [[0, this.count]] : runsOf(slots);
    const own = this.tailRow > 0 ? sections : sections.filter(([at]) => !OF_TAILS.has(at));
    mapCold(own, ([section, row]) => {
      mapCold(runs, ([from, to]) => need(section, from * row, (to - from) * row));
    });
  }

  /** The slots of documents of a bitmap, ascending. */
  slotsOf(accept: Int32Array): Int32Array {
    const slots = new Int32Array(countBits(accept));
    let count = 0;
    forEachBit(accept, (doc) => {
      const slot = this.slotOf(doc);
      if (slot >= 0) slots[count++] = slot;
    });
    return slots.subarray(0, count);
  }

  /** The slot of a document's vector, or -1 where it has none. */
  slotOf(doc: number): number {
    if (this.docOf === null) return doc;
    const at = doc >> 5;
    const word = this.#present[at];
    const bit = 1 << (doc & 31);
    if ((word & bit) === 0) return -1;
    let slot = this.#ranks[doc >> 8] + popcount(word & (bit - 1));
    for (let before = at & -8; before < at; before++) slot += popcount(this.#present[before]);
    return slot;
  }

  /** The document of a slot. */
  docAt(slot: number): number {
    return this.docOf === null ? slot : this.docOf[slot];
  }

  /** True when the document has a vector. */
  has(doc: number): boolean {
    return this.slotOf(doc) >= 0;
  }

  /** The codes of the vector in a slot, to `into` unless it is left out. */
  codes(slot: number, into: Int16Array = new Int16Array(this.dims)): Int16Array {
    const { head, tail, low, dims, headRow, tailRow } = this;
    const most = Math.min(headRow, dims);
    const [h, t, l] = [slot * headRow, slot * tailRow - headRow, slot * this.row];
    for (let c = 0; c < most; c++) into[c] = 256 * head[h + c] + low[l + c] + MIDDLE;
    for (let c = most; c < dims; c++) into[c] = 256 * tail[t + c] + low[l + c] + MIDDLE;
    return into;
  }

  /** Component by component, the vector of a document, or null where it has none. */
  vector(doc: number): Float32Array | null {
    const slot = this.slotOf(doc);
    if (slot < 0) return null;
    return Float32Array.from(this.codes(slot), (code) => this.scales[slot] * code);
  }
}

/** Slots as ranges; those that are near to one another are in one. */
function runsOf(slots: Int32Array): readonly (readonly number[])[] {
  const runs: number[][] = [];
  for (const slot of slots) {
    const last = runs.at(-1);
    if (last !== undefined && slot >= last[0] && slot <= last[1] + SLOTS_BETWEEN) {
      last[1] = Math.max(last[1], slot + 1);
    } else runs.push([slot, slot + 1]);
  }
  return runs;
}
