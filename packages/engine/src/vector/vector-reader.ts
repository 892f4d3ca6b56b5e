import type { Deadline } from '../base/deadline.ts';
import { LIMITS } from '../base/limits.ts';
import { popcount } from '../bitmap/bitmap.ts';
import type { Similarity } from '../schema/definition.ts';
import type { Arena, Pages, Region } from '../storage/directory.ts';
import { corrupt } from '../storage/frame.ts';
import { openSections } from '../storage/sections.ts';
import { type CodedQuery, codeQuery } from './coded-query.ts';
import { similarityAt } from './exact.ts';
import { headDims, MIDDLE, rowBytes, SECTIONS, SIMILARITIES } from './format.ts';
import type { Graph } from './graph-format.ts';
import { type Nearest, nearestFlat } from './nearest-flat.ts';
import { GraphWalk } from './nearest-graph.ts';

export type { Nearest } from './nearest-flat.ts';

/** How to look for the nearest. */
export interface NearestOptions {
  /**
   * Bitmap of the documents that may be answered (deletes, filters, guards), over the segment's
   * documents; null: all.
   */
  readonly accept: Int32Array | null;
  /** True: never by a graph. */
  readonly exact?: boolean;
  /** How many vectors a graph is searched for; more find more. Default: by k. */
  readonly ef?: number;
  /** When it has to be done; absent: it may take any time. */
  readonly deadline?: Deadline;
}

/**
 * The vectors of a field on a mapped file (layout: format.ts). Vectors stand in slots 0 .. count -
 * 1, in the order of their documents.
 */
export class VectorReader {
  readonly arena: Arena;
  readonly docs: number;
  /** Documents that have a vector. */
  readonly count: number;
  readonly dims: number;
  readonly metric: Similarity;
  /** Bytes of a vector in the planes of heads, of tails, and in both. */
  readonly headRow: number;
  readonly tailRow: number;
  readonly row: number;
  /** The document of each slot; null: slot and document are the same. */
  readonly docOf: Int32Array | null;
  readonly scales: Float32Array;
  readonly norms: Float64Array;
  readonly rests: Float32Array;
  /** Empty where vectors are all head. */
  readonly tails: Float32Array;
  readonly head: Int8Array;
  readonly tail: Int8Array;
  readonly low: Int8Array;
  /** Addresses of the planes in the arena. */
  readonly headAt: number;
  readonly tailAt: number;
  readonly lowAt: number;
  /** What can be said about the pages of the file, where it is mapped. */
  readonly pages: Pages | null;
  /** How often the whole plane was gone through. */
  scans = 0;
  /** What links the vectors, where the segment has it. */
  readonly graph: Graph | null;
  #walk: GraphWalk | null = null;
  readonly #present: Int32Array;
  readonly #ranks: Int32Array;

  private constructor(payload: Region, path: string, graph: Graph | null) {
    const sections = openSections(payload, SECTIONS, path);
    const head = sections.view(0);
    if (head.byteLength < 16) throw corrupt(path, 'its head is too short');
    this.arena = payload.arena;
    this.pages = payload.pages ?? null;
    this.docs = head.getInt32(0, true);
    this.count = head.getInt32(4, true);
    this.dims = head.getInt32(8, true);
    const similarity = SIMILARITIES[head.getUint8(12)];
    this.headRow = rowBytes(headDims(this.dims));
    this.tailRow = rowBytes(this.dims - headDims(this.dims));
    this.row = this.headRow + this.tailRow;
    this.#present = sections.i32(1);
    this.#ranks = sections.i32(2);
    const docOf = sections.i32(3);
    const all = this.count === this.docs;
    this.docOf = all ? null : docOf;
    this.scales = sections.f32(4);
    this.norms = sections.f64(5);
    this.rests = sections.f32(6);
    this.tails = sections.f32(7);
    this.head = sections.i8(8);
    this.tail = sections.i8(9);
    this.low = sections.i8(10);
    this.headAt = this.head.byteOffset;
    this.tailAt = this.tail.byteOffset;
    this.lowAt = this.low.byteOffset;
    const ranges = all ? 0 : Math.ceil(this.docs / 256);
    if (
      similarity === undefined ||
      this.count < 0 ||
      this.count > this.docs ||
      this.dims < 1 ||
      this.dims > LIMITS.vectorDims ||
      this.#present.length !== 8 * ranges ||
      this.#ranks.length !== ranges ||
      docOf.length !== (all ? 0 : this.count) ||
      this.scales.length !== this.count ||
      this.norms.length !== this.count ||
      this.rests.length !== this.count ||
      this.tails.length !== (this.tailRow === 0 ? 0 : this.count) ||
      this.head.length !== this.count * this.headRow ||
      this.tail.length !== this.count * this.tailRow ||
      this.low.length !== this.count * this.row
    ) {
      throw corrupt(path, 'its sections do not fit its head');
    }
    this.metric = similarity;
    this.graph = graph;
    if (graph !== null && graph.count !== this.count) {
      throw corrupt(path, `it has ${this.count} vectors, its graph ${graph.count}`);
    }
  }

