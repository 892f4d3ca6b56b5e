import type { Arena } from '../storage/directory.ts';
import { prefixWord } from './dictionary-writer.ts';
import { BLOCK_WORDS, DICTIONARY_BLOCK } from './format.ts';
import type { Sections } from './inverted-reader.ts';
import { TermCursor } from './term-cursor.ts';
import type { TermInfo } from './term-info.ts';

/** Looks terms up: a binary search over the first bytes of the blocks, then the entries of one block. */
export class DictionaryReader {
  readonly #arena: Arena;
  readonly #sections: Sections;
  readonly #blocks: number;
  readonly #terms: number;

  constructor(arena: Arena, sections: Sections, blocks: number, terms: number) {
    this.#arena = arena;
    this.#sections = sections;
    this.#blocks = blocks;
    this.#terms = terms;
  }

  lookup(term: Uint8Array): TermInfo | null {
    if (this.#blocks === 0) return null;
    const cursor = this.#cursorAt(this.#blockOf(term));
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
    return new TermCursor(
      this.#arena,
      this.#sections,
      this.#terms,
      (term) => this.#blockOf(term),
      block,
    );
  }

  /** The last block whose first term is not above the term (0 where all are above). */
  #blockOf(term: Uint8Array): number {
    const { i32 } = this.#arena;
    const index = this.#sections.blocks.at >> 2;
    const high = prefixWord(term, 0, term.length, 0) >>> 0;
    const low = prefixWord(term, 0, term.length, 4) >>> 0;
    let left = 0;
    let right = this.#blocks;
    while (right - left > 1) {
      const middle = (left + right) >> 1;
      const at = index + middle * BLOCK_WORDS;
      const h = i32[at] >>> 0;
      const l = i32[at + 1] >>> 0;
      let above = h > high;
      if (h === high) above = l > low || (l === low && this.#compareFirst(middle, term) > 0);
      if (above) right = middle;
      else left = middle;
    }
    return left;
  }

  #compareFirst(block: number, term: Uint8Array): number {
    const cursor = this.#cursorAt(block);
    return cursor.next() ? cursor.compare(term) : 1;
  }
}
