import { LIST_BLOCK, SHORT } from '../postings/format.ts';
import { BIG, type TermInfo } from '../postings/term-info.ts';
import type { Region } from '../storage/directory.ts';
import type { DictionaryLayout } from './dictionary-layout.ts';
import { BLOCK_WORDS, DICTIONARY_BLOCK } from './format.ts';

const ESCAPE = 255;

/** Walks the terms of a field in byte order. Before the first `next` it stands on none. */
export class TermCursor {
  readonly #u8: Uint8Array;
  readonly #i32: Int32Array;
  readonly #index: number;
  readonly #dictionary: number;
  readonly #end: number;
  readonly #smallAt: number;
  readonly #terms: number;
  readonly #demand: Region['demand'];
  readonly #blockOf: (term: Uint8Array) => number;
  #bytes = new Uint8Array(256);
  #length = 0;
  #shared = 0;
  /** Number of the term that `next` reads. */
  #ordinal: number;
  #at = 0;
  #df = 0;
  #small = 0;
  #smallNext = 0;
  #big = 0;
  #bigNext = 0;
  #peeked = false;
  /** Terms before the end. */
  #limit: number;

  constructor(
    layout: DictionaryLayout,
    blockOf: (term: Uint8Array) => number,
    block: number,
    demand?: Region['demand'],
  ) {
    this.#demand = demand;
    this.#u8 = layout.arena.u8;
    this.#i32 = layout.arena.i32;
    this.#index = layout.index;
    this.#dictionary = layout.entries;
    this.#end = layout.end;
    this.#smallAt = layout.small;
    this.#terms = layout.terms;
    this.#limit = layout.terms;
    this.#blockOf = blockOf;
    this.#ordinal = block * DICTIONARY_BLOCK;
  }

  /** Number of the current term in byte order. */
  get ordinal(): number {
    return this.#ordinal - 1;
  }

  /** Bytes that the current term shares with the one before it (0 at the start of a block). */
  get shared(): number {
    return this.#shared;
  }

  get df(): number {
    return this.#df;
  }

  /** The next term; false at the end. */
  next(): boolean {
    if (this.#peeked) {
      this.#peeked = false;
      return true;
    }
    if (this.#ordinal >= this.#limit || this.#at > this.#end) return false;
    if (this.#ordinal % DICTIONARY_BLOCK === 0) this.#enterBlock();
    this.#readLengths();
    this.#df = this.#varint();
    this.#small = this.#smallNext;
    this.#big = this.#bigNext;
    if (this.#df < LIST_BLOCK) this.#smallNext += this.#varint();
    else this.#bigNext++;
    this.#ordinal++;
    return true;
  }

  #enterBlock(): void {
    const at = this.#index + (this.#ordinal / DICTIONARY_BLOCK) * BLOCK_WORDS;
    this.#at = this.#dictionary + this.#i32[at + 2];
    this.#smallNext = this.#smallAt + this.#i32[at + 3];
    this.#bigNext = this.#i32[at + 4];
    this.#length = 0;
  }

  #readLengths(): void {
    const u8 = this.#u8;
    let shared = u8[this.#at++];
    let suffix = u8[this.#at++];
    if (shared === ESCAPE && suffix === ESCAPE) {
      shared = this.#varint();
      suffix = this.#varint();
    }
    const length = Math.min(shared + suffix, 1 << 16);
    if (length > this.#bytes.length) {
      const grown = new Uint8Array(length * 2);
      grown.set(this.#bytes);
      this.#bytes = grown;
    }
    for (let i = shared; i < length; i++) this.#bytes[i] = u8[this.#at++];
    this.#shared = Math.min(shared, this.#length);
    this.#length = length;
  }

  #varint(): number {
    const u8 = this.#u8;
    let value = u8[this.#at++];
    if (value < 128) return value;
    value &= 127;
    for (let shift = 7; shift < 35; shift += 7) {
      const byte = u8[this.#at++];
      value |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    return value >>> 0;
  }

  /** The current term is source[0 .. length): no view is made. The next step may replace it. */
  get source(): Uint8Array {
    return this.#bytes;
  }

  get length(): number {
    return this.#length;
  }

  /** The current term's bytes: a view that the next step overwrites. */
  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Sign of (current term) - term. */
  compare(term: Uint8Array): number {
    const bytes = this.#bytes;
    const most = Math.min(this.#length, term.length);
    for (let i = 0; i < most; i++) if (bytes[i] !== term[i]) return bytes[i] - term[i];
    return this.#length - term.length;
  }

  /** Where the current term's postings are. Those of a short term may be read then. */
  info(): TermInfo {
    const short = this.#df < LIST_BLOCK;
    if (short) this.#demand?.(this.#small, this.#smallNext - this.#small);
    return short
      ? { df: this.#df, kind: SHORT, at: this.#small }
      : { df: this.#df, kind: BIG, at: this.#big };
  }

  /** Goes before the first term of a dictionary block; ends before block `end`. */
  enter(block: number, end = Number.POSITIVE_INFINITY): void {
    this.#peeked = false;
    this.#ordinal = block * DICTIONARY_BLOCK;
    this.#limit = Math.min(this.#terms, end * DICTIONARY_BLOCK);
  }

  /** Goes before the first term that is not below `term`: the next `next` reads it. */
  seek(term: Uint8Array): void {
    this.#peeked = false;
    if (this.#terms === 0) return;
    this.#ordinal = this.#blockOf(term) * DICTIONARY_BLOCK;
    while (this.next()) {
      if (this.compare(term) < 0) continue;
      this.#peeked = true;
      return;
    }
  }
}
