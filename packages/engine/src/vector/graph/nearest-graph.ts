/**
 * The nearest vectors of a segment by its graph. The search is approximate: it may miss some.
 *   1. Descend the upper levels greedily.
 *   2. Walk level 0 and collect the best vectors met, by the heads of their codes. With a filter,
 *      their number grows by the share of documents that it rejects.
 *   3. Compare those by all high bytes, and compute the exact similarities of those that may be
 *      among the k nearest.
 * A walk touches 344 bytes per vector of 384 dimensions: head, links, lengths. Tails and low bytes
 * are read for what it collects.
 * The caller decides whether a walk pays (search-cost.ts). If it met fewer than k accepted vectors,
 * the exact scan runs as well, so a response is never short of documents.
 */

import { Bounds } from '../bounds.ts';
import type { CodedQuery } from '../coded-query.ts';
import { type Nearest, putQuery, rescore } from '../nearest-flat.ts';
import { BY_HEADS } from '../search-cost.ts';
import { Shortlist } from '../shortlist.ts';
import type { StoredVectors } from '../stored-vectors.ts';
import {
  BATCH,
  DOTS_AT,
  kernelsOf,
  LIST_AT,
  QUERY_AT,
  type VectorKernels,
  wholeDots,
} from '../vector-kernels.ts';
import { Beam } from './beam.ts';
import { farStarts, type Graph } from './graph-format.ts';

/** Candidates that a walk has room for at first. */
const FIRST_ROOM = 128;

/** Scratch of the walks over one graph. */
export class GraphWalk {
  readonly #reader: StoredVectors;
  readonly #graph: Graph;
  readonly #starts: Int32Array;
  readonly #kernels: VectorKernels;
  readonly #beam = new Beam(FIRST_ROOM);
  readonly #list = new Shortlist(16);
  readonly #seen: Int32Array;
  /** What the walk collected: similarities by all high bytes. */
  #keys = new Float64Array(FIRST_ROOM);
  #epoch = 0;
  #visited = 0;

  constructor(reader: StoredVectors, graph: Graph) {
    this.#reader = reader;
    this.#graph = graph;
    this.#starts = farStarts(graph);
    this.#kernels = kernelsOf(reader.arena);
    this.#seen = new Int32Array(graph.count);
  }

  /** Vectors that the last walk compared with its query. */
  get visited(): number {
    return this.#visited;
  }

  /**
   * The k nearest, approximately, of `width` candidates; null if fewer than k of them are accepted.
   */
  nearest(query: CodedQuery, k: number, accept: Int32Array | null, width: number): Nearest | null {
    const { count, tailRow } = this.#reader;
    const bounds = new Bounds(this.#reader, query);
    putQuery(this.#reader, query);
    this.#walk(bounds, Math.min(count, tailRow === 0 ? width : BY_HEADS * width));
    this.#compareCollected(bounds);
    return this.#answer(query, bounds, k, accept);
  }

  #answer(query: CodedQuery, bounds: Bounds, k: number, accept: Int32Array | null): Nearest | null {
    const reader = this.#reader;
    const beam = this.#beam;
    const list = this.#list.reset(k);
    const { twins } = this.#graph;
    let found = 0;
    for (let place = 0; place < beam.size; place++) {
      const first = beam.slotAt(place);
      const key = this.#keys[place];
      const off = bounds.factor(first) * bounds.off(first);
      for (let slot = first; slot >= 0; slot = twins[slot] ?? -1) {
        const doc = reader.docAt(slot);
        if (accept !== null && (accept[doc >> 5] & (1 << (doc & 31))) === 0) continue;
        found++;
        if (key + off >= list.least) list.offer(slot, key - off, key + off);
      }
    }
    if (found < Math.min(k, reader.count)) return null;
    return rescore(reader, query, k, list.survivors());
  }

  /** Fills the keys of the beam's vectors. */
  #compareCollected(bounds: Bounds): void {
    const { arena } = this.#reader;
    const { i32 } = arena;
    const beam = this.#beam;
    if (this.#keys.length < beam.size) this.#keys = new Float64Array(2 * beam.size);
    this.#reader.needTails(Int32Array.from({ length: beam.size }, (_, at) => beam.slotAt(at)));
    const [dotsAt, listAt] = [DOTS_AT >> 2, LIST_AT >> 2];
    for (let from = 0; from < beam.size; from += BATCH) {
      const size = Math.min(BATCH, beam.size - from);
      for (let i = 0; i < size; i++) i32[listAt + i] = beam.slotAt(from + i);
      wholeDots(this.#reader, size, this.#kernels);
      for (let i = 0; i < size; i++) {
        const slot = beam.slotAt(from + i);
        const product = bounds.product(i32[dotsAt + i]);
        this.#keys[from + i] = bounds.factor(slot) * product + bounds.base(slot);
      }
    }
  }

  /** Fills the beam with about the `ef` nearest. */
  #walk(bounds: Bounds, ef: number): void {
    const graph = this.#graph;
    const { near, links } = graph;
    const i32 = this.#reader.arena.i32;
    const listAt = LIST_AT >> 2;
    const beam = this.#beam;
    const seen = this.#seen;
    const from = this.#descend(bounds);
    const epoch = this.#nextEpoch();
    this.#visited = 1;
    beam.reset(ef);
    i32[listAt] = from;
    this.#offer(bounds, 1);
    seen[from] = epoch;
    const most = 2 * links;
    for (let at = beam.next(); at >= 0; at = beam.next()) {
      let count = 0;
      for (let i = at * most; i < (at + 1) * most; i++) {
        const to = near[i];
        if (to < 0) break;
        if (seen[to] === epoch) continue;
        seen[to] = epoch;
        i32[listAt + count++] = to;
      }
      this.#visited += count;
      if (count > 0) this.#offer(bounds, count);
    }
  }

  #nextEpoch(): number {
    if (this.#epoch === 2 ** 31 - 1) {
      this.#seen.fill(0);
      this.#epoch = 0;
    }
    return ++this.#epoch;
  }

  /** Offers the listed vectors to the beam. */
  #offer(bounds: Bounds, count: number): void {
    const { arena, headAt, headRow } = this.#reader;
    const { i32 } = arena;
    const beam = this.#beam;
    this.#kernels.dotsOf(headAt, LIST_AT, count, headRow, QUERY_AT, DOTS_AT);
    const [dotsAt, listAt] = [DOTS_AT >> 2, LIST_AT >> 2];
    for (let i = 0; i < count; i++) {
      const slot = i32[listAt + i];
      const product = bounds.headProduct(i32[dotsAt + i]);
      const key = bounds.factor(slot) * product + bounds.base(slot);
      if (key > beam.least) beam.add(slot, key);
    }
  }

  /** The slot where level 0 is entered. */
  #descend(bounds: Bounds): number {
    const { upper, sizes, far, links } = this.#graph;
    const i32 = this.#reader.arena.i32;
    const beam = this.#beam;
    let place = 0;
    const listAt = LIST_AT >> 2;
    for (let level = sizes.length - 1; level >= 0; level--) {
      for (;;) {
        const from = this.#starts[level] + place * links;
        i32[listAt] = upper[place];
        let count = 1;
        for (; count <= links && far[from + count - 1] >= 0; count++) {
          i32[listAt + count] = upper[far[from + count - 1]];
        }
        beam.reset(1);
        this.#offer(bounds, count);
        const best = beam.slotAt(0);
        if (best === upper[place]) break;
        for (let i = 0; i < links; i++) {
          if (upper[far[from + i]] !== best) continue;
          place = far[from + i];
          break;
        }
      }
    }
    return upper[place];
  }
}
