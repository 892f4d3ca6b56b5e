/**
 * A column of byte strings (KEYWORD as UTF-8, IP as 16 bytes) by ordinal. Payload: sections
 *
 *   0 head, 32 bytes: i32 docs | i32 values | i32 dictionary size | u8 width | u8 multi | zero
 *   1 starts   i32[docs + 1] when multi, else empty: document d holds codes starts[d] .. starts[d +
 *   1)
 *   2 codes    u8, u16 or i32, multi ? values : docs of them: ordinal + 1; 0 = the document has no
 *   value
 *   3 blocks   of the dictionary: a front-coded list (byte-list.ts) of the distinct strings, sorted
 *   as unsigned bytes
 *   4 data     of the dictionary
 *   5 zone lo  i32 a zone of 1,024 documents: lowest code that is not 0; lo > hi in a zone without
 *   a value
 *   6 zone hi  the same, highest
 */

import { ByteSink, IntSink } from '../base/arrays/growing.ts';
import { sortingByteStrings } from '../base/arrays/sort-bytes.ts';
import { compareBytes } from '../base/bytes/byte-order.ts';
import { hashBytes } from '../base/bytes/hash-bytes.ts';
import { runSteps, type Steps } from '../base/steps.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import { packSections } from '../storage/sections.ts';
import { ByteListWriter } from './byte-list.ts';
import type { OrdinalColumn } from './ordinal-column.ts';
import { appendMappedCounts, appendStarts, atMostOne } from './starts.ts';

const HEAD_BYTES = 32;

/** Collects the values of one field for a segment, then sorts and encodes them. */
export class OrdinalWriter {
  readonly #starts = new IntSink();
  /** Number of each value in order of first appearance. */
  readonly #ids = new IntSink();
  readonly #strings = new ByteSink();
  readonly #offsets = new IntSink();
  #table = new Int32Array(256);

  constructor() {
    this.#starts.push(0);
    this.#offsets.push(0);
  }

  get docs(): number {
    return this.#starts.length - 1;
  }

