import { Pool } from '../../base/pool.ts';
import { anyInRange } from '../../bitmap/bitmap.ts';
import { RANGE_DOCS, type RangeScores } from './leaf.ts';

/** Scores of a range: one for each level of nested scores. */
export const rangeScores = new Pool(() => new Float64Array(RANGE_DOCS));

/**
 * A sum over parts. `matches`: the documents for which it counts; null: all, because the caller
 * knows the matches.
 */
export function sumScores(parts: readonly RangeScores[], matches: Int32Array | null): RangeScores {
  const add: RangeScores['add'] = (range, wanted, scores) => {
    for (const part of parts) part.add(range, wanted, scores);
  };
  return {
    addBounds(into) {
      for (const part of parts) part.addBounds(into);
    },
    add:
      matches === null
        ? add
        : (range, wanted, scores) => {
            if (!anyInRange(matches, range)) return;
            const own = rangeScores.take().fill(0);
            add(range, wanted, own);
            for (let i = 0; i < 8; i++) {
              for (let word = matches[8 * range + i]; word !== 0; word &= word - 1) {
                const at = 32 * i + 31 - Math.clz32(word & -word);
                scores[at] += own[at];
              }
            }
            rangeScores.give(own);
          },
  };
}
