import { type CodedQuery, ROUNDING } from './coded-query.ts';
import { MIDDLE } from './format.ts';
import type { StoredVectors } from './stored-vectors.ts';

/**
 * Similarities of a query and stored vectors out of whole numbers, and how far off they may be: a
 * similarity is factor x (dot product of query and codes) + base. For cosine the factor is 1 / the
 * lengths of both, for dot the scale; for l2 it is twice the scale, and the base the squares of
 * both lengths, negated.
 */
export class Bounds {
  readonly #norms: Float64Array;
  readonly #rests: Float32Array;
  readonly #scales: Float32Array;
  readonly #tails: Float32Array;
  readonly #kind: number;
  readonly #inverse: number;
  readonly #square: number;
  readonly #step: number;
  readonly #rest: number;
  readonly #coded: number;
  readonly #tail: number;
  readonly #middle: number;
  readonly #headMiddle: number;

  constructor({ norms, rests, scales, tails, metric }: StoredVectors, query: CodedQuery) {
    this.#norms = norms;
    this.#rests = rests;
    this.#scales = scales;
    this.#tails = tails;
    this.#kind = metric === 'cosine' ? 0 : metric === 'dot' ? 1 : 2;
    this.#inverse = query.norm === 0 ? 0 : 1 / query.norm;
    this.#square = query.norm * query.norm;
    this.#step = query.step;
    this.#rest = query.rest;
    this.#coded = query.coded;
    this.#tail = query.tail;
    this.#middle = MIDDLE * query.sum;
    this.#headMiddle = MIDDLE * query.headSum;
  }

  /** What is multiplied by the dot product with the codes. */
  factor(slot: number): number {
    if (this.#kind === 0) return this.#inverse / this.#norms[slot];
    return this.#kind * this.#scales[slot];
  }

  /** What is added to it. */
  base(slot: number): number {
    if (this.#kind !== 2) return 0;
    const length = this.#scales[slot] * this.#norms[slot];
    return -(this.#square + length * length);
  }

  /** The dot product with the codes, about, by that with the high bytes. */
  product(highs: number): number {
    return this.#step * (256 * highs + this.#middle);
  }

  /** The same by that with the high bytes of the head: what the tail adds is left out. */
  headProduct(highs: number): number {
    return this.#step * (256 * highs + this.#headMiddle);
  }

  /**
   * The dot product with the codes, but for the rounding of the query, by those with both bytes.
   */
  sharpProduct(highs: number, lows: number): number {
    return this.#step * (256 * highs + lows + this.#middle);
  }

  /** How far `product` may be off. */
  off(slot: number): number {
    return this.#rest * this.#norms[slot] + this.#coded * this.#rests[slot];
  }

  /** How far `sharpProduct` may be off. */
  sharpOff(slot: number): number {
    return this.#rest * this.#norms[slot];
  }

  /**
   * For cosine, what `mostByHead` >= `least` asks of the dot product by heads, solved for it: at
   * least norm x n - rests x r - tails x t - m. Null for others, and for a query of length 0.
   */
  headLine(least: number): HeadLine | null {
    if (this.#kind !== 0 || this.#inverse === 0) return null;
    const unit = 1 / (256 * this.#step);
    return {
      n: unit * (least / this.#inverse - this.#rest),
      r: unit * this.#coded,
      t: unit * this.#tail,
      m: this.#headMiddle / 256,
    };
  }

  /** The greatest similarity that a vector can have, by the high bytes of its head alone. */
  mostByHead(slot: number, heads: number): number {
    const product = this.headProduct(heads);
    const tail = this.#tails.length === 0 ? 0 : this.#tail * this.#tails[slot];
    const most = this.factor(slot) * (product + this.off(slot) + tail);
    return this.#kind === 2 ? most + this.base(slot) * (1 - SLACK) : most;
  }
}

/** Coefficients of a bound that is a sum. */
export interface HeadLine {
  readonly n: number;
  readonly r: number;
  readonly t: number;
  readonly m: number;
}

/** Rounding of a sum of squares that is greater than what it is subtracted from. */
export const SLACK = 2 * ROUNDING;
