import { lowerBoundIn } from '../base/arrays/lower-bound.ts';
import type { InvertedReader } from '../inverted/inverted-reader.ts';
import { corruptPostings } from '../postings/damage.ts';
import { denseFrequency, denseHolds } from '../postings/dense-terms.ts';
import { DENSE, type LIST, LIST_BLOCK, SHORT } from '../postings/format.ts';
import { raiseImpact } from '../postings/impact-bound.ts';
import {
  blockHolding,
  frequencyOf,
  lastDocOf,
  skipBlocks,
  unpackDocs,
  unpackFrequencies,
} from '../postings/list-terms.ts';
import { fillTerm } from '../postings/mark-docs.ts';
import { decodeShort } from '../postings/short-terms.ts';
import type { DenseTerm, ListTerm, TermInfo } from '../postings/term-info.ts';

/** What of a block is decoded. */
const HAS_DOCS = 1;
const HAS_FREQUENCIES = 2;
/** Lower bounds are narrowed by this against rounding. */
const ROUND_DOWN = 1 - 1e-12;

/** Gives out arrays in an arena. */
export interface ArenaArrays {
  words(size: number): Int32Array;
  floats(size: number): Float64Array;
}

/**
 * Scores a term of the query in the segment at hand; opened again for each. Postings of lists and
 * short terms are decoded into the arena, block by block, when they are needed; dense terms are
 * read in place.
 */
export class TermScorer {
  kind: typeof DENSE | typeof LIST | typeof SHORT = SHORT;
  df = 0;
  /** Boost x idf. */
  weight = 0;
  /** No document scores more by this term. */
  maxScore = 0;
  /** At least ten documents (deleted ones too) score this by the term; 0 where it is not known. */
  tenthBest = 0;
  /** Position in a phrase. */
  position = 0;
  /** Rank in the order in which scores are added, the same in all segments. */
  order = 0;
  /** Identity of the term in its segment. */
  id = 0;
  /** The addresses of a dense or list term; null for the other kinds. */
  dense: DenseTerm | null = null;
  list: ListTerm | null = null;
  /** Blocks of a list; 1 for a short term. */
  blocks = 0;
  /** Of lists and short terms, by posting: what is decoded so far. */
  readonly docs: Int32Array;
  readonly frequencies: Int32Array;
  /** First bit of a posting's positions, from the start of its block's. */
  readonly positionBits: Int32Array;
  /** Posting number by survivor. */
  readonly hits: Int32Array;
  /** Bounds of scores by impact code. */
  readonly bounds: Float64Array;
  #reader!: InvertedReader;
  #info!: TermInfo;
  #boundsWeight = -1;
  #boundsImpacts: Float64Array | null = null;
  readonly #decoded: Uint8Array;
  readonly #room: number;

  constructor(arrays: ArenaArrays, room: number) {
    this.#room = room;
    this.docs = arrays.words(room);
    this.frequencies = arrays.words(room);
    this.hits = arrays.words(room);
    this.positionBits = arrays.words(room);
    this.bounds = arrays.floats(256);
    this.#decoded = new Uint8Array((room >> 7) + 1);
  }

  /**
   * Opens the term of a text field in a segment whose impacts are by an average length `scale`
   * times less than the query's.
   */
  open(reader: InvertedReader, info: TermInfo, weight: number, scale: number): void {
    this.#reader = reader;
    this.#info = info;
    this.df = info.df;
    this.weight = weight;
    this.#boundsWeight = -1;
    this.dense = null;
    this.list = null;
    if (info.kind === SHORT) {
      this.kind = SHORT;
      this.id = info.at;
      this.blocks = 1;
      this.#decoded[0] = 0;
      this.maxScore = weight;
      this.tenthBest = 0;
      return;
    }
    const term = reader.big(info);
    const { bestImpact, tenthImpact } = term;
    this.kind = term.kind;
    this.id = -1 - info.at;
    this.maxScore = weight * raiseImpact(bestImpact, scale);
    this.tenthBest = weight * (scale < 1 ? lowered(tenthImpact, scale) : tenthImpact) * ROUND_DOWN;
    if (term.kind === DENSE) this.dense = term;
    else this.#openList(term);
  }

