/**
 * The nearest vectors of a segment without a graph, exactly:
 *   1. dot products of the query's codes with the plane of high bytes: of all vectors, or of the
 *      accepted ones where those are few
 *   2. bounds of each similarity that hold whatever the low bytes are; a shortlist of those that
 *      may be among the k nearest
 *   3. narrower bounds by both planes, of those that are left
 *   4. their similarities, exactly; the k-th best of them, and all that reach it
 */
import { countBits } from '../base/bitmap.ts';
import { type CodedQuery, ROUNDING } from './coded-query.ts';
import { similarityAt } from './exact.ts';
import { MIDDLE } from './format.ts';
import { Shortlist } from './shortlist.ts';
import {
  BATCH,
  DOTS_AT,
  kernelsOf,
  LIST_AT,
  LOW_DOTS_AT,
  QUERY_AT,
  type VectorKernels,
} from './vector-kernels.ts';
import type { VectorReader } from './vector-reader.ts';

/** Documents and their raw similarities, the best first, equal ones by document. */
export interface Nearest {
  readonly docs: Int32Array;
  readonly similarities: Float64Array;
}

/** A larger part of the vectors than this accepted: all are gone through, one behind the other. */
const DENSE_PART = 0.5;

/**
 * The first scan of a plane this large lets go of each part behind it: a process that asks once
 * does not grow by the plane. From the second scan on the plane stays.
 */
const LARGE_PLANE_BYTES = 16 * 2 ** 20;

/** The k nearest of the accepted documents and all that are as near as the k-th. */
export function nearestFlat(
  reader: VectorReader,
  query: CodedQuery,
  k: number,
  accept: Int32Array | null,
): Nearest {
  const list = new Shortlist(Math.min(k, reader.count));
  const kernels = kernelsOf(reader.arena);
  putQuery(reader, query);
  const accepted = accept === null ? reader.docs : countBits(accept);
  if (accept !== null && accepted < reader.count * DENSE_PART) {
    walkAccepted(reader, query, accept, kernels, list);
  } else {
    walkAll(reader, query, accepted === reader.docs ? null : accept, kernels, list);
  }
  return rescore(reader, query, k, list.survivors());
}

/** Puts the codes of a query where kernels look for them, zeros behind. */
export function putQuery(reader: VectorReader, query: CodedQuery): void {
  const into = new Int16Array(reader.arena.memory.buffer, QUERY_AT, reader.row);
  into.set(query.codes);
  into.fill(0, query.codes.length);
}

function walkAll(
  reader: VectorReader,
  query: CodedQuery,
  accept: Int32Array | null,
  kernels: VectorKernels,
  list: Shortlist,
): void {
  const { row, count, pages } = reader;
  const once = pages !== null && reader.scans++ === 0 && count * row >= LARGE_PLANE_BYTES;
  for (let from = 0; from < count; from += BATCH) {
    const size = Math.min(BATCH, count - from);
    const at = reader.highAt + from * row;
    if (once) pages.want(at, size * row);
    kernels.dots(at, size, row, QUERY_AT, DOTS_AT);
    if (once) pages.leave(at, size * row);
    offerBatch(reader, query, from, size, accept, list);
  }
}

function walkAccepted(
  reader: VectorReader,
  query: CodedQuery,
  accept: Int32Array,
  kernels: VectorKernels,
  list: Shortlist,
): void {
  const slots = reader.arena.i32.subarray(LIST_AT >> 2, (LIST_AT >> 2) + BATCH);
  let size = 0;
  const flush = (): void => {
    kernels.dotsOf(reader.highAt, LIST_AT, size, reader.row, QUERY_AT, DOTS_AT);
    offerBatch(reader, query, -1, size, null, list);
    size = 0;
  };
  for (let i = 0; i < accept.length; i++) {
    if (accept[i] === 0) continue;
    if (size > BATCH - 32) flush();
    for (let word = accept[i]; word !== 0; word &= word - 1) {
      const slot = reader.slotOf((i << 5) + 31 - Math.clz32(word & -word));
      if (slot >= 0) slots[size++] = slot;
    }
  }
  flush();
}

