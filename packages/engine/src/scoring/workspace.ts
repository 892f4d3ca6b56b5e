import { Pool } from '../base/pool.ts';
import { type BitKernels, bitKernelsOf } from '../bitmap/bit-kernels.ts';
import { wordsOf } from '../bitmap/bitmap.ts';
import { DENSE_SHARE, LIST_BLOCK } from '../postings/format.ts';
import { onceAnArena } from '../storage/arena-code.ts';
import type { Arena, Region } from '../storage/directory.ts';
import { type QueryKernel, queryKernelOf } from './kernel/compiled-kernels.ts';
import { type DictionarySamples, samplesOf } from './kernel/dictionary-samples.ts';
import { type ImpactTable, impactTableOf } from './kernel/impact-table.ts';
import { type PhraseCode, phraseCodeOf } from './phrase/compiled-phrases.ts';
import { PhraseTerm } from './phrase/phrase-term.ts';

/** Unpackers write whole blocks, intersections look ahead. */
const SLACK = 2 * LIST_BLOCK;
/** Bytes between arrays: 13 lines. */
const STAGGER = 832;

/**
 * Room for one search at a time in a segment, in the segment's arena so that kernels reach it. The
 * descriptors and the impact table at the start of the arena are shared by all workspaces: a search
 * writes them before it calls kernels, so searches may take turns between segments. A workspace
 * grows to the largest segment that comes by. Words of `bound` and `sorted` are by range, those of
 * the others by posting.
 */
export class Workspace {
  readonly arena: Arena;
  readonly kernel: QueryKernel;
  readonly phrases: PhraseCode;
  readonly samples: DictionarySamples;
  readonly bits: BitKernels;
  readonly table: ImpactTable;
  readonly buckets = new Int32Array(258);
  /** Terms of a phrase. */
  terms: PhraseTerm[] = [];
  bound: Float64Array = new Float64Array(0);
  ranges: Int32Array = new Int32Array(0);
  sorted: Int32Array = new Int32Array(0);
  survivors: Int32Array = new Int32Array(0);
  hitsA: Int32Array = new Int32Array(0);
  hitsB: Int32Array = new Int32Array(0);
  ordered: Int32Array = new Int32Array(0);
  keys = new Uint8Array(0);
  /** A copy of blocked documents that lie elsewhere. */
  blocked: Int32Array = new Int32Array(0);
  /** A bitmap without bits; who sets some clears them. */
  marks: Int32Array = new Int32Array(0);
  #docs = -1;
  #regions: Region[] = [];
  #next = 0;
  #left = 0;
  #chunk = 0;

  constructor(arena: Arena) {
    this.arena = arena;
    this.kernel = queryKernelOf(arena);
    this.phrases = phraseCodeOf(arena);
    this.samples = samplesOf(arena);
    this.bits = bitKernelsOf(arena);
    this.table = impactTableOf(arena);
  }

  /** Makes room for a segment of `docs` documents and phrases of `terms` terms. */
  reserve(docs: number, terms: number): void {
    if (docs > this.#docs) this.#grow(docs);
    while (this.terms.length < terms) {
      this.terms.push(new PhraseTerm(this, this.#postings(this.#docs)));
    }
  }

  /**
   * Byte address of a segment's bitmap in the arena; if it is elsewhere, of a copy, until the next
   * copy or search. 0: there is no bitmap.
   */
  addressOf(bits: Int32Array | null, docs: number): number {
    if (bits === null) return 0;
    const isHere = bits.buffer === this.arena.memory.buffer;
    return (isHere ? bits : this.copyBits(bits, docs)).byteOffset;
  }

  /** A copy of a segment's bitmap in the arena, until the next copy or search. */
  copyBits(bits: Int32Array, docs: number): Int32Array {
    this.reserve(docs, 0);
    const copy = this.blocked.subarray(0, bits.length);
    copy.set(bits);
    return copy;
  }

  #grow(docs: number): void {
    for (const region of this.#regions) region.release();
    this.#regions = [];
    this.terms = [];
    // Where the arena is full what is given back here has no size any more.
    this.#docs = 0;
    this.#left = 0;
    const ranges = Math.ceil(docs / 256) + 1;
    const postings = this.#postings(docs);
    this.#chunk = 20 * postings + 16 * ranges + (1 << 14);
    this.bound = this.floats(ranges);
    this.ranges = this.words(ranges);
    this.sorted = this.words(ranges);
    this.survivors = this.words(postings);
    this.hitsA = this.words(postings);
    this.hitsB = this.words(postings);
    this.blocked = this.words(wordsOf(docs));
    this.ordered = this.words(postings);
    this.keys = new Uint8Array(Math.max(postings, ranges));
    this.marks = this.words(wordsOf(docs)).fill(0);
    this.#docs = docs;
  }

  /** Most postings of a term without a bitmap, and slack. */
  #postings(docs: number): number {
    return Math.max(LIST_BLOCK, Math.ceil(docs / DENSE_SHARE)) + SLACK;
  }

  /** Room in the arena, behind what was given out before. */
  words(size: number): Int32Array {
    return new Int32Array(this.arena.memory.buffer, this.#take(4 * size), size);
  }

  floats(size: number): Float64Array {
    return new Float64Array(this.arena.memory.buffer, this.#take(8 * size), size);
  }

  /**
   * Regions begin at pages; arrays that all did so would compete for the same lines of the cache (4
   * KB aliasing: 1.5 to 3 times the time of a block). So arrays lie behind one another in few
   * regions, apart by an odd number of lines.
   */
  #take(bytes: number): number {
    const size = (bytes + 63) & ~63;
    if (size > this.#left) {
      const region = this.arena.allocate(Math.max(size, this.#chunk) + STAGGER);
      this.#regions.push(region);
      this.#next = region.offset + STAGGER;
      this.#left = region.length - STAGGER;
    }
    const at = this.#next;
    this.#next += size + STAGGER;
    this.#left -= size + STAGGER;
    return at;
  }
}

/** The workspaces of an arena. A search takes one for each segment and gives it back. */
export const workspacesOf = onceAnArena((arena) => new Pool(() => new Workspace(arena)));
