/**
 * Postings of a text term by range of 256 documents: what scoring reads. A range is read in one go,
 * only for the documents that are wanted, in any order of ranges.
 */
import { Pool } from '../base/pool.ts';
import { hasBit, popcount } from '../bitmap/bitmap.ts';
import type { Arena } from '../storage/directory.ts';
import { boundaryOf, frequencyAt, RANGE_WORDS, rangeImpact, rangeWidth } from './dense-terms.ts';
import { DENSE, LIST_BLOCK, RANGE, RANGE_SHIFT, SHORT } from './format.ts';
import {
  blockHolding,
  blockImpact,
  blockSize,
  lastDocOf,
  unpackDocs,
  unpackFrequencies,
} from './list-terms.ts';
import { decodeShort } from './short-terms.ts';
import type { DenseTerm, ListTerm, PostingsSource, TermInfo } from './term-info.ts';

/** Room for the postings of a range: what `read` found. */
export interface RangeRoom {
  readonly docs: Int32Array;
  readonly frequencies: Int32Array;
}

/** Rooms that are used again: small arrays outside of the heap are expensive to make. */
export const rangeRooms = new Pool<RangeRoom>(() => ({
  docs: new Int32Array(RANGE),
  frequencies: new Int32Array(RANGE),
}));

/** Reads the postings of one term. */
export interface RangePostings {
  /**
   * Reads the postings of the range whose documents have their bit in `wanted`; returns their
   * number.
   */
  read(range: number, wanted: Int32Array, into: RangeRoom): number;
  /**
   * Adds to each range an upper bound of its postings, by impact code: `bounds` has one for each
   * code.
   */
  addBounds(bounds: Float64Array, into: Float64Array): void;
}

/** The code of postings whose impact is not known: the highest. */
const HIGHEST = 255;

/** The range postings of a term. */
export function rangePostings(source: PostingsSource, info: TermInfo): RangePostings {
  if (info.kind === SHORT) return new ShortRanges(source, info);
  const term = source.big(info);
  return term.kind === DENSE ? new DenseRanges(source, term) : new ListRanges(source, term);
}

class ShortRanges implements RangePostings {
  readonly #allDocs: Int32Array;
  readonly #allFrequencies: Int32Array;

  constructor(source: PostingsSource, info: TermInfo) {
    this.#allDocs = new Int32Array(info.df);
    this.#allFrequencies = new Int32Array(info.df);
    decodeShort(source.arena.u8, info.at, info.df, this.#allDocs, this.#allFrequencies);
  }

  read(range: number, wanted: Int32Array, into: RangeRoom): number {
    const docs = this.#allDocs;
    let n = 0;
    for (let i = 0; i < docs.length; i++) {
      const doc = docs[i];
      if (doc >> 8 !== range || !hasBit(wanted, doc)) continue;
      into.docs[n] = doc;
      into.frequencies[n++] = this.#allFrequencies[i];
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
  readonly #arena: Arena;
  readonly #term: ListTerm;
  /** Documents of a block, then frequencies of one. */
  readonly #block = new Int32Array(2 * LIST_BLOCK);
  #docsOf = -1;
  #frequenciesOf = -1;

  constructor({ arena }: PostingsSource, term: ListTerm) {
    this.#arena = arena;
    this.#term = term;
  }

  read(range: number, wanted: Int32Array, into: RangeRoom): number {
    const first = range << RANGE_SHIFT;
    const end = first + RANGE;
    let n = 0;
    const { blocks } = this.#term;
    for (let block = blockHolding(this.#arena, this.#term, first); block < blocks; block++) {
      if (block > 0 && lastDocOf(this.#arena, this.#term, block - 1) >= end - 1) break;
      n = this.#readBlock(block, first, wanted, into, n);
    }
    return n;
  }

  #readBlock(
    block: number,
    first: number,
    wanted: Int32Array,
    into: RangeRoom,
    from: number,
  ): number {
    const end = first + RANGE;
    if (this.#docsOf !== block) {
      unpackDocs(this.#arena, this.#term, block, this.#block, 0);
      this.#docsOf = block;
    }
    const size = blockSize(this.#term, block);
    let n = from;
    for (let i = 0; i < size; i++) {
      const doc = this.#block[i];
      if (doc >= end) break;
      if (doc < first || !hasBit(wanted, doc)) continue;
      if (this.#frequenciesOf !== block) {
        unpackFrequencies(this.#arena, this.#term, block, this.#block, LIST_BLOCK);
        this.#frequenciesOf = block;
      }
      into.docs[n] = doc;
      into.frequencies[n++] = this.#block[LIST_BLOCK + i];
    }
    return n;
  }

  addBounds(bounds: Float64Array, into: Float64Array): void {
    const { blocks } = this.#term;
    let range = 0;
    let best = 0;
    for (let block = 0, first = 0; block < blocks; block++) {
      const bound = bounds[blockImpact(this.#arena, this.#term, block)];
      const last = lastDocOf(this.#arena, this.#term, block) >> RANGE_SHIFT;
      for (let r = first; r <= last; r++) {
        if (r !== range) {
          into[range] += best;
          range = r;
          best = 0;
        }
        if (bound > best) best = bound;
      }
      first = last;
    }
    into[range] += best;
  }
}

class DenseRanges implements RangePostings {
  readonly #arena: Arena;
  readonly #ranges: number;
  readonly #term: DenseTerm;

  constructor({ arena, ranges }: PostingsSource, term: DenseTerm) {
    this.#arena = arena;
    this.#ranges = ranges;
    this.#term = term;
  }

  read(range: number, wanted: Int32Array, into: RangeRoom): number {
    const { i32, view } = this.#arena;
    const width = rangeWidth(this.#arena, this.#term, range);
    const boundary = width === 0 ? 0 : boundaryOf(this.#arena, this.#term, range);
    const from = (this.#term.docBitsAt >> 2) + RANGE_WORDS * range;
    let n = 0;
    let before = 0;
    for (let w = 0; w < RANGE_WORDS; w++) {
      const bits = i32[from + w];
      for (let left = bits & wanted[RANGE_WORDS * range + w]; left !== 0; left &= left - 1) {
        const lowest = left & -left;
        into.docs[n] = (range << RANGE_SHIFT) + (w << 5) + 31 - Math.clz32(lowest);
        const rank = before + popcount(bits & (lowest - 1));
        into.frequencies[n++] = width === 0 ? 1 : frequencyAt(view, boundary, width, rank);
      }
      before += popcount(bits);
    }
    return n;
  }

  addBounds(bounds: Float64Array, into: Float64Array): void {
    for (let range = 0; range < this.#ranges; range++) {
      into[range] += bounds[rangeImpact(this.#arena, this.#term, range)];
    }
  }
}
