/**
 * Postings of a text term by range of 256 documents: what scoring reads. A range is read in one go,
 * only for the documents that are wanted, in any order of ranges.
 */
import { popcount } from '../../bitmap/bitmap.ts';
import { decodeListDocs, decodeListFrequencies, decodeShort } from '../../inverted/cursors.ts';
import { DENSE, LIST_BLOCK, SHORT } from '../../inverted/format.ts';
import type { InvertedReader } from '../../inverted/inverted-reader.ts';
import {
  type BigTerm,
  boundaryOf,
  type DenseParts,
  denseParts,
  type TermInfo,
} from '../../inverted/term-info.ts';

/** Reads the postings of one term. */
export interface RangePostings {
  /**
   * Documents of the last range read by any of them, and their frequencies; `read` says how many.
   */
  readonly docs: Int32Array;
  readonly frequencies: Int32Array;
  /**
   * Reads the postings of the range whose documents have their bit in `wanted`; returns their
   * number.
   */
  read(range: number, wanted: Int32Array): number;
  /**
   * Adds to each range an upper bound of its postings, by impact code: `bounds` has one for each
   * code.
   */
  addBounds(bounds: Float64Array, into: Float64Array): void;
}

const WORDS = 8;
/** The code of postings whose impact is not known: the highest. */
const HIGHEST = 255;

/** What the last range read has; small arrays outside of the heap are dear to make. */
const foundDocs = new Int32Array(256);
const foundFrequencies = new Int32Array(256);

/** The range postings of a term. */
export function rangePostings(reader: InvertedReader, info: TermInfo): RangePostings {
  if (info.kind === SHORT) return new ShortRanges(reader, info);
  const term = reader.big(info);
  return term.kind === DENSE ? new DenseRanges(reader, term) : new ListRanges(reader, term);
}

const wants = (wanted: Int32Array, doc: number): boolean =>
  (wanted[doc >> 5] & (1 << (doc & 31))) !== 0;

class ShortRanges implements RangePostings {
  readonly docs = foundDocs;
  readonly frequencies = foundFrequencies;
  readonly #allDocs: Int32Array;
  readonly #allFrequencies: Int32Array;

  constructor(reader: InvertedReader, info: TermInfo) {
    this.#allDocs = new Int32Array(info.df);
    this.#allFrequencies = new Int32Array(info.df);
    decodeShort(reader, info, this.#allDocs, this.#allFrequencies);
  }

  read(range: number, wanted: Int32Array): number {
    const docs = this.#allDocs;
    let n = 0;
    for (let i = 0; i < docs.length; i++) {
      const doc = docs[i];
      if (doc >> 8 !== range || !wants(wanted, doc)) continue;
      this.docs[n] = doc;
      this.frequencies[n++] = this.#allFrequencies[i];
    }
    return n;
  }

  addBounds(bounds: Float64Array, into: Float64Array): void {
    let last = -1;
    for (const doc of this.#allDocs) {
      if (doc >> 8 !== last) into[doc >> 8] += bounds[HIGHEST];
      last = doc >> 8;
    }
  }
}

class ListRanges implements RangePostings {
  readonly docs = foundDocs;
  readonly frequencies = foundFrequencies;
  readonly #reader: InvertedReader;
  readonly #term: BigTerm;
  readonly #words: number;
  /** Documents of a block, then frequencies of one. */
  readonly #block = new Int32Array(2 * LIST_BLOCK);
  #docsOf = -1;
  #frequenciesOf = -1;

  constructor(reader: InvertedReader, term: BigTerm) {
    this.#reader = reader;
    this.#term = term;
    this.#words = term.start >> 2;
  }

  read(range: number, wanted: Int32Array): number {
    const first = range << 8;
    const end = first + 256;
    let n = 0;
    for (let block = this.#blockFrom(first); block < this.#term.blocks; block++) {
      if (block > 0 && this.#lastDoc(block - 1) >= end - 1) break;
      n = this.#readBlock(block, first, end, wanted, n);
    }
    return n;
  }

  #readBlock(block: number, first: number, end: number, wanted: Int32Array, from: number): number {
    if (this.#docsOf !== block) {
      decodeListDocs(this.#reader, this.#term, block, this.#block, 0);
      this.#docsOf = block;
    }
    const size = Math.min(LIST_BLOCK, this.#term.df - block * LIST_BLOCK);
    let n = from;
    for (let i = 0; i < size; i++) {
      const doc = this.#block[i];
      if (doc >= end) break;
      if (doc < first || !wants(wanted, doc)) continue;
      if (this.#frequenciesOf !== block) {
        decodeListFrequencies(this.#reader, this.#term, block, this.#block, LIST_BLOCK);
        this.#frequenciesOf = block;
      }
      this.docs[n] = doc;
      this.frequencies[n++] = this.#block[LIST_BLOCK + i];
    }
    return n;
  }

  #lastDoc(block: number): number {
    return this.#reader.arena.i32[this.#words + block];
  }

  /** The first block that ends at or after a document. */
  #blockFrom(doc: number): number {
    let low = 0;
    let high = this.#term.blocks;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#lastDoc(middle) < doc) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  addBounds(bounds: Float64Array, into: Float64Array): void {
    const { blocks } = this.#term;
    const heads = this.#words + blocks;
    let range = 0;
    let best = 0;
    for (let block = 0, first = 0; block < blocks; block++) {
      const bound = bounds[this.#reader.arena.i32[heads + block] & 255];
      const last = this.#lastDoc(block) >> 8;
      for (let r = first; r <= last; r++) {
        if (r !== range) {
          into[range] += best;
          range = r;
          best = 0;
        }
        if (bound > best) best = bound;
      }
      first = this.#lastDoc(block) >> 8;
    }
    into[range] += best;
  }
}

class DenseRanges implements RangePostings {
  readonly docs = foundDocs;
  readonly frequencies = foundFrequencies;
  readonly #reader: InvertedReader;
  readonly #term: BigTerm;
  readonly #parts: DenseParts;

  constructor(reader: InvertedReader, term: BigTerm) {
    this.#reader = reader;
    this.#term = term;
    this.#parts = denseParts(reader, term);
  }

  read(range: number, wanted: Int32Array): number {
    const { i32, u8, view } = this.#reader.arena;
    const width = u8[this.#parts.width + range];
    const mask = 2 ** width - 1;
    const boundary = width === 0 ? 0 : boundaryOf(this.#reader, this.#term, this.#parts, range);
    const from = (this.#parts.bitmap >> 2) + WORDS * range;
    let n = 0;
    let before = 0;
    for (let w = 0; w < WORDS; w++) {
      const bits = i32[from + w];
      for (let left = bits & wanted[WORDS * range + w]; left !== 0; left &= left - 1) {
        const lowest = left & -left;
        this.docs[n] = (range << 8) + (w << 5) + 31 - Math.clz32(lowest);
        let frequency = 1;
        if (width !== 0) {
          // Frequencies run backwards from the boundary, one for each posting of the range.
          const bit = (before + popcount(bits & (lowest - 1)) + 1) * width;
          const word = view.getInt32(boundary - ((bit + 7) >> 3), true);
          frequency += (word >>> (-bit & 7)) & mask;
        }
        this.frequencies[n++] = frequency;
      }
      before += popcount(bits);
    }
    return n;
  }

  addBounds(bounds: Float64Array, into: Float64Array): void {
    const { u8 } = this.#reader.arena;
    const { impact } = this.#parts;
    for (let range = 0; range < this.#reader.ranges; range++) {
      into[range] += bounds[u8[impact + range]];
    }
  }
}
