import { selectBest } from './select-best.ts';

/** A document that was kept. */
export interface TopDoc {
  /** As `enter` named the segment. */
  readonly segment: number;
  readonly doc: number;
  readonly score: number;
}

/** Where a page begins: documents up to this one, in the order of scores and keys, are left out. */
export interface TopAfter {
  readonly score: number;
  readonly key: Uint8Array;
}

/** The bytes of a document's key. */
export type KeyOf = (segment: number, doc: number) => Uint8Array;

/** Up to this limit the kept documents are an array in order. */
const FLAT = 64;
/** More than the rounding errors of a sum, relative to it. */
const SUM_ERROR = 1e-12;

/**
 * The best `limit` documents over segments that are entered one after another: higher scores first,
 * equal scores by key (in a segment by the rank of the key). `theta` is what an offered score has
 * to reach to be kept: 0 until `limit` are there. To each offered score the scores `added` are
 * added, one after another: those of clauses that every document matches. Offers may then tie whose
 * scores differed before, so `theta` is a little lower than needed.
 *
 * For a limit above FLAT, twice as many documents are gathered before the first half is selected: a
 * constant amount of work per document. A heap and a sort of all took 20 ms for the last 10 of
 * 10,000 documents of 63,529, gathering takes 8.5 ms, scoring included.
 *
 * RankedDocs (collect/ranked-docs.ts) collects by any order. A search through it, one per segment
 * and merged, took 1.05 to 1.25 times the processor time for words joined by OR and up to 1.5 times
 * for single words: so orders by score alone have this collector.
 */
export class TopDocs {
  readonly limit: number;
  size = 0;
  readonly after: TopAfter | null;
  /** Kept scores are not those offered. */
  readonly isRaised: boolean;
  readonly #keyOf: KeyOf;
  readonly #added: readonly number[];
  /** The sum of `#added`. */
  readonly #raise: number;
  /** What a kept score has to reach. */
  #least = 0;
  /** The first score is not whole, so that all are doubles from the start. */
  readonly #scores: number[] = [0.5];
  readonly #docs: number[] = [];
  readonly #segments: number[] = [];
  readonly #ranks: number[] = [];
  /** Keys that ties between segments have asked for. */
  readonly #keys: (Uint8Array | null)[] = [];
  /** Places of gathered documents: once selected, the first ones first; null: as they came. */
  #places: Int32Array | null = null;
  /** Of gathered documents: place of the last one that was selected; -1: none was. */
  #last = -1;
  #segment = 0;
  #segmentRanks: Int32Array | null = null;
  /**
   * Of this segment: ranks from `#late` on are behind the last kept document, ranks up to `#early`
   * before it.
   */
  #late = Number.POSITIVE_INFINITY;
  #early = -1;
  /** The same for the key of `after`: ranks from `#behind` on come after it. */
  #behind = Number.POSITIVE_INFINITY;
  #notBehind = -1;

  constructor(
    limit: number,
    keyOf: KeyOf,
    after: TopAfter | null = null,
    added: readonly number[] = [],
  ) {
    this.limit = limit;
    this.after = after;
    this.isRaised = added.length > 0;
    this.#keyOf = keyOf;
    this.#added = added;
    this.#raise = added.reduce((sum, score) => sum + score, 0);
  }

