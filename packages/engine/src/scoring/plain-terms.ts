import { popcount } from '../bitmap/bitmap.ts';
import { RANGE_SHIFT } from '../inverted/format.ts';
import type { Arena } from '../storage/directory.ts';
import { EXCLUDED_AT, FIELD, TABLE_AT, TERM_BYTES } from './kernel-memory.ts';

/** Frequencies from here on are bounded by the last row of the impact table. */
export const PLAIN_ROWS = 32;
/** Words of a range. */
export const WORDS = 8;

/** The described terms, for the plain kernels. */
export class PlainTerms {
  readonly #u8: Uint8Array;
  readonly #i32: Int32Array;
  readonly #f64: Float64Array;
  readonly #view: DataView;

  constructor({ u8, i32, f64, view }: Arena) {
    this.#u8 = u8;
    this.#i32 = i32;
    this.#f64 = f64;
    this.#view = view;
  }

  /** A word of the descriptor of term k. */
  field(k: number, name: keyof typeof FIELD): number {
    return this.#i32[(TERM_BYTES * k + FIELD[name]) >> 2];
  }

  /** The weight of term k. */
  weight(k: number): number {
    return this.#f64[(TERM_BYTES * k + FIELD.weight) >> 3];
  }

  /** Impact of a frequency at a length code. */
  impact(tf: number, code: number): number {
    return this.#f64[(TABLE_AT >> 3) + (Math.min(tf, PLAIN_ROWS) << 8) + code];
  }

  /** The most that terms from .. to - 1 score together in a range at a length code. */
  bound(from: number, to: number, range: number, code: number): number {
    let sum = 0;
    for (let k = from; k < to; k++) {
      const impact = this.#u8[this.field(k, 'impact') + range];
      const width = this.#u8[this.field(k, 'width') + range];
      const best = this.#f64[(this.field(k, 'bounds') >> 3) + impact];
      const most = this.weight(k) * this.impact(width < 5 ? 1 << width : PLAIN_ROWS, code);
      const bound = Math.min(best, most);
      sum = k === from ? bound : sum + bound;
    }
    return sum;
  }

  /** Documents of word w of the bitmaps that all terms hold and none of the excluded bitmaps. */
  candidates(terms: number, excluded: number, w: number): number {
    let word = -1;
    for (let k = 0; k < terms; k++) word &= this.#i32[(this.field(k, 'bitmap') >> 2) + w];
    for (let i = 0; i < excluded; i++) {
      word &= ~this.#i32[(this.#i32[(EXCLUDED_AT >> 2) + i] >> 2) + w];
    }
    return word;
  }

  /** Frequency of dense term k in a document that holds it, whose range has this width. */
  frequencyOf(k: number, doc: number, width: number): number {
    if (width === 0) return 1;
    const range = doc >> RANGE_SHIFT;
    const words = this.field(k, 'bitmap') >> 2;
    const own = words + (doc >> 5);
    let rank = popcount(this.#i32[own] & (2 ** (doc & 31) - 1));
    for (let w = words + WORDS * range; w < own; w++) rank += popcount(this.#i32[w]);
    return this.frequency(this.boundary(k, range), (rank + 1) * width, width);
  }

  /** tf whose bits end `bit` bits before a boundary. */
  frequency(boundary: number, bit: number, width: number): number {
    const word = this.#view.getInt32(boundary - ((bit + 7) >> 3), true);
    return ((word >>> (-bit & 7)) & (2 ** width - 1)) + 1;
  }

  /** Address where frequencies of a range of term k end and positions begin. */
  boundary(k: number, range: number): number {
    const base = this.#i32[(this.field(k, 'base') >> 2) + (range >> 3)];
    const place = this.field(k, 'offset') + (range << this.field(k, 'offsetShift'));
    const offset = this.#view.getInt32(place, true) & this.field(k, 'offsetMask');
    return this.field(k, 'payload') + (base & this.field(k, 'baseMask')) + offset;
  }
}
