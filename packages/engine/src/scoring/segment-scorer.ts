import { Pool } from '../base/pool.ts';
import { type Deadline, NO_DEADLINE } from '../base/time/deadline.ts';
import { hasBit } from '../bitmap/bitmap.ts';
import { B, K1, LONG } from '../inverted/format.ts';
import type { InvertedReader } from '../inverted/inverted-reader.ts';
import { raiseImpact } from '../postings/impact-bound.ts';
import type { TermInfo } from '../postings/term-info.ts';
import { describeTerms } from './kernel/describe-terms.ts';
import { inTable } from './kernel/impact-table.ts';
import { DOCS_AT, EMITTED_AT, SCORES_AT } from './kernel/kernel-memory.ts';
import type { ScoringSegment } from './request.ts';
import type { TermScorer } from './term-scorer.ts';
import type { TopDocs } from './top-docs.ts';
import { type Workspace, workspacesOf } from './workspace.ts';

/** Bounds are widened by this against rounding. */
export const ROUND_UP = 1 + 1e-9;
/** A kernel call reads at most so many ranges, list blocks or survivors: some 64,000 postings. */
export const CALL_RANGES = 256;
export const CALL_BLOCKS = 512;
export const CALL_SURVIVORS = 8192;
/** What a range and a block of a list count as, in steps of a deadline. */
export const RANGE_STEPS = 16;
export const BLOCK_STEPS = 4;
/** Documents that a kernel compares in a step. */
export const STEP_DOCS = 16;
/** The next number above 1: theta times this is what a strictly better score reaches. */
const NEXT = 1 + 2 ** -52;

/** What a scorer needs of a query beside its terms. */
export interface ScoredQuery {
  readonly averageLength: number;
  readonly deadline: Deadline;
}

/**
 * One query in one segment: the opened terms, what blocks documents, and where hits go. The
 * algorithms (conjunction.ts, union.ts, phrase.ts, count.ts) are functions over it. Made once per
 * segment and begun anew by every query, so that a query allocates little.
 */
export class SegmentScorer {
  readonly reader: InvertedReader;
  /** Room of the search at hand: see `lend`. */
  workspace!: Workspace;
  readonly #workspaces: Pool<Workspace>;
  readonly #terms: TermScorer[] = [];
  readonly #active: TermScorer[] = [];
  readonly #excluded: TermScorer[] = [];
  /** The active terms in the order in which scores are added, where kernels use another one. */
  readonly #summed: TermScorer[] = [];
  #segment!: ScoringSegment;
  #top!: TopDocs;
  #deadline: Deadline = NO_DEADLINE;
  #averageLength = 0;
  #impacts: Float64Array;
  #blocked: Int32Array | null = null;
  #termCount = 0;
  #count = 0;
  #excludedCount = 0;
  #joined = -1;
  #reordered = false;
  #raisedFor = -1;
  #raised: Float64Array;

  constructor(reader: InvertedReader, workspaces: Pool<Workspace>) {
    this.reader = reader;
    this.#workspaces = workspaces;
    this.#impacts = reader.impacts;
    this.#raised = reader.impacts;
  }

  /** Runs `use` with a workspace of the arena. */
  lend<R>(use: (scorer: SegmentScorer) => R): R {
    this.workspace = this.#workspaces.take();
    try {
      return use(this);
    } finally {
      this.#workspaces.give(this.workspace);
    }
  }

  /** Begins a query of up to `terms` terms, by an average length of the field. */
  begin(segment: ScoringSegment, top: TopDocs, query: ScoredQuery, terms: number): void {
    const { averageLength, deadline } = query;
    this.#segment = segment;
    this.#top = top;
    this.#deadline = deadline;
    this.#averageLength = averageLength;
    this.workspace.reserve(this.reader.docs, terms);
    this.workspace.table.use(averageLength);
    this.#impacts = this.#impactsBy(averageLength);
    this.#blocked = this.#inArena(segment.blocked);
    this.#termCount = 0;
    this.#count = 0;
    this.#excludedCount = 0;
    this.#joined = -1;
  }

