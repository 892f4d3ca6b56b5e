import { decodeShort } from '../inverted/cursors.ts';
import { corrupt } from '../inverted/damage.ts';
import { DENSE, LIST, LIST_BLOCK, SHORT } from '../inverted/format.ts';
import type { InvertedReader } from '../inverted/inverted-reader.ts';
import {
  type BigTerm,
  boundaryOf,
  type DenseParts,
  denseParts,
  type TermInfo,
} from '../inverted/term-info.ts';
import { raiseImpact } from '../inverted/term-matches.ts';
import { docUnpacker, frequencyUnpacker } from '../inverted/unpack.ts';
import type { Workspace } from './workspace.ts';

/** What of a block is decoded. */
export const HAS_DOCS = 1;
export const HAS_FREQUENCIES = 2;
export const HAS_POSITIONS = 4;
const DOWN = 1 - 1e-12;

/**
 * A term of the query in the segment at hand, opened again for each. Postings of lists and short
 * terms are decoded into the arena, block by block, when they are needed; dense terms are read in
 * place. Addresses are bytes, `…Words` word numbers.
 */
export class Clause {
  reader!: InvertedReader;
  kind: typeof DENSE | typeof LIST | typeof SHORT = SHORT;
  df = 0;
  /** Boost x idf. */
  weight = 0;
  /** No document scores more by this term. */
  max = 0;
  /** At least ten documents (deleted ones too) score this by the term; 0 where it is not known. */
  tenth = 0;
  /** Place in a phrase. */
  slot = 0;
  /** Place in the order in which shares are added, the same in all segments. */
  order = 0;
  /** Identity of the term in its segment. */
  id = 0;
  term: BigTerm | null = null;
  parts: DenseParts | null = null;
  bitmapWords = 0;
  impactAt = 0;
  widthAt = 0;
  blocks = 0;
  lastWords = 0;
  headWords = 0;
  dataWords = 0;
  positionWords = 0;
  #info!: TermInfo;
  #filled = -1;
  #filledBook: Float64Array | null = null;
  /** Address of the positions of a short term. */
  positionsAt = 0;
  readonly docs: Int32Array;
  readonly frequencies: Int32Array;
  /** Posting number by survivor. */
  readonly hits: Int32Array;
  /** First bit of a posting's positions, from the start of its block's. */
  readonly positionBits: Int32Array;
  /** Bounds of scores by impact code. */
  readonly bounds: Float64Array;
  readonly state: Uint8Array;
  readonly #room: number;

  constructor(workspace: Workspace, room: number) {
    this.#room = room;
    this.docs = workspace.words(room);
    this.frequencies = workspace.words(room);
    this.hits = workspace.words(room);
    this.positionBits = workspace.words(room);
    this.bounds = workspace.floats(256);
    this.state = new Uint8Array((room >> 7) + 1);
  }

  /**
   * Opens the term of a text field in a segment whose impacts are by an average length `scale`
   * times less than the query's.
   */
  open(reader: InvertedReader, info: TermInfo, weight: number, scale: number): void {
    this.reader = reader;
    this.#info = info;
    this.df = info.df;
    this.weight = weight;
    this.id = info.at;
    this.#filled = -1;
    if (info.kind === SHORT) {
      this.kind = SHORT;
      this.term = null;
      this.blocks = 1;
      this.state[0] = 0;
      this.max = weight;
      this.tenth = 0;
      return;
    }
    const term = reader.big(info);
    this.term = term;
    this.kind = term.kind;
    this.id = -1 - info.at;
    this.max = weight * raiseImpact(term.best, scale);
    this.tenth = weight * (scale < 1 ? lowered(term.tenth, scale) : term.tenth) * DOWN;
    if (term.kind === DENSE) this.#openDense(term);
    else this.#openList(term);
  }

