import { rangeDocs, rangeFrequencies } from './dense-terms.ts';
import { DENSE, GROUP, RANGE, SHORT } from './format.ts';
import { blockSize, positionsOf, unpackDocs, unpackFrequencies } from './list-terms.ts';
import { decodeShort } from './short-terms.ts';
import type { DenseTerm, ListTerm, PostingsSource, TermInfo } from './term-info.ts';

/**
 * All postings of one term after another, in runs as they are stored: what merging and checking
 * read. A cursor finds one document; here every one is wanted, so the positions of a run are read
 * one behind the other.
 */
export class TermBlocks {
  readonly docs = new Int32Array(RANGE);
  /** 1 everywhere in keyword fields. */
  readonly frequencies = new Int32Array(RANGE);
  /** The run is docs[from .. to), frequencies likewise. */
  from = 0;
  to = 0;
  /** Byte address of the run's positions. */
  positionsAt = 0;
  /** Bits of them that were read: the reader of a run counts, the next group begins behind it. */
  bits = 0;
  readonly #source: PostingsSource;
  #info: TermInfo = { df: 0, kind: SHORT, at: 0 };
  #dense: DenseTerm | null = null;
  #list: ListTerm | null = null;
  /** The next block or range, and the postings of the range at hand. */
  #next = 0;
  #size = 0;

  constructor(source: PostingsSource) {
    this.#source = source;
    this.frequencies.fill(1);
  }

  /** Goes before the first run of a term. */
  open(info: TermInfo): void {
    const term = info.kind === SHORT ? null : this.#source.big(info);
    this.#info = info;
    this.#dense = term?.kind === DENSE ? term : null;
    this.#list = term === null || term.kind === DENSE ? null : term;
    this.#next = 0;
    this.#size = 0;
    this.from = 0;
    this.to = 0;
  }

  /** Goes to the next run; false after the last one. */
  next(): boolean {
    if (this.#dense !== null) return this.#nextGroup(this.#dense);
    this.bits = 0;
    if (this.#list !== null) return this.#nextBlock(this.#list);
    if (this.#next++ > 0) return false;
    const { at, df } = this.#info;
    const { u8 } = this.#source.arena;
    this.positionsAt = decodeShort(u8, at, df, this.docs, this.frequencies);
    this.to = df;
    return true;
  }

  #nextBlock(term: ListTerm): boolean {
    const { arena, text } = this.#source;
    const block = this.#next++;
    if (block >= term.blocks) return false;
    unpackDocs(arena, term, block, this.docs, 0);
    if (text) {
      unpackFrequencies(arena, term, block, this.frequencies, 0);
      this.positionsAt = positionsOf(arena, term, block);
    }
    this.to = blockSize(term, block);
    return true;
  }

  #nextGroup(term: DenseTerm): boolean {
    this.positionsAt += (this.bits + 7) >> 3;
    this.bits = 0;
    this.from = this.to;
    while (this.from === this.#size) if (!this.#nextRange(term)) return false;
    if (!this.#source.text) {
      this.to = this.#size;
      return true;
    }
    const end = (this.docs[this.from] | (GROUP - 1)) + 1;
    while (this.to < this.#size && this.docs[this.to] < end) this.to++;
    return true;
  }

  #nextRange(term: DenseTerm): boolean {
    const { arena, ranges, text } = this.#source;
    if (this.#next >= ranges) return false;
    const range = this.#next++;
    this.from = 0;
    this.to = 0;
    this.#size = rangeDocs(arena, term, range, this.docs);
    if (text && this.#size > 0) {
      this.positionsAt = rangeFrequencies(arena, term, range, this.#size, this.frequencies);
    }
    return true;
  }
}