  /** Opens a payload; `path` is for messages. Throws corrupt_index. */
  static open(payload: Region, path: string, graph: Graph | null = null): VectorReader {
    return new VectorReader(payload, path, graph);
  }

  /** The slot of a document's vector, or -1 where it has none. */
  slotOf(doc: number): number {
    if (this.docOf === null) return doc;
    const at = doc >> 5;
    const word = this.#present[at];
    const bit = 1 << (doc & 31);
    if ((word & bit) === 0) return -1;
    let slot = this.#ranks[doc >> 8] + popcount(word & (bit - 1));
    for (let before = at & -8; before < at; before++) slot += popcount(this.#present[before]);
    return slot;
  }

  /** The document of a slot. */
  docAt(slot: number): number {
    return this.docOf === null ? slot : this.docOf[slot];
  }

  /** True when the document has a vector. */
  has(doc: number): boolean {
    return this.slotOf(doc) >= 0;
  }

  /**
   * The k nearest documents, the best first, equal ones by document, and all that are as near as
   * the k-th. Fewer only where fewer are accepted and have a vector. With a graph some of the
   * nearest may be missing, and others stand for them, unless `exact`. Throws TypeError for a query
   * of other dimensions.
   */
  nearest(query: Float32Array, k: number, options: NearestOptions): Nearest {
    const { accept, exact, ef, deadline } = options;
    const coded = this.#code(query);
    const most = Math.max(1, k);
    if (this.graph !== null && exact !== true) {
      this.#walk ??= new GraphWalk(this, this.graph);
      const found = this.#walk.nearest(coded, most, accept, ef);
      if (found !== null) return found;
    }
    return nearestFlat(this, coded, most, accept, deadline);
  }

  /**
   * The raw similarity of a query and a document's vector (exact.ts), or null where the document
   * has none: the very number that `nearest` gives.
   */
  similarity(query: Float32Array, doc: number): number | null {
    const slot = this.slotOf(doc);
    return slot < 0 ? null : similarityAt(this, this.#code(query), slot);
  }

  /** The codes of the vector in a slot, to `into` unless it is left out. */
  codes(slot: number, into = new Int16Array(this.dims)): Int16Array {
    const { head, tail, low, dims, headRow, tailRow } = this;
    const most = Math.min(headRow, dims);
    const [h, t, l] = [slot * headRow, slot * tailRow - headRow, slot * this.row];
    for (let c = 0; c < most; c++) into[c] = 256 * head[h + c] + low[l + c] + MIDDLE;
    for (let c = most; c < dims; c++) into[c] = 256 * tail[t + c] + low[l + c] + MIDDLE;
    return into;
  }

  /** Component by component, the vector of a document, or null where it has none. */
  vector(doc: number): Float32Array | null {
    const slot = this.slotOf(doc);
    if (slot < 0) return null;
    return Float32Array.from(this.codes(slot), (code) => this.scales[slot] * code);
  }

  #code(query: Float32Array): CodedQuery {
    if (query.length === this.dims) return codeQuery(query);
    throw new TypeError(`a query of ${query.length} dimensions, the field has ${this.dims}`);
  }
}
