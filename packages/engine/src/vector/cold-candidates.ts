/**
 * Which vectors of a cold file may be among the k nearest, in few rounds of requests:
 *   1. Fetch the heads of all, or those of the accepted ones if they are few.
 *   2. Fetch the tails of the likeliest ones. The k-th best of them is a bar for all.
 *   3. Fetch the tails of the others that may reach it by their heads.
 * If tails are small, they are fetched with the heads, and all accepted ones are candidates.
 */
import type { Deadline } from '../base/time/deadline.ts';
import { Bounds } from './bounds.ts';
import type { CodedQuery } from './coded-query.ts';
import { headDots, scanSlots } from './scan.ts';
import { Shortlist } from './shortlist.ts';
import type { StoredVectors } from './stored-vectors.ts';

/**
 * Up to so many bytes of tails for each of the nearest are fetched with the heads: blocks of tails
 * one by one would take longer.
 */
const TAILS_WITH_HEADS = 2 ** 21;
/** Vectors whose tails are fetched first, for each of the nearest. */
const PROBES = 2;

/** What attempts of one search have found, by the vectors of a segment. */
export type ColdSearches = WeakMap<StoredVectors, ColdSearch>;

interface ColdSearch {
  /** Dot products with the heads of the accepted vectors. */
  dots?: Int32Array;
  probes?: Int32Array;
  /** Slots of the candidates. */
  near?: Int32Array;
}

/** What is searched for. */
interface Wanted {
  readonly k: number;
  /** Bitmap of the documents that may be returned; null: all. */
  readonly accept: Int32Array | null;
}

/**
 * The slots of candidates; null: all that are accepted. What a search reads of them but low bytes
 * is there. The kernels must have the query (`putQuery`).
 */
export function coldCandidates(
  reader: StoredVectors,
  query: CodedQuery,
  { k, accept }: Wanted,
  searches: ColdSearches,
  deadline: Deadline,
): Int32Array | null {
  const known = searches.get(reader) ?? {};
  searches.set(reader, known);
  if (known.near === undefined) {
    const slots = accept === null ? null : reader.slotsOf(accept);
    const count = slots?.length ?? reader.count;
    if (count * reader.tailRow <= k * TAILS_WITH_HEADS) {
      reader.needHighs(slots);
      return null;
    }
    reader.needHeads(slots);
    if (reader.hasTails) return null;
    known.dots ??= headDots(reader, slots, deadline);
    known.near = nearByHeads(reader, query, k, { slots, dots: known.dots }, known, deadline);
    known.dots = undefined;
  }
  reader.needTails(known.near);
  return known.near;
}

/** Vectors by their heads. */
interface Heads {
  /** null: all. */
  readonly slots: Int32Array | null;
  readonly dots: Int32Array;
}

/** The slots that may be among the k nearest by their heads. */
function nearByHeads(
  reader: StoredVectors,
  query: CodedQuery,
  k: number,
  heads: Heads,
  known: ColdSearch,
  deadline: Deadline,
): Int32Array {
  const bounds = new Bounds(reader, query);
  const most = Math.min(k, heads.dots.length);
  known.probes ??= likeliest(bounds, heads, PROBES * most);
  reader.needTails(known.probes);
  const bar = new Shortlist(most);
  scanSlots(reader, query, known.probes, bar, deadline);
  return reaching(bounds, heads, bar.least);
}

function likeliest(bounds: Bounds, { slots, dots }: Heads, most: number): Int32Array {
  const list = new Shortlist(most);
  for (let i = 0; i < dots.length; i++) {
    const slot = slots === null ? i : slots[i];
    const upper = bounds.mostByHead(slot, dots[i]);
    if (upper >= list.least) list.offer(slot, upper, upper);
  }
  return list.survivors().slice(0, most);
}

function reaching(bounds: Bounds, { slots, dots }: Heads, least: number): Int32Array {
  const found: number[] = [];
  for (let i = 0; i < dots.length; i++) {
    const slot = slots === null ? i : slots[i];
    if (bounds.mostByHead(slot, dots[i]) >= least) found.push(slot);
  }
  return Int32Array.from(found);
}
