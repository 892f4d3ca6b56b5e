import { popcount } from '../bitmap/bitmap.ts';
import { LIST_BLOCK, RANGE, RANGE_SHIFT } from './format.ts';
import type { InvertedReader } from './inverted-reader.ts';
import {
  type BigTerm,
  boundaryOf,
  type DenseParts,
  denseParts,
  type TermInfo,
} from './term-info.ts';
import { docUnpacker, frequencyUnpacker } from './unpack.ts';

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

/** Reads `count` values of `width` bits (up to 25) from bit `bit` after byte `at`. */
function readBits(
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
export class ShortPostings implements PostingsCursor {
  readonly #reader: InvertedReader;
  readonly #docs: Int32Array;
  readonly #frequencies: Int32Array;
  readonly #positionsAt: number;
  readonly #df: number;
  #i = -1;

  constructor(reader: InvertedReader, info: TermInfo) {
    this.#reader = reader;
    this.#df = info.df;
    this.#docs = new Int32Array(info.df);
    this.#frequencies = new Int32Array(info.df);
    this.#positionsAt = decodeShort(reader, info, this.#docs, this.#frequencies);
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
    let bit = 0;
    for (let i = 0; i < this.#i; i++) {
      bit += this.#frequencies[i] * this.#reader.positionWidth(this.#docs[i]);
    }
    const width = this.#reader.positionWidth(this.doc());
    return readBits(this.#reader.arena.view, this.#positionsAt, bit, width, this.tf(), into);
  }
}

/** Decodes a short term's documents and frequencies; returns the byte address of its positions. */
export function decodeShort(
  reader: InvertedReader,
  info: TermInfo,
  docs: Int32Array,
  frequencies: Int32Array,
): number {
  const { u8 } = reader.arena;
  let at = info.at;
  let doc = -1;
  for (let i = 0; i < info.df; i++) {
    let value = u8[at++];
    if (value >= 128) {
      value &= 127;
      for (let shift = 7; shift < 35; shift += 7) {
        const byte = u8[at++];
        value |= (byte & 127) << shift;
        if (byte < 128) break;
      }
    }
    let frequency = 1;
    if ((value & 1) !== 0) {
      frequency = u8[at++];
      if (frequency >= 128) {
        frequency &= 127;
        for (let shift = 7; shift < 35; shift += 7) {
          const byte = u8[at++];
          frequency |= (byte & 127) << shift;
          if (byte < 128) break;
        }
      }
    }
    doc += (value >>> 1) + 1;
    docs[i] = doc;
    frequencies[i] = frequency;
  }
  return at;
}

/** Decodes a block of a list when a document of it is wanted. */
export class ListPostings implements PostingsCursor {
  readonly #reader: InvertedReader;
  readonly #term: BigTerm;
  readonly #words: number;
  readonly #docs = new Int32Array(LIST_BLOCK);
  readonly #frequencies = new Int32Array(LIST_BLOCK);
  #block = -1;
  #size = 0;
  #i = -1;
  #frequenciesOf = -1;
  #done = false;

  constructor(reader: InvertedReader, term: BigTerm) {
    this.#reader = reader;
    this.#term = term;
    this.#words = term.start >> 2;
  }

  doc(): number {
    if (this.#done) return NO_MORE_DOCS;
    return this.#i < 0 ? -1 : this.#docs[this.#i];
  }

  next(): number {
    if (this.#done) return NO_MORE_DOCS;
    if (this.#block >= 0 && this.#i + 1 < this.#size) return this.#docs[++this.#i];
    return this.#enter(this.#block + 1, 0);
  }

  advance(target: number): number {
    if (this.#done) return NO_MORE_DOCS;
    const { i32 } = this.#reader.arena;
    let block = Math.max(0, this.#block);
    if (i32[this.#words + block] < target) {
      block = this.#blockFrom(block + 1, target);
    }
    if (block !== this.#block) {
      if (this.#enter(block, 0) === NO_MORE_DOCS) return NO_MORE_DOCS;
    } else if (this.#i < 0) this.#i = 0;
    while (this.#docs[this.#i] < target) this.#i++;
    return this.#docs[this.#i];
  }

  /** The first block from `low` on whose last document is not below the target. */
  #blockFrom(low: number, target: number): number {
    const { i32 } = this.#reader.arena;
    let first = low;
    let last = this.#term.blocks;
    while (first < last) {
      const middle = (first + last) >> 1;
      if (i32[this.#words + middle] < target) first = middle + 1;
      else last = middle;
    }
    return first;
  }

  #enter(block: number, i: number): number {
    const { blocks, df } = this.#term;
    if (block >= blocks) {
      this.#done = true;
      return NO_MORE_DOCS;
    }
    decodeListDocs(this.#reader, this.#term, block, this.#docs, 0);
    this.#block = block;
    this.#size = Math.min(LIST_BLOCK, df - block * LIST_BLOCK);
    this.#i = i;
    return this.#docs[i];
  }

  tf(): number {
    if (this.#frequenciesOf !== this.#block) {
      decodeListFrequencies(this.#reader, this.#term, this.#block, this.#frequencies, 0);
      this.#frequenciesOf = this.#block;
    }
    return this.#frequencies[this.#i];
  }

  positions(into: Int32Array): number {
    const frequency = this.tf();
    const reader = this.#reader;
    let bit = 0;
    for (let i = 0; i < this.#i; i++) {
      bit += this.#frequencies[i] * reader.positionWidth(this.#docs[i]);
    }
    const offset = reader.arena.i32[this.#words + 3 * this.#term.blocks + this.#block];
    const width = reader.positionWidth(this.doc());
    return readBits(reader.arena.view, this.#term.positions + offset, bit, width, frequency, into);
  }
}

/**
 * Documents of a block into into[to ..]: always 128 values, those past the last posting are of no
 * meaning.
 */
export function decodeListDocs(
  { arena }: InvertedReader,
  term: BigTerm,
  block: number,
  into: Int32Array,
  to: number,
): void {
  const words = term.start >> 2;
  const { i32 } = arena;
  const width = (i32[words + term.blocks + block] >>> 8) & 255;
  const data = (term.payload + i32[words + 2 * term.blocks + block]) >> 2;
  docUnpacker(width)(i32, data, into, to, block === 0 ? -1 : i32[words + block - 1]);
}

/** Frequencies of a block likewise. */
export function decodeListFrequencies(
  { arena }: InvertedReader,
  term: BigTerm,
  block: number,
  into: Int32Array,
  to: number,
): void {
  const words = term.start >> 2;
  const { i32 } = arena;
  const head = i32[words + term.blocks + block];
  const size = Math.min(LIST_BLOCK, term.df - block * LIST_BLOCK);
  const docBytes = ((size * ((head >>> 8) & 255) + 31) >> 5) << 2;
  const data = term.payload + i32[words + 2 * term.blocks + block] + docBytes;
  frequencyUnpacker((head >>> 16) & 255)(i32, data >> 2, into, to);
}

/** Walks a bitmap. */
export class DensePostings implements PostingsCursor {
  readonly #reader: InvertedReader;
  readonly #term: BigTerm;
  readonly #parts: DenseParts;
  readonly #bitmap: number;
  readonly #words: number;
  #doc = -1;
  /** Range whose counts are below, and postings before word w of it. */
  #range = -1;
  #boundary = 0;
  #width = 0;

  constructor(reader: InvertedReader, term: BigTerm) {
    this.#reader = reader;
    this.#term = term;
    this.#parts = denseParts(reader, term);
    this.#bitmap = term.start >> 2;
    this.#words = 8 * reader.ranges;
  }

  doc(): number {
    return this.#doc;
  }

  next(): number {
    return this.advance(this.#doc + 1);
  }

  advance(target: number): number {
    if (this.#doc >= target) return this.#doc;
    const { i32 } = this.#reader.arena;
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
    if (!this.#reader.text) return 1;
    this.#enter();
    if (this.#width === 0) return 1;
    return this.#frequencyAt(this.#rank(this.#doc));
  }

  positions(into: Int32Array): number {
    this.#enter();
    const reader = this.#reader;
    const { u8, view, i32 } = reader.arena;
    const group = (this.#doc & (RANGE - 1)) >> 6;
    const skip = group === 0 ? 0 : u8[this.#parts.group + 3 * this.#range + group - 1];
    const from = skip === 255 ? this.#range * RANGE : this.#doc & -64;
    let at = this.#boundary + (skip === 255 ? 0 : skip);
    let rank = this.#rank(from);
    let bit = 0;
    for (let word = from >> 5, end = this.#doc >> 5; word <= end; word++) {
      if ((word & 1) === 0 && word << 5 > from) {
        at += (bit + 7) >> 3;
        bit = 0;
      }
      let bits = i32[this.#bitmap + word];
      if (word === end) bits &= 2 ** (this.#doc & 31) - 1;
      for (; bits !== 0; bits &= bits - 1) {
        const doc = (word << 5) + 31 - Math.clz32(bits & -bits);
        bit += this.#frequencyAt(rank++) * reader.positionWidth(doc);
      }
    }
    const frequency = this.#frequencyAt(rank);
    return readBits(view, at, bit, reader.positionWidth(this.#doc), frequency, into);
  }

  #enter(): void {
    const range = this.#doc >> RANGE_SHIFT;
    if (range === this.#range) return;
    this.#range = range;
    this.#width = this.#reader.arena.u8[this.#parts.width + range];
    this.#boundary = boundaryOf(this.#reader, this.#term, this.#parts, range);
  }

  /** Postings of the range before a document. */
  #rank(doc: number): number {
    const { i32 } = this.#reader.arena;
    const end = this.#bitmap + (doc >> 5);
    let rank = popcount(i32[end] & (2 ** (doc & 31) - 1));
    for (let word = this.#bitmap + (this.#range << 3); word < end; word++)
      rank += popcount(i32[word]);
    return rank;
  }

  #frequencyAt(rank: number): number {
    const width = this.#width;
    if (width === 0) return 1;
    const bit = (rank + 1) * width;
    const word = this.#reader.arena.view.getInt32(this.#boundary - ((bit + 7) >> 3), true);
    return ((word >>> (-bit & 7)) & (2 ** width - 1)) + 1;
  }
}
