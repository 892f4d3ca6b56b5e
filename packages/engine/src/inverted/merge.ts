/**
 * Merging inverted components, straight from postings, term by term:
 *   1. lengths of the new documents are copied; extents come from the widths (widths are all
 *      that encoding needs)
 *   2. the inputs' terms are walked together in byte order; the postings of equal terms are
 *      joined, documents renumbered
 *   3. a term without a living document is left out
 */
import { NO_MORE_DOCS } from './cursors.ts';
import { InvertedEncoder } from './inverted-encoder.ts';
import type { InvertedReader } from './inverted-reader.ts';
import { PostingsBuffer } from './postings.ts';
import type { TermCursor } from './term-cursor.ts';

/**
 * A component (null: the segment has none of this field) and where its documents go: old number ->
 * new, -1 dropped.
 */
export interface InvertedInput {
  readonly reader: InvertedReader | null;
  readonly docMap: Int32Array;
}

interface OpenInput {
  readonly reader: InvertedReader;
  readonly docMap: Int32Array;
  readonly terms: TermCursor;
  alive: boolean;
}

/**
 * The merged component for `docs` documents, in parts. Document maps rise, and inputs follow one
 * another.
 */
export function mergeInverted(inputs: readonly InvertedInput[], docs: number): Uint8Array[] {
  const open = inputs.flatMap(({ reader, docMap }): OpenInput[] => {
    if (reader === null) return [];
    const terms = reader.terms();
    return [{ reader, docMap, terms, alive: terms.next() }];
  });
  const text = open.length > 0 && open[0].reader.text;
  const { lengths, extents } = mergedLengths(open, docs, text);
  const encoder = new InvertedEncoder(docs, text, lengths, extents);
  const buffer = new PostingsBuffer();
  for (let least = leastTerm(open); least !== null; least = leastTerm(open)) {
    const term = least.terms.bytes().slice();
    joinPostings(open, term, buffer, text);
    if (buffer.df > 0) encoder.term(term, 0, term.length, buffer);
  }
  return encoder.finish();
}

function mergedLengths(open: readonly OpenInput[], docs: number, text: boolean) {
  const lengths = new Int32Array(docs);
  const extents = new Int32Array(docs);
  for (const { reader, docMap } of open) {
    if (!text) markValues(reader, docMap, lengths);
    for (let doc = 0; text && doc < docMap.length; doc++) {
      const to = docMap[doc];
      if (to < 0) continue;
      lengths[to] = reader.lengthOf(doc);
      extents[to] = lengths[to] === 0 ? 0 : 2 ** reader.positionWidth(doc);
    }
  }
  return { lengths, extents };
}

/** Keyword fields have no lengths: a document has a value where a term has it. */
function markValues(reader: InvertedReader, docMap: Int32Array, lengths: Int32Array): void {
  for (const terms = reader.terms(); terms.next(); ) {
    const postings = reader.postings(terms.info());
    for (let doc = postings.next(); doc !== NO_MORE_DOCS; doc = postings.next()) {
      if (docMap[doc] >= 0) lengths[docMap[doc]]++;
    }
  }
}

function leastTerm(open: readonly OpenInput[]): OpenInput | null {
  let least: OpenInput | null = null;
  for (const input of open) {
    if (!input.alive) continue;
    if (least === null || input.terms.compare(least.terms.bytes()) < 0) least = input;
  }
  return least;
}

/** Joins the postings of a term over the inputs that have it, and moves those past it. */
function joinPostings(
  open: readonly OpenInput[],
  term: Uint8Array,
  buffer: PostingsBuffer,
  text: boolean,
): void {
  buffer.df = 0;
  let used = 0;
  for (const input of open) {
    if (!input.alive || input.terms.compare(term) !== 0) continue;
    used = appendPostings(input, buffer, text, used);
    input.alive = input.terms.next();
  }
}

function appendPostings(
  { reader, docMap, terms }: OpenInput,
  buffer: PostingsBuffer,
  text: boolean,
  usedPositions: number,
): number {
  const info = terms.info();
  const postings = reader.postings(info);
  buffer.reserve(buffer.df + info.df);
  let used = usedPositions;
  for (let doc = postings.next(); doc !== NO_MORE_DOCS; doc = postings.next()) {
    const to = docMap[doc];
    if (to < 0) continue;
    const i = buffer.df++;
    buffer.docs[i] = to;
    buffer.frequencies[i] = text ? postings.tf() : 1;
    buffer.positionsAt[i] = used;
    if (!text) continue;
    const tf = buffer.frequencies[i];
    buffer.reservePositions(used + tf);
    used += postings.positions(buffer.positions.subarray(used));
  }
  return used;
}
