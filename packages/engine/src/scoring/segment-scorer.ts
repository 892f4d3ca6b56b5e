import { B, DENSE, K1, LONG, SHORT } from '../inverted/format.ts';
import type { InvertedReader } from '../inverted/inverted-reader.ts';
import type { TermInfo } from '../inverted/term-info.ts';
import { raiseImpact } from '../inverted/term-matches.ts';
import type { Clause } from './clause.ts';
import { denseFrequency } from './dense-frequency.ts';
import { DOCS_AT, EMITTED_AT, FIELD, SCORES_AT, TERM_BYTES } from './kernel-memory.ts';
import type { Kernels } from './kernels.ts';
import type { ScoringSegment } from './request.ts';
import type { TopDocs } from './top-docs.ts';
import { inTable, type Workspace, workspaceOf } from './workspace.ts';

/** Bounds are widened by this against rounding. */
export const UP = 1 + 1e-9;
/** The next number above 1: theta times this is what a strictly better score reaches. */
const NEXT = 1 + 2 ** -52;

/**
 * One query in one segment: the opened terms, what blocks documents, and where hits go. The
 * algorithms (conjunction.ts, union.ts, phrase.ts, single.ts, count.ts) are functions over it. Made
 * once a segment and begun anew by every query, so that a query allocates little.
 */
export class SegmentScorer {
  readonly reader: InvertedReader;
  readonly workspace: Workspace;
  readonly kernels: Kernels;
  segment!: ScoringSegment;
  top!: TopDocs;
  averageLength = 0;
  /** Impacts by code, by the query's average length. */
  book: Float64Array;
  /** Bitmap of documents that may not match, in the arena; null: none. */
  blocked: Int32Array | null = null;
  /** clauses[0 .. clauseCount): the terms that are in the segment, in the order of the query. */
  readonly clauses: Clause[] = [];
  clauseCount = 0;
  /**
   * active[0 .. count): the terms that a document has to hold, rarest first: lists and short ones
   * before dense ones.
   */
  readonly active: Clause[] = [];
  count = 0;
  /** excluded[0 .. excludedCount): the terms that it must not hold. */
  readonly excluded: Clause[] = [];
  excludedCount = 0;
  /**
   * Documents of the first conjunction, blocked ones left out; -1 where they were not all visited.
   */
  joined = -1;
  /** Documents are offered in rising order. */
  rising = false;
  /** The active terms in the order in which shares are added, where kernels add in another one. */
  readonly #summed: Clause[] = [];
  #reordered = false;
  #raisedFor = -1;
  #raised: Float64Array;

  constructor(reader: InvertedReader) {
    this.reader = reader;
    this.workspace = workspaceOf(reader.arena);
    this.kernels = this.workspace.kernels;
    this.book = reader.book;
    this.#raised = reader.book;
  }

  /** Begins a query of up to `terms` terms. */
  begin(segment: ScoringSegment, top: TopDocs, averageLength: number, terms: number): void {
    this.segment = segment;
    this.top = top;
    this.averageLength = averageLength;
    this.workspace.reserve(this.reader.docs, terms);
    this.workspace.useAverageLength(averageLength);
    this.book = this.#bookFor(averageLength);
    this.blocked = this.#inArena(segment.blocked);
    this.clauseCount = 0;
    this.count = 0;
    this.excludedCount = 0;
    this.joined = -1;
    this.rising = false;
  }

  /** Opens the next term of the query. */
  addClause(info: TermInfo, weight: number, slot: number, order: number): void {
    const clause = this.workspace.clauses[this.clauseCount];
    clause.open(this.reader, info, weight, this.averageLength / this.reader.averageLength);
    clause.slot = slot;
    clause.order = order;
    this.clauses[this.clauseCount++] = clause;
  }

