/**
 * The terms within some edits of a word, among the terms of about its length: an edit adds at most
 * one letter and takes at most one away, so most terms are passed over by their letters; the
 * distance of the others is computed.
 */
import { LONGEST_BY_LENGTH, lettersOf, type TermsByLength } from './terms-by-length.ts';

/** What a search is for, term by term. */
export interface LengthSearch {
  /**
   * The largest distance at which a term with so many documents is wanted, -1 for none; terms with
   * fewer documents are wanted at most as far away.
   */
  readonly reach: (df: number) => number;
  /** Called for every term that is wanted, with its number in the table. */
  readonly visit: (term: number, distance: number) => void;
}

/** Searches for one word; at most two edits. */
export class WordDistance {
  readonly #length: number;
  readonly #letters: number;
  /** Places of each character in the word, as bits. */
  readonly #ascii = new Int32Array(128);
  readonly #others = new Map<number, number>();

  constructor(word: string) {
    const points = Array.from(word, (point) => point.codePointAt(0)!);
    this.#length = points.length;
    this.#letters = lettersOf(Buffer.from(word));
    points.forEach((point, i) => {
      if (point < 128) this.#ascii[point] |= 1 << i;
      else this.#others.set(point, (this.#others.get(point) ?? 0) | (1 << i));
    });
  }

  /** False where the table, or a number of 32 bits, has no room for so long a word. */
  serves(edits: number): boolean {
    return this.#length + edits <= LONGEST_BY_LENGTH;
  }

  /** Visits the terms of a table within `edits` edits. */
  find(table: TermsByLength, edits: number, search: LengthSearch): void {
    const n = this.#length;
    this.#findOf(table, n, edits, search);
    for (let more = 1; more <= edits; more++) {
      this.#findOf(table, n + more, edits, search);
      if (n >= more) this.#findOf(table, n - more, edits, search);
    }
  }

  /** The terms of `length` code points. */
  #findOf(table: TermsByLength, length: number, edits: number, search: LengthSearch): void {
    const { starts, letters, dfs } = table;
    const least = Math.abs(length - this.#length);
    const own = this.#letters;
    let df = -1;
    let reach = edits;
    for (let i = starts[length], end = starts[length + 1]; i < end; i++) {
      if (dfs[i] !== df) {
        df = dfs[i];
        reach = Math.min(edits, search.reach(df));
        if (reach < least) return;
      }
      const term = letters[i];
      if (isFar(own & ~term, reach) || isFar(term & ~own, reach)) continue;
      const distance = this.#distance(table, i, length, reach);
      if (distance > reach) continue;
      search.visit(i, distance);
      // What is visited may change what is wanted.
      df = -1;
    }
  }

  /**
   * The distance of a term, or more than `most`: optimal string alignment by bits, one column of
   * the table of distances at a time (Hyyrö, "A bit-vector algorithm for computing Levenshtein and
   * Damerau edit distances", 2003). `rises` and `falls` are the differences down the column.
   */
  #distance({ at, text }: TermsByLength, term: number, length: number, most: number): number {
    const n = this.#length;
    if (n === 0) return length;
    const last = 1 << (n - 1);
    let rises = -1;
    let falls = 0;
    let diagonal = 0;
    let placesBefore = 0;
    let distance = n;
    let left = length;
    for (let i = at[term], end = at[term + 1]; i < end; ) {
      const byte = text[i++];
      let places = 0;
      if (byte < 0x80) places = this.#ascii[byte];
      else {
        let point = byte < 0xe0 ? byte & 0x1f : byte < 0xf0 ? byte & 0x0f : byte & 0x07;
        while (i < end && (text[i] & 0xc0) === 0x80) point = (point << 6) | (text[i++] & 0x3f);
        places = this.#others.get(point) ?? 0;
      }
      const swapped = ((~diagonal & places) << 1) & placesBefore;
      diagonal = (((places & rises) + rises) ^ rises) | places | falls | swapped;
      const right = falls | ~(diagonal | rises);
      const down = diagonal & rises;
      if ((right & last) !== 0) distance++;
      if ((down & last) !== 0) distance--;
      // Each further character brings the distance down by one at most.
      if (distance - --left > most) return most + 1;
      const shifted = (right << 1) | 1;
      rises = (down << 1) | ~(diagonal | shifted);
      falls = shifted & diagonal;
      placesBefore = places;
    }
    return distance;
  }
}

/** True when more than `edits` (0, 1 or 2) bits are set. */
function isFar(bits: number, edits: number): boolean {
  if (edits === 0) return bits !== 0;
  const rest = bits & (bits - 1);
  return (edits === 1 ? rest : rest & (rest - 1)) !== 0;
}
