import { selectFirst } from '../base/arrays/select-first.ts';
import type { SegmentKeys } from '../segment/keys/keys.ts';
import { compareValues, type RankedDoc, type SearchAfter, type SortValue } from './order.ts';
import { type RankCodes, rankOfKey, type SegmentSortKey } from './segment-order.ts';

/** What an order needs of the keys of a segment. */
export type KeyOrder = Pick<SegmentKeys, 'docs' | 'isCold' | 'ranks' | 'rank' | 'key'>;

/** Up to this limit the collected documents are a heap. */
const HEAP_DOCS = 1024;

/**
 * Collects the first `limit` documents of one segment in an order, after `after` unless it is null.
 * Documents may be offered in any order; ties go by key.
 *
 * The last collected document sets the bar: a document must reach its sort rank for the first key
 * (`worst`), so most offers cost one comparison. Up to HEAP_DOCS documents are a binary heap with
 * the last one on top. For a larger limit, twice as many are gathered before the first half is
 * selected: a constant amount of work per document.
 */
export class RankedDocs {
  readonly limit: number;
  readonly after: SearchAfter | null;
  readonly #keys: readonly SegmentSortKey[];
  readonly #width: number;
  readonly #docs: Int32Array;
  readonly #scores: number[];
  readonly #sortRanks: number[];
  /** Indexes into `#docs`: a heap, or the selected documents first and then free slots. */
  readonly #slots: Int32Array;
  readonly #heaped: boolean;
  readonly #segmentKeys: KeyOrder;
  readonly #keyRanks: Int32Array | null;
  readonly #afterRanks: readonly number[];
  /** Rank of the key of `after`; -1 without. */
  readonly #afterKeyRank: number;
  readonly #candidate: number[];
  #size = 0;
  /** The slot of the last collected document; -1 while there are fewer than `limit`. */
  #last = -1;
  #worst = Number.POSITIVE_INFINITY;
  /** With one sort key: the key rank that a document of equal sort rank must beat. */
  #worstKeyRank = Number.POSITIVE_INFINITY;

  /**
   * `bound`: a document after `limit` documents of other segments, or null.
   */
  constructor(
    keys: readonly SegmentSortKey[],
    segmentKeys: KeyOrder,
    limit: number,
    after: SearchAfter | null,
    bound: RankedDoc | null,
  ) {
    this.#keys = keys;
    this.#segmentKeys = segmentKeys;
    this.#keyRanks = segmentKeys.ranks;
    this.limit = limit;
    this.#width = keys.length;
    this.#heaped = limit <= HEAP_DOCS;
    const room = this.#heaped ? limit + 1 : Math.min(2 * limit, segmentKeys.docs);
    this.#docs = new Int32Array(room);
    this.#scores = new Array<number>(room).fill(0.5);
    this.#sortRanks = new Array<number>(room * this.#width).fill(0.5);
    this.#slots = new Int32Array(room);
    if (!this.#heaped) for (let i = 0; i < room; i++) this.#slots[i] = i;
    this.after = after;
    this.#afterRanks = keys.map((key, i) => (after === null ? 0 : key.rankOf(after.values[i]!)));
    this.#afterKeyRank = after === null ? -1 : rankOfKey(segmentKeys, after.key);
    this.#candidate = new Array<number>(this.#width).fill(0.5);
    if (bound !== null) this.#worst = keys[0].rankOf(bound.values[0]!);
  }

  /**
   * A document whose first sort rank is above this cannot be among the first: do not offer it.
   */
  get worst(): number {
    return this.#worst;
  }

  /** Documents whose first sort rank is below this come before the page. */
  get begin(): number {
    return this.after === null ? Number.NEGATIVE_INFINITY : this.#afterRanks[0];
  }

  /** True if no document was collected. */
  get empty(): boolean {
    return this.#size === 0;
  }

  /** True if `limit` documents were collected. */
  get full(): boolean {
    return this.#size >= this.limit;
  }

  #keyRank(doc: number): number {
    return this.#keyRanks === null ? doc : this.#keyRanks[doc];
  }

  /**
   * True if a document certainly comes before the page: along a column's order, documents
   * for which that holds come first.
   */
  precedes(doc: number, score: number): boolean {
    if (this.after === null) return false;
    const first = this.#keys[0];
    const rank = first.rank(doc, score);
    const begin = this.#afterRanks[0];
    if (rank !== begin) return rank < begin;
    return this.#width === 1 && !first.blurred(rank) && this.#keyRank(doc) <= this.#afterKeyRank;
  }

