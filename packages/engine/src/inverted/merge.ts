/**
 * Merging inverted components, straight from postings, term by term:
 *   1. lengths of the new documents are copied; ends of positions come from the widths (widths
 *      are all that encoding needs)
 *   2. the inputs' terms are walked together in byte order; the postings of equal terms are
 *      joined, documents renumbered
 *   3. a term without a living document is left out
 */
import type { Steps } from '../base/steps.ts';
import { NO_MORE_DOCS } from '../postings/cursors.ts';
import { PostingsJoin } from '../postings/join-postings.ts';
import { PostingsBuffer } from '../postings/postings-buffer.ts';
import type { FilePart } from '../storage/spill.ts';
import type { InvertedReader } from './inverted-reader.ts';
import { encodeLengths } from './lengths.ts';
import type { TermCursor } from './term-cursor.ts';
import { InvertedEncoder } from './write/inverted-encoder.ts';
import type { EncoderOptions } from './write/term-encoder.ts';
import { joinTermParts, type PartFiles, TermPartWriter } from './write/term-parts.ts';

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
export function* mergingInverted(
  inputs: readonly InvertedInput[],
  docs: number,
  options?: EncoderOptions,
): Steps<FilePart[]> {
  const merge = openMerge(inputs);
  const { lengths, positionEnds } = mergedLengths(merge.open, docs, merge.text);
  const encoder = new InvertedEncoder(docs, merge.text, lengths, positionEnds, options);
  yield* mergingTerms(merge, encoder);
  return encoder.finish();
}

/** A part of the terms of a text component: number `part` of `parts`. */
export interface TermRange {
  readonly part: number;
  readonly parts: number;
}

/** Merges the terms of a part of a text component and writes them aside. */
export function* mergingTermPart(
  inputs: readonly InvertedInput[],
  docs: number,
  { part, parts }: TermRange,
  files: PartFiles,
  bestDocs = true,
): Steps<void> {
  const cuts = cutTerms(inputs, parts);
  const isEmpty = part > cuts.length;
  const merge = openMerge(isEmpty ? [] : inputs, cuts[part - 1], cuts[part]);
  const { lengths, positionEnds } = mergedLengths(openMerge(inputs).open, docs, true);
  const writer = new TermPartWriter(docs, encodeLengths(lengths, positionEnds), files, bestDocs);
  yield* mergingTerms(merge, writer);
  writer.finish();
}

/** The component whose parts were written aside by `mergingTermPart`. */
export function joinMergedTerms(
  inputs: readonly InvertedInput[],
  docs: number,
  parts: readonly PartFiles[],
  bestDocs = true,
): FilePart[] {
  const { lengths, positionEnds } = mergedLengths(openMerge(inputs).open, docs, true);
  return joinTermParts(docs, encodeLengths(lengths, positionEnds), parts, bestDocs);
}

/** Terms that divide the postings of the largest input into parts of about equal size. */
function cutTerms(inputs: readonly InvertedInput[], parts: number): readonly Uint8Array[] {
  let largest: InvertedReader | null = null;
  for (const { reader } of inputs) {
    if (reader !== null && reader.tokens > (largest?.tokens ?? -1)) largest = reader;
  }
  return largest?.cutTerms(parts) ?? [];
}

interface OpenMerge {
  readonly open: readonly OpenInput[];
  readonly buffer: PostingsBuffer;
  readonly text: boolean;
  /** The terms end before this one. */
  readonly to: Uint8Array | undefined;
}

/** The inputs, each before its first term, or the first that is not below `from`. */
function openMerge(
  inputs: readonly InvertedInput[],
  from?: Uint8Array,
  to?: Uint8Array,
): OpenMerge {
  const buffer = new PostingsBuffer();
  const open = inputs.flatMap(({ reader, docMap }): OpenInput[] => {
    if (reader === null) return [];
    const terms = reader.terms();
    if (from !== undefined) terms.seek(from);
    const join = new PostingsJoin(reader, docMap, buffer);
    return [{ reader, docMap, terms, join, alive: terms.next() }];
  });
  return { open, buffer, text: open.length > 0 && open[0].reader.text, to };
}

function* mergingTerms(
  { open, buffer, to }: OpenMerge,
  encoder: Pick<InvertedEncoder, 'term' | 'kernel'>,
): Steps<void> {
  buffer.moveTo(encoder.kernel);
  const tokens = open.reduce((sum, { reader }) => sum + reader.tokens, 0);
  let merged = 0;
  let step = 0;
  for (let same = leastTerm(open); same.length > 0; same = leastTerm(open)) {
    if (to !== undefined && same[0].terms.compare(to) >= 0) return;
    buffer.df = 0;
    let used = 0;
    for (const { join, terms } of same) used = join.append(terms.info(), used);
    buffer.used = used;
    const { source, length } = same[0].terms;
    if (buffer.df > 0) encoder.term(source, 0, length, buffer);
    for (const input of same) input.alive = input.terms.next();
    step += used + TERM_COST;
    if (step < STEP) continue;
    merged += step;
    step = 0;
    yield Math.min(1, merged / Math.max(1, tokens));
  }
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
