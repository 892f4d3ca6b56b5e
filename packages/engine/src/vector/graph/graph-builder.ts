/**
 * Builds the graph of a segment's vectors, one vector after the other, by their high bytes:
 *   1. from the top, greedily to the nearest vector of each level above its own
 *   2. on its levels, `ef` near ones are looked for; of these it is linked to such as are nearer to
 *      it than to any that it is linked to already
 *   3. they are linked back; where a list is full, it is chosen anew by the same rule
 * The level of a vector comes from its slot alone, so the same vectors give the same graph. An
 * earlier graph over some of the vectors may be taken over; then only the others are added.
 */
import type { Steps } from '../../base/steps.ts';
import type { VectorReader } from '../vector-reader.ts';
import { Beam } from './beam.ts';
import { farStarts, type Graph } from './graph-format.ts';
import { type GraphSettings, levelOf } from './graph-settings.ts';
import { RowSimilarities } from './row-similarities.ts';
import { Twins } from './twins.ts';

/** A graph of a part of the vectors, and where they are now: old slot -> new, -1 dropped. */
export interface FormerGraph {
  readonly graph: Graph;
  readonly slots: Int32Array;
}

/** Vectors that are added in one step: some milliseconds. */
const STEP = 32;

/** The graph over all vectors of a reader. */
export function* buildingGraph(
  reader: VectorReader,
  settings: GraphSettings,
  former: FormerGraph | null,
): Steps<Graph> {
  const builder = new GraphBuilder(reader, settings);
  if (former !== null) builder.take(former);
  for (let slot = 0; slot < reader.count; slot++) {
    builder.add(slot);
    if (slot % STEP === 0) yield slot / reader.count;
  }
  return builder.finish();
}

/** A graph that grows vector by vector. */
export class GraphBuilder {
  readonly #reader: VectorReader;
  readonly #rows: RowSimilarities;
  readonly #links: number;
  readonly #ef: number;
  readonly #beam: Beam;
  /** Links of level 0, and by level those of the few above: slot -> list. */
  readonly #near: Int32Array;
  readonly #nearSizes: Int32Array;
  readonly #far: Map<number, Int32Array>[] = [];
  /** 1: it came with an earlier graph. */
  readonly #added: Uint8Array;
  readonly #twins: Twins;
  readonly #seen: Int32Array;
  #epoch = 0;
  #entry = -1;
  #top = 0;
  readonly #chosen: Int32Array;
  readonly #order: number[] = [];
  readonly #offered: Int32Array;
  readonly #offeredKeys: Float64Array;

  constructor(reader: VectorReader, { links, ef }: GraphSettings) {
    const { count } = reader;
    this.#reader = reader;
    this.#rows = new RowSimilarities(reader);
    this.#links = links;
    this.#ef = ef;
    this.#beam = new Beam(ef);
    this.#near = new Int32Array(count * 2 * links).fill(-1);
    this.#nearSizes = new Int32Array(count);
    this.#added = new Uint8Array(count);
    this.#twins = new Twins(reader);
    this.#seen = new Int32Array(count);
    this.#chosen = new Int32Array(2 * links);
    this.#offered = new Int32Array(2 * links + 1);
    this.#offeredKeys = new Float64Array(2 * links + 1);
  }

