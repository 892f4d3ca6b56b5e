/**
 * From occurrences in document order to encoded terms with a counting sort: keyword fields, small
 * segments, and plain loops. Larger text fields take term-buckets.ts.
 */
import { releaseArrays } from '../../base/arrays/release-arrays.ts';
import { partOf, type Steps } from '../../base/steps.ts';
import { PostingsBuffer } from '../../postings/postings-buffer.ts';
import type { InvertedEncoder } from './inverted-encoder.ts';
import type { OccurrenceChunk, OccurrenceList } from './occurrence-list.ts';
import type { PooledTerms } from './term-table.ts';

/** So many occurrences are one step: about 10 ms. */
const STEP = 1 << 20;

/** All occurrences of a field; those of document d are starts[d] .. starts[d + 1] of the list. */
export interface FieldOccurrences {
  readonly tokens: OccurrenceList;
  readonly starts: Int32Array;
  /** Whether they have positions. */
  readonly text: boolean;
}

/** The terms of a field: their numbers in byte order, and occurrences by number. */
export interface OrderedTerms {
  readonly table: PooledTerms;
  readonly order: Int32Array;
  readonly counts: Int32Array;
}

/** Occurrences of each of `terms` terms. */
export function* countingTerms(tokens: OccurrenceList, terms: number): Steps<Int32Array> {
  const counts = new Int32Array(terms);
  for (const chunk of tokens.chunks()) {
    countTerms(counts, chunk);
    yield chunk.from / tokens.size;
  }
  return counts;
}

function countTerms(counts: Int32Array, { terms, count }: OccurrenceChunk): void {
  for (let i = 0; i < count; i++) counts[terms[i]]++;
}

/** Sorts the occurrences by term and encodes the terms. Takes the list. */
export function* encodingTerms(
  list: FieldOccurrences,
  { table, order, counts }: OrderedTerms,
  encoder: InvertedEncoder,
): Steps<void> {
  const { size } = list.tokens;
  const occurrences = yield* partOf(sorting(list, counts), 0, 0.25);
  const { pool, starts } = table;
  const buffer = new PostingsBuffer();
  let encoded = 0;
  let step = 0;
  for (const term of order) {
    const from = occurrences.first[term];
    const to = occurrences.first[term + 1];
    group(buffer, occurrences, from, to, encoder.widths);
    encoder.term(pool, starts[term], starts[term + 1], buffer);
    step += to - from;
    if (step < STEP) continue;
    encoded += step;
    step = 0;
    yield 0.25 + (0.75 * encoded) / size;
  }
  releaseArrays([occurrences.cells]);
}

/** Counting sort by number of the term. */
function* sorting(
  { tokens, starts, text }: FieldOccurrences,
  counts: Int32Array,
): Steps<Occurrences> {
  const { size } = tokens;
  const first = new Int32Array(counts.length + 1);
  for (let t = 0; t < counts.length; t++) first[t + 1] = first[t] + counts[t];
  const next = first.slice();
  const occurrences = { first, text, cells: new Int32Array(text ? 2 * size : size) };
  let doc = 0;
  for (const chunk of tokens.takeChunks()) {
    doc = scatter(occurrences, next, chunk, starts, doc);
    yield chunk.from / size;
  }
  return occurrences;
}

/**
 * Puts the occurrences of a chunk where their terms' come next. Those of document d are starts[d]
 * .. starts[d + 1] of the list; the first one is in `doc` or later. Returns the document of the
 * last one.
 */
function scatter(
  { cells, text }: Occurrences,
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
      const slot = next[terms[i]]++;
      if (text) {
        cells[2 * slot] = doc;
        cells[2 * slot + 1] = kept === null ? i - begin : kept[i];
      } else cells[slot] = doc;
    }
  }
  return doc;
}

/** Occurrences by term. */
interface Occurrences {
  /** Occurrences of term t lie at first[t] .. first[t + 1], documents ascending. */
  readonly first: Int32Array;
  readonly text: boolean;
  /** Document and position of each occurrence; of keywords the document. */
  readonly cells: Int32Array;
}

/** Occurrences [from, to) of one term as postings: one a document. */
function group(
  buffer: PostingsBuffer,
  { cells, text }: Occurrences,
  from: number,
  to: number,
  widthOf: Uint8Array,
): void {
  buffer.used = text ? to - from : 0;
  buffer.reserve(Math.min(to - from, widthOf.length));
  buffer.reservePositions(buffer.used);
  const { docs: into, frequencies, positionsAt, positions, widths } = buffer;
  const step = text ? 2 : 1;
  let df = 0;
  for (let i = from; i < to; ) {
    const doc = cells[step * i];
    const first = i;
    for (; i < to && cells[step * i] === doc; i++) {
      if (text) positions[i - from] = cells[2 * i + 1];
    }
    into[df] = doc;
    frequencies[df] = text ? i - first : 1;
    widths[df] = widthOf[doc];
    positionsAt[df++] = first - from;
  }
  buffer.df = df;
}
