/**
 * The occurrences of a text field by term, in two passes that stay in the caches of the processor:
 *   1. `scattering` puts them into buckets, each of which holds the occurrences of some terms that
 *      follow one another in byte order: a few hundred runs of memory are written at once
 *   2. the kernel sorts one bucket after the other by term (packages/engine/kernels/postings)
 *
 * A term with many occurrences has a bucket of its own.
 */
import { releaseArrays } from '../../base/arrays/release-arrays.ts';
import { partOf, type Steps } from '../../base/steps.ts';
import { bitsOf } from '../../postings/format.ts';
import { PostingsBuffer } from '../../postings/postings-buffer.ts';
import type { InvertedEncoder } from './inverted-encoder.ts';
import type { OccurrenceChunk } from './occurrence-list.ts';
import type { FieldOccurrences, OrderedTerms } from './occurrence-sort.ts';

/** A bucket of several terms holds so many occurrences at most, or a share of all of them. */
const LEAST = 1 << 15;
const SHARE = 1 << 9;

/** Terms [firstTerm, endTerm) in byte order, and where their occurrences lie. */
export interface Bucket {
  readonly firstTerm: number;
  readonly endTerm: number;
  readonly from: number;
  readonly to: number;
}

/** Which terms share a bucket. */
export interface BucketPlan {
  readonly buckets: readonly Bucket[];
  /** Low bits of the second word of an occurrence: its position. The rest: term in its bucket. */
  readonly positionBits: number;
  /** By number of the term: its bucket, then the high bits of its occurrences. */
  readonly places: Int32Array;
}

/**
 * Divides terms among buckets. `order`: numbers of the terms in byte order; `counts`: occurrences
 * by number; `total`: all of them; `positionEnd`: no position reaches it.
 */
export function planBuckets(
  order: Int32Array,
  counts: Int32Array,
  total: number,
  positionEnd: number,
): BucketPlan {
  const positionBits = Math.max(1, bitsOf(positionEnd - 1));
  const termsMost = 2 ** (32 - positionBits);
  const most = Math.max(LEAST, Math.ceil(total / SHARE));
  const places = new Int32Array(2 * order.length);
  const buckets: Bucket[] = [];
  let [firstTerm, from, to] = [0, 0, 0];
  const close = (endTerm: number) => {
    if (endTerm > firstTerm) buckets.push({ firstTerm, endTerm, from, to });
    [firstTerm, from] = [endTerm, to];
  };
  for (const [rank, term] of order.entries()) {
    if (to + counts[term] - from > most || rank - firstTerm === termsMost) close(rank);
    to += counts[term];
    places[2 * term] = buckets.length;
    places[2 * term + 1] = (rank - firstTerm) << positionBits;
  }
  close(order.length);
  return { buckets, positionBits, places };
}

/**
 * Sorts the occurrences by term and encodes the terms with the encoder's kernel. `positionEnd`: no
 * position reaches it. Takes the list and the counts.
 */
export function* encodingBuckets(
  list: FieldOccurrences,
  { table, order, counts }: OrderedTerms,
  positionEnd: number,
  encoder: InvertedEncoder,
): Steps<void> {
  const kernel = encoder.kernel!;
  const { size } = list.tokens;
  const { pool, starts } = table;
  const plan = planBuckets(order, counts, size, positionEnd);
  const cells = yield* partOf(scattering(plan, list, size), 0, 0.25);
  releaseArrays([counts, plan.places]);
  const buffer = new PostingsBuffer();
  buffer.moveTo(kernel);
  for (const { firstTerm, endTerm, from, to } of plan.buckets) {
    const ids = order.subarray(firstTerm, endTerm);
    if (ids.length === 1) {
      buffer.used = to - from;
      buffer.df = kernel.group(cells, from, to);
      encoder.term(pool, starts[ids[0]], starts[ids[0] + 1], buffer);
    } else {
      kernel.load(cells, from, to, ids.length, plan.positionBits);
      encoder.bucket(pool, starts, ids, buffer);
    }
    yield 0.25 + (0.75 * to) / size;
  }
  releaseArrays([cells]);
}

/**
 * The occurrences as cells of two words, by bucket and then in their order: the document; position
 * and term.
 */
function* scattering(
  { buckets, places }: BucketPlan,
  { tokens, starts }: FieldOccurrences,
  size: number,
): Steps<Int32Array> {
  const cells = new Int32Array(2 * size);
  const next = Int32Array.from(buckets, ({ from }) => 2 * from);
  let doc = 0;
  for (const chunk of tokens.takeChunks()) {
    doc = scatter(cells, places, next, chunk, starts, doc);
    yield chunk.from / size;
  }
  return cells;
}

/** Returns the document of the last occurrence of the chunk; the first one is in `doc` or later. */
function scatter(
  cells: Int32Array,
  places: Int32Array,
  next: Int32Array,
  { from, count, terms, positions: kept }: OccurrenceChunk,
  starts: Int32Array,
  firstDoc: number,
): number {
  let doc = firstDoc;
  for (let i = 0; i < count; ) {
    while (starts[doc + 1] <= from + i) doc++;
    const begin = starts[doc] - from;
    const end = Math.min(count, starts[doc + 1] - from);
    for (; i < end; i++) {
      const place = 2 * terms[i];
      const bucket = places[place];
      const cell = next[bucket];
      next[bucket] = cell + 2;
      cells[cell] = doc;
      cells[cell + 1] = places[place + 1] | (kept === null ? i - begin : kept[i]);
    }
  }
  return doc;
}
