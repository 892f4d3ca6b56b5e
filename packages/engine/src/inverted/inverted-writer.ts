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
/** A block of so many bytes of text is worth a kernel with memory of its own. */
const KERNEL_BYTES = 1 << 14;

/** Collects the values of one field. */
export class InvertedWriter implements WordSink {
  readonly #plan: InvertedPlan;
  readonly #table = new TermTable();
  /** Term numbers of all occurrences, in document order. */
  #tokens = new Int32Array(1 << 12);
  /** Their positions; null while every document counts 0, 1, 2, … */
  #positions: Int32Array | null = null;
  #size = 0;
  /** Occurrences of document d: starts[d] .. starts[d + 1]. */
  #starts = new Int32Array(1 << 10);
  #positionEnds = new Int32Array(1 << 10);
  #docs = 0;
  #positionEnd = 0;
  #numbers: TokenNumbers | WordNumbers | null = null;

  constructor(plan: InvertedPlan) {
    this.#plan = plan;
  }

  /** Bytes of memory held, about. */
  get bytes(): number {
    const perToken = this.#positions === null ? 4 : 8;
    const words = this.#numbers instanceof WordNumbers ? this.#numbers.bytes : 0;
    return words + this.#table.bytes + perToken * this.#tokens.length + 8 * this.#starts.length;
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
      this.#starts[this.#docs] = this.#size;
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
    const size = this.#size;
    const most = Math.min(count, MAX_POSITION + 1 - position);
    if (most <= 0) return;
    while (size + most > this.#tokens.length) this.#growTokens();
    const tokens = this.#tokens;
    for (let i = 0; i < most; i++) tokens[size + i] = ids[i];
    if (this.#positions !== null || position !== size - this.#starts[this.#docs]) {
      const positions = this.#positions ?? this.#startPositions();
      for (let i = 0; i < most; i++) positions[size + i] = position + i;
    }
    this.#size = size + most;
    if (position + most > this.#positionEnd) this.#positionEnd = position + most;
  }

  /** As `numbers`; tokens with a number below 0 leave their position empty. */
  someNumbers(ids: Int32Array, count: number, position: number): void {
    const most = Math.min(count, MAX_POSITION + 1 - position);
    while (this.#size + most > this.#tokens.length) this.#growTokens();
    const positions = this.#positions ?? this.#startPositions();
    const tokens = this.#tokens;
    let size = this.#size;
    for (let i = 0; i < most; i++) {
      if (ids[i] < 0) continue;
      tokens[size] = ids[i];
      positions[size++] = position + i;
    }
    if (size === this.#size) return;
    this.#size = size;
    if (positions[size - 1] >= this.#positionEnd) this.#positionEnd = positions[size - 1] + 1;
  }

  /** One token of the current document. */
  token(bytes: Uint8Array, from: number, to: number, position: number): void {
    if (position > MAX_POSITION || (to === from && this.#plan.kind === 'text')) return;
    const size = this.#size;
    if (size === this.#tokens.length) this.#growTokens();
    this.#tokens[size] = this.#table.add(bytes, from, to);
    if (this.#positions !== null) this.#positions[size] = position;
    else if (position !== size - this.#starts[this.#docs]) this.#startPositions()[size] = position;
    this.#size = size + 1;
    if (position >= this.#positionEnd) this.#positionEnd = position + 1;
  }

  /** Writes out the positions that were implied so far: from here on they are kept. */
  #startPositions(): Int32Array {
    const positions = new Int32Array(this.#tokens.length);
    for (let doc = 0; doc <= this.#docs; doc++) {
      const from = this.#starts[doc];
      const to = doc === this.#docs ? this.#size : this.#starts[doc + 1];
      for (let i = from; i < to; i++) positions[i] = i - from;
    }
    this.#positions = positions;
    return positions;
  }

  #growTokens(): void {
    this.#tokens = doubled(this.#tokens);
    if (this.#positions !== null) this.#positions = doubled(this.#positions);
  }

  #reserveDocs(docs: number): void {
    while (docs + 1 >= this.#starts.length) {
      this.#starts = doubled(this.#starts);
      this.#positionEnds = doubled(this.#positionEnds);
    }
  }

  #skipTo(doc: number): void {
    for (; this.#docs < doc; this.#docs++) this.#starts[this.#docs + 1] = this.#size;
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
    const occurrences = yield* partOf(this.#inverting(docs, text), 0.05, 0.3);
    const order = termOrder(this.#table);
    yield 0.35;
    const { pool, starts } = this.#table;
    const buffer = new PostingsBuffer();
    buffer.positions = occurrences.positions;
    let encoded = 0;
    let step = 0;
    for (const term of order) {
      const from = occurrences.first[term];
      const to = occurrences.first[term + 1];
      group(buffer, occurrences, from, to, text, encoder.widths);
      encoder.term(pool, starts[term], starts[term + 1], buffer);
      step += to - from;
      if (step < STEP) continue;
      encoded += step;
      step = 0;
      yield 0.35 + (0.65 * encoded) / this.#size;
    }
    releaseArrays([occurrences.docs, occurrences.positions]);
    return encoder.finish();
  }

  /**
   * Counting sort by term: occurrences of term t lie at first[t] .. first[t + 1], documents
   * ascending.
   */
  *#inverting(docs: number, text: boolean): Steps<Occurrences> {
    const size = this.#size;
    const first = new Int32Array(this.#table.size + 1);
    for (let from = 0; from < size; from += STEP) {
      countTerms(first, this.#tokens.subarray(from, Math.min(size, from + STEP)));
      yield (0.3 * from) / size;
    }
    for (let t = 0; t < this.#table.size; t++) first[t + 1] += first[t];
    const next = first.slice();
    const occurrences = {
      first,
      docs: new Int32Array(size),
      positions: new Int32Array(text ? size : 0),
    };
    const starts = this.#starts;
    const kept = text ? this.#positions : null;
    for (let from = 0, to = 0; from < docs; from = to) {
      while (to < docs && starts[to] - starts[from] < STEP) to++;
      scatter(occurrences, next, { tokens: this.#tokens, positions: kept, starts }, from, to);
      yield 0.3 + (0.7 * to) / docs;
    }
    releaseArrays([this.#tokens, this.#positions]);
    return occurrences;
  }
}

/** Occurrences of each term t among `tokens` are added to first[t + 1]. */
function countTerms(first: Int32Array, tokens: Int32Array): void {
  for (let i = 0; i < tokens.length; i++) first[tokens[i] + 1]++;
}

/** Occurrences in document order: those of document d are starts[d] .. starts[d + 1]. */
interface InDocuments {
  readonly tokens: Int32Array;
  /** null: each document counts 0, 1, 2, … */
  readonly positions: Int32Array | null;
  readonly starts: Int32Array;
}

/** Puts the occurrences of documents [from, to) where their terms' come next. */
function scatter(
  { docs, positions }: Occurrences,
  next: Int32Array,
  { tokens, positions: kept, starts }: InDocuments,
  from: number,
  to: number,
): void {
  const text = positions.length > 0;
  for (let doc = from; doc < to; doc++) {
    const begin = starts[doc];
    for (let i = begin, end = starts[doc + 1]; i < end; i++) {
      const slot = next[tokens[i]]++;
      docs[slot] = doc;
      if (text) positions[slot] = kept === null ? i - begin : kept[i];
    }
  }
}

interface Occurrences {
  readonly first: Int32Array;
  readonly docs: Int32Array;
  readonly positions: Int32Array;
}

/** Occurrences [from, to) of one term as postings: one a document. */
function group(
  buffer: PostingsBuffer,
  { docs }: Occurrences,
  from: number,
  to: number,
  text: boolean,
  widthOf: Uint8Array,
): void {
  buffer.reserve(Math.min(to - from, widthOf.length));
  const { docs: into, frequencies, positionsAt, widths } = buffer;
  let df = 0;
  for (let i = from; i < to; ) {
    const doc = docs[i];
    let end = i + 1;
    while (end < to && docs[end] === doc) end++;
    into[df] = doc;
    frequencies[df] = text ? end - i : 1;
    widths[df] = widthOf[doc];
    positionsAt[df++] = i;
    i = end;
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