  /** Offers documents whose first value equals that of `after`, all with one score. */
  offerTies(bits: Int32Array, score: number): void {
    if (this.#width > 1 || this.#keys[0].blurred(this.#afterRanks[0])) {
      this.offerBits(bits, 0, bits.length, score);
      return;
    }
    for (let i = 0; i < bits.length; i++) {
      for (let word = bits[i]; word !== 0; word &= word - 1) {
        const doc = (i << 5) + 31 - Math.clz32(word & -word);
        const keyRank = this.#keyRank(doc);
        if (keyRank > this.#afterKeyRank && keyRank <= this.#worstKeyRank) this.offer(doc, score);
      }
    }
  }

  /** Offers every document of bits[from .. to), with one score. */
  offerBits(bits: Int32Array, from: number, to: number, score: number): void {
    const first = this.#keys[0];
    const begin = this.after === null ? Number.NEGATIVE_INFINITY : this.#afterRanks[0];
    const beginKeyRank = this.#width === 1 && !first.blurred(begin) ? this.#afterKeyRank : -1;
    if (first.codes !== undefined && this.after === null) {
      this.#offerCodes(first, first.codes, bits, from, to, score);
      return;
    }
    for (let i = from; i < to; i++) {
      for (let word = bits[i]; word !== 0; word &= word - 1) {
        const doc = (i << 5) + 31 - Math.clz32(word & -word);
        const rank = first.rank(doc, score);
        if (rank > this.#worst || rank < begin) continue;
        if (rank === begin && this.#keyRank(doc) <= beginKeyRank) continue;
        if (rank === this.#worst && this.#keyRank(doc) > this.#worstKeyRank) continue;
        this.offer(doc, score);
      }
    }
  }

  /**
   * The same from the start, where the column's codes tell who needs no closer look. Documents are
   * taken from the end at which the first ones seem to lie: each that is kept raises the bar.
   */
  #offerCodes(
    first: SegmentSortKey,
    { codes, desc, limit }: RankCodes,
    bits: Int32Array,
    from: number,
    to: number,
    score: number,
  ): void {
    const end = Math.min(to << 5, codes.length);
    const backwards = codes[end - 1] > codes[from << 5] === desc;
    let worst = this.#worst;
    let last = limit(worst);
    for (let n = 0; n < to - from; n++) {
      const i = backwards ? to - 1 - n : from + n;
      for (let word = bits[i]; word !== 0; ) {
        const lowest = word & -word;
        const bit = 31 - Math.clz32(backwards ? word : lowest);
        word ^= 1 << bit;
        const doc = (i << 5) + bit;
        if (desc ? codes[doc] < last : codes[doc] > last) continue;
        if (this.#worstKeyRank < this.#keyRank(doc) && first.rank(doc, score) >= worst) continue;
        this.offer(doc, score);
        if (worst === this.#worst) continue;
        worst = this.#worst;
        last = limit(worst);
      }
    }
  }

  /**
   * Offers docs[0 .. count), rising, with one score: from the end at which the first ones seem to
   * lie.
   */
  offerDocs(docs: Int32Array, count: number, score: number): void {
    const first = this.#keys[0];
    if (count === 0) return;
    const last = count - 1;
    const backwards = first.rank(docs[last], score) < first.rank(docs[0], score);
    const codes = first.codes?.codes;
    const falling = first.codes?.desc === true;
    let worst = this.#worst;
    let limit = first.codes?.limit(worst) ?? 0;
    for (let i = 0; i < count; i++) {
      const doc = docs[backwards ? last - i : i];
      if (codes !== undefined && (falling ? codes[doc] < limit : codes[doc] > limit)) continue;
      if (first.rank(doc, score) > worst) continue;
      this.offer(doc, score);
      if (worst === this.#worst) continue;
      worst = this.#worst;
      limit = first.codes?.limit(worst) ?? 0;
    }
  }

  /** Offers a document; `score` may be anything where no key asks for it. */
  offer(doc: number, score: number): void {
    const first = this.#keys[0].rank(doc, score);
    if (first > this.#worst) return;
    this.#candidate[0] = first;
    for (let i = 1; i < this.#width; i++) {
      this.#candidate[i] = this.#keys[i].rank(doc, score);
    }
    if (this.after !== null && !this.#isAfter(doc, score, this.after)) return;
    if (this.#last >= 0 && !this.#before(doc, score, this.#last)) return;
    if (!this.#heaped) this.#gather(doc, score);
    else if (this.#last < 0) this.#push(doc, score);
    else this.#replaceTop(doc, score);
  }

  /** The collected documents in order. Call once, at the end. */
  harvest(segment: number): readonly RankedDoc[] {
    if (this.#size > this.limit) this.#select();
    const slots = this.#slots.subarray(0, this.#size);
    slots.sort((a, b) => (this.#slotBefore(a, b) ? -1 : 1));
    const docs: RankedDoc[] = [];
    for (let i = 0; i < slots.length; i++) {
      const doc = this.#docs[slots[i]];
      const score = this.#scores[slots[i]];
      const values = this.#keys.map((key) => key.value(doc, score));
      docs.push(new SegmentDoc(this.#segmentKeys, { segment, doc, score, values }));
    }
    return docs;
  }

  #isAfter(doc: number, score: number, after: SearchAfter): boolean {
    for (let i = 0; i < this.#width; i++) {
      const key = this.#keys[i];
      const rank = this.#candidate[i];
      const limit = this.#afterRanks[i];
      if (rank !== limit) return rank > limit;
      if (!key.blurred(rank)) continue;
      const order = compareValues(
        key.value(doc, score),
        after.values[i]!,
        key.desc,
        key.missingFirst,
      );
      if (order !== 0) return order > 0;
    }
    return this.#keyRank(doc) > this.#afterKeyRank;
  }

  /** True if the candidate comes before the document of `slot`. */
  #before(doc: number, score: number, slot: number): boolean {
    const at = slot * this.#width;
    for (let i = 0; i < this.#width; i++) {
      const rank = this.#candidate[i];
      const other = this.#sortRanks[at + i];
      if (rank !== other) return rank < other;
      const order = this.#compareBlurred(i, rank, doc, score, slot);
      if (order !== 0) return order < 0;
    }
    return this.#keyRank(doc) < this.#keyRank(this.#docs[slot]);
  }

  #compareBlurred(i: number, rank: number, doc: number, score: number, slot: number): number {
    const key = this.#keys[i];
    if (!key.blurred(rank)) return 0;
    const other = key.value(this.#docs[slot], this.#scores[slot]);
    return compareValues(key.value(doc, score), other, key.desc, key.missingFirst);
  }

  #put(slot: number, doc: number, score: number): void {
    this.#docs[slot] = doc;
    this.#scores[slot] = score;
    for (let i = 0; i < this.#width; i++) {
      this.#sortRanks[slot * this.#width + i] = this.#candidate[i];
    }
  }

  #gather(doc: number, score: number): void {
    this.#put(this.#slots[this.#size++], doc, score);
    if (this.#size === this.#slots.length && this.#size > this.limit) this.#select();
  }

  /** Keeps the first `limit` of the gathered documents. */
  #select(): void {
    selectFirst(this.#slots, this.#size, this.limit, (a, b) => this.#slotBefore(a, b));
    this.#size = this.limit;
    this.#tighten(this.#slots[this.limit - 1]);
  }

  #push(doc: number, score: number): void {
    const slot = this.#size;
    this.#put(slot, doc, score);
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      if (this.#slotBefore(slot, this.#slots[parent])) break;
      this.#slots[at] = this.#slots[parent];
      at = parent;
    }
    this.#slots[at] = slot;
    if (this.#size === this.limit) this.#tighten(this.#slots[0]);
  }

  #replaceTop(doc: number, score: number): void {
    const slot = this.#slots[0];
    this.#put(slot, doc, score);
    let at = 0;
    for (let child = 1; child < this.#size; child = 2 * at + 1) {
      if (child + 1 < this.#size && this.#slotBefore(this.#slots[child], this.#slots[child + 1])) {
        child++;
      }
      if (!this.#slotBefore(slot, this.#slots[child])) break;
      this.#slots[at] = this.#slots[child];
      at = child;
    }
    this.#slots[at] = slot;
    this.#tighten(this.#slots[0]);
  }

  /** True if slot a comes before slot b. */
  #slotBefore(a: number, b: number): boolean {
    for (let i = 0; i < this.#width; i++) {
      const rank = this.#sortRanks[a * this.#width + i];
      const other = this.#sortRanks[b * this.#width + i];
      if (rank !== other) return rank < other;
      const order = this.#compareBlurred(i, rank, this.#docs[a], this.#scores[a], b);
      if (order !== 0) return order < 0;
    }
    return this.#keyRank(this.#docs[a]) < this.#keyRank(this.#docs[b]);
  }

  #tighten(last: number): void {
    this.#last = last;
    const rank = this.#sortRanks[last * this.#width];
    if (rank > this.#worst) return;
    this.#worst = rank;
    const decided = this.#width === 1 && !this.#keys[0].blurred(rank);
    this.#worstKeyRank = decided ? this.#keyRank(this.#docs[last]) : Number.POSITIVE_INFINITY;
  }
}

/**
 * A document of an open segment. Its key is read from the segment when it is first needed: of the
 * many documents that are found for later pages few keys are compared.
 */
export class SegmentDoc implements RankedDoc {
  readonly segment: number;
  readonly doc: number;
  readonly score: number;
  readonly values: readonly SortValue[];
  readonly #keys: Pick<SegmentKeys, 'key'>;
  #key: Uint8Array | null = null;

  constructor(
    keys: Pick<SegmentKeys, 'key'>,
    { segment, doc, score, values }: Omit<RankedDoc, 'key'>,
  ) {
    this.segment = segment;
    this.doc = doc;
    this.score = score;
    this.values = values;
    this.#keys = keys;
  }

  get key(): Uint8Array {
    this.#key ??= this.#keys.key(this.doc);
    return this.#key;
  }

  /** The same document with another score. */
  withScore(score: number): SegmentDoc {
    const { segment, doc, values } = this;
    return new SegmentDoc(this.#keys, { segment, doc, score, values });
  }
}
