import { LONG } from '../inverted/format.ts';
import { RANGE_WORDS, rangeImpact } from '../postings/dense-terms.ts';
import { LIST_BLOCK, RANGE_SHIFT } from '../postings/format.ts';
import { blockImpact, blockSize, unpackDocs, unpackFrequencies } from '../postings/list-terms.ts';
import type { Arena } from '../storage/directory.ts';
import { DOCS_AT, EMITTED_AT, SCORES_AT } from './kernel-memory.ts';
import type {
  BoundScan,
  Intersection,
  Kernels,
  ListScan,
  PhraseScan,
  RangeScan,
  Sieve,
  SurvivorScan,
} from './kernels.ts';
import { intersect, sieve } from './plain-lists.ts';
import { PlainPhrases } from './plain-phrases.ts';
import { PLAIN_ROWS, PlainTerms } from './plain-terms.ts';

const MAX_EMITTED = 16;

/** The kernels as plain loops, for any number of terms: the same answers, bit for bit. */
export class PlainKernels implements Kernels {
  readonly query = null;
  readonly #u8: Uint8Array;
  readonly #i32: Int32Array;
  readonly #f64: Float64Array;
  readonly #arena: Arena;
  readonly #docs = new Int32Array(LIST_BLOCK);
  readonly #frequencies = new Int32Array(LIST_BLOCK);
  readonly #terms: PlainTerms;
  readonly #phrases: PlainPhrases;
  #emitted = 0;
  #inexact = false;

  constructor(arena: Arena) {
    const { u8, i32, f64 } = arena;
    this.#terms = new PlainTerms(arena);
    this.#phrases = new PlainPhrases(arena);
    this.#u8 = u8;
    this.#i32 = i32;
    this.#f64 = f64;
    this.#arena = arena;
  }

  ranges(scan: RangeScan, from: number, to: number): number {
    const { terms, orderAt, boundsAt, codesAt, excluded, theta, low } = scan;
    this.#emitted = 0;
    this.#terms.open(0, terms);
    let at = from;
    while (at < to && this.#emitted === 0) {
      const range = this.#i32[(orderAt >> 2) + at++];
      if (this.#f64[(boundsAt >> 3) + range] < theta) continue;
      for (let w = RANGE_WORDS * range; w < RANGE_WORDS * range + RANGE_WORDS; w++) {
        for (let word = this.#terms.candidates(terms, excluded, w); word !== 0; word &= word - 1) {
          const doc = (w << 5) + 31 - Math.clz32(word & -word);
          const code = this.#u8[codesAt + doc];
          if (this.#terms.bound(0, terms, range, code) < low) continue;
          this.#inexact = false;
          let score = 0;
          for (let k = 0; k < terms; k++) {
            const part = this.#denseScore(k, doc, code);
            score = k === 0 ? part : score + part;
          }
          this.#emit(doc, code, score, theta);
        }
      }
    }
    this.#i32[EMITTED_AT >> 2] = this.#emitted;
    return at;
  }

  lists(scan: SurvivorScan, from: number, to: number): number {
    const { lists, dense, survivorsAt, codesAt, theta, low, denseMax } = scan;
    this.#emitted = 0;
    this.#terms.open(lists, lists + dense);
    let at = from;
    for (; at < to && this.#emitted < MAX_EMITTED; at++) {
      const doc = this.#i32[(survivorsAt >> 2) + at];
      const code = this.#u8[codesAt + doc];
      this.#inexact = false;
      let score = 0;
      for (let k = 0; k < lists; k++) {
        const hit = this.#i32[(this.#terms.field(k, 'hits') >> 2) + at];
        const part = this.#termScore(
          k,
          this.#i32[(this.#terms.field(k, 'frequencies') >> 2) + hit],
          code,
        );
        score = k === 0 ? part : score + part;
      }
      if (dense > 0) {
        if (score + denseMax < low) continue;
        if (score + this.#terms.bound(lists, lists + dense, doc >> RANGE_SHIFT, code) < low)
          continue;
        for (let k = lists; k < lists + dense; k++) score += this.#denseScore(k, doc, code);
      }
      this.#emit(doc, code, score, theta);
    }
    this.#i32[EMITTED_AT >> 2] = this.#emitted;
    return at;
  }

  list(scan: ListScan, from: number, to: number): number {
    const { list, codesAt, blockedAt, leastCode, weight, theta } = scan;
    const i32 = this.#i32;
    const docs = this.#docs;
    const frequencies = this.#frequencies;
    this.#emitted = 0;
    let b = from;
    for (; b < to && this.#emitted === 0; b++) {
      if (blockImpact(this.#arena, list, b) < leastCode) continue;
      unpackDocs(this.#arena, list, b, docs, 0);
      unpackFrequencies(this.#arena, list, b, frequencies, 0);
      for (let i = 0, size = blockSize(list, b); i < size; i++) {
        const doc = docs[i];
        if (blockedAt !== 0 && (i32[(blockedAt >> 2) + (doc >> 5)] >>> doc) & 1) continue;
        const code = this.#u8[codesAt + doc];
        this.#inexact = frequencies[i] >= PLAIN_ROWS;
        this.#emit(doc, code, weight * this.#terms.impact(frequencies[i], code), theta);
      }
    }
    i32[EMITTED_AT >> 2] = this.#emitted;
    return b;
  }

  #termScore(k: number, tf: number, code: number): number {
    if (tf >= PLAIN_ROWS) this.#inexact = true;
    return this.#terms.weight(k) * this.#terms.impact(tf, code);
  }

  #denseScore(k: number, doc: number, code: number): number {
    return this.#termScore(k, this.#terms.frequencyOf(k, doc), code);
  }

  #emit(doc: number, code: number, score: number, theta: number): void {
    if (score < theta) return;
    const inexact = this.#inexact || code >= LONG;
    this.#i32[(DOCS_AT >> 2) + this.#emitted] = inexact ? ~doc : doc;
    this.#f64[(SCORES_AT >> 3) + this.#emitted++] = score;
  }

  bounds({ terms, ranges, boundsAt, intoAt, roundUp, theta }: BoundScan): number {
    let n = 0;
    this.#terms.open(0, terms);
    for (let range = 0; range < ranges; range++) {
      let sum = 0;
      let everywhere = true;
      for (let k = 0; k < terms && everywhere; k++) {
        const code = rangeImpact(this.#arena, this.#terms.dense(k), range);
        everywhere = code !== 0;
        sum += this.#f64[(this.#terms.field(k, 'bounds') >> 3) + code];
      }
      if (!everywhere || roundUp * sum < theta) continue;
      this.#f64[(boundsAt >> 3) + range] = roundUp * sum;
      this.#i32[(intoAt >> 2) + n++] = range;
    }
    return n;
  }

  sieve(lists: Sieve): number {
    return sieve(this.#i32, lists);
  }

  intersect(lists: Intersection): number {
    return intersect(this.#i32, lists);
  }

  phrases(scan: PhraseScan, from: number, to: number): number {
    return this.#phrases.phrases(scan, from, to);
  }

  phraseSurvivors(scan: PhraseScan, from: number, to: number): number {
    return this.#phrases.phraseSurvivors(scan, from, to);
  }
}
