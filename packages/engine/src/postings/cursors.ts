import {
  boundaryOf,
  frequencyAt,
  type LocatedPositions,
  locatePositions,
  rangeWidth,
  rankInRange,
} from './dense-terms.ts';
import { DENSE, LIST_BLOCK, RANGE_SHIFT, SHORT } from './format.ts';
import {
  blockHolding,
  blockSize,
  lastDocOf,
  positionsOf,
  unpackDocs,
  unpackFrequencies,
} from './list-terms.ts';
import { decodeShort } from './short-terms.ts';
import type { DenseTerm, ListTerm, PostingsSource, TermInfo } from './term-info.ts';

/** The document after the last one. */
export const NO_MORE_DOCS = 0x7fffffff;

/**
 * The postings of one term in rising document order. Before the first `next` or `advance`, `doc` is
 * -1.
 */
export interface PostingsCursor {
  /** The current document; NO_MORE_DOCS after the last. */
  doc(): number;
  /** Goes to the next document and returns it. */
  next(): number;
  /**
   * Goes to the first document that is not below `target` (at least the current one) and returns
   * it.
   */
  advance(target: number): number;
  /** Frequency in the current document; 1 in keyword fields. */
  tf(): number;
  /**
   * Writes the current document's positions to `into`, rising; returns how many. Text fields only.
   */
  positions(into: Int32Array): number;
}

/** The postings of a term, before its first document. */
export function openCursor(source: PostingsSource, info: TermInfo): PostingsCursor {
  if (info.kind === SHORT) return new ShortPostings(source, info);
  const term = source.big(info);
  return term.kind === DENSE ? new DensePostings(source, term) : new ListPostings(source, term);
}

/** Bits of a position in a document. */
const positionWidth = ({ widths, widthCodes }: PostingsSource, doc: number): number =>
  widths[widthCodes[doc]];

/** Reads `count` values of `width` bits (up to 25) from bit `bit` after byte `at`. */
export function readBits(
  view: DataView,
  at: number,
  bit: number,
  width: number,
  count: number,
  into: Int32Array,
): number {
  const mask = 2 ** width - 1;
  for (let i = 0, b = bit; i < count; i++, b += width) {
    into[i] = (view.getInt32(at + (b >>> 3), true) >>> (b & 7)) & mask;
  }
  return count;
}

/** Decodes the whole list at once: it is shorter than a block. */
class ShortPostings implements PostingsCursor {
  readonly #source: PostingsSource;
  readonly #docs: Int32Array;
  readonly #frequencies: Int32Array;
  readonly #positionsAt: number;
  readonly #df: number;
  #i = -1;

  constructor(source: PostingsSource, { df, at }: TermInfo) {
    this.#source = source;
    this.#df = df;
    this.#docs = new Int32Array(df);
    this.#frequencies = new Int32Array(df);
    this.#positionsAt = decodeShort(source.arena.u8, at, df, this.#docs, this.#frequencies);
  }