  get theta(): number {
    const least = this.#least;
    // 0 where both are infinite.
    return this.isRaised ? Math.max(0, least - least * SUM_ERROR - this.#raise || 0) : least;
  }

  /** Offered scores above this one are before the page. */
  get most(): number {
    const most = this.after?.score ?? Number.POSITIVE_INFINITY;
    return this.isRaised ? most + most * SUM_ERROR - this.#raise : most;
  }

  /**
   * The next offers are documents of this segment. `ranks`: order of the keys by document; null: as
   * the documents.
   */
  enter(segment: number, ranks: Int32Array | null): void {
    this.#segment = segment;
    this.#segmentRanks = ranks;
    this.#behind = Number.POSITIVE_INFINITY;
    this.#notBehind = -1;
    this.#forgetOrder();
  }

  /**
   * True when documents offered in rising order cannot be kept on an equal score: the list is full
   * of earlier ones.
   */
  get strict(): boolean {
    if (this.#segmentRanks !== null || !this.#full || this.limit === 0) return false;
    const worst = this.#worst;
    return this.#scores[worst] === this.#least && this.#segments[worst] === this.#segment;
  }

  /** True when the list is full and no raised theta is above its last score. */
  get settled(): boolean {
    if (this.size < this.limit) return false;
    if (this.#gathers && this.#last < 0) this.#select();
    return this.limit === 0 || this.#scores[this.#worst] >= this.#least;
  }

  /** Number of kept documents; `size` may count more while they are gathered. */
  get kept(): number {
    return Math.min(this.size, this.limit);
  }

  /** Score `i` of the kept documents; highest first where `limit` is at most 64. */
  scoreAt(i: number): number {
    return this.#scores[i];
  }

  /** A score that at least `limit` documents are known to have. */
  raise(score: number): void {
    const raised = this.#sum(score);
    if (raised > this.#least) this.#least = raised;
  }

  /** Forgets all offers. */
  clear(): void {
    this.size = 0;
    this.#least = 0;
    this.#places = null;
    this.#last = -1;
    this.#forgetOrder();
  }

  /** Offers a document. Each document at most once. */
  offer(doc: number, offered: number): void {
    const full = this.#full;
    const score = this.#sum(offered);
    if (full && score < this.#least) return;
    const rank = this.#segmentRanks === null ? doc : this.#segmentRanks[doc];
    if (this.after !== null && !this.#isAfter(this.after, doc, score, rank)) return;
    if (full) {
      if (this.limit === 0) return;
      if (score === this.#scores[this.#worst] && !this.#beatsWorst(doc, rank)) return;
    }
    if (this.#gathers) {
      this.#gather(doc, score, rank);
      return;
    }
    this.#insert(doc, score, rank, full);
    if (this.size === this.limit) this.#raiseToWorst();
  }

  /** True when a document's key comes after that of `after`. */
  follows(segment: number, doc: number): boolean {
    return this.after !== null && Buffer.compare(this.#keyOf(segment, doc), this.after.key) > 0;
  }

  /** The kept documents in order, without the first `skip` of them. */
  harvest(skip = 0): readonly TopDoc[] {
    if (this.size > this.limit) this.#select();
    const kept: TopDoc[] = [];
    const places = this.#gathers ? this.#order(skip) : null;
    for (let at = skip; at < this.size; at++) {
      const i = places === null ? at : places[at - skip];
      kept.push({ segment: this.#segments[i], doc: this.#docs[i], score: this.#scores[i] });
    }
    return kept;
  }

  #sum(score: number): number {
    return this.isRaised ? this.#added.reduce((sum, more) => sum + more, score) : score;
  }

  /** The places of gathered documents in order, without the first `skip`, which are not sorted. */
  #order(skip: number): Int32Array {
    const places = this.#places ?? inArrival(this.size);
    if (skip > 0 && skip < this.size) {
      selectBest(places, this.size, skip, this.#scores, (a, b) => this.#before(a, b));
    }
    return places.subarray(skip, this.size).sort((a, b) => (this.#before(a, b) ? -1 : 1));
  }

  /** True when documents are gathered: they are too many for an array in order. */
  get #gathers(): boolean {
    return this.limit > FLAT;
  }

  /** True when the last kept document is known. */
  get #full(): boolean {
    return this.limit > FLAT ? this.#last >= 0 : this.size === this.limit;
  }

  /** Place of the last kept document. */
  get #worst(): number {
    return this.limit <= FLAT ? this.size - 1 : this.#last;
  }

  #raiseToWorst(): void {
    const worst = this.#scores[this.#worst];
    if (worst > this.#least) this.#least = worst;
    this.#forgetOrder();
  }

  #forgetOrder(): void {
    this.#late = Number.POSITIVE_INFINITY;
    this.#early = -1;
  }

  #isAfter(after: TopAfter, doc: number, score: number, rank: number): boolean {
    if (score !== after.score) return score < after.score;
    if (rank >= this.#behind) return true;
    if (rank <= this.#notBehind) return false;
    const behind = this.follows(this.#segment, doc);
    if (behind) this.#behind = rank;
    else this.#notBehind = rank;
    return behind;
  }

  /** True when the document's key is before that of the last kept one, whose score is equal. */
  #beatsWorst(doc: number, rank: number): boolean {
    const worst = this.#worst;
    if (this.#segments[worst] === this.#segment) return rank < this.#ranks[worst];
    if (rank >= this.#late) return false;
    if (rank <= this.#early) return true;
    const mine = this.#keyOf(this.#segment, doc);
    const before = Buffer.compare(mine, this.#keyAt(worst)) < 0;
    if (before) this.#early = rank;
    else this.#late = rank;
    return before;
  }

  #keyAt(place: number): Uint8Array {
    let key = this.#keys[place];
    if (key === null) {
      key = this.#keyOf(this.#segments[place], this.#docs[place]);
      this.#keys[place] = key;
    }
    return key;
  }

  /** True when the kept document at place a stands before the one at b. */
  #before(a: number, b: number): boolean {
    if (this.#scores[a] !== this.#scores[b]) return this.#scores[a] > this.#scores[b];
    if (this.#segments[a] === this.#segments[b]) return this.#ranks[a] < this.#ranks[b];
    return Buffer.compare(this.#keyAt(a), this.#keyAt(b)) < 0;
  }

  #gather(doc: number, score: number, rank: number): void {
    const place = this.#places === null ? this.size : this.#places[this.size];
    this.#scores[place] = score;
    this.#docs[place] = doc;
    this.#ranks[place] = rank;
    this.#segments[place] = this.#segment;
    this.#keys[place] = null;
    if (++this.size === 2 * this.limit) this.#select();
  }

  /** Keeps the first `limit` of the gathered documents. */
  #select(): void {
    this.#places ??= inArrival(2 * this.limit);
    const before = (a: number, b: number) => this.#before(a, b);
    selectBest(this.#places, this.size, this.limit, this.#scores, before);
    this.size = this.limit;
    this.#last = this.#places[this.limit - 1];
    this.#raiseToWorst();
  }

  #insert(doc: number, score: number, rank: number, full: boolean): void {
    const scores = this.#scores;
    const docs = this.#docs;
    const ranks = this.#ranks;
    const segments = this.#segments;
    const keys = this.#keys;
    let key: Uint8Array | null = null;
    let at = full ? this.size - 1 : this.size++;
    for (; at > 0; at--) {
      const above = scores[at - 1];
      if (above > score) break;
      if (above === score) {
        if (segments[at - 1] === this.#segment) {
          if (rank >= ranks[at - 1]) break;
        } else {
          key ??= this.#keyOf(this.#segment, doc);
          if (Buffer.compare(key, this.#keyAt(at - 1)) >= 0) break;
        }
      }
      scores[at] = above;
      docs[at] = docs[at - 1];
      ranks[at] = ranks[at - 1];
      segments[at] = segments[at - 1];
      keys[at] = keys[at - 1];
    }
    scores[at] = score;
    docs[at] = doc;
    ranks[at] = rank;
    segments[at] = this.#segment;
    keys[at] = key;
  }
}

function inArrival(size: number): Int32Array {
  const places = new Int32Array(size);
  for (let i = 0; i < size; i++) places[i] = i;
  return places;
}