  /** The code book by another average length. */
  #bookFor(averageLength: number): Float64Array {
    const scale = averageLength / this.reader.averageLength;
    if (scale <= 1) return this.reader.book;
    if (this.#raisedFor !== averageLength) {
      this.#raisedFor = averageLength;
      this.#raised = this.reader.book.map((impact) => raiseImpact(impact, scale));
    }
    return this.#raised;
  }

  #inArena(blocked: Int32Array | null): Int32Array | null {
    if (blocked === null || blocked.buffer === this.reader.arena.memory.buffer) return blocked;
    const copy = this.workspace.blocked.subarray(0, blocked.length);
    copy.set(blocked);
    return copy;
  }

  /** Documents are blocked by a filter, which may differ between searches, not by deletes alone. */
  get filtered(): boolean {
    return this.blocked !== null && this.segment.living === null;
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

  /** Makes the clauses whose bits are set active, the others excluded. */
  activate(set: number): void {
    const { active, excluded } = this;
    let count = 0;
    let excludedCount = 0;
    for (let i = 0; i < this.clauseCount; i++) {
      const clause = this.clauses[i];
      if (((set >> i) & 1) === 0) excluded[excludedCount++] = clause;
      else {
        let at = count++;
        for (; at > 0 && active[at - 1].df > clause.df; at--) active[at] = active[at - 1];
        active[at] = clause;
      }
    }
    this.count = count;
    this.excludedCount = excludedCount;
    this.#reordered = count > 2 && this.#sortShares();
  }

  /** All clauses are active. */
  activateAll(): void {
    this.activate(-1);
  }

  /**
   * True when adding from left to right is not adding in the order of the query; then `#summed` is
   * in that order.
   */
  #sortShares(): boolean {
    const { active, count } = this;
    const summed = this.#summed;
    let moved = false;
    for (let i = 0; i < count; i++) {
      let at = i;
      for (; at > 0 && summed[at - 1].order > active[i].order; at--) {
        summed[at] = summed[at - 1];
        moved = true;
      }
      summed[at] = active[i];
    }
    return moved;
  }

  /**
   * What a score has to reach: theta; just more where documents come in rising order (`rising`) and
   * the list is full of earlier ones, against which they lose every tie.
   */
  get threshold(): number {
    return this.rising && this.top.strict ? this.top.theta * NEXT : this.top.theta;
  }

  /**
   * What a kernel has to emit: the threshold, or less where it adds in another order than the
   * query.
   */
  get emitFrom(): number {
    if (this.rising) return this.threshold;
    return this.#reordered ? this.top.theta / UP : this.top.theta;
  }

  /** Describes the active terms for the kernels. */
  describe(): void {
    const { i32, f64 } = this.reader.arena;
    for (let k = 0; k < this.count; k++) {
      const clause = this.active[k];
      const at = (TERM_BYTES * k) >> 2;
      f64[(TERM_BYTES * k + FIELD.weight) >> 3] = clause.weight;
      if (clause.kind === DENSE) this.#describeDense(clause, at);
      else {
        i32[at + (FIELD.frequencies >> 2)] = clause.frequencies.byteOffset;
        i32[at + (FIELD.hits >> 2)] = clause.hits.byteOffset;
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
    const { top } = this;
    const emitted = i32[EMITTED_AT >> 2];
    // Documents of earlier pages: on a late page most of them.
    const most = top.after?.score ?? Number.POSITIVE_INFINITY;
    for (let i = 0; i < emitted; i++) {
      const at = i32[(DOCS_AT >> 2) + i];
      const doc = at < 0 ? ~at : at;
      const exact = at >= 0 && !this.#reordered;
      const score = exact ? f64[(SCORES_AT >> 3) + i] : this.rescore(doc);
      if (score >= top.theta && score <= most) this.offer(doc, score);
    }
  }

  /** Exact score of a document that holds the active terms. */
  rescore(doc: number): number {
    const clauses = this.#reordered ? this.#summed : this.active;
    let score = 0;
    for (let k = 0; k < this.count; k++) {
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

  /**
   * Offers a document, unless it is blocked or holds an excluded term (then it was scored with that
   * term before).
   */
  offer(doc: number, score: number): void {
    if (this.isBlocked(doc)) return;
    for (let i = 0; i < this.excludedCount; i++) if (holds(this.excluded[i], doc)) return;
    this.top.offer(doc, score);
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

const scorers = new WeakMap<InvertedReader, SegmentScorer>();

/** The scorer of a reader, made when first asked for. One query at a time. */
export function scorerOf(reader: InvertedReader): SegmentScorer {
  let scorer = scorers.get(reader);
  if (scorer === undefined) {
    scorer = new SegmentScorer(reader);
    scorers.set(reader, scorer);
  }
  return scorer;
}
