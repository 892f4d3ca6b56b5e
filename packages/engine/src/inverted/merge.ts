/**
 * Merging inverted components, straight from postings, term by term:
 *   1. lengths of the new documents are copied; ends of positions come from the widths (widths
 *      are all that encoding needs)
 *   2. the inputs' terms are walked together in byte order; the postings of equal terms are
 *      joined, documents renumbered
 *   3. a term without a living document is left out
 */
import { runSteps, type Steps } from '../base/steps.ts';
import { NO_MORE_DOCS } from '../postings/cursors.ts';
import { PostingsJoin } from '../postings/join-postings.ts';
import { PostingsBuffer } from '../postings/postings-buffer.ts';
import { type FilePart, inMemory } from '../storage/spill.ts';
import { type EncoderSpills, InvertedEncoder } from './inverted-encoder.ts';
import type { InvertedReader } from './inverted-reader.ts';
import type { TermCursor } from './term-cursor.ts';

/**
 * A component (null: the segment has none of this field) and where its documents go: old number ->
 * new, -1 dropped.
 */
export interface InvertedInput {
  readonly reader: InvertedReader | null;
  readonly docMap: Int32Array;
}

/** A step ends after so many occurrences; a term costs as much as some of them. */
const STEP = 1 << 18;
const TERM_COST = 16;

interface OpenInput {
  readonly reader: InvertedReader;
  readonly docMap: Int32Array;
  readonly terms: TermCursor;
  readonly join: PostingsJoin;
  alive: boolean;
}

/**
 * The merged component for `docs` documents, in parts. Document maps rise, and inputs follow one
 * another.
 */
export function mergeInverted(
  inputs: readonly InvertedInput[],
  docs: number,
  spills?: EncoderSpills,
): Uint8Array[] {
  return inMemory(runSteps(mergingInverted(inputs, docs, spills)));
}

/** As `mergeInverted`, in steps. */
export function* mergingInverted(
  inputs: readonly InvertedInput[],
  docs: number,
  spills?: EncoderSpills,
): Steps<FilePart[]> {
  const buffer = new PostingsBuffer();
  const open = inputs.flatMap(({ reader, docMap }): OpenInput[] => {
    if (reader === null) return [];
    const terms = reader.terms();
    const join = new PostingsJoin(reader, docMap, buffer);
    return [{ reader, docMap, terms, join, alive: terms.next() }];
  });
  const text = open.length > 0 && open[0].reader.text;
  const { lengths, positionEnds } = mergedLengths(open, docs, text);
  const encoder = new InvertedEncoder(docs, text, lengths, positionEnds, spills);
  const tokens = open.reduce((sum, { reader }) => sum + reader.tokens, 0);
  let merged = 0;
  let step = 0;
  for (let same = leastTerm(open); same.length > 0; same = leastTerm(open)) {
    buffer.df = 0;
    let used = 0;
    for (const { join, terms } of same) used = join.append(terms.info(), used);
    const { source, length } = same[0].terms;
    if (buffer.df > 0) encoder.term(source, 0, length, buffer);
    for (const input of same) input.alive = input.terms.next();
    step += used + TERM_COST;
    if (step < STEP) continue;
    merged += step;
    step = 0;
    yield Math.min(1, merged / Math.max(1, tokens));
  }
  return encoder.finish();
}

function mergedLengths(open: readonly OpenInput[], docs: number, text: boolean) {
  const lengths = new Int32Array(docs);
  const positionEnds = new Int32Array(docs);
  for (const { reader, docMap } of open) {
    if (!text) markValues(reader, docMap, lengths);
    for (let doc = 0; text && doc < docMap.length; doc++) {
      const to = docMap[doc];
      if (to < 0) continue;
      lengths[to] = reader.lengthOf(doc);
      positionEnds[to] = lengths[to] === 0 ? 0 : 2 ** reader.positionWidth(doc);
    }
  }
  return { lengths, positionEnds };
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

/** The inputs, in their order, that stand on the least term. */
function leastTerm(open: readonly OpenInput[]): readonly OpenInput[] {
  const same: OpenInput[] = [];
  for (const input of open) {
    if (!input.alive) continue;
    const order = same.length === 0 ? 0 : compareTerms(input.terms, same[0].terms);
    if (order < 0) same.length = 0;
    if (order <= 0) same.push(input);
  }
  return same;
}

function compareTerms(a: TermCursor, b: TermCursor): number {
  const [left, right] = [a.source, b.source];
  const most = Math.min(a.length, b.length);
  for (let i = 0; i < most; i++) if (left[i] !== right[i]) return left[i] - right[i];
  return a.length - b.length;
}
