import { B, DENSE, K1, LONG, SHORT } from '../inverted/format.ts';
import type { InvertedReader } from '../inverted/inverted-reader.ts';
import { raiseImpact } from '../inverted/term-matches.ts';
import type { Clause } from './clause.ts';
import { HAS_DOCS, HAS_FREQUENCIES } from './clause.ts';
import { denseFrequency } from './dense-frequency.ts';
import { DOCS_AT, EMITTED_AT, FIELD, SCORES_AT, TERM_BYTES } from './kernel-memory.ts';
import type { Kernels } from './kernels.ts';
import type { ScoringSegment } from './request.ts';
import type { TopDocs } from './top-docs.ts';
import { inTable, type Workspace, workspaceOf } from './workspace.ts';

/** Bounds are widened by this against rounding. */
export const UP = 1 + 1e-9;

/**
 * One query in one segment: the opened terms, what blocks documents, and where hits go. The algorithms (conjunction.ts,
 * union.ts, phrase.ts, single.ts, count.ts) are functions over it.
 */
export class SegmentScorer {
  readonly segment: ScoringSegment;
  readonly reader: InvertedReader;
  readonly workspace: Workspace;
  readonly kernels: Kernels;
  readonly top: TopDocs;
  readonly averageLength: number;
  /** Impacts by code, by the query's average length. */
  readonly book: Float64Array;
  /** Bitmap of documents that may not match, in the arena; null: none. */
  readonly blocked: Int32Array | null;
  /** The terms that are in the segment, in the order of the query. */
  clauses: readonly Clause[] = [];
  /** The terms that a document has to hold, rarest first; those that it must not. */
  active: Clause[] = [];
  excluded: readonly Clause[] = [];
  /** Documents of the first conjunction, blocked ones left out; -1 where they were not all visited. */
  joined = -1;
  /** `active` in the order in which shares are added; null where kernels add in that order, too. */
  #summed: readonly Clause[] | null = null;

  constructor(segment: ScoringSegment, top: TopDocs, averageLength: number, terms: number) {
    const { reader } = segment;
    this.segment = segment;
    this.reader = reader;
    this.workspace = workspaceOf(reader.arena);
    this.kernels = this.workspace.kernels;
    this.top = top;
    this.averageLength = averageLength;
    this.workspace.reserve(reader.docs, terms);
    this.workspace.useAverageLength(averageLength);
    this.book = raisedBook(reader, averageLength);
    this.blocked = this.#inArena(segment.blocked);
  }

