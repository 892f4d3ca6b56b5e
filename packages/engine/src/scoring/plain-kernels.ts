import { popcount } from '../base/bitmap.ts';
import { LIST_BLOCK, LONG, RANGE_SHIFT } from '../inverted/format.ts';
import type { Arena } from '../storage/directory.ts';
import {
  COUNTED_AT,
  DOCS_AT,
  EMITTED_AT,
  EXCLUDED_AT,
  FIELD,
  SCORES_AT,
  TABLE_AT,
  TERM_BYTES,
  WIDTHS_AT,
} from './kernel-memory.ts';
import type { Kernels } from './kernels.ts';
import { countAll, countAny, intersect, sieve } from './plain-lists.ts';

/** Frequencies from here on are bounded by row 32 of the impact table. */
const ROWS = 32;
const MOST_EMITTED = 16;
const WORDS = 8;

/** The kernels as plain loops, for any number of terms: the same answers, bit for bit. */
export class PlainKernels implements Kernels {
  readonly #u8: Uint8Array;
  readonly #i32: Int32Array;
  readonly #f64: Float64Array;
  readonly #view: DataView;
  #emitted = 0;
  #inexact = false;

  constructor({ u8, i32, f64, view }: Arena) {
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
        for (let word = this.#candidates(terms, excluded, w); word !== 0; word &= word - 1) {
          const doc = (w << 5) + 31 - Math.clz32(word & -word);
          const code = this.#u8[codesAt + doc];
          if (this.#bound(0, terms, range, code) < low) continue;
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

  /** Documents of word w of the bitmaps that all terms hold and none of the excluded bitmaps. */
  #candidates(terms: number, excluded: number, w: number): number {
    let word = -1;
    for (let k = 0; k < terms; k++) word &= this.#i32[(this.#field(k, 'bitmap') >> 2) + w];
    for (let i = 0; i < excluded; i++) {
      word &= ~this.#i32[(this.#i32[(EXCLUDED_AT >> 2) + i] >> 2) + w];
    }
    return word;
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
        const hit = this.#i32[(this.#field(k, 'hits') >> 2) + at];
        const share = this.#share(k, this.#i32[(this.#field(k, 'frequencies') >> 2) + hit], code);
        score = k === 0 ? share : score + share;
      }
      if (dense > 0) {
        if (score + ahead < low) continue;
        if (score + this.#bound(lists, lists + dense, doc >> RANGE_SHIFT, code) < low) continue;
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
        const tf = this.#packed(tfAt, i * tfWidth, tfWidth) + 1;
        const code = this.#u8[codesAt + doc];
        this.#inexact = tf >= ROWS;
        this.#emit(doc, code, weight * this.#impact(tf, code), theta);
      }
    }
    i32[EMITTED_AT >> 2] = this.#emitted;
    return b;
  }

  /** The value of `width` bits at a bit after an address. */
  #packed(at: number, bit: number, width: number): number {
    return (this.#view.getInt32(at + (bit >>> 3), true) >>> (bit & 7)) & (2 ** width - 1);
  }

  #field(k: number, name: keyof typeof FIELD): number {
    return this.#i32[(TERM_BYTES * k + FIELD[name]) >> 2];
  }

