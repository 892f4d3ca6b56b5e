import type { VectorPlan } from '../../schema/field-plan.ts';

/** How a graph is built. */
export interface GraphSettings {
  /** Most links of a vector on a higher level; twice as many on level 0. */
  readonly links: number;
  /** How many near ones are looked for before links are chosen. */
  readonly ef: number;
}

export const GRAPH_SETTINGS: GraphSettings = Object.freeze({ links: 16, ef: 128 });

/** A graph pays from so many vectors on, where the definition asks for graphs. */
const LEAST_COUNT = 10_000;
/** And where it leaves the choice: below, going through all of them takes some 30 ms at most. */
const LEAST_COUNT_AUTO = 1_000_000;

/**
 * So many and no more: their links (about 140 bytes each) have to fit a file (storage/arena.ts).
 */
export const MOST_COUNT = 12_000_000;

/** Whether so many vectors of one segment get a graph. */
export function wantsGraph(index: VectorPlan['index'], count: number): boolean {
  if (index === 'flat' || count > MOST_COUNT) return false;
  return count >= (index === 'hnsw' ? LEAST_COUNT : LEAST_COUNT_AUTO);
}

const MOST_LEVEL = 12;

/** The level of a slot: each level has `links` times fewer vectors than the one below. */
export function levelOf(slot: number, links: number): number {
  let hash = (slot + 0x9e3779b9) | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  const part = (((hash ^ (hash >>> 16)) >>> 0) + 1) / 2 ** 32;
  return Math.min(MOST_LEVEL, Math.floor(-Math.log(part) / Math.log(links)));
}
