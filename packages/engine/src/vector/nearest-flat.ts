/**
 * The nearest vectors of a segment without a graph, exactly:
 *   1. Of a cold file, find candidates by what few requests fetch (cold-candidates.ts).
 *   2. Make a shortlist of vectors that may be among the k nearest, by bounds that hold for any low
 *      bytes (scan.ts). It covers all vectors, or the accepted ones if they are few.
 *   3. Narrow the bounds of the shortlist by both bytes.
 *   4. Compute the exact similarities of the rest. Return the k best, and ties of the k-th.
 */

import { type Deadline, NO_DEADLINE } from '../base/time/deadline.ts';
import { countBits } from '../bitmap/bitmap.ts';
import { Bounds } from './bounds.ts';
import type { CodedQuery } from './coded-query.ts';
import { type ColdSearches, coldCandidates } from './cold-candidates.ts';
import { similarityAt } from './exact.ts';
import { offer, scanAll, scanSlots } from './scan.ts';
import { DENSE_PART } from './search-cost.ts';
import { Shortlist } from './shortlist.ts';
import type { StoredVectors } from './stored-vectors.ts';
import {
  BATCH,
  DOTS_AT,
  kernelsOf,
  LIST_AT,
  MORE_DOTS_AT,
  QUERY_AT,
  wholeDots,
} from './vector-kernels.ts';

/** Documents and their raw similarities, the best first, equal ones by document. */
export interface Nearest {
  readonly docs: Int32Array;
  readonly similarities: Float64Array;
}

/**
 * The k nearest of the accepted documents and all that are as near as the k-th. `cold`: what
 * attempts of the same search have found in cold files.
 */
export function nearestFlat(
  reader: StoredVectors,
  query: CodedQuery,
  k: number,
  accept: Int32Array | null,
  { deadline = NO_DEADLINE, cold = new WeakMap() }: FlatOptions = {},
): Nearest {
  const list = new Shortlist(Math.min(k, reader.count));
  putQuery(reader, query);
  const near = reader.isCold ? coldCandidates(reader, query, { k, accept }, cold, deadline) : null;
  const accepted = accept === null ? reader.docs : countBits(accept);
  const isFew = accept !== null && accepted < reader.count * DENSE_PART;
  const slots = near ?? (isFew ? reader.slotsOf(accept) : null);
  if (slots !== null) scanSlots(reader, query, slots, list, deadline);
  else scanAll(reader, query, accepted === reader.docs ? null : accept, list, deadline);
  return rescore(reader, query, k, list.survivors());
}

/** How long a flat search may take, and what is known already. */
export interface FlatOptions {
  readonly deadline?: Deadline | undefined;
  readonly cold?: ColdSearches | undefined;
}

/** Copies the codes of a query to where the kernels read them, padded with zeros. */
export function putQuery(reader: StoredVectors, query: CodedQuery): void {
  const into = new Int16Array(reader.arena.memory.buffer, QUERY_AT, reader.row);
  into.set(query.codes);
  into.fill(0, query.codes.length);
}

/**
 * The slots that may still be among the k nearest by both bytes of their codes. Only the rounding
 * of the query remains unknown then. The kernels must have the query (`putQuery`).
 */
function sharpen(
  reader: StoredVectors,
  query: CodedQuery,
  k: number,
  slots: Int32Array,
): Int32Array {
  if (slots.length <= k) return slots;
  const { arena, lowAt, row } = reader;
  const { i32 } = arena;
  const [dotsAt, lowDotsAt] = [DOTS_AT >> 2, MORE_DOTS_AT >> 2];
  const kernels = kernelsOf(arena);
  const bounds = new Bounds(reader, query);
  const list = new Shortlist(k);
  for (let from = 0; from < slots.length; from += BATCH) {
    const size = Math.min(BATCH, slots.length - from);
    i32.set(slots.subarray(from, from + size), LIST_AT >> 2);
    wholeDots(reader, size, kernels);
    kernels.dotsOf(lowAt, LIST_AT, size, row, QUERY_AT, MORE_DOTS_AT);
    for (let i = 0; i < size; i++) {
      const slot = slots[from + i];
      const product = bounds.sharpProduct(i32[dotsAt + i], i32[lowDotsAt + i]);
      offer(bounds, slot, product, bounds.sharpOff(slot), list);
    }
  }
  return list.survivors();
}

/**
 * The k nearest of some slots, and ties of the k-th, by exact similarity. The kernels must have the
 * query (`putQuery`).
 */
export function rescore(
  reader: StoredVectors,
  query: CodedQuery,
  k: number,
  slots: Int32Array,
): Nearest {
  reader.needLows(slots);
  const left = sharpen(reader, query, k, slots);
  const count = left.length;
  const exact = new Float64Array(count);
  const scratch = new Int16Array(reader.dims);
  for (let i = 0; i < count; i++) exact[i] = similarityAt(reader, query, left[i], scratch);
  const last = count <= k ? Number.NEGATIVE_INFINITY : exact.toSorted()[count - k];
  const places: number[] = [];
  for (let i = 0; i < count; i++) if (exact[i] >= last) places.push(i);
  places.sort((a, b) => exact[b] - exact[a] || left[a] - left[b]);
  const docs = new Int32Array(places.length);
  const similarities = new Float64Array(places.length);
  for (let i = 0; i < places.length; i++) {
    docs[i] = reader.docAt(left[places[i]]);
    similarities[i] = exact[places[i]];
  }
  return { docs, similarities };
}
