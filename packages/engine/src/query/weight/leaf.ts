import { anyInRange } from '../../bitmap/bitmap.ts';

/** The scores of some documents: by range of 256 documents, with a bound of each. */
export interface RangeScores {
  /**
   * Adds to each range a bound that none of its documents' scores exceeds; 0 where none matches, as
   * far as that is known without looking.
   */
  addBounds(into: Float64Array): void;
  /**
   * Adds the scores of the range's matching documents with a bit in `wanted` (whole segment) to
   * scores[d & 255].
   */
  add(range: number, wanted: Int32Array, scores: Float64Array): void;
}

interface LeafMatches {
  /** Sets the bits of all matching documents, deleted ones too. Other bits stay. */
  fill(bits: Int32Array): void;
  /** Number of matches, where it is known without looking; absent: perhaps all documents. */
  readonly most?: number;
  /** Whether one document matches; absent where that costs as much as all of them. */
  readonly has?: (doc: number) => boolean;
  /** After so many calls of `has` looking all up would have been cheaper; absent: never. */
  readonly hasUpTo?: number;
}

/** A leaf whose matches all have one score. */
export interface ConstantLeaf extends LeafMatches {
  readonly constant: number;
}

/** A leaf whose matches have scores of their own. */
export interface ScoredLeaf extends LeafMatches, RangeScores {
  readonly constant?: undefined;
}

/**
 * A leaf clause in one segment: its matches as a bitmap, and its scores. Every leaf is one of
 * these; what it takes them from (postings, columns, dictionaries) stays behind it.
 */
export type SegmentLeaf = ConstantLeaf | ScoredLeaf;

/** Documents of a range. */
export const RANGE_DOCS = 256;

/** A leaf that matches nothing. */
export const NO_MATCHES: ScoredLeaf = Object.freeze({
  most: 0,
  has: () => false,
  fill() {},
  addBounds() {},
  add() {},
});

/** One score for some documents, which are looked up when it is first needed. */
export function constantScores(matches: () => Int32Array, score: number): RangeScores {
  return {
    addBounds(into) {
      const bits = matches();
      for (let range = 0; range < into.length; range++) {
        if (anyInRange(bits, range)) into[range] += score;
      }
    },
    add(range, wanted, scores) {
      const bits = matches();
      for (let i = 0; i < 8; i++) {
        const at = 8 * range + i;
        for (let word = bits[at] & wanted[at]; word !== 0; word &= word - 1) {
          scores[32 * i + 31 - Math.clz32(word & -word)] += score;
        }
      }
    },
  };
}