  /** Opens the next term of the query. */
  addTerm(info: TermInfo, weight: number, position: number, order: number): void {
    const term = this.workspace.terms[this.#termCount];
    term.open(this.reader, info, weight, this.#averageLength / this.reader.averageLength);
    term.position = position;
    term.order = order;
    this.#terms[this.#termCount++] = term;
  }

  /** The impacts by code, by another average length. */
  #impactsBy(averageLength: number): Float64Array {
    const scale = averageLength / this.reader.averageLength;
    if (scale <= 1) return this.reader.impacts;
    if (this.#raisedFor !== averageLength) {
      this.#raisedFor = averageLength;
      this.#raised = this.reader.impacts.map((impact) => raiseImpact(impact, scale));
    }
    return this.#raised;
  }

  #inArena(blocked: Int32Array | null): Int32Array | null {
    if (blocked === null || blocked.buffer === this.reader.arena.memory.buffer) return blocked;
    return this.workspace.copyBits(blocked, this.reader.docs);
  }

  /** When the query has to be done: spent between kernel calls. */
  get deadline(): Deadline {
    return this.#deadline;
  }

  get top(): TopDocs {
    return this.#top;
  }

  /** Impacts by code, by the query's average length. */
  get impacts(): Float64Array {
    return this.#impacts;
  }

  /** terms[0 .. termCount): the terms that are in the segment, in the order of the query. */
  get terms(): readonly TermScorer[] {
    return this.#terms;
  }

  get termCount(): number {
    return this.#termCount;
  }

  /**
   * active[0 .. count): the terms that a document has to hold, rarest first: lists and short ones
   * before dense ones.
   */
  get active(): readonly TermScorer[] {
    return this.#active;
  }

  get count(): number {
    return this.#count;
  }

  /** excluded[0 .. excludedCount): the terms that it must not hold. */
  get excluded(): readonly TermScorer[] {
    return this.#excluded;
  }

  get excludedCount(): number {
    return this.#excludedCount;
  }

