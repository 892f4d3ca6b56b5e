import { lowerBoundBy } from '../../base/arrays/lower-bound.ts';
import type { Deadline } from '../../base/time/deadline.ts';
import { NO_MORE_DOCS, type PostingsCursor } from '../../postings/cursors.ts';

/**
 * Phrases with slop, defined over positions. A word that stands at offset o in the phrase and at
 * position p in the document has the place p - o; words in the phrase's own order and distance
 * share one place. A match is a choice of one position a word, no position twice, whose places
 * differ by at most `slop`. So `"a b"~1` allows one word between, `~2` a swap: the measure of
 * Lucene's sloppy phrases (highest place less lowest place).
 *
 * The frequency of a phrase is the number of positions of its first word that take part in some
 * match; at slop 0 that is the number of its occurrences.
 */
export interface SloppyPhrase {
  /** Offsets of the words, rising from 0. */
  readonly offsets: readonly number[];
  /**
   * For each word the number of the first word with the same term: repeated words need different
   * positions.
   */
  readonly same: readonly number[];
  readonly slop: number;
}

/** Receives each match: the chosen position of every word. The array is reused. */
export type OnMatch = (positions: Int32Array) => void;

/**
 * The frequency of the phrase in one document. `positions[w]`: rising positions of word w.
 * `onMatch` receives one match for each counted position of the first word.
 */
export function sloppyFrequency(
  phrase: SloppyPhrase,
  positions: readonly ArrayLike<number>[],
  onMatch?: OnMatch,
): number {
  const chosen = new Int32Array(positions.length);
  let frequency = 0;
  const first = positions[0];
  for (let i = 0; i < first.length; i++) {
    if (!anyWindow(phrase, positions, first[i], chosen)) continue;
    frequency++;
    onMatch?.(chosen);
  }
  return frequency;
}

/**
 * Tries the windows of places [low, low + slop] that hold the first word's place, and begin at a
 * word's place.
 */
function anyWindow(
  phrase: SloppyPhrase,
  positions: readonly ArrayLike<number>[],
  place: number,
  chosen: Int32Array,
): boolean {
  const lows = new Set<number>([place]);
  for (let word = 1; word < positions.length; word++) {
    const list = positions[word];
    const offset = phrase.offsets[word];
    for (let i = seek(list, place - phrase.slop + offset); i < list.length; i++) {
      if (list[i] - offset > place) break;
      lows.add(list[i] - offset);
    }
  }
  const rising = [...lows].sort((a, b) => b - a);
  return rising.some((low) => choose(phrase, positions, low, place, chosen));
}

/**
 * Chooses a position for every word in the window. Words of one term have windows of equal length,
 * by rising offset, so taking the smallest free position for each in turn finds a choice whenever
 * there is one.
 */
function choose(
  phrase: SloppyPhrase,
  positions: readonly ArrayLike<number>[],
  low: number,
  place: number,
  chosen: Int32Array,
): boolean {
  chosen[0] = place;
  for (let word = 1; word < positions.length; word++) {
    const list = positions[word];
    const from = low + phrase.offsets[word];
    let at = seek(list, from);
    while (at < list.length && taken(phrase, chosen, word, list[at])) at++;
    if (at === list.length || list[at] > from + phrase.slop) return false;
    chosen[word] = list[at];
  }
  return true;
}

function taken(phrase: SloppyPhrase, chosen: Int32Array, word: number, position: number): boolean {
  for (let other = 0; other < word; other++) {
    if (phrase.same[other] === phrase.same[word] && chosen[other] === position) return true;
  }
  return false;
}

/** Index of the first position >= target. */
const seek = (list: ArrayLike<number>, target: number): number =>
  lowerBoundBy(0, list.length, (at) => list[at] >= target);

/** A term of a phrase as it is walked. */
export interface WalkedPostings {
  readonly cursor: PostingsCursor;
  readonly df: number;
}

/** Calls `visit` with every document that all cursors hold; they are on it. */
export function eachCommonDoc(
  terms: readonly WalkedPostings[],
  deadline: Deadline,
  visit: (doc: number) => void,
): void {
  const [lead, ...others] = [...terms].sort((a, b) => a.df - b.df).map(({ cursor }) => cursor);
  for (let doc = lead.next(); doc !== NO_MORE_DOCS; ) {
    deadline.spend(terms.length);
    let next = doc;
    for (let i = 0; i < others.length && next === doc; i++) next = others[i].advance(doc);
    if (next === doc) {
      visit(doc);
      doc = lead.next();
    } else doc = lead.advance(next);
  }
}

/** The positions of the cursor's document. */
function readPositions(cursor: PostingsCursor): Int32Array {
  const positions = new Int32Array(cursor.tf());
  cursor.positions(positions);
  return positions;
}

/**
 * The frequency of a phrase in the document that the cursors are on. `cursors[w]`: of word w;
 * those of words with one term are the same.
 */
export function frequencyAtCursors(
  phrase: SloppyPhrase,
  cursors: readonly PostingsCursor[],
  deadline: Deadline,
): number {
  const positions: Int32Array[] = [];
  phrase.same.forEach((first, word) => {
    positions.push(first < word ? positions[first] : readPositions(cursors[word]));
    deadline.spend(positions[word].length);
  });
  return sloppyFrequency(phrase, positions);
}
