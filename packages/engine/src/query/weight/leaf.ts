import { anyInRange, or, wordsOf } from '../../base/bitmap.ts';

/**
 * A leaf clause in one segment: its matches as a bitmap and its scores by range of 256 documents. Every leaf is one of these;
 * what it takes them from (postings, columns, dictionaries) stays behind it.
 */
export interface SegmentLeaf {
  /** Sets the bits of all matching documents, deleted ones too. Other bits stay. */
  fill(bits: Int32Array): void;
  /**
   * Adds to each range a bound that none of its documents' scores exceeds; 0 where none matches, as far as that is known
   * without looking.
   */
  addBounds(into: Float64Array): void;
  /** Adds the scores of the range's matching documents with a bit in `wanted` (whole segment) to scores[d & 255]. */
  add(range: number, wanted: Int32Array, scores: Float64Array): void;
}

/** Documents of a range. */
export const RANGE_DOCS = 256;

/** A leaf that matches nothing. */
export const NO_MATCHES: SegmentLeaf = Object.freeze({
  fill() {},
  addBounds() {},
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
    addBounds(into) {
      if (score === 0) return;
      for (let range = 0; range < into.length; range++) {
        if (matches === null || anyInRange(matches, range)) into[range]! += score;
      }
    },
    add(range, wanted, scores) {
      if (score !== 0) addConstant(bits(), range, wanted, score, scores);
    },
  };
}

function addConstant(
  bits: Int32Array,
  range: number,
  wanted: Int32Array,
  score: number,
  scores: Float64Array,
): void {
  for (let i = 0; i < 8; i++) {
    const at = 8 * range + i;
    for (let word = bits[at]! & wanted[at]!; word !== 0; word &= word - 1) {
      scores[32 * i + 31 - Math.clz32(word & -word)]! += score;
    }
  }
}