/**
 * Offers the vectors whose dot products stand at DOTS_AT: slots from `from` on, or with -1 those of
 * the list.
 */
function offerBatch(
  reader: VectorReader,
  query: CodedQuery,
  from: number,
  size: number,
  accept: Int32Array | null,
  list: Shortlist,
): void {
  const { norms, rests, scales, metric, docOf } = reader;
  const { i32 } = reader.arena;
  const [dotsAt, listAt] = [DOTS_AT >> 2, LIST_AT >> 2];
  const { step, rest, coded } = query;
  const middle = MIDDLE * query.sum;
  const inverse = query.norm === 0 ? 0 : 1 / query.norm;
  const square = query.norm * query.norm;
  for (let i = 0; i < size; i++) {
    const slot = from < 0 ? i32[listAt + i] : from + i;
    const norm = norms[slot];
    let about = step * (256 * i32[dotsAt + i] + middle);
    let off = rest * norm + coded * rests[slot];
    if (metric === 'cosine') {
      const factor = inverse / norm;
      about *= factor;
      off *= factor;
    } else {
      const scale = scales[slot];
      about *= scale;
      off *= scale;
      if (metric === 'l2') {
        const squares = square + scale * norm * scale * norm;
        about = 2 * about - squares;
        off = 2 * (off + ROUNDING * squares);
      }
    }
    if (about + off < list.least) continue;
    if (accept !== null) {
      const doc = docOf === null ? slot : docOf[slot];
      if ((accept[doc >> 5] & (1 << (doc & 31))) === 0) continue;
    }
    list.offer(slot, about - off, about + off);
  }
}

/**
 * Of some slots those that may still be among the k nearest when the low bytes are looked at, too:
 * then only the rounding of the query is not known. The query is where kernels look for it.
 */
function sharpen(
  reader: VectorReader,
  query: CodedQuery,
  k: number,
  slots: Int32Array,
): Int32Array {
  if (slots.length <= k) return slots;
  const { arena, row, norms, scales, metric } = reader;
  const { i32 } = arena;
  const [dotsAt, lowAt, listAt] = [DOTS_AT >> 2, LOW_DOTS_AT >> 2, LIST_AT >> 2];
  const kernels = kernelsOf(arena);
  const list = sharpened.reset(k);
  const middle = MIDDLE * query.sum;
  const inverse = query.norm === 0 ? 0 : 1 / query.norm;
  const square = query.norm * query.norm;
  for (let from = 0; from < slots.length; from += BATCH) {
    const size = Math.min(BATCH, slots.length - from);
    i32.set(slots.subarray(from, from + size), listAt);
    kernels.dotsOf(reader.highAt, LIST_AT, size, row, QUERY_AT, DOTS_AT);
    kernels.dotsOf(reader.lowAt, LIST_AT, size, row, QUERY_AT, LOW_DOTS_AT);
    for (let i = 0; i < size; i++) {
      const slot = slots[from + i];
      const scale = metric === 'cosine' ? inverse / norms[slot] : scales[slot];
      const dot = 256 * i32[dotsAt + i] + i32[lowAt + i] + middle;
      let about = query.step * dot * scale;
      let off = query.rest * norms[slot] * scale;
      if (metric === 'l2') {
        const squares = square + (scale * norms[slot]) ** 2;
        about = 2 * about - squares;
        off = 2 * (off + ROUNDING * squares);
      }
      if (about + off >= list.least) list.offer(slot, about - off, about + off);
    }
  }
  return list.survivors();
}

const sharpened = new Shortlist(16);

/**
 * Of some slots the k nearest and all that are as near as the k-th, exactly. The query is where
 * kernels look for it (`putQuery`).
 */
export function rescore(
  reader: VectorReader,
  query: CodedQuery,
  k: number,
  slots: Int32Array,
): Nearest {
  const left = sharpen(reader, query, k, slots);
  const count = left.length;
  const exact = new Float64Array(count);
  for (let i = 0; i < count; i++) exact[i] = similarityAt(reader, query, left[i]);
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
