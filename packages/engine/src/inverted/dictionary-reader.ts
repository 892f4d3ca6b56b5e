import { LIST_BLOCK, SHORT } from '../postings/format.ts';
import { BIG, type TermInfo } from '../postings/term-info.ts';
import { readVarint, varintBytes } from '../postings/varint.ts';
import type { Demand, Region } from '../storage/directory.ts';
import { type DictionaryLayout, entriesOf } from './dictionary-layout.ts';
import { prefixWord } from './dictionary-writer.ts';
import { BLOCK_WORDS, DICTIONARY_BLOCK } from './format.ts';
import { TermCursor } from './term-cursor.ts';

/**
 * Looks terms up: a binary search over the first bytes of the blocks, then the entries of one
 * block.
 */
export class DictionaryReader {
  readonly #layout: DictionaryLayout;
  readonly #blocks: number;
  readonly #demand: Demand | undefined;
  readonly #need: Demand | undefined;

  /** `demand`, `need`: of a cold file. */
  constructor(layout: DictionaryLayout, { demand, need }: Pick<Region, 'demand' | 'need'>) {
    this.#demand = demand;
    this.#need = need;
    this.#layout = layout;
    this.#blocks = Math.ceil(layout.terms / DICTIONARY_BLOCK);
  }

  /** As `lookup`, for a cold file: demands the postings of a short term. */
  demandTerm(term: Uint8Array): TermInfo | null {
    const found = this.lookup(term);
    if (found === null || found.kind !== SHORT) return found;
    const cursor = this.#cursorAt(this.blockOf(term));
    while (cursor.next()) if (cursor.compare(term) === 0) return cursor.info();
    return null;
  }

  lookup(term: Uint8Array): TermInfo | null {
    if (this.#blocks === 0) return null;
    return this.#findIn(this.blockOf(term), term);
  }

  /**
   * Compares only bytes that an entry does not share with the one before it: `match` bytes of the
   * term are known to agree with the entries passed, so an entry that shares less is behind the
   * term, one that shares more is before it.
   */
  #findIn(block: number, term: Uint8Array): TermInfo | null {
    this.#needBlock(block);
    const { arena, terms, entries: first, small: smallAt } = this.#layout;
    const { u8, i32 } = arena;
    const index = this.#layout.index + block * BLOCK_WORDS;
    let at = first + i32[index + 2];
    let small = smallAt + i32[index + 3];
    let big = i32[index + 4];
    let match = 0;
    const entries = Math.min(DICTIONARY_BLOCK, terms - block * DICTIONARY_BLOCK);
    for (let entry = 0; entry < entries; entry++) {
      const shared = u8[at++];
      const suffix = u8[at++];
      if (shared === 255 && suffix === 255) return this.#walkTo(block, term);
      if (shared < match) return null;
      let found = false;
      if (shared === match) {
        let i = 0;
        while (i < suffix && match < term.length && u8[at + i] === term[match]) {
          i++;
          match++;
        }
        found = i === suffix && match === term.length;
        if (!found && i < suffix && (match === term.length || u8[at + i] > term[match]))
          return null;
      }
      at += suffix;
      let df = u8[at++];
      if (df >= 128) {
        df = readVarint(u8, at - 1);
        at += varintBytes(df) - 1;
      }
      if (df >= LIST_BLOCK) {
        if (found) return { df, kind: BIG, at: big };
        big++;
        continue;
      }
      if (found) return { df, kind: SHORT, at: small };
      const bytes = readVarint(u8, at);
      at += varintBytes(bytes);
      small += bytes;
    }
    return null;
  }

  #needBlock(block: number): void {
    const need = this.#need;
    if (need === undefined) return;
    const { from, to } = entriesOf(this.#layout, block, block + 1);
    need(from, to - from);
  }

  /** Blocks with terms of more than 254 bytes. */
  #walkTo(block: number, term: Uint8Array): TermInfo | null {
    const cursor = this.#cursorAt(block);
    for (let i = 0; i < DICTIONARY_BLOCK && cursor.next(); i++) {
      const order = cursor.compare(term);
      if (order === 0) return cursor.info();
      if (order > 0) return null;
    }
    return null;
  }

  /** A cursor before the first term that is not below `from`. */
  cursor(from?: Uint8Array): TermCursor {
    const cursor = this.#cursorAt(0);
    if (from !== undefined) cursor.seek(from);
    return cursor;
  }

  #cursorAt(block: number): TermCursor {
    return new TermCursor(this.#layout, (term) => this.blockOf(term), block, this.#demand);
  }

  /**
   * The last block whose first term is not above the term (`from` where all behind it are above).
   * From a block on, the steps double until one is above.
   */
  blockOf(term: Uint8Array, from = 0): number {
    const high = prefixWord(term, 0, term.length, 0) >>> 0;
    const low = prefixWord(term, 0, term.length, 4) >>> 0;
    let left = from;
    let right = this.#blocks;
    for (let step = 1; from > 0 && left + step < right; step *= 2) {
      if (this.#isAbove(left + step, high, low, term)) right = left + step;
      else left += step;
    }
    while (right - left > 1) {
      const middle = (left + right) >> 1;
      if (this.#isAbove(middle, high, low, term)) right = middle;
      else left = middle;
    }
    return left;
  }

  /** True when a block's first term is above a term, which begins with two words. */
  #isAbove(block: number, high: number, low: number, term: Uint8Array): boolean {
    const { i32 } = this.#layout.arena;
    const at = this.#layout.index + block * BLOCK_WORDS;
    const h = i32[at] >>> 0;
    if (h !== high) return h > high;
    const l = i32[at + 1] >>> 0;
    return l > low || (l === low && this.#compareFirst(block, term) > 0);
  }

  #compareFirst(block: number, term: Uint8Array): number {
    this.#needBlock(block);
    const { u8, i32 } = this.#layout.arena;
    const index = this.#layout.index + block * BLOCK_WORDS;
    const at = this.#layout.entries + i32[index + 2];
    const size = u8[at + 1];
    if (u8[at] === 255 && size === 255) {
      const cursor = this.#cursorAt(block);
      return cursor.next() ? cursor.compare(term) : 1;
    }
    for (let i = 0; i < size && i < term.length; i++) {
      if (u8[at + 2 + i] !== term[i]) return u8[at + 2 + i] - term[i];
    }
    return size - term.length;
  }
}
