import { type LocatedPositions, locatePositions, RANGE_WORDS } from '../postings/dense-terms.ts';
import { RANGE_SHIFT } from '../postings/format.ts';
import type { Arena } from '../storage/directory.ts';
import {
  COUNTED_AT,
  DOCS_AT,
  EMITTED_AT,
  FIELD,
  SCORES_AT,
  TERM_BYTES,
  WIDTHS_AT,
} from './kernel-memory.ts';
import type { Kernels, PhraseScan } from './kernels.ts';
import { PLAIN_ROWS, PlainTerms } from './plain-terms.ts';

const MAX_EMITTED = 16;
/** Words of a term's descriptor, and the places of those that are read per position. */
const TERM_WORDS = TERM_BYTES >> 2;
const TF = FIELD.tf >> 2;
const BYTE = FIELD.byte >> 2;
const BIT = FIELD.bit >> 2;
const PLACE = FIELD.phrasePosition >> 2;
const SCAN_BIT = FIELD.scanBit >> 2;
const SCAN_LEFT = FIELD.scanLeft >> 2;

/** The phrase kernels as plain loops. */
export class PlainPhrases implements Pick<Kernels, 'phrases' | 'phraseSurvivors'> {
  readonly #u8: Uint8Array;
  readonly #i32: Int32Array;
  readonly #f64: Float64Array;
  readonly #view: DataView;
  readonly #terms: PlainTerms;
  readonly #arena: Arena;
  readonly #widths: Uint8Array;
  readonly #located: LocatedPositions = { at: 0, bit: 0, frequency: 0 };
  #emitted = 0;

  constructor(arena: Arena) {
    this.#arena = arena;
    this.#u8 = arena.u8;
    this.#widths = arena.u8.subarray(WIDTHS_AT, WIDTHS_AT + 256);
    this.#i32 = arena.i32;
    this.#f64 = arena.f64;
    this.#view = arena.view;
    this.#terms = new PlainTerms(arena);
  }