  /** Number of active list and short terms: the first ones. */
  get activeLists(): number {
    let lists = 0;
    while (lists < this.#count && this.#active[lists].dense === null) lists++;
    return lists;
  }

  /**
   * Documents of the first conjunction, blocked ones left out; -1 where they were not all visited.
   */
  get joined(): number {
    return this.#joined;
  }

  /** Reports the documents of a conjunction. */
  reportJoined(documents: number): void {
    if (this.#joined < 0) this.#joined = documents;
  }

  /** Bitmap of documents that may not match, in the arena; null: none. */
  get blocked(): Int32Array | null {
    return this.#blocked;
  }

  /** Living documents by term, where the caller keeps them. */
  get living(): Map<number, number> | null {
    return this.#segment.living;
  }

  /** Documents are blocked by a filter, which may differ between searches, not by deletes alone. */
  get filtered(): boolean {
    return this.#blocked !== null && this.#segment.living === null;
  }

  /** Byte address of the blocked documents; 0: none. */
  get blockedAt(): number {
    return this.#blocked === null ? 0 : this.#blocked.byteOffset;
  }

  /** The score of a term with this weight and frequency. */
  score(weight: number, tf: number, doc: number): number {
    const code = this.reader.codes[doc];
    if (inTable(tf, code)) return weight * this.workspace.table.impact[(tf << 8) | code];
    const norm =
      code < LONG
        ? this.workspace.table.norms[code]
        : K1 * (1 - B + (B * this.reader.lengthOf(doc)) / this.#averageLength);
    return weight * (tf / (tf + norm));
  }

  /** Makes the terms whose bits are set active, the others excluded. */
  activate(set: number): void {
    const active = this.#active;
    let count = 0;
    let excludedCount = 0;
    for (let i = 0; i < this.#termCount; i++) {
      const term = this.#terms[i];
      if (((set >> i) & 1) === 0) this.#excluded[excludedCount++] = term;
      else {
        let at = count++;
        for (; at > 0 && active[at - 1].df > term.df; at--) active[at] = active[at - 1];
        active[at] = term;
      }
    }
    this.#count = count;
    this.#excludedCount = excludedCount;
    this.#reordered = count > 2 && this.#sortForSum();
  }

  /** All terms are active. */
  activateAll(): void {
    this.activate(-1);
  }

  /**
   * True when adding from left to right is not adding in the order of the query; then `#summed` is
   * in that order.
   */
  #sortForSum(): boolean {
    const active = this.#active;
    const summed = this.#summed;
    let moved = false;
    for (let i = 0; i < this.#count; i++) {
      let at = i;
      for (; at > 0 && summed[at - 1].order > active[i].order; at--) {
        summed[at] = summed[at - 1];
        moved = true;
      }
      summed[at] = active[i];
    }
    return moved;
  }

  /** Documents of a query of one term are offered in rising order. */
  get #rising(): boolean {
    return this.#termCount === 1;
  }

  /**
   * What a score has to reach: theta; just more where documents come in rising order and the list
   * is full of earlier ones, against which they lose every tie.
   */
  get threshold(): number {
    return this.#rising && this.#top.strict ? this.#top.theta * NEXT : this.#top.theta;
  }

  /**
   * What a kernel has to emit: the threshold, or less where it adds in another order than the
   * query.
   */
  get emitFrom(): number {
    if (this.#rising) return this.threshold;
    return this.#reordered ? this.#top.theta / ROUND_UP : this.#top.theta;
  }

  /** Describes the active terms for the kernels. */
  describe(): void {
    describeTerms(this.reader.arena, this.#active, this.#count, this.#impacts);
  }

  /** Offers what a kernel emitted. */
  takeEmitted(): void {
    const { i32, f64 } = this.reader.arena;
    const top = this.#top;
    const emitted = i32[EMITTED_AT >> 2];
    // Documents of earlier pages: on a late page most of them.
    const most = top.after?.score ?? Number.POSITIVE_INFINITY;
    for (let i = 0; i < emitted; i++) {
      const at = i32[(DOCS_AT >> 2) + i];
      const doc = at < 0 ? ~at : at;
      const exact = at >= 0 && !this.#reordered;
      const score = exact ? f64[(SCORES_AT >> 3) + i] : this.#rescore(doc);
      if (score >= top.theta && score <= most) this.offer(doc, score);
    }
  }

  /** Exact score of a document that holds the active terms. */
  #rescore(doc: number): number {
    const terms = this.#reordered ? this.#summed : this.#active;
    let score = 0;
    for (let k = 0; k < this.#count; k++) {
      const part = this.score(terms[k].weight, terms[k].frequencyIn(doc), doc);
      score = k === 0 ? part : score + part;
    }
    return score;
  }

  /**
   * Offers a document, unless it is blocked or holds an excluded term (then it was scored with that
   * term before).
   */
  offer(doc: number, score: number): void {
    if (this.#blocked !== null && hasBit(this.#blocked, doc)) return;
    for (let i = 0; i < this.#excludedCount; i++) if (this.#excluded[i].holds(doc)) return;
    this.#top.offer(doc, score);
  }
}

/** Scorers by reader: a reader has as many as there were searches in it at once. */
const scorers = new WeakMap<InvertedReader, Pool<SegmentScorer>>();

function poolOf(reader: InvertedReader): Pool<SegmentScorer> {
  let pool = scorers.get(reader);
  if (pool === undefined) {
    const workspaces = workspacesOf(reader.arena);
    pool = new Pool(() => new SegmentScorer(reader, workspaces));
    scorers.set(reader, pool);
  }
  return pool;
}

/** Runs `use` with a scorer of a reader that no other search has; returns what it returns. */
export function lendScorer<R>(reader: InvertedReader, use: (scorer: SegmentScorer) => R): R {
  return poolOf(reader).lend((scorer) => scorer.lend(use));
}
