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

/** Told of each match: the chosen position of every word. The array is reused. */
export type OnMatch = (positions: Int32Array) => void;

/**
 * The frequency of the phrase in one document. `positions[w]`: rising positions of word w.
 * `onMatch` hears one match for each counted position of the first word.
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
function seek(list: ArrayLike<number>, target: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < target) low = middle + 1;
    else high = middle;
  }
  return low;
}