  #openList(term: ListTerm): void {
    if (term.df > this.#room - LIST_BLOCK || term.blocks !== Math.ceil(term.df / LIST_BLOCK)) {
      throw corruptPostings('a list is longer than its segment allows');
    }
    this.list = term;
    this.blocks = term.blocks;
    this.#decoded.fill(0, 0, term.blocks);
  }

  /** Byte address of a dense term's bitmap of documents. */
  get bitmapAt(): number {
    return this.dense === null ? 0 : this.dense.docBitsAt;
  }

  /** Fills `bounds` from the impacts by code. */
  fillBounds(impacts: Float64Array): void {
    if (this.#boundsWeight === this.weight && this.#boundsImpacts === impacts) return;
    this.#boundsWeight = this.weight;
    this.#boundsImpacts = impacts;
    for (let code = 0; code < 256; code++) this.bounds[code] = this.weight * impacts[code];
  }

  /** Sets the bits of the documents of a list or a short term; others stay. */
  mark(bits: Int32Array): void {
    fillTerm(this.#reader, this.#info, bits);
  }

  /** Decodes all documents of a list or a short term. */
  decodeDocs(): void {
    if (this.list === null) this.#decodeShort();
    else {
      for (let block = 0; block < this.blocks; block++) {
        if ((this.#decoded[block] & HAS_DOCS) === 0) this.decodeBlock(block);
      }
    }
  }

  #decodeShort(): void {
    if (this.#decoded[0] !== 0) return;
    this.#decoded[0] = HAS_DOCS | HAS_FREQUENCIES;
    const { docs, frequencies, df } = this;
    const { u8 } = this.#reader.arena;
    decodeShort(u8, this.#info.at, df, docs, frequencies);
  }

  /** Decodes the documents of a block of a list to docs[128 block ..]. */
  decodeBlock(block: number): void {
    if ((this.#decoded[block] & HAS_DOCS) !== 0) return;
    unpackDocs(this.#reader.arena, this.list as ListTerm, block, this.docs, block << 7);
    this.#decoded[block] |= HAS_DOCS;
  }

  #decodeFrequencies(block: number): void {
    if ((this.#decoded[block] & HAS_FREQUENCIES) !== 0) return;
    const { frequencies } = this;
    unpackFrequencies(this.#reader.arena, this.list as ListTerm, block, frequencies, block << 7);
    this.#decoded[block] |= HAS_FREQUENCIES;
  }

  /** Decodes the frequencies of the blocks of hits[0 .. n). */
  decodeHitFrequencies(n: number): void {
    if (this.list === null) return;
    const { hits } = this;
    const decoded = this.#decoded;
    for (let i = 0; i < n; i++) {
      const block = hits[i] >> 7;
      if ((decoded[block] & HAS_FREQUENCIES) === 0) this.#decodeFrequencies(block);
    }
  }

  /** The first block from `from` on that may hold a document; `blocks` if none does. */
  skipBlocks(from: number, doc: number): number {
    return skipBlocks(this.#reader.arena, this.list as ListTerm, from, doc);
  }

  /** The last document of a block of a list. */
  lastDoc(block: number): number {
    return lastDocOf(this.#reader.arena, this.list as ListTerm, block);
  }

  /** True when the document holds the term. */
  holds(doc: number): boolean {
    if (this.dense !== null) return denseHolds(this.#reader.arena, this.dense, doc);
    if (this.list === null) this.#decodeShort();
    const i = this.#seek(doc);
    return i < this.df && this.docs[i] === doc;
  }

  /** Frequency of the term in a document that holds it. */
  frequencyIn(doc: number): number {
    const { arena } = this.#reader;
    if (this.dense !== null) return denseFrequency(arena, this.dense, doc);
    const i = this.#seek(doc);
    if (this.list === null || (this.#decoded[i >> 7] & HAS_FREQUENCIES) !== 0) {
      return this.frequencies[i];
    }
    return frequencyOf(arena, this.list, i);
  }

  /**
   * Number of the first posting of a list or short term that is not below a document; df where
   * there is none.
   */
  #seek(doc: number): number {
    if (this.list === null) return lowerBoundIn(this.docs, doc, 0, this.df);
    const block = blockHolding(this.#reader.arena, this.list, doc);
    if (block === this.blocks) return this.df;
    this.decodeBlock(block);
    return lowerBoundIn(this.docs, doc, block << 7, Math.min(this.df, (block + 1) << 7));
  }
}

/**
 * A lower bound of an impact by a longer norm: see raiseImpact, whose formula is exact for norms
 * that all shrink alike.
 */
function lowered(impact: number, scale: number): number {
  return (impact * scale) / (1 + impact * (scale - 1));
}
