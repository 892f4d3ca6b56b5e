/**
 * From the values of a field to its inverted component:
 *   1. `add`: values are analysed (or taken whole), terms numbered, occurrences kept in document
 *      order
 *   2. `finish`: a counting sort groups occurrences by term; terms are ordered by bytes and encoded
 */
import type { Analyzer } from '../analysis/analyzer.ts';
import { simpleAnalyzer } from '../analysis/simple.ts';
import { LIMITS } from '../base/limits.ts';
import { releaseArrays } from '../base/release-arrays.ts';
import { partOf, runSteps, type Steps } from '../base/steps.ts';
import { PostingsBuffer } from '../postings/postings-buffer.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { type FilePart, inMemory } from '../storage/spill.ts';
import { InvertedEncoder } from './inverted-encoder.ts';
import { type OccurrenceChunk, OccurrenceList } from './occurrence-list.ts';
import { TermTable, termOrder } from './term-table.ts';
import { TokenNumbers } from './token-numbers.ts';
import { WordNumbers, type WordSink } from './word-numbers.ts';

/** How the inverted component of a field is built. */
export type InvertedPlan = NonNullable<FieldPlan['inverted']>;
type BytesBlock = FieldBlock & { readonly kind: 'bytes' };

/** Positions between two values of one document, so that no phrase crosses them. */
export const POSITION_GAP = 100;
/** Positions of a document; tokens beyond are not indexed. */
const MAX_POSITION = (1 << 24) - 1;
/** So many occurrences are one step: about 10 ms. */
const STEP = 1 << 20;
/** Occurrences count so many times their memory: they take three times as much while sorted. */
const FINISH_FACTOR = 1.5;
/** A block of so many bytes of text is worth a kernel with memory of its own. */
const KERNEL_BYTES = 1 << 14;

/** Collects the values of one field. */
export class InvertedWriter implements WordSink {
  readonly #plan: InvertedPlan;
  readonly #table = new TermTable();
  /** All occurrences in document order; without positions while each document counts 0, 1, 2, … */
  readonly #tokens = new OccurrenceList();
  /** Occurrences of document d: starts[d] .. starts[d + 1]. */
  #starts = new Int32Array(1 << 10);
  #positionEnds = new Int32Array(1 << 10);
  #docs = 0;
  #positionEnd = 0;
  #numbers: TokenNumbers | WordNumbers | null = null;

  constructor(plan: InvertedPlan) {
    this.#plan = plan;
  }

  /** Bytes of memory held, about; occurrences count as `FINISH_FACTOR` says. */
  get bytes(): number {
    const words = this.#numbers instanceof WordNumbers ? this.#numbers.bytes : 0;
    const tokens = FINISH_FACTOR * this.#tokens.bytes;
    return words + this.#table.bytes + tokens + 8 * this.#starts.length;
  }

  /**
   * Adds the values of documents firstDoc .. firstDoc + docs - 1; documents before that had none.
   */
  add(firstDoc: number, docs: number, block: FieldBlock): void {
    if (block.kind !== 'bytes') throw new TypeError('an inverted field takes bytes');
    this.#reserveDocs(firstDoc + docs);
    this.#skipTo(firstDoc);
    this.#chooseKernel(block);
    for (let doc = 0; doc < docs; doc++) {
      this.#positionEnd = 0;
      if (this.#plan.kind === 'text') this.#addText(this.#plan.analyzer, block, doc);
      else this.#addWhole(block, doc);
      this.#positionEnds[this.#docs++] = this.#positionEnd;
      this.#starts[this.#docs] = this.#tokens.size;
    }
  }

  #chooseKernel({ bytes }: BytesBlock): void {
    if (this.#numbers !== null) this.#numbers.begin();
    else if (this.#plan.kind === 'text' && bytes.length >= KERNEL_BYTES) {
      const { analyzer } = this.#plan;
      if (analyzer === simpleAnalyzer) this.#numbers = TokenNumbers.over(this.#table, analyzer);
      if (analyzer.words !== undefined) this.#numbers = WordNumbers.over(this.#table, analyzer);
    }
  }

  #addText(analyzer: Analyzer, block: BytesBlock, doc: number): void {
    const tokens = this.#numbers ?? analyzer;
    let position = 0;
    for (let value = block.starts[doc]; value < block.starts[doc + 1]; value++) {
      const { offsets, bytes } = block;
      if (value > block.starts[doc]) position += POSITION_GAP;
      position = tokens.analyze(bytes, offsets[value], offsets[value + 1], position, this);
    }
  }

  #addWhole({ starts, offsets, bytes }: BytesBlock, doc: number): void {
    for (let value = starts[doc]; value < starts[doc + 1]; value++) {
      if (offsets[value + 1] - offsets[value] > LIMITS.keywordBytes) continue;
      this.token(bytes, offsets[value], offsets[value + 1], this.#positionEnd);
    }
  }

