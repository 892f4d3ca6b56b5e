import { LIST_BLOCK } from '../../postings/format.ts';
import type { DictionaryLayout } from '../dictionary-layout.ts';
import { BLOCK_WORDS, DICTIONARY_BLOCK } from '../format.ts';

/**
 * Walks dictionary entries without copying their terms: an entry is what it shares with the one
 * before it, and where the rest of its bytes lies. For patterns, which read many entries and need
 * few terms.
 */
export class EntryWalk {
  readonly #u8: Uint8Array;
  readonly #i32: Int32Array;
  readonly #index: number;
  readonly #dictionary: number;
  readonly #smallAt: number;
  readonly #terms: number;
  #p = 0;
  #small = 0;
  #big = 0;
  #next = 0;
  /** Bytes shared with the entry before (0 at the start of a block). */
  shared = 0;
  /** The rest of the term is u8[at .. at + rest) of the arena. */
  at = 0;
  rest = 0;
  /** Documents, deleted ones too. */
  df = 0;
  /** Where its postings are (postings/term-info.ts termRef). */
  ref = 0;

  constructor({ dictionary }: { readonly dictionary: DictionaryLayout }) {
    this.#u8 = dictionary.arena.u8;
    this.#i32 = dictionary.arena.i32;
    this.#index = dictionary.index;
    this.#dictionary = dictionary.entries;
    this.#smallAt = dictionary.small;
    this.#terms = dictionary.terms;
  }

  /** Goes before the first entry of a block. */
  enter(block: number): void {
    const at = this.#index + block * BLOCK_WORDS;
    this.#p = this.#dictionary + this.#i32[at + 2];
    this.#small = this.#smallAt + this.#i32[at + 3];
    this.#big = this.#i32[at + 4];
    this.#next = block * DICTIONARY_BLOCK;
  }

  /** The next entry; false after the last one of the dictionary. */
  next(): boolean {
    if (this.#next++ >= this.#terms) return false;
    const u8 = this.#u8;
    this.shared = u8[this.#p++];
    this.rest = u8[this.#p++];
    if (this.shared === 255 && this.rest === 255) {
      this.shared = this.#varint();
      this.rest = this.#varint();
    }
    this.at = this.#p;
    this.#p += this.rest;
    this.df = this.#varint();
    if (this.df < LIST_BLOCK) {
      this.ref = this.#small;
      this.#small += this.#varint();
    } else this.ref = -1 - this.#big++;
    return true;
  }

  /**
   * Bytes that the entry begins with in common with word[0 .. length), from that number of the
   * entry before: bytes are read only where the two may differ.
   */
  common(word: Uint8Array, length: number, before: number): number {
    if (this.shared > before) return before;
    const u8 = this.#u8;
    let i = this.shared;
    for (let p = this.at, end = p + this.rest; p < end && i < length; p++, i++) {
      if (u8[p] !== word[i]) break;
    }
    return i;
  }

  /**
   * Writes the entry's own bytes to into[shared ..], as far as there is room; returns the length of
   * its term.
   */
  copy(into: Uint8Array): number {
    const u8 = this.#u8;
    const length = this.shared + this.rest;
    const end = Math.min(length, into.length);
    for (let i = this.shared, p = this.at; i < end; i++, p++) into[i] = u8[p];
    return length;
  }

  #varint(): number {
    const u8 = this.#u8;
    let value = u8[this.#p++];
    if (value < 128) return value;
    value &= 127;
    for (let shift = 7; shift < 35; shift += 7) {
      const byte = u8[this.#p++];
      value |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    return value >>> 0;
  }
}
