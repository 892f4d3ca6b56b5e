/**
 * Scans vectors, batch by batch, for those that may be among the nearest:
 *   1. Compute the dot products of the query's head with the plane of heads. Drop each vector that
 *      cannot be near enough even if its tail equals that of the query.
 *   2. Read the tails of the others, and offer the bounds of their similarities to a shortlist.
 */
import type { Deadline } from '../base/time/deadline.ts';
import { Bounds, type HeadLine, SLACK } from './bounds.ts';
import type { CodedQuery } from './coded-query.ts';
import type { Shortlist } from './shortlist.ts';
import type { StoredVectors } from './stored-vectors.ts';
import { BATCH, DOTS_AT, kernelsOf, LIST_AT, MORE_DOTS_AT, QUERY_AT } from './vector-kernels.ts';

/**
 * The first scan of planes this large releases the pages behind it, so a process that searches once
 * does not grow by them. From the second scan on the pages stay.
 */
const LARGE_BYTES = 16 * 2 ** 20;
/** Vectors of the first batch. The next ones double: early hits spare tails in later batches. */
const FIRST_BATCH = 128;

/**
 * Offers to `list` all vectors that may be among its nearest; `accept`: bitmap of documents, or
 * null for all. The kernels must have the query (`putQuery`).
 */
export function scanAll(
  reader: StoredVectors,
  query: CodedQuery,
  accept: Int32Array | null,
  list: Shortlist,
  deadline: Deadline,
): void {
  const { headRow, tailRow, headAt, tailAt, count, pages, arena } = reader;
  const bounds = new Bounds(reader, query);
  const once = pages !== null && reader.scans++ === 0 && count * reader.row >= LARGE_BYTES;
  let most = FIRST_BATCH;
  for (let from = 0; from < count; most = Math.min(BATCH, 2 * most)) {
    deadline.spend(most);
    const size = Math.min(most, count - from);
    const at = headAt + from * headRow;
    if (once) pages.want(at, size * headRow);
    kernelsOf(arena).dots(at, size, headRow, QUERY_AT, DOTS_AT);
    if (once) pages.leave(at, size * headRow);
    offerListed(reader, bounds, siftBatch(reader, bounds, from, size, accept, list), list);
    if (once && tailRow > 0) pages.leave(tailAt + from * tailRow, size * tailRow);
    from += size;
  }
}

/** The same, of some slots. */
export function scanSlots(
  reader: StoredVectors,
  query: CodedQuery,
  slots: Int32Array,
  list: Shortlist,
  deadline: Deadline,
): void {
  const bounds = new Bounds(reader, query);
  let most = FIRST_BATCH;
  for (let from = 0; from < slots.length; most = Math.min(BATCH, 2 * most)) {
    const size = Math.min(most, slots.length - from);
    listedDots(reader, slots.subarray(from, from + size), deadline);
    offerListed(reader, bounds, siftBatch(reader, bounds, -1, size, null, list), list);
    from += size;
  }
}

/** Dot products of the query and the heads of some slots, or of all. */
export function headDots(
  reader: StoredVectors,
  slots: Int32Array | null,
  deadline: Deadline,
): Int32Array {
  const { headRow, headAt, count, arena } = reader;
  const all = new Int32Array(slots?.length ?? count);
  for (let from = 0; from < all.length; from += BATCH) {
    const size = Math.min(BATCH, all.length - from);
    if (slots !== null) listedDots(reader, slots.subarray(from, from + size), deadline);
    else {
      deadline.spend(size);
      kernelsOf(arena).dots(headAt + from * headRow, size, headRow, QUERY_AT, DOTS_AT);
    }
    all.set(arena.i32.subarray(DOTS_AT >> 2, (DOTS_AT >> 2) + size), from);
  }
  return all;
}

/** Dot products of the query and the heads of at most BATCH slots, which are listed then. */
function listedDots(
  { arena, headAt, headRow }: StoredVectors,
  slots: Int32Array,
  deadline: Deadline,
): void {
  deadline.spend(slots.length);
  arena.i32.set(slots, LIST_AT >> 2);
  kernelsOf(arena).dotsOf(headAt, LIST_AT, slots.length, headRow, QUERY_AT, DOTS_AT);
}