  /** Tokens of the current document at the positions from `position` on, by number. */
  numbers(ids: Int32Array, count: number, position: number): void {
    const most = Math.min(count, MAX_POSITION + 1 - position);
    if (most <= 0) return;
    if (!this.#counts(position)) this.#startPositions();
    this.#tokens.append(ids, most, position);
    if (position + most > this.#positionEnd) this.#positionEnd = position + most;
  }

  /** As `numbers`; tokens with a number below 0 leave their position empty. */
  someNumbers(ids: Int32Array, count: number, position: number): void {
    let most = Math.min(count, MAX_POSITION + 1 - position);
    while (most > 0 && ids[most - 1] < 0) most--;
    if (most <= 0) return;
    this.#startPositions();
    this.#tokens.appendSome(ids, most, position);
    if (position + most > this.#positionEnd) this.#positionEnd = position + most;
  }

  /** One token of the current document. */
  token(bytes: Uint8Array, from: number, to: number, position: number): void {
    if (position > MAX_POSITION || (to === from && this.#plan.kind === 'text')) return;
    const id = this.#table.add(bytes, from, to);
    if (!this.#counts(position)) this.#startPositions();
    this.#tokens.push(id, position);
    if (position >= this.#positionEnd) this.#positionEnd = position + 1;
  }

  /** Whether the next token of the document needs no position of its own. */
  #counts(position: number): boolean {
    return position === this.#tokens.size - this.#starts[this.#docs];
  }

  /** Writes out the positions that were implied so far: from here on they are kept. */
  #startPositions(): void {
    if (this.#tokens.hasPositions) return;
    const starts = this.#starts;
    let doc = 0;
    this.#tokens.keepPositions((positions, from, to) => {
      for (let i = from; i < to; i++) {
        while (doc < this.#docs && starts[doc + 1] <= i) doc++;
        positions[i - from] = i - starts[doc];
      }
    });
  }

  #reserveDocs(docs: number): void {
    while (docs + 1 >= this.#starts.length) {
      this.#starts = doubled(this.#starts);
      this.#positionEnds = doubled(this.#positionEnds);
    }
  }

  #skipTo(doc: number): void {
    for (; this.#docs < doc; this.#docs++) this.#starts[this.#docs + 1] = this.#tokens.size;
  }

  /** The component of a segment with `docs` documents, in parts. Call once. */
  finish(docs: number): Uint8Array[] {
    return inMemory(runSteps(this.finishing(docs)));
  }

  /** As `finish`, in steps. */
  *finishing(docs: number): Steps<FilePart[]> {
    this.#reserveDocs(docs);
    this.#skipTo(docs);
    const text = this.#plan.kind === 'text';
    const lengths = new Int32Array(docs);
    for (let doc = 0; doc < docs; doc++) lengths[doc] = this.#starts[doc + 1] - this.#starts[doc];
    const encoder = new InvertedEncoder(docs, text, lengths, this.#positionEnds.subarray(0, docs));
    yield 0.05;
    const occurrences = yield* partOf(this.#inverting(text), 0.05, 0.3);
    const order = termOrder(this.#table);
    yield 0.35;
    const { pool, starts } = this.#table;
    const buffer = new PostingsBuffer();
    buffer.moveTo(encoder.kernel);
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
      yield 0.35 + (0.65 * encoded) / this.#tokens.size;
    }
    releaseArrays([occurrences.cells]);
    return encoder.finish();
  }

  /**
   * Counting sort by term: occurrences of term t lie at first[t] .. first[t + 1], documents
   * ascending.
   */
  *#inverting(text: boolean): Steps<Occurrences> {
    const { size } = this.#tokens;
    const first = new Int32Array(this.#table.size + 1);
    for (const { from, count, terms } of this.#tokens.chunks()) {
      countTerms(first, terms, count);
      yield (0.3 * from) / size;
    }
    for (let t = 0; t < this.#table.size; t++) first[t + 1] += first[t];
    const next = first.slice();
    const occurrences = {
      first,
      text,
      cells: new Int32Array(text ? 2 * size : size),
    };
    let doc = 0;
    for (const chunk of this.#tokens.takeChunks()) {
      doc = scatter(occurrences, next, chunk, this.#starts, doc);
      yield 0.3 + (0.7 * chunk.from) / size;
    }
    return occurrences;
  }
}

/** Occurrences of each term t among the first `count` are added to first[t + 1]. */
function countTerms(first: Int32Array, terms: Int32Array, count: number): void {
  for (let i = 0; i < count; i++) first[terms[i] + 1]++;
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

interface Occurrences {
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
  if (buffer.kernel !== null) {
    buffer.df = buffer.kernel.group(cells, from, to);
    return;
  }
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

/** A longer array with the same values, whose memory is taken from the array. */
function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const next = new Int32Array(array.length * 2);
  next.set(array);
  releaseArrays([array]);
  return next;
}
