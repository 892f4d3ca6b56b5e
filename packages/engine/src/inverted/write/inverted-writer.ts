/**
 * From the values of a field to its inverted component:
 *   1. `add`: values are analysed (or taken whole), terms numbered, occurrences kept in document
 *      order
 *   2. `finish`: a counting sort groups occurrences by term; terms are ordered by bytes and encoded
 */
import type { Analyzer } from '../../analysis/analyzer.ts';
import { simpleAnalyzer } from '../../analysis/simple.ts';
import { releaseArrays } from '../../base/arrays/release-arrays.ts';
import { LIMITS } from '../../base/limits.ts';
import { partOf, runSteps, type Steps } from '../../base/steps.ts';
import type { FieldBlock } from '../../schema/field-block.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { type FilePart, inMemory } from '../../storage/spill.ts';
import { InvertedEncoder } from './inverted-encoder.ts';
import { OccurrenceList } from './occurrence-list.ts';
import { countingTerms, encodingTerms } from './occurrence-sort.ts';
import { encodingBuckets } from './term-buckets.ts';
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
      if (analyzer === simpleAnalyzer) this.#numbers = new TokenNumbers(this.#table, analyzer);
      if (analyzer.words !== undefined) this.#numbers = new WordNumbers(this.#table, analyzer);
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
    const bestDocs = this.#plan.kind === 'text' && this.#plan.bestDocs !== false;
    const ends = this.#positionEnds.subarray(0, docs);
    const encoder = new InvertedEncoder(docs, text, lengths, ends, { bestDocs });
    yield 0.05;
    const counts = yield* partOf(countingTerms(this.#tokens, this.#table.size), 0.05, 0.1);
    const order = termOrder(this.#table);
    yield 0.15;
    const inOrder = { table: this.#table, order, counts };
    const list = { tokens: this.#tokens, starts: this.#starts, text };
    const isBucketed = text && encoder.kernel !== null;
    const steps = isBucketed
      ? encodingBuckets(list, inOrder, greatest(this.#positionEnds, docs), encoder)
      : encodingTerms(list, inOrder, encoder);
    yield* partOf(steps, 0.15, 1);
    return encoder.finish();
  }
}

function greatest(values: Int32Array, count: number): number {
  let most = 0;
  for (let i = 0; i < count; i++) if (values[i] > most) most = values[i];
  return most;
}

/** A longer array with the same values, whose memory is taken from the array. */
function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
  const next = new Int32Array(array.length * 2);
  next.set(array);
  releaseArrays([array]);
  return next;
}