  /** Bytes of memory held. */
  get bytes(): number {
    const numbers = this.#starts.length + this.#ids.length + this.#offsets.length;
    return 4 * (numbers + this.#table.length) + this.#strings.length;
  }

  /** Adds `docs` documents; null: none of them has a value. */
  add(docs: number, block: FieldBlock | null): void {
    if (block === null) {
      this.#starts.fill(this.#ids.length, docs);
      return;
    }
    if (block.kind !== 'bytes') throw new TypeError('an ordinal column takes bytes');
    appendStarts(this.#starts, block.starts, docs);
    for (let i = block.starts[0]; i < block.starts[docs]; i++) {
      this.#ids.push(this.#intern(block.bytes, block.offsets[i], block.offsets[i + 1]));
    }
  }

  /** Adds the documents of another segment's column that the map keeps, in order. */
  merge(column: OrdinalColumn | null, docMap: Int32Array): void {
    appendMappedCounts(this.#starts, docMap, (doc) => column?.count(doc) ?? 0);
    if (column === null) return;
    const known = new Int32Array(column.size).fill(-1);
    for (let doc = 0; doc < docMap.length; doc++) {
      if (docMap[doc] < 0) continue;
      const count = column.count(doc);
      for (let i = 0; i < count; i++) {
        const ord = column.ordAt(doc, i);
        if (known[ord] < 0) {
          const bytes = column.bytesOf(ord);
          known[ord] = this.#intern(bytes, 0, bytes.length);
        }
        this.#ids.push(known[ord]);
      }
    }
  }

  /** The payload's parts. */
  finish(): Uint8Array[] {
    return runSteps(this.finishing());
  }

  /** As `finish`, in steps. */
  *finishing(): Steps<Uint8Array[]> {
    const size = this.#offsets.length - 1;
    const order = new Int32Array(size);
    for (let id = 0; id < size; id++) order[id] = id;
    const strings = this.#strings.view();
    const offsets = this.#offsets.view();
    yield* sortingByteStrings(order, strings, offsets);
    const dictionary = new ByteListWriter();
    const codeOf = new Int32Array(size);
    order.forEach((id, ord) => {
      codeOf[id] = ord + 1;
      dictionary.add(strings, offsets[id], offsets[id + 1]);
    });
    const codes = this.#ids.view().map((id) => codeOf[id]);
    return encodeOrdinals(codes, this.#starts.view(), size, dictionary.finish());
  }

  #intern(bytes: Uint8Array, from: number, to: number): number {
    const mask = this.#table.length - 1;
    let slot = hashBytes(bytes, from, to) & mask;
    for (; this.#table[slot] !== 0; slot = (slot + 1) & mask) {
      const id = this.#table[slot] - 1;
      const at = this.#offsets.at(id);
      const end = this.#offsets.at(id + 1);
      if (end - at !== to - from) continue;
      if (compareBytes(this.#strings.store, at, end, bytes, from, to) === 0) return id;
    }
    const id = this.#offsets.length - 1;
    this.#table[slot] = id + 1;
    this.#strings.append(bytes, from, to);
    this.#offsets.push(this.#strings.length);
    if (2 * id > this.#table.length) this.#grow();
    return id;
  }

  #grow(): void {
    const table = new Int32Array(4 * this.#table.length);
    const strings = this.#strings.view();
    for (let id = 0; id < this.#offsets.length - 1; id++) {
      const hash = hashBytes(strings, this.#offsets.at(id), this.#offsets.at(id + 1));
      let slot = hash & (table.length - 1);
      while (table[slot] !== 0) slot = (slot + 1) & (table.length - 1);
      table[slot] = id + 1;
    }
    this.#table = table;
  }
}

function encodeOrdinals(
  codes: Int32Array,
  starts: Int32Array,
  size: number,
  dictionary: [Int32Array, Uint8Array],
): Uint8Array[] {
  const docs = starts.length - 1;
  const multi = !atMostOne(starts);
  const slots = narrow(multi ? codes : spread(codes, starts), size);
  const head = new DataView(new ArrayBuffer(HEAD_BYTES));
  head.setInt32(0, docs, true);
  head.setInt32(4, codes.length, true);
  head.setInt32(8, size, true);
  head.setUint8(12, slots.BYTES_PER_ELEMENT);
  head.setUint8(13, multi ? 1 : 0);
  const storedStarts = multi ? starts : new Int32Array(0);
  return packSections([head, storedStarts, slots, ...dictionary, ...zoneBounds(codes, starts)]);
}

/** One slot a document from codes that lie in a row. */
function spread(codes: Int32Array, starts: Int32Array): Int32Array {
  const docs = starts.length - 1;
  if (codes.length === docs) return codes;
  const slots = new Int32Array(docs);
  for (let d = 0; d < docs; d++) if (starts[d + 1] > starts[d]) slots[d] = codes[starts[d]];
  return slots;
}

function narrow(codes: Int32Array, size: number): Uint8Array | Uint16Array | Int32Array {
  if (size < 256) return Uint8Array.from(codes);
  return size < 65_536 ? Uint16Array.from(codes) : codes;
}

function zoneBounds(codes: Int32Array, starts: Int32Array): [Int32Array, Int32Array] {
  const docs = starts.length - 1;
  const zones = Math.ceil(docs / 1024);
  const lo = new Int32Array(zones).fill(1);
  const hi = new Int32Array(zones);
  for (let zone = 0; zone < zones; zone++) {
    const end = starts[Math.min((zone + 1) * 1024, docs)];
    for (let i = starts[zone * 1024]; i < end; i++) {
      if (hi[zone] === 0 || codes[i] < lo[zone]) lo[zone] = codes[i];
      if (codes[i] > hi[zone]) hi[zone] = codes[i];
    }
  }
  return [lo, hi];
}
