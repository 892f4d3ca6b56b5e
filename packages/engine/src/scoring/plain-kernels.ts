import { LIST_BLOCK, LONG, RANGE_SHIFT } from '../inverted/format.ts';
import type { Arena } from '../storage/directory.ts';
import { DOCS_AT, EMITTED_AT, SCORES_AT } from './kernel-memory.ts';
import type { Kernels } from './kernels.ts';
import { intersect, sieve } from './plain-lists.ts';
import { PlainPhrases } from './plain-phrases.ts';
import { PLAIN_ROWS, PlainTerms, WORDS } from './plain-terms.ts';

const MOST_EMITTED = 16;

/** The kernels as plain loops, for any number of terms: the same answers, bit for bit. */
export class PlainKernels implements Kernels {
  readonly #u8: Uint8Array;
  readonly #i32: Int32Array;
  readonly #f64: Float64Array;
  readonly #view: DataView;
  readonly #terms: PlainTerms;
  readonly #phrases: PlainPhrases;
  #emitted = 0;
  #inexact = false;

  constructor(arena: Arena) {
    const { u8, i32, f64, view } = arena;
    this.#terms = new PlainTerms(arena);
    this.#phrases = new PlainPhrases(arena);
    this.#u8 = u8;
    this.#i32 = i32;
    this.#f64 = f64;
    this.#view = view;
  }

  ranges(
    terms: number,
    from: number,
    to: number,
    sortedAt: number,
    boundsAt: number,
    codesAt: number,
    excluded: number,
    theta: number,
    low: number,
  ): number {
    this.#emitted = 0;
    let at = from;
    while (at < to && this.#emitted === 0) {
      const range = this.#i32[(sortedAt >> 2) + at++];
      if (this.#f64[(boundsAt >> 3) + range] < theta) continue;
      for (let w = WORDS * range; w < WORDS * range + WORDS; w++) {
        for (let word = this.#terms.candidates(terms, excluded, w); word !== 0; word &= word - 1) {
          const doc = (w << 5) + 31 - Math.clz32(word & -word);
          const code = this.#u8[codesAt + doc];
          if (this.#terms.bound(0, terms, range, code) < low) continue;
          this.#inexact = false;
          let score = 0;
          for (let k = 0; k < terms; k++) {
            const share = this.#denseShare(k, doc, code);
            score = k === 0 ? share : score + share;
          }
          this.#emit(doc, code, score, theta);
        }
      }
    }
    this.#i32[EMITTED_AT >> 2] = this.#emitted;
    return at;
  }

  lists(
    lists: number,
    dense: number,
    from: number,
    to: number,
    survivorsAt: number,
    codesAt: number,
    theta: number,
    low: number,
    ahead: number,
  ): number {
    this.#emitted = 0;
    let at = from;
    for (; at < to && this.#emitted < MOST_EMITTED; at++) {
      const doc = this.#i32[(survivorsAt >> 2) + at];
      const code = this.#u8[codesAt + doc];
      this.#inexact = false;
      let score = 0;
      for (let k = 0; k < lists; k++) {
        const hit = this.#i32[(this.#terms.field(k, 'hits') >> 2) + at];
        const share = this.#share(
          k,
          this.#i32[(this.#terms.field(k, 'frequencies') >> 2) + hit],
          code,
        );
        score = k === 0 ? share : score + share;
      }
      if (dense > 0) {
        if (score + ahead < low) continue;
        if (score + this.#terms.bound(lists, lists + dense, doc >> RANGE_SHIFT, code) < low)
          continue;
        for (let k = lists; k < lists + dense; k++) score += this.#denseShare(k, doc, code);
      }
      this.#emit(doc, code, score, theta);
    }
    this.#i32[EMITTED_AT >> 2] = this.#emitted;
    return at;
  }

  list(
    block: number,
    blocks: number,
    lastAt: number,
    headsAt: number,
    dataAt: number,
    payload: number,
    df: number,
    codesAt: number,
    blockedAt: number,
    first: number,
    weight: number,
    theta: number,
  ): number {
    const i32 = this.#i32;
    this.#emitted = 0;
    let b = block;
    for (; b < blocks && this.#emitted === 0; b++) {
      const head = i32[(headsAt >> 2) + b];
      if ((head & 255) < first) continue;
      const width = (head >>> 8) & 255;
      const tfWidth = (head >>> 16) & 255;
      const size = Math.min(LIST_BLOCK, df - b * LIST_BLOCK);
      const at = payload + i32[(dataAt >> 2) + b];
      const tfAt = at + (((size * width + 31) >> 5) << 2);
      let doc = b === 0 ? -1 : i32[(lastAt >> 2) + b - 1];
      for (let i = 0; i < size; i++) {
        doc += this.#packed(at, i * width, width) + 1;
        if (blockedAt !== 0 && (i32[(blockedAt >> 2) + (doc >> 5)] >>> doc) & 1) continue;
        const tf = this.#packed(tfAt, i * tfWidth, tfWidth) + 1;
        const code = this.#u8[codesAt + doc];
        this.#inexact = tf >= PLAIN_ROWS;
        this.#emit(doc, code, weight * this.#terms.impact(tf, code), theta);
      }
    }
    i32[EMITTED_AT >> 2] = this.#emitted;
    return b;
  }

  /** The value of `width` bits at a bit after an address. */
  #packed(at: number, bit: number, width: number): number {
    return (this.#view.getInt32(at + (bit >>> 3), true) >>> (bit & 7)) & (2 ** width - 1);
  }

  #share(k: number, tf: number, code: number): number {
    if (tf >= PLAIN_ROWS) this.#inexact = true;
    return this.#terms.weight(k) * this.#terms.impact(tf, code);
  }

  #denseShare(k: number, doc: number, code: number): number {
    const width = this.#u8[this.#terms.field(k, 'width') + (doc >> RANGE_SHIFT)];
    return this.#share(k, this.#terms.frequencyOf(k, doc, width), code);
  }