  #inArena(blocked: Int32Array | null): Int32Array | null {
    if (blocked === null || blocked.buffer === this.reader.arena.memory.buffer) return blocked;
    const copy = this.workspace.blocked.subarray(0, blocked.length);
    copy.set(blocked);
    return copy;
  }

  /** Byte address of the blocked documents; 0: none. */
  get blockedAt(): number {
    return this.blocked === null ? 0 : this.blocked.byteOffset;
  }

  isBlocked(doc: number): boolean {
    return this.blocked !== null && ((this.blocked[doc >> 5] >>> doc) & 1) === 1;
  }

  /** The share of a term with this weight and frequency. */
  score(weight: number, tf: number, doc: number): number {
    const code = this.reader.codes[doc];
    if (inTable(tf, code)) return weight * this.workspace.impact[(tf << 8) | code];
    const norm =
      code < LONG
        ? this.workspace.norms[code]
        : K1 * (1 - B + (B * this.reader.lengthOf(doc)) / this.averageLength);
    return weight * (tf / (tf + norm));
  }

  /** Takes the terms that a document has to hold; orders them rarest first: lists and short terms come before dense ones. */
  activate(clauses: readonly Clause[]): void {
    this.active = clauses.toSorted((a, b) => a.df - b.df);
    this.#summed = inOrder(this.active) ? null : bySum(clauses);
  }

  /** What a kernel has to emit: theta, or less where it adds in another order than the query. */
  get emitFrom(): number {
    return this.#summed === null ? this.top.theta : this.top.theta / UP;
  }

  /** Describes the active terms for the kernels. Frequencies of decoded blocks of lists are decoded, too. */
  describe(): void {
    const { i32, f64 } = this.reader.arena;
    for (let k = 0; k < this.active.length; k++) {
      const clause = this.active[k];
      const at = (TERM_BYTES * k) >> 2;
      f64[(TERM_BYTES * k + FIELD.weight) >> 3] = clause.weight;
      if (clause.kind === DENSE) this.#describeDense(clause, at);
      else {
        i32[at + (FIELD.frequencies >> 2)] = clause.frequencies.byteOffset;
        i32[at + (FIELD.hits >> 2)] = clause.hits.byteOffset;
        if (clause.kind !== SHORT) decodeStarted(clause);
      }
    }
  }

  #describeDense(clause: Clause, at: number): void {
    const { i32 } = this.reader.arena;
    const { parts, term } = clause;
    if (parts === null || term === null) return;
    clause.fillBounds(this.book);
    i32[at + (FIELD.bitmap >> 2)] = parts.bitmap;
    i32[at + (FIELD.base >> 2)] = parts.base;
    i32[at + (FIELD.offset >> 2)] = parts.offset;
    i32[at + (FIELD.payload >> 2)] = term.payload;
    i32[at + (FIELD.impact >> 2)] = parts.impact;
    i32[at + (FIELD.width >> 2)] = parts.width;
    i32[at + (FIELD.group >> 2)] = parts.group;
    i32[at + (FIELD.bounds >> 2)] = clause.bounds.byteOffset;
    i32[at + (FIELD.offsetShift >> 2)] = term.wide ? 2 : 1;
    i32[at + (FIELD.offsetMask >> 2)] = term.wide ? -1 : 0xffff;
    i32[at + (FIELD.baseMask >> 2)] = term.wide ? 0 : -1;
  }

  /** Offers what a kernel emitted. */
  takeEmitted(): void {
    const { i32, f64 } = this.reader.arena;
    const emitted = i32[EMITTED_AT >> 2];
    for (let i = 0; i < emitted; i++) {
      const at = i32[(DOCS_AT >> 2) + i];
      const doc = at < 0 ? ~at : at;
      const exact = at >= 0 && this.#summed === null;
      const score = exact ? f64[(SCORES_AT >> 3) + i] : this.rescore(doc);
      if (score >= this.top.theta) this.offer(doc, score);
    }
  }

  /** Exact score of a document that holds the active terms. */
  rescore(doc: number): number {
    const clauses = this.#summed ?? this.active;
    let score = 0;
    for (let k = 0; k < clauses.length; k++) {
      const share = this.score(clauses[k].weight, this.frequency(clauses[k], doc), doc);
      score = k === 0 ? share : score + share;
    }
    return score;
  }

  /** Frequency of a term in a document that holds it. */
  frequency(clause: Clause, doc: number): number {
    return clause.kind === DENSE
      ? denseFrequency(clause, doc)
      : clause.frequencyAt(clause.seek(doc));
  }

  /** Offers a document, unless it is blocked or holds an excluded term (then it was scored with that term before). */
  offer(doc: number, score: number): void {
    if (this.isBlocked(doc)) return;
    for (let i = 0; i < this.excluded.length; i++) if (holds(this.excluded[i], doc)) return;
    this.top.offer(doc, score);
  }
}

/** True when adding from left to right is adding in the order of the query (two terms: always). */
function inOrder(clauses: readonly Clause[]): boolean {
  if (clauses.length < 3) return true;
  for (let i = 1; i < clauses.length; i++) {
    if (clauses[i].order < clauses[i - 1].order) return false;
  }
  return true;
}

function bySum(clauses: readonly Clause[]): readonly Clause[] {
  return clauses.toSorted((a, b) => a.order - b.order);
}

function decodeStarted(clause: Clause): void {
  for (let block = 0; block < clause.blocks; block++) {
    const state = clause.state[block] & (HAS_DOCS | HAS_FREQUENCIES);
    if (state === HAS_DOCS) clause.decodeFrequencies(block);
  }
}

/** True when the document holds the term. */
function holds(clause: Clause, doc: number): boolean {
  if (clause.kind === DENSE) {
    return ((clause.reader.arena.i32[clause.bitmapWords + (doc >> 5)] >>> doc) & 1) === 1;
  }
  if (clause.kind === SHORT) clause.decodeDocs();
  const i = clause.seek(doc);
  return i < clause.df && clause.docs[i] === doc;
}

const books = new WeakMap<InvertedReader, { averageLength: number; book: Float64Array }>();

/** The code book of a segment by another average length. */
function raisedBook(reader: InvertedReader, averageLength: number): Float64Array {
  const scale = averageLength / reader.averageLength;
  if (scale <= 1) return reader.book;
  const known = books.get(reader);
  if (known?.averageLength === averageLength) return known.book;
  const book = reader.book.map((impact) => raiseImpact(impact, scale));
  books.set(reader, { averageLength, book });
  return book;
}
