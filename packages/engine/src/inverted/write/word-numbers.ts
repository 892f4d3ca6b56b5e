import type { Analyzer } from '../../analysis/analyzer.ts';
import { LIMITS } from '../../base/limits.ts';
import { TermTable } from './term-table.ts';
import { type NumberSink, TokenNumbers } from './token-numbers.ts';

/** Number of a word that has no term. */
const DROPPED = -1;

/** Receives terms by number; those below 0 leave their position empty. */
export interface WordSink extends NumberSink {
  someNumbers(ids: Int32Array, count: number, position: number): void;
}

/**
 * An analyzer that makes a term of each word by itself (`Analyzer.words`): the kernel numbers the
 * words, and each distinct word of a segment is stemmed and looked up as a term once.
 */
export class WordNumbers implements NumberSink {
  readonly #words = new TermTable();
  readonly #numbers: TokenNumbers;
  readonly #terms: TermTable;
  readonly #termOf: (word: string) => string;
  /** The term of each word. */
  #ids = new Int32Array(1 << 12);
  #known = 0;
  #sink: WordSink | null = null;

  /** Numbers over a table of terms. */
  constructor(terms: TermTable, analyzer: Analyzer) {
    this.#numbers = new TokenNumbers(this.#words, analyzer);
    this.#terms = terms;
    this.#termOf = analyzer.words!;
  }

  /** Bytes of memory held, about. */
  get bytes(): number {
    return this.#numbers.bytes + 4 * this.#ids.length;
  }

  /** See `TokenNumbers.begin`. */
  begin(): void {
    this.#numbers.begin();
  }

  /** Analyses bytes[from .. to); returns the position that comes next. */
  analyze(bytes: Uint8Array, from: number, to: number, position: number, sink: WordSink): number {
    this.#sink = sink;
    return this.#numbers.analyze(bytes, from, to, position, this);
  }

  /** Words by number: their terms go to the sink. */
  numbers(ids: Int32Array, count: number, position: number): void {
    if (this.#known < this.#words.size) this.#learn();
    const terms = this.#ids;
    for (let i = 0; i < count; i++) ids[i] = terms[ids[i]];
    this.#sink!.someNumbers(ids, count, position);
  }

  /** A term that the analyzer has made. */
  token(bytes: Uint8Array, from: number, to: number, position: number): void {
    this.#sink!.token(bytes, from, to, position);
  }

  /** Finds the terms of words that are new. */
  #learn(): void {
    const { pool, starts, size } = this.#words;
    if (size > this.#ids.length) {
      const ids = new Int32Array(Math.max(size, 2 * this.#ids.length));
      ids.set(this.#ids);
      this.#ids = ids;
    }
    for (let word = this.#known; word < size; word++) {
      const from = pool.byteOffset + starts[word];
      const text = Buffer.from(pool.buffer, from, starts[word + 1] - starts[word]).toString(
        'latin1',
      );
      const term = Buffer.from(this.#termOf(text));
      const isTerm = term.length > 0 && term.length <= LIMITS.termBytes;
      this.#ids[word] = isTerm ? this.#terms.add(term, 0, term.length) : DROPPED;
    }
    this.#known = size;
  }
}
