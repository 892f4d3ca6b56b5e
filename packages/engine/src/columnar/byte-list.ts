/**
 * A front-coded list of byte strings, by number. Two sections:
 *
 *   blocks  u32[ceil(n / 16) + 1]: where each block of 16 strings begins in the data; the last
 *           entry is the data's length
 *   data    block by block: varint length and bytes of the first string; then for each further
 *           one varint bytes shared with the string before it, varint length of the rest, the rest
 *
 * Varints are LEB128. The list may be in any order (keys of a segment) or sorted (dictionaries).
 */

import { ByteSink, IntSink } from '../base/arrays/growing.ts';
import { compareBytes } from '../base/bytes/byte-order.ts';
import { corrupt } from '../storage/frame.ts';
import type { NeedSection } from '../storage/sections.ts';

/** Strings of a block. */
export const STRINGS_OF_BLOCK = 16;

/** Appends strings to a front-coded list. */
export class ByteListWriter {
  readonly #blocks = new IntSink();
  readonly #data = new ByteSink();
  #last = new Uint8Array(64);
  #lastLength = 0;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Bytes of memory held. */
  get bytes(): number {
    return 4 * this.#blocks.length + this.#data.length;
  }

  /** Appends source[from .. to). */
  add(source: Uint8Array, from: number, to: number): void {
    const length = to - from;
    if (this.#count % STRINGS_OF_BLOCK === 0) {
      this.#blocks.push(this.#data.length);
      this.#data.varint(length);
      this.#data.append(source, from, to);
    } else {
      const most = Math.min(length, this.#lastLength);
      let shared = 0;
      while (shared < most && this.#last[shared] === source[from + shared]) shared++;
      this.#data.varint(shared);
      this.#data.varint(length - shared);
      this.#data.append(source, from + shared, to);
    }
    this.#remember(source, from, to);
    this.#count++;
  }

  /** The two sections: blocks, data. */
  finish(): [Int32Array, Uint8Array] {
    this.#blocks.push(this.#data.length);
    return [this.#blocks.view(), this.#data.view()];
  }

  #remember(source: Uint8Array, from: number, to: number): void {
    if (to - from > this.#last.length) this.#last = new Uint8Array(2 * (to - from));
    this.#last.set(source.subarray(from, to));
    this.#lastLength = to - from;
  }
}

/**
 * Reads a front-coded list on a mapped file. Not for use by two threads at once: it holds a
 * scratch string.
 */
export class ByteList {
  readonly count: number;
  readonly #blocks: Int32Array;
  readonly #data: Uint8Array;
  readonly #path: string;
  readonly #needBlock: ((block: number) => void) | null;
  #scratch = new Uint8Array(256);
  #length = 0;
  /** Number of the string in the scratch, -1 for none, and where the next one begins. */
  #current = -1;
  #next = 0;

  /**
   * Throws corrupt_index when the sections do not fit together; `path` is for messages. `cold`: of
   * a cold file: the number of the first of its two sections, and what demands parts of them.
   */
  constructor(
    blocks: Int32Array,
    data: Uint8Array,
    count: number,
    path: string,
    cold: { readonly section: number; readonly need: NeedSection } | null = null,
  ) {
    this.count = count;
    this.#blocks = blocks;
    this.#data = data;
    this.#path = path;
    this.#needBlock = cold && ((block) => needBlock(cold, blocks, block));
    if (
      blocks.length !== Math.ceil(count / STRINGS_OF_BLOCK) + 1 ||
      (cold === null && blocks[blocks.length - 1] !== data.length)
    ) {
      throw corrupt(path, 'its list of byte strings does not fit its blocks');
    }
  }

  /** A copy of string `index`. */
  get(index: number): Uint8Array {
    this.#seek(index);
    return this.#scratch.slice(0, this.#length);
  }

  /** Bytes of string `index`. */
  lengthOf(index: number): number {
    this.#seek(index);
    return this.#length;
  }

  /** Writes string `index` to out[at ..]; returns its end. */
  copy(index: number, out: Uint8Array, at: number): number {
    this.#seek(index);
    for (let i = 0; i < this.#length; i++) out[at + i] = this.#scratch[i];
    return at + this.#length;
  }

  /** Order of string `index` against `bytes`: negative when it comes before them. */
  compare(index: number, bytes: Uint8Array): number {
    this.#seek(index);
    return compareBytes(this.#scratch, 0, this.#length, bytes, 0, bytes.length);
  }

  /** Order of string `index` against string `at` of another list. */
  compareWith(index: number, other: ByteList, at: number): number {
    this.#seek(index);
    other.#seek(at);
    return compareBytes(this.#scratch, 0, this.#length, other.#scratch, 0, other.#length);
  }

  /** True when string `index` is source[from .. to). */
  equals(index: number, source: Uint8Array, from: number, to: number): boolean {
    this.#seek(index);
    return compareBytes(this.#scratch, 0, this.#length, source, from, to) === 0;
  }

  /** Calls `visit` with every string in order; the bytes are only valid during the call. */
  forEach(
    visit: (bytes: Uint8Array, length: number, index: number) => void,
    from = 0,
    to = this.count,
  ): void {
    for (let index = from; index < to; index++) {
      this.#seek(index);
      visit(this.#scratch, this.#length, index);
    }
  }

  /**
   * In a sorted list: number of the first string that is not before `bytes`; `count` when there
   * is none.
   */
  lowerBound(bytes: Uint8Array): number {
    let low = 0;
    let high = this.#blocks.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.compare(middle * STRINGS_OF_BLOCK, bytes) < 0) low = middle + 1;
      else high = middle;
    }
    let index = Math.max(low - 1, 0) * STRINGS_OF_BLOCK;
    const end = Math.min(low * STRINGS_OF_BLOCK, this.count);
    while (index < end && this.compare(index, bytes) < 0) index++;
    return index;
  }

  #seek(index: number): void {
    if (index === this.#current) return;
    if (index < 0 || index >= this.count) throw new RangeError(`no string ${index}`);
    const first = index - (index % STRINGS_OF_BLOCK);
    this.#needBlock?.(first / STRINGS_OF_BLOCK);
    if (this.#current < first || this.#current > index) {
      this.#next = this.#blocks[first / STRINGS_OF_BLOCK];
      this.#current = first - 1;
    }
    while (this.#current < index) this.#step();
  }

  /** Decodes the string after the current one. */
  #step(): void {
    const opens = (this.#current + 1) % STRINGS_OF_BLOCK === 0;
    if (opens) this.#needBlock?.((this.#current + 1) / STRINGS_OF_BLOCK);
    const shared = opens ? 0 : this.#varint();
    const rest = this.#varint();
    const from = this.#next;
    if (shared > this.#length || from + rest > this.#data.length) {
      throw corrupt(this.#path, 'a byte string lies outside of its list');
    }
    if (shared + rest > this.#scratch.length) {
      const wider = new Uint8Array(2 * (shared + rest));
      wider.set(this.#scratch.subarray(0, shared));
      this.#scratch = wider;
    }
    for (let i = 0; i < rest; i++) this.#scratch[shared + i] = this.#data[from + i];
    this.#length = shared + rest;
    this.#next = from + rest;
    this.#current++;
  }

  #varint(): number {
    let value = 0;
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#data[this.#next++];
      value |= (byte & 127) << shift;
      if (byte < 128) return value >>> 0;
    }
    throw corrupt(this.#path, 'a length in it is too long');
  }
}

/** Demands the strings of a block. */
function needBlock(
  { section, need }: { readonly section: number; readonly need: NeedSection },
  blocks: Int32Array,
  block: number,
): void {
  need(section, 4 * block, 8);
  need(section + 1, blocks[block], blocks[block + 1] - blocks[block]);
}
