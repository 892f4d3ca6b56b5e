import { anyInRange, or, wordsOf } from '../../bitmap/bitmap.ts';

/**
 * A leaf clause in one segment: its matches as a bitmap and its scores by range of 256 documents.
 * Every leaf is one of these; what it takes them from (postings, columns, dictionaries) stays
 * behind it.
 */
export interface SegmentLeaf {
  /** The score of every match, where it is one and the same. */
  readonly constant?: number;
  /** Sets the bits of all matching documents, deleted ones too. Other bits stay. */
  fill(bits: Int32Array): void;
  /** Number of matches, where it is known without looking; absent: perhaps all documents. */
  readonly most?: number;
  /** Whether one document matches; absent where that costs as much as all of them. */
  readonly has?: (doc: number) => boolean;
  /** After so many calls of `has` looking all up would have been cheaper; absent: never. */
  readonly hasUpTo?: number;
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

/** Documents of a range. */
export const RANGE_DOCS = 256;

/** A leaf that matches nothing. */
export const NO_MATCHES: SegmentLeaf = Object.freeze({
  most: 0,
  has: () => false,
  fill() {},
  addBounds() {},
  add() {},
});

/**
 * A leaf with the same score for every match of a segment of `docs` documents; `fill` is all that
 * it needs. Where it is `scored` its matches are kept, as scoring asks for them again.
 */
export function constantLeaf(
  docs: number,
  score: number,
  scored: boolean,
  fill: (bits: Int32Array) => void,
  has?: SegmentLeaf['has'],
): SegmentLeaf {
  let cached: Int32Array | null = null;
  const matches = (): Int32Array => {
    if (cached === null) {
      cached = new Int32Array(wordsOf(docs));
      fill(cached);
    }
    return cached;
  };
  return {
    constant: score,
    ...(has === undefined ? {} : { has }),
    fill(into) {
      if (scored) or(into, matches());
      else fill(into);
    },
    addBounds(into) {
      const bits = matches();
      for (let range = 0; range < into.length; range++) {
        if (anyInRange(bits, range)) into[range] += score;
      }
    },
    add(range, wanted, scores) {
      addConstant(matches(), range, wanted, score, scores);
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
    for (let word = bits[at] & wanted[at]; word !== 0; word &= word - 1) {
      scores[32 * i + 31 - Math.clz32(word & -word)] += score;
    }
  }
}