  /**
   * How often the located terms are at their positions in the phrase; with `once` 1 at most. Every
   * term is read once from front to back, as the lead's positions rise.
   */
  #match(terms: number, width: number, once: number): number {
    const i32 = this.#i32;
    const mask = 2 ** width - 1;
    let lead = 0;
    for (let at = 0; at < TERM_WORDS * terms; at += TERM_WORDS) {
      i32[at + SCAN_BIT] = i32[at + BIT];
      i32[at + SCAN_LEFT] = i32[at + TF];
      if (i32[at + TF] < i32[lead + TF]) lead = at;
    }
    const ends = i32[lead + BIT] + i32[lead + TF] * width;
    let found = 0;
    for (let bit = i32[lead + BIT]; bit < ends; bit += width) {
      const start = this.#position(i32[lead + BYTE], bit, mask) - i32[lead + PLACE];
      let all = start >= 0;
      for (let at = 0; at < TERM_WORDS * terms && all; at += TERM_WORDS) {
        if (at !== lead) all = this.#reach(at, start + i32[at + PLACE], width, mask);
      }
      if (all) found++;
      if (all && once === 1) break;
    }
    return found;
  }

  /** Goes on in the positions of a term to the first one >= position; true if it is there. */
  #reach(at: number, position: number, width: number, mask: number): boolean {
    const i32 = this.#i32;
    const byte = i32[at + BYTE];
    let left = i32[at + SCAN_LEFT];
    let bit = i32[at + SCAN_BIT];
    let own = -1;
    for (; left > 0; left--, bit += width) {
      own = this.#position(byte, bit, mask);
      if (own >= position) break;
    }
    i32[at + SCAN_BIT] = bit;
    i32[at + SCAN_LEFT] = left;
    return left > 0 && own === position;
  }

  phraseSurvivors(scan: PhraseScan, from: number, to: number): number {
    const { terms, lists, counting, orderAt, survivorsAt, codesAt, blockedAt, weight, low } = scan;
    const i32 = this.#i32;
    this.#emitted = 0;
    this.#terms.open(lists, terms);
    const widthCodes = this.#u8.subarray(scan.widthCodesAt);
    let counted = 0;
    let at = from;
    while (at < to && this.#emitted < MAX_EMITTED) {
      const hit = i32[(orderAt >> 2) + at++];
      const doc = i32[(survivorsAt >> 2) + hit];
      if (blockedAt !== 0 && ((i32[(blockedAt >> 2) + (doc >> 5)] >>> doc) & 1) === 1) continue;
      let least = PLAIN_ROWS;
      for (let k = 0; k < lists; k++) least = Math.min(least, this.#placeList(k, hit));
      if (weight * this.#terms.impact(least, this.#u8[codesAt + doc]) < low) continue;
      for (let k = lists; k < terms; k++) this.#locate(k, doc, widthCodes);
      const width = this.#widths[widthCodes[doc]];
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
    const posting = this.#i32[(this.#terms.field(k, 'hits') >> 2) + hit];
    const tf = this.#i32[(this.#terms.field(k, 'frequencies') >> 2) + posting];
    const place = this.#i32[(this.#terms.field(k, 'places') >> 2) + (posting >> 7)];
    const bit = this.#i32[(this.#terms.field(k, 'positionBits') >> 2) + posting];
    this.#place(k, tf, this.#terms.field(k, 'positions') + place, bit);
    return tf;
  }

  #place(k: number, tf: number, byte: number, bit: number): void {
    const at = (TERM_BYTES * k) >> 2;
    this.#i32[at + (FIELD.tf >> 2)] = tf;
    this.#i32[at + (FIELD.byte >> 2)] = byte;
    this.#i32[at + (FIELD.bit >> 2)] = bit;
  }

  phrases(scan: PhraseScan, from: number, to: number): number {
    const { terms, counting, orderAt, boundsAt, codesAt, excluded, weight, low } = scan;
    this.#emitted = 0;
    this.#terms.open(0, terms);
    const widthCodes = this.#u8.subarray(scan.widthCodesAt);
    let counted = 0;
    let at = from;
    while (at < to && this.#emitted === 0) {
      const range = this.#i32[(orderAt >> 2) + at++];
      if (this.#f64[(boundsAt >> 3) + range] < low) continue;
      for (let w = RANGE_WORDS * range; w < RANGE_WORDS * range + RANGE_WORDS; w++) {
        for (let word = this.#terms.candidates(terms, excluded, w); word !== 0; word &= word - 1) {
          const doc = (w << 5) + 31 - Math.clz32(word & -word);
          const code = this.#u8[codesAt + doc];
          if (weight * this.#terms.impact(this.#leastFrequency(terms, doc), code) < low) continue;
          for (let k = 0; k < terms; k++) this.#locate(k, doc, widthCodes);
          const width = this.#widths[widthCodes[doc]];
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
    let least = PLAIN_ROWS;
    for (let k = 0; k < terms; k++) {
      least = Math.min(least, this.#terms.tabledFrequency(k, range, doc));
    }
    return least;
  }

  #emitPhrase(doc: number, found: number): void {
    this.#i32[(DOCS_AT >> 2) + this.#emitted] = doc;
    this.#i32[(SCORES_AT >> 2) + this.#emitted++] = found;
  }

  /** The position at a bit behind a byte. */
  #position(byte: number, bit: number, mask: number): number {
    return (this.#view.getInt32(byte + (bit >>> 3), true) >>> (bit & 7)) & mask;
  }

  /** Sets tf, byte and bit of dense term k. */
  #locate(k: number, doc: number, widthCodes: Uint8Array): void {
    const found = this.#located;
    locatePositions(this.#arena, this.#terms.dense(k), doc, this.#widths, widthCodes, found);
    this.#place(k, found.frequency, found.at, found.bit);
  }
}