/**
 * Of the vectors whose dot products by head stand at DOTS_AT (slots from `from` on, or with -1
 * those of the list) lists those that may be near enough and are accepted, their dot products at
 * MORE_DOTS_AT. Returns how many.
 */
function siftBatch(
  reader: StoredVectors,
  bounds: Bounds,
  from: number,
  size: number,
  accept: Int32Array | null,
  list: Shortlist,
): number {
  const line = bounds.headLine(list.least);
  const count =
    line === null
      ? siftAny(reader, bounds, from, size, list.least)
      : siftCosine(reader, line, from, size);
  return accept === null ? count : siftAccepted(reader, accept, count);
}

function siftAny(
  { arena }: StoredVectors,
  bounds: Bounds,
  from: number,
  size: number,
  least: number,
): number {
  const { i32 } = arena;
  const [dotsAt, listAt, moreAt] = [DOTS_AT >> 2, LIST_AT >> 2, MORE_DOTS_AT >> 2];
  let count = 0;
  for (let i = 0; i < size; i++) {
    const slot = from < 0 ? i32[listAt + i] : from + i;
    const dot = i32[dotsAt + i];
    if (bounds.mostByHead(slot, dot) < least) continue;
    i32[listAt + count] = slot;
    i32[moreAt + count++] = dot;
  }
  return count;
}

/** The same by a sum of products, without a division. */
function siftCosine(
  { arena, norms, rests, tails }: StoredVectors,
  { n, r, t, m }: HeadLine,
  from: number,
  size: number,
): number {
  const { i32 } = arena;
  const [dotsAt, listAt, moreAt] = [DOTS_AT >> 2, LIST_AT >> 2, MORE_DOTS_AT >> 2];
  const split = tails.length > 0;
  let count = 0;
  for (let i = 0; i < size; i++) {
    const slot = from < 0 ? i32[listAt + i] : from + i;
    const dot = i32[dotsAt + i];
    const tail = split ? tails[slot] : 0;
    if (dot < norms[slot] * n - rests[slot] * r - tail * t - m) continue;
    i32[listAt + count] = slot;
    i32[moreAt + count++] = dot;
  }
  return count;
}

/** Of the listed vectors those of accepted documents. */
function siftAccepted({ arena, docOf }: StoredVectors, accept: Int32Array, size: number): number {
  const { i32 } = arena;
  const [listAt, moreAt] = [LIST_AT >> 2, MORE_DOTS_AT >> 2];
  let count = 0;
  for (let i = 0; i < size; i++) {
    const slot = i32[listAt + i];
    const doc = docOf === null ? slot : docOf[slot];
    if ((accept[doc >> 5] & (1 << (doc & 31))) === 0) continue;
    i32[listAt + count] = slot;
    i32[moreAt + count++] = i32[moreAt + i];
  }
  return count;
}

/** Offers the listed vectors, by their heads' dot products and by their tails. */
function offerListed(reader: StoredVectors, bounds: Bounds, count: number, list: Shortlist): void {
  const { headRow, tailRow, tailAt, arena } = reader;
  const { i32 } = arena;
  const [dotsAt, listAt, moreAt] = [DOTS_AT >> 2, LIST_AT >> 2, MORE_DOTS_AT >> 2];
  const split = tailRow > 0;
  if (split) {
    const restAt = QUERY_AT + 2 * headRow;
    kernelsOf(arena).dotsOf(tailAt, LIST_AT, count, tailRow, restAt, DOTS_AT);
  }
  for (let i = 0; i < count; i++) {
    const slot = i32[listAt + i];
    const product = bounds.product(i32[moreAt + i] + (split ? i32[dotsAt + i] : 0));
    offer(bounds, slot, product, bounds.off(slot), list);
  }
}

/** Offers a vector whose dot product with the query is `product`, or `off` more or less. */
export function offer(
  bounds: Bounds,
  slot: number,
  product: number,
  off: number,
  list: Shortlist,
): void {
  const factor = bounds.factor(slot);
  const base = bounds.base(slot);
  const upper = factor * (product + off) + base * (1 - SLACK);
  if (upper >= list.least) list.offer(slot, factor * (product - off) + base * (1 + SLACK), upper);
}