  doc(): number {
    if (this.#i < 0) return -1;
    return this.#i < this.#df ? this.#docs[this.#i] : NO_MORE_DOCS;
  }

  next(): number {
    this.#i++;
    return this.doc();
  }

  advance(target: number): number {
    if (this.#i < 0) this.#i = 0;
    while (this.#i < this.#df && this.#docs[this.#i] < target) this.#i++;
    return this.doc();
  }

  tf(): number {
    return this.#frequencies[this.#i];
  }

  positions(into: Int32Array): number {
    const source = this.#source;
    let bit = 0;
    for (let i = 0; i < this.#i; i++) {
      bit += this.#frequencies[i] * positionWidth(source, this.#docs[i]);
    }
    const width = positionWidth(source, this.doc());
    return readBits(source.arena.view, this.#positionsAt, bit, width, this.tf(), into);
  }
}

/** Decodes a block of a list when one of its documents is needed. */
class ListPostings implements PostingsCursor {
  readonly #source: PostingsSource;
  readonly #term: ListTerm;
  readonly #docs = new Int32Array(LIST_BLOCK);
  readonly #frequencies = new Int32Array(LIST_BLOCK);
  #block = -1;
  #size = 0;
  #i = -1;
  #frequenciesOf = -1;
  #done = false;

  constructor(source: PostingsSource, term: ListTerm) {
    this.#source = source;
    this.#term = term;
  }

  doc(): number {
    if (this.#done) return NO_MORE_DOCS;
    return this.#i < 0 ? -1 : this.#docs[this.#i];
  }

  next(): number {
    if (this.#done) return NO_MORE_DOCS;
    if (this.#block >= 0 && this.#i + 1 < this.#size) return this.#docs[++this.#i];
    return this.#enter(this.#block + 1);
  }

  advance(target: number): number {
    if (this.#done) return NO_MORE_DOCS;
    const { arena } = this.#source;
    let block = Math.max(0, this.#block);
    if (lastDocOf(arena, this.#term, block) < target) {
      block = blockHolding(arena, this.#term, target, block + 1);
    }
    if (block !== this.#block) {
      if (this.#enter(block) === NO_MORE_DOCS) return NO_MORE_DOCS;
    } else if (this.#i < 0) this.#i = 0;
    while (this.#docs[this.#i] < target) this.#i++;
    return this.#docs[this.#i];
  }

  #enter(block: number): number {
    if (block >= this.#term.blocks) {
      this.#done = true;
      return NO_MORE_DOCS;
    }
    unpackDocs(this.#source.arena, this.#term, block, this.#docs, 0);
    this.#block = block;
    this.#size = blockSize(this.#term, block);
    this.#i = 0;
    return this.#docs[0];
  }

  tf(): number {
    if (this.#frequenciesOf !== this.#block) {
      unpackFrequencies(this.#source.arena, this.#term, this.#block, this.#frequencies, 0);
      this.#frequenciesOf = this.#block;
    }
    return this.#frequencies[this.#i];
  }

  positions(into: Int32Array): number {
    const frequency = this.tf();
    const source = this.#source;
    let bit = 0;
    for (let i = 0; i < this.#i; i++) {
      bit += this.#frequencies[i] * positionWidth(source, this.#docs[i]);
    }
    const at = positionsOf(source.arena, this.#term, this.#block);
    const width = positionWidth(source, this.doc());
    return readBits(source.arena.view, at, bit, width, frequency, into);
  }
}

/** Walks a bitmap. */
class DensePostings implements PostingsCursor {
  readonly #source: PostingsSource;
  readonly #term: DenseTerm;
  readonly #bitmap: number;
  readonly #words: number;
  readonly #located: LocatedPositions = { at: 0, bit: 0, frequency: 0 };
  #doc = -1;
  /** Range whose boundary and width are below. */
  #range = -1;
  #boundary = 0;
  #width = 0;

  constructor(source: PostingsSource, term: DenseTerm) {
    this.#source = source;
    this.#term = term;
    this.#bitmap = term.docBitsAt >> 2;
    this.#words = 8 * source.ranges;
  }

  doc(): number {
    return this.#doc;
  }

  next(): number {
    return this.advance(this.#doc + 1);
  }

  advance(target: number): number {
    if (this.#doc >= target) return this.#doc;
    const { i32 } = this.#source.arena;
    let word = target >> 5;
    if (word >= this.#words) return this.#end();
    let bits = i32[this.#bitmap + word] & (-1 << (target & 31));
    while (bits === 0) {
      if (++word >= this.#words) return this.#end();
      bits = i32[this.#bitmap + word];
    }
    this.#doc = (word << 5) + 31 - Math.clz32(bits & -bits);
    return this.#doc;
  }

  #end(): number {
    this.#doc = NO_MORE_DOCS;
    return NO_MORE_DOCS;
  }

  tf(): number {
    if (!this.#source.text) return 1;
    this.#enter();
    if (this.#width === 0) return 1;
    const rank = rankInRange(this.#source.arena, this.#term, this.#doc);
    return frequencyAt(this.#source.arena.view, this.#boundary, this.#width, rank);
  }

  positions(into: Int32Array): number {
    const { arena, widths, widthCodes } = this.#source;
    const found = this.#located;
    locatePositions(arena, this.#term, this.#doc, widths, widthCodes, found);
    const width = positionWidth(this.#source, this.#doc);
    return readBits(arena.view, found.at, found.bit, width, found.frequency, into);
  }

  #enter(): void {
    const range = this.#doc >> RANGE_SHIFT;
    if (range === this.#range) return;
    this.#range = range;
    this.#width = rangeWidth(this.#source.arena, this.#term, range);
    this.#boundary = boundaryOf(this.#source.arena, this.#term, range);
  }
}
