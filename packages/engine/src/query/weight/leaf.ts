import { anyInRange, or, wordsOf } from '../../base/bitmap.ts';

/**
 * A leaf clause in one segment: its matches as a bitmap and its scores by range of 256 documents. Every leaf is one of these;
 * what it takes them from (postings, columns, dictionaries) stays behind it.
 */
export interface SegmentLeaf {
  /** Sets the bits of all matching documents, deleted ones too. Other bits stay. */
  fill(bits: Int32Array): void;
  /** No document of the range scores more. 0 where none matches, as far as that is known without looking. */
  bound(range: number): number;
  /**
   * Adds the scores of the range's matching documents to scores[d & 255]. Cheapest in rising order of ranges.
   */
  add(range: number, scores: Float64Array): void;
}

/** Documents of a range. */
export const RANGE_DOCS = 256;

/** A leaf that matches nothing. */
export const NO_MATCHES: SegmentLeaf = Object.freeze({
  fill() {},
  bound: () => 0,
  add() {},
});

/** A leaf with the same score for every match of a segment of `docs` documents. `fill` is all that it needs. */
export function constantLeaf(
  docs: number,
  score: number,
  fill: (bits: Int32Array) => void,
): SegmentLeaf {
  let matches: Int32Array | null = null;
  const bits = (): Int32Array => {
    if (matches === null) {
      matches = new Int32Array(wordsOf(docs));
      fill(matches);
    }
    return matches;
  };
  return {
    fill(into) {
      if (matches === null) fill(into);
      else or(into, matches);
    },
    bound: (range) =>
      score === 0 || (matches !== null && !anyInRange(matches, range)) ? 0 : score,
    add(range, scores) {
      if (score !== 0) addConstant(bits(), range, score, scores);
    },
  };
}

/** Adds `score` where a bit of the range is set. */
export function addConstant(
  bits: Int32Array,
  range: number,
  score: number,
  scores: Float64Array,
): void {
  for (let i = 0; i < 8; i++) {
    for (let word = bits[8 * range + i]!; word !== 0; word &= word - 1) {
      scores[32 * i + 31 - Math.clz32(word & -word)]! += score;
    }
  }
}