  #openDense(term: BigTerm): void {
    const parts = denseParts(this.reader, term);
    this.parts = parts;
    this.bitmapWords = parts.bitmap >> 2;
    this.impactAt = parts.impact;
    this.widthAt = parts.width;
  }

  #openList(term: BigTerm): void {
    if (term.df > this.#room - LIST_BLOCK || term.blocks !== Math.ceil(term.df / LIST_BLOCK)) {
      throw corrupt('a list is longer than its segment allows');
    }
    this.blocks = term.blocks;
    this.lastWords = term.start >> 2;
    this.headWords = this.lastWords + term.blocks;
    this.dataWords = this.headWords + term.blocks;
    this.positionWords = this.dataWords + term.blocks;
    this.state.fill(0, 0, term.blocks);
  }

  /** Best impact code and widths of a block of a list. */
  head(block: number): number {
    return this.reader.arena.i32[this.headWords + block];
  }

  /** Fills `bounds` from the code book. */
  fillBounds(book: Float64Array): void {
    if (this.#filled === this.weight && this.#filledBook === book) return;
    this.#filled = this.weight;
    this.#filledBook = book;
    for (let code = 0; code < 256; code++) this.bounds[code] = this.weight * book[code];
  }

  /** Byte address where frequencies of a range end and positions begin. */
  boundary(range: number): number {
    return boundaryOf(this.reader, this.term as BigTerm, this.parts as DenseParts, range);
  }

  /** Decodes all documents of a list or a short term. */
  decodeDocs(): void {
    if (this.kind === SHORT) this.#decodeShort();
    else {
      for (let block = 0; block < this.blocks; block++) {
        if ((this.state[block] & HAS_DOCS) === 0) this.decodeBlock(block);
      }
    }
  }

  #decodeShort(): void {
    if (this.state[0] !== 0) return;
    this.state[0] = HAS_DOCS | HAS_FREQUENCIES | HAS_POSITIONS;
    const { docs, frequencies, positionBits, reader, df } = this;
    this.positionsAt = decodeShort(reader, this.#info, docs, frequencies);
    const { widths, extents } = reader;
    for (let i = 0, bit = 0; i < df; i++) {
      positionBits[i] = bit;
      bit += frequencies[i] * widths[extents[docs[i]]];
    }
  }

  /** Sets the bits of the documents of a list or a short term; others stay. */
  mark(bits: Int32Array): void {
    this.reader.fill(this.#info, bits);
  }

  /** Decodes the documents of a block to docs[128 block ..]. */
  decodeBlock(block: number): void {
    const { i32 } = this.reader.arena;
    const width = (this.head(block) >>> 8) & 255;
    const { payload } = this.term as BigTerm;
    const last = block === 0 ? -1 : i32[this.lastWords + block - 1];
    docUnpacker(width)(
      i32,
      (payload + i32[this.dataWords + block]) >> 2,
      this.docs,
      block << 7,
      last,
    );
    this.state[block] |= HAS_DOCS;
  }

  /** Decodes the frequencies of a block to frequencies[128 block ..]. */
  decodeFrequencies(block: number): void {
    const { i32 } = this.reader.arena;
    const width = (this.head(block) >>> 16) & 255;
    frequencyUnpacker(width)(i32, this.#frequenciesAt(block) >> 2, this.frequencies, block << 7);
    this.state[block] |= HAS_FREQUENCIES;
  }

  /** Decodes the frequencies of the blocks that hits[0 .. n) name. */
  decodeHitFrequencies(n: number): void {
    if (this.kind !== LIST) return;
    const { hits, state } = this;
    for (let i = 0; i < n; i++) {
      const block = hits[i] >> 7;
      if ((state[block] & HAS_FREQUENCIES) === 0) this.decodeFrequencies(block);
    }
  }

  #frequenciesAt(block: number): number {
    const width = (this.head(block) >>> 8) & 255;
    const size = Math.min(LIST_BLOCK, this.df - (block << 7));
    const data = (this.term as BigTerm).payload + this.reader.arena.i32[this.dataWords + block];
    return data + (((size * width + 31) >> 5) << 2);
  }

  /** Frequency of posting i of a list or short term. */
  frequencyAt(i: number): number {
    const block = i >> 7;
    if (this.kind === SHORT || (this.state[block] & HAS_FREQUENCIES) !== 0)
      return this.frequencies[i];
    const width = (this.head(block) >>> 16) & 255;
    if (width === 0) return 1;
    const bit = (i & 127) * width;
    const word = this.reader.arena.view.getInt32(this.#frequenciesAt(block) + (bit >> 3), true);
    return ((word >>> (bit & 7)) & (2 ** width - 1)) + 1;
  }

  /** Computes where the positions of a block's postings begin. */
  locateBlock(block: number): void {
    if ((this.state[block] & HAS_FREQUENCIES) === 0) this.decodeFrequencies(block);
    const { docs, frequencies, positionBits, reader } = this;
    const { widths, extents } = reader;
    const from = block << 7;
    const to = Math.min(this.df, from + LIST_BLOCK);
    for (let i = from, bit = 0; i < to; i++) {
      positionBits[i] = bit;
      bit += frequencies[i] * widths[extents[docs[i]]];
    }
    this.state[block] |= HAS_POSITIONS;
  }

  /** Byte address of the positions of a list or short term. */
  get positionsStart(): number {
    return this.kind === SHORT ? this.positionsAt : (this.term as BigTerm).positions;
  }

  /**
   * Number of the first posting of a list or short term that is not below a document; df where
   * there is none.
   */
  seek(doc: number): number {
    if (this.kind === SHORT) return lowerBound(this.docs, 0, this.df, doc);
    const { i32 } = this.reader.arena;
    let low = 0;
    let high = this.blocks;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (i32[this.lastWords + middle] < doc) low = middle + 1;
      else high = middle;
    }
    if (low === this.blocks) return this.df;
    if ((this.state[low] & HAS_DOCS) === 0) this.decodeBlock(low);
    return lowerBound(this.docs, low << 7, Math.min(this.df, (low + 1) << 7), doc);
  }
}

function lowerBound(docs: Int32Array, from: number, to: number, doc: number): number {
  let low = from;
  let high = to;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (docs[middle] < doc) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * A lower bound of an impact by a longer norm: see raiseImpact, whose formula is exact for norms
 * that all shrink alike.
 */
function lowered(impact: number, scale: number): number {
  return (impact * scale) / (1 + impact * (scale - 1));
}
