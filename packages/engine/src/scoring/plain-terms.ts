import { boundaryOf, denseFrequency, rangeImpact, rangeWidth } from '../postings/dense-terms.ts';
import type { DenseTerm } from '../postings/term-info.ts';
import type { Arena } from '../storage/directory.ts';
import { type DescribedDense, newDense, readDense } from './describe-terms.ts';
import { EXCLUDED_AT, FIELD, TABLE_AT, TERM_BYTES } from './kernel-memory.ts';

/** Frequencies from here on are bounded by the last row of the impact table. */
export const PLAIN_ROWS = 32;
/** Frequencies of wider fields are bounded by that row, too. */
const TABLED_BITS = 5;

/** The described terms, for the plain kernels. */
export class PlainTerms {
  readonly #arena: Arena;
  readonly #dense: DescribedDense[] = [];
  readonly #bitmaps: number[] = [];

  constructor(arena: Arena) {
    this.#arena = arena;
  }

  /** Reads the descriptors of dense terms from .. to - 1; `dense` has them then. */
  open(from: number, to: number): void {
    while (this.#dense.length < to) {
      this.#dense.push(newDense());
      this.#bitmaps.push(0);
    }
    for (let k = from; k < to; k++) {
      readDense(this.#arena, k, this.#dense[k]);
      this.#bitmaps[k] = this.field(k, 'bitmap') >> 2;
    }
  }

  /** Dense term k. */
  dense(k: number): DenseTerm {
    return this.#dense[k];
  }

  /** A word of the descriptor of term k. */
  field(k: number, name: keyof typeof FIELD): number {
    return this.#arena.i32[(TERM_BYTES * k + FIELD[name]) >> 2];
  }

  /** The weight of term k. */
  weight(k: number): number {
    return this.#arena.f64[(TERM_BYTES * k + FIELD.weight) >> 3];
  }

  /** Impact of a frequency at a length code. */
  impact(tf: number, code: number): number {
    return this.#arena.f64[(TABLE_AT >> 3) + (Math.min(tf, PLAIN_ROWS) << 8) + code];
  }

  /** The most that terms from .. to - 1 score together in a range at a length code. */
  bound(from: number, to: number, range: number, code: number): number {
    let sum = 0;
    for (let k = from; k < to; k++) {
      const impact = rangeImpact(this.#arena, this.#dense[k], range);
      const width = rangeWidth(this.#arena, this.#dense[k], range);
      const best = this.#arena.f64[(this.field(k, 'bounds') >> 3) + impact];
      const tf = width < TABLED_BITS ? 1 << width : PLAIN_ROWS;
      const bound = Math.min(best, this.weight(k) * this.impact(tf, code));
      sum = k === from ? bound : sum + bound;
    }
    return sum;
  }

  /** At most this frequency by the width of a range; PLAIN_ROWS where it says nothing. */
  tabledFrequency(k: number, range: number, doc: number): number {
    const dense = this.#dense[k];
    if (rangeWidth(this.#arena, dense, range) >= TABLED_BITS) return PLAIN_ROWS;
    return denseFrequency(this.#arena, dense, doc);
  }

  /** Documents of word w of the bitmaps that all terms hold and none of the excluded bitmaps. */
  candidates(terms: number, excluded: number, w: number): number {
    const { i32 } = this.#arena;
    let word = -1;
    for (let k = 0; k < terms; k++) word &= i32[this.#bitmaps[k] + w];
    for (let i = 0; i < excluded; i++) word &= ~i32[(i32[(EXCLUDED_AT >> 2) + i] >> 2) + w];
    return word;
  }

  /** Frequency of dense term k in a document that holds it. */
  frequencyOf(k: number, doc: number): number {
    return denseFrequency(this.#arena, this.#dense[k], doc);
  }

  /** Address where frequencies of a range of term k end and positions begin. */
  boundary(k: number, range: number): number {
    return boundaryOf(this.#arena, this.#dense[k], range);
  }
}