  #weight(k: number): number {
    return this.#f64[(TERM_BYTES * k + FIELD.weight) >> 3];
  }

  #impact(tf: number, code: number): number {
    return this.#f64[(TABLE_AT >> 3) + (Math.min(tf, ROWS) << 8) + code];
  }

  /** The most that terms from .. to - 1 score together in a range at a length code. */
  #bound(from: number, to: number, range: number, code: number): number {
    let sum = 0;
    for (let k = from; k < to; k++) {
      const impact = this.#u8[this.#field(k, 'impact') + range];
      const width = this.#u8[this.#field(k, 'width') + range];
      const best = this.#f64[(this.#field(k, 'bounds') >> 3) + impact];
      const most = this.#weight(k) * this.#impact(width < 5 ? 1 << width : ROWS, code);
      const bound = Math.min(best, most);
      sum = k === from ? bound : sum + bound;
    }
    return sum;
  }

  #share(k: number, tf: number, code: number): number {
    if (tf >= ROWS) this.#inexact = true;
    return this.#weight(k) * this.#impact(tf, code);
  }

  #denseShare(k: number, doc: number, code: number): number {
    const width = this.#u8[this.#field(k, 'width') + (doc >> RANGE_SHIFT)];
    return this.#share(k, this.#frequencyOf(k, doc, width), code);
  }

  /** Frequency of dense term k in a document that holds it, whose range has this width. */
  #frequencyOf(k: number, doc: number, width: number): number {
    if (width === 0) return 1;
    const range = doc >> RANGE_SHIFT;
    const words = this.#field(k, 'bitmap') >> 2;
    const own = words + (doc >> 5);
    let rank = popcount(this.#i32[own] & (2 ** (doc & 31) - 1));
    for (let w = words + WORDS * range; w < own; w++) rank += popcount(this.#i32[w]);
    return this.#frequency(this.#boundary(k, range), (rank + 1) * width, width);
  }

  /** tf whose bits end `bit` bits before a boundary. */
  #frequency(boundary: number, bit: number, width: number): number {
    const word = this.#view.getInt32(boundary - ((bit + 7) >> 3), true);
    return ((word >>> (-bit & 7)) & (2 ** width - 1)) + 1;
  }

  #boundary(k: number, range: number): number {
    const base = this.#i32[(this.#field(k, 'base') >> 2) + (range >> 3)];
    const place = this.#field(k, 'offset') + (range << this.#field(k, 'offsetShift'));
    const offset = this.#view.getInt32(place, true) & this.#field(k, 'offsetMask');
    return this.#field(k, 'payload') + (base & this.#field(k, 'baseMask')) + offset;
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
        const code = this.#u8[this.#field(k, 'impact') + range];
        everywhere = code !== 0;
        sum += this.#f64[(this.#field(k, 'bounds') >> 3) + code];
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
  ): number {
    return sieve(this.#i32, sourceAt, n, bitmapAt, intoAt, hitsAt, first);
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

  /** How often the located terms stand at their slots; with `once` 1 at most. */
  #match(terms: number, width: number, once: number): number {
    let lead = 0;
    for (let k = 1; k < terms; k++) {
      if (this.#field(k, 'tf') < this.#field(lead, 'tf')) lead = k;
    }
    let found = 0;
    for (let i = 0; i < this.#field(lead, 'tf'); i++) {
      const start = this.#position(lead, i, width) - this.#field(lead, 'slot');
      let all = start >= 0;
      for (let k = 0; k < terms && all; k++) {
        if (k !== lead) all = this.#stands(k, start + this.#field(k, 'slot'), width);
      }
      if (all) found++;
      if (all && once === 1) break;
    }
    return found;
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
    const i32 = this.#i32;
    this.#emitted = 0;
    let counted = 0;
    let at = from;
    while (at < to && this.#emitted < MOST_EMITTED) {
      const hit = i32[(orderedAt >> 2) + at++];
      const doc = i32[(survivorsAt >> 2) + hit];
      if (blockedAt !== 0 && ((i32[(blockedAt >> 2) + (doc >> 5)] >>> doc) & 1) === 1) continue;
      let least = ROWS;
      for (let k = 0; k < lists; k++) least = Math.min(least, this.#placeList(k, hit));
      if (weight * this.#impact(least, this.#u8[codesAt + doc]) < low) continue;
      for (let k = lists; k < terms; k++) this.#locate(k, doc, extentsAt);
      const width = this.#u8[WIDTHS_AT + this.#u8[extentsAt + doc]];
      const found = this.#match(terms, width, counting);
      if (found > 0 && counting === 1) counted++;
      else if (found > 0) this.#emitPhrase(doc, found);
    }
    i32[EMITTED_AT >> 2] = this.#emitted;
    i32[COUNTED_AT >> 2] = counted;
    return at;
  }

  /** Sets tf, byte and bit of list term k; returns the frequency. */
  #placeList(k: number, hit: number): number {
    const posting = this.#i32[(this.#field(k, 'hits') >> 2) + hit];
    const tf = this.#i32[(this.#field(k, 'frequencies') >> 2) + posting];
    const place = this.#i32[(this.#field(k, 'places') >> 2) + (posting >> 7)];
    const bit = this.#i32[(this.#field(k, 'positionBits') >> 2) + posting];
    this.#place(k, tf, this.#field(k, 'positions') + place, bit);
    return tf;
  }

  #place(k: number, tf: number, byte: number, bit: number): void {
    const at = (TERM_BYTES * k) >> 2;
    this.#i32[at + (FIELD.tf >> 2)] = tf;
    this.#i32[at + (FIELD.byte >> 2)] = byte;
    this.#i32[at + (FIELD.bit >> 2)] = bit;
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
    this.#emitted = 0;
    let counted = 0;
    let at = from;
    while (at < to && this.#emitted === 0) {
      const range = this.#i32[(sortedAt >> 2) + at++];
      if (this.#f64[(boundsAt >> 3) + range] < low) continue;
      for (let w = WORDS * range; w < WORDS * range + WORDS; w++) {
        for (let word = this.#candidates(terms, excluded, w); word !== 0; word &= word - 1) {
          const doc = (w << 5) + 31 - Math.clz32(word & -word);
          const code = this.#u8[codesAt + doc];
          if (weight * this.#impact(this.#leastFrequency(terms, doc), code) < low) continue;
          for (let k = 0; k < terms; k++) this.#locate(k, doc, extentsAt);
          const width = this.#u8[WIDTHS_AT + this.#u8[extentsAt + doc]];
          const found = this.#match(terms, width, counting);
          if (found > 0 && counting === 1) counted++;
          else if (found > 0) this.#emitPhrase(doc, found);
        }
      }
    }
    this.#i32[EMITTED_AT >> 2] = this.#emitted;
    this.#i32[COUNTED_AT >> 2] = counted;
    return at;
  }

  #leastFrequency(terms: number, doc: number): number {
    const range = doc >> RANGE_SHIFT;
    let least = ROWS;
    for (let k = 0; k < terms; k++) {
      const width = this.#u8[this.#field(k, 'width') + range];
      if (width < 5) least = Math.min(least, this.#frequencyOf(k, doc, width));
    }
    return least;
  }

  #emitPhrase(doc: number, found: number): void {
    this.#i32[(DOCS_AT >> 2) + this.#emitted] = doc;
    this.#i32[(SCORES_AT >> 2) + this.#emitted++] = found;
  }

  #position(k: number, i: number, width: number): number {
    const bit = this.#field(k, 'bit') + i * width;
    const word = this.#view.getInt32(this.#field(k, 'byte') + (bit >>> 3), true);
    return (word >>> (bit & 7)) & (2 ** width - 1);
  }

  #stands(k: number, position: number, width: number): boolean {
    for (let i = 0; i < this.#field(k, 'tf'); i++) {
      const own = this.#position(k, i, width);
      if (own >= position) return own === position;
    }
    return false;
  }

  /** Sets tf, byte and bit of dense term k, walking from the start of the document's range. */
  #locate(k: number, doc: number, extentsAt: number): void {
    const range = doc >> RANGE_SHIFT;
    const width = this.#u8[this.#field(k, 'width') + range];
    const boundary = this.#boundary(k, range);
    const words = this.#field(k, 'bitmap') >> 2;
    const own = doc >> 5;
    let posting = 0;
    let bits = 0;
    for (let w = WORDS * range; w <= own; w++) {
      if ((w & 1) === 0) bits = (bits + 7) & ~7;
      let word = this.#i32[words + w];
      if (w === own) word &= 2 ** (doc & 31) - 1;
      for (; word !== 0; word &= word - 1) {
        const other = (w << 5) + 31 - Math.clz32(word & -word);
        const tf = width === 0 ? 1 : this.#frequency(boundary, ++posting * width, width);
        bits += tf * this.#u8[WIDTHS_AT + this.#u8[extentsAt + other]];
      }
    }
    const tf = width === 0 ? 1 : this.#frequency(boundary, (posting + 1) * width, width);
    this.#place(k, tf, boundary, bits);
  }

  countAll(bitmaps: readonly number[], blockedAt: number, bytes: number): number {
    return countAll(this.#i32, bitmaps, blockedAt, bytes);
  }

  countAny(bitmaps: readonly number[], blockedAt: number, bytes: number): number {
    return countAny(this.#i32, bitmaps, blockedAt, bytes);
  }
}