  /**
   * Takes the links of an earlier graph over; those to vectors that were dropped are lost. Twins
   * are looked for anew.
   */
  take({ graph, slots }: FormerGraph): void {
    const twin = new Set(graph.twins);
    const most = 2 * graph.links;
    const starts = farStarts(graph);
    for (let old = 0; old < graph.count; old++) {
      const slot = slots[old];
      if (slot < 0 || twin.has(old)) continue;
      this.#added[slot] = 1;
      this.#twins.join(slot);
      for (let at = old * most; at < (old + 1) * most && graph.near[at] >= 0; at++) {
        const to = slots[graph.near[at]];
        if (to >= 0) this.#near[slot * most + this.#nearSizes[slot]++] = to;
      }
    }
    graph.sizes.forEach((size, i) => {
      const level = this.#level(i + 1);
      for (let place = 0; place < size; place++) {
        const slot = slots[graph.upper[place]];
        if (slot < 0) continue;
        const from = starts[i] + place * graph.links;
        const list = graph.far.subarray(from, from + graph.links);
        const kept = [...list].filter((to) => to >= 0).map((to) => slots[graph.upper[to]]);
        level.set(
          slot,
          padded(
            kept.filter((to) => to >= 0),
            this.#links,
          ),
        );
        if (i + 1 > this.#top || this.#entry < 0) [this.#top, this.#entry] = [i + 1, slot];
      }
    });
    if (this.#entry < 0) this.#entry = this.#added.indexOf(1);
  }

  /** Adds a vector, unless it came with an earlier graph. */
  add(slot: number): void {
    if (this.#added[slot] === 1 || this.#twins.join(slot)) return;
    const level = levelOf(slot, this.#links);
    if (this.#entry < 0) {
      for (let l = 1; l <= level; l++) this.#level(l).set(slot, padded([], this.#links));
      [this.#entry, this.#top] = [slot, level];
      return;
    }
    let from = this.#entry;
    for (let l = this.#top; l > level; l--) from = this.#greedy(slot, from, l);
    for (let l = Math.min(level, this.#top); l >= 0; l--) {
      this.#search(slot, from, l);
      from = this.#beam.slotAt(0);
      this.#link(slot, l);
    }
    for (let l = this.#top + 1; l <= level; l++) this.#level(l).set(slot, padded([], this.#links));
    if (level > this.#top) [this.#entry, this.#top] = [slot, level];
  }

  /** The graph as it is stored. */
  finish(): Graph {
    const { count } = this.#reader;
    if (this.#top === 0 && count > 0) this.#level(1).set(this.#entry, padded([], this.#links));
    // What an earlier graph had on its highest levels may have been dropped.
    const nonEmpty = this.#far.slice(1).filter(({ size }) => size > 0);
    const levels = nonEmpty.map((level) => [...level.keys()].sort((a, b) => a - b));
    const upper: number[] = [];
    const placeOf = new Map<number, number>();
    for (let l = levels.length - 1; l >= 0; l--) {
      for (const slot of levels[l]) {
        if (placeOf.has(slot)) continue;
        placeOf.set(slot, upper.length);
        upper.push(slot);
      }
    }
    const sizes = Int32Array.from(levels, ({ length }) => length);
    const far = new Int32Array(this.#links * sizes.reduce((sum, size) => sum + size, 0)).fill(-1);
    let at = 0;
    sizes.forEach((size, i) => {
      for (let place = 0; place < size; place++, at += this.#links) {
        const list = this.#far[i + 1].get(upper[place]) ?? new Int32Array(0);
        for (let j = 0; j < list.length && list[j] >= 0; j++) {
          far[at + j] = placeOf.get(list[j]) ?? -1;
        }
      }
    });
    const near = this.#near;
    const { next } = this.#twins;
    const twins = next.some((slot) => slot >= 0) ? next : next.subarray(0, 0);
    return { count, links: this.#links, near, upper: Int32Array.from(upper), sizes, far, twins };
  }

  #level(l: number): Map<number, Int32Array> {
    while (this.#far.length <= l) this.#far.push(new Map());
    return this.#far[l];
  }

  /** The links of a vector on a level, -1 behind the last. */
  #linksOf(slot: number, level: number): Int32Array {
    if (level > 0) return this.#far[level].get(slot) ?? new Int32Array(0);
    const most = 2 * this.#links;
    return this.#near.subarray(slot * most, (slot + 1) * most);
  }

  /** From `from` on a level to the vector next to which none is nearer to `slot`. */
  #greedy(slot: number, from: number, level: number): number {
    const rows = this.#rows;
    rows.list[0] = from;
    rows.compare(slot, 1);
    let best = rows.key(slot, from, 0);
    for (let at = from; ; ) {
      const list = this.#linksOf(at, level);
      let count = 0;
      while (count < list.length && list[count] >= 0) {
        rows.list[count] = list[count];
        count++;
      }
      rows.compare(slot, count);
      let next = at;
      for (let i = 0; i < count; i++) {
        const key = rows.key(slot, list[i], i);
        if (key > best) [best, next] = [key, list[i]];
      }
      if (next === at) return at;
      at = next;
    }
  }

  /** Fills the beam with the nearest to `slot` on a level. */
  #search(slot: number, from: number, level: number): void {
    const beam = this.#beam;
    const seen = this.#seen;
    const rows = this.#rows;
    const offered = rows.list;
    const epoch = ++this.#epoch;
    beam.reset(this.#ef);
    offered[0] = from;
    rows.compare(slot, 1);
    beam.add(from, rows.key(slot, from, 0));
    seen[from] = epoch;
    seen[slot] = epoch;
    const most = 2 * this.#links;
    for (let at = beam.next(); at >= 0; at = beam.next()) {
      const list = level === 0 ? this.#near : this.#linksOf(at, level);
      const first = level === 0 ? at * most : 0;
      const end = level === 0 ? first + this.#nearSizes[at] : list.length;
      let count = 0;
      for (let i = first; i < end; i++) {
        const to = list[i];
        if (to < 0) break;
        if (seen[to] === epoch) continue;
        seen[to] = epoch;
        offered[count++] = to;
      }
      if (count === 0) continue;
      rows.compare(slot, count);
      for (let i = 0; i < count; i++) {
        const to = offered[i];
        const key = rows.key(slot, to, i);
        if (key > beam.least) beam.add(to, key);
      }
    }
  }

  /** Links `slot` on a level to the best of the beam, and those to it. */
  #link(slot: number, level: number): void {
    const beam = this.#beam;
    const chosen = this.#chosen;
    let count = 0;
    for (let place = 0; place < beam.size && count < this.#links; place++) {
      const other = beam.slotAt(place);
      if (this.#apart(other, beam.keyAt(place), count)) chosen[count++] = other;
    }
    const mine = chosen.slice(0, count);
    if (level > 0) this.#level(level).set(slot, padded([...mine], this.#links));
    else this.#setNear(slot, mine, count);
    for (const other of mine) this.#linkBack(other, slot, level);
  }

  /**
   * True when `other` is nearer to the vector that looks for links (`key`) than to any chosen one.
   */
  #apart(other: number, key: number, count: number): boolean {
    if (count === 0) return true;
    const rows = this.#rows;
    for (let i = 0; i < count; i++) rows.list[i] = this.#chosen[i];
    rows.compare(other, count);
    for (let i = 0; i < count; i++) {
      if (rows.key(other, this.#chosen[i], i) >= key) return false;
    }
    return true;
  }

  #setNear(slot: number, list: Int32Array, count: number): void {
    const first = slot * 2 * this.#links;
    for (let i = 0; i < 2 * this.#links; i++) this.#near[first + i] = i < count ? list[i] : -1;
    this.#nearSizes[slot] = count;
  }

  /** Adds a link; a full list is chosen anew. */
  #linkBack(slot: number, other: number, level: number): void {
    const list = this.#linksOf(slot, level);
    const end = level === 0 ? this.#nearSizes[slot] : list.indexOf(-1);
    if (end >= 0 && end < list.length) {
      list[end] = other;
      if (level === 0) this.#nearSizes[slot]++;
      return;
    }
    const rows = this.#rows;
    const size = list.length + 1;
    for (let i = 0; i < size; i++) {
      this.#offered[i] = i < list.length ? list[i] : other;
      rows.list[i] = this.#offered[i];
    }
    rows.compare(slot, size);
    for (let i = 0; i < size; i++) this.#offeredKeys[i] = rows.key(slot, this.#offered[i], i);
    const keys = this.#offeredKeys;
    const order = this.#order;
    order.length = 0;
    for (let i = 0; i < size; i++) order.push(i);
    order.sort((a, b) => keys[b] - keys[a] || this.#offered[a] - this.#offered[b]);
    let count = 0;
    for (const i of order) {
      if (count === list.length) break;
      if (this.#apart(this.#offered[i], keys[i], count)) this.#chosen[count++] = this.#offered[i];
    }
    for (let i = 0; i < list.length; i++) list[i] = i < count ? this.#chosen[i] : -1;
    if (level === 0) this.#nearSizes[slot] = count;
  }
}

function padded(list: readonly number[], size: number): Int32Array {
  const all = new Int32Array(size).fill(-1);
  all.set(list.slice(0, size));
  return all;
}