  #emit(doc: number, code: number, score: number, theta: number): void {
    if (score < theta) return;
    const inexact = this.#inexact || code >= LONG;
    this.#i32[(DOCS_AT >> 2) + this.#emitted] = inexact ? ~doc : doc;
    this.#f64[(SCORES_AT >> 3) + this.#emitted++] = score;
  }

  bounds(
    terms: number,
    ranges: number,
    boundAt: number,
    intoAt: number,
    up: number,
    theta: number,
  ): number {
    let n = 0;
    for (let range = 0; range < ranges; range++) {
      let sum = 0;
      let everywhere = true;
      for (let k = 0; k < terms && everywhere; k++) {
        const code = this.#u8[this.#terms.field(k, 'impact') + range];
        everywhere = code !== 0;
        sum += this.#f64[(this.#terms.field(k, 'bounds') >> 3) + code];
      }
      if (!everywhere || up * sum < theta) continue;
      this.#f64[(boundAt >> 3) + range] = up * sum;
      this.#i32[(intoAt >> 2) + n++] = range;
    }
    return n;
  }

  sieve(
    sourceAt: number,
    n: number,
    bitmapAt: number,
    intoAt: number,
    hitsAt: number,
    first: number,
    flip: number,
  ): number {
    return sieve(this.#i32, sourceAt, n, bitmapAt, intoAt, hitsAt, first, flip);
  }

  intersect(
    aAt: number,
    aSize: number,
    bAt: number,
    bSize: number,
    intoAt: number,
    iAt: number,
    jAt: number,
  ): number {
    return intersect(this.#i32, aAt, aSize, bAt, bSize, intoAt, iAt, jAt);
  }

  phrases(
    terms: number,
    from: number,
    to: number,
    sortedAt: number,
    boundsAt: number,
    codesAt: number,
    extentsAt: number,
    excluded: number,
    counting: number,
    weight: number,
    low: number,
  ): number {
    return this.#phrases.phrases(
      terms,
      from,
      to,
      sortedAt,
      boundsAt,
      codesAt,
      extentsAt,
      excluded,
      counting,
      weight,
      low,
    );
  }

  phraseSurvivors(
    from: number,
    to: number,
    orderedAt: number,
    survivorsAt: number,
    codesAt: number,
    extentsAt: number,
    blockedAt: number,
    lists: number,
    terms: number,
    counting: number,
    weight: number,
    low: number,
  ): number {
    return this.#phrases.phraseSurvivors(
      from,
      to,
      orderedAt,
      survivorsAt,
      codesAt,
      extentsAt,
      blockedAt,
      lists,
      terms,
      counting,
      weight,
      low,
    );
  }
}
