/** Fusion against sums of fractions, on lists made by hand and at random. */

import type { Fusion } from '@lakehouse-search/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ScoredDoc } from './find-nearest.ts';
import { fuse, fusedScore, ranksOf } from './fuse.ts';

const list = (...scores: [doc: number, score: number][]): ScoredDoc[] =>
  scores.map(([doc, score]) => ({ shard: 0, segment: doc % 2, doc, score }));
const EVEN: Fusion = { rrfK: 60, weights: { lexical: 1000, semantic: 1000 } };

describe('fusing two arms', () => {
  test('gives equal scores one rank, and the next the number of better ones plus one', () => {
    expect(ranksOf(list([1, 9], [2, 5], [3, 5], [4, 5], [5, 1]))).toEqual([1, 2, 2, 2, 5]);
    expect(ranksOf([])).toEqual([]);
  });

  test('returns each document of both lists once, with its rank and score in each arm', () => {
    const lexical = list([1, 7.5], [2, 3]);
    const semantic = list([3, 0.9], [1, 0.8]);
    const fused = fuse({ lexical, semantic }, EVEN);
    expect(fused.map(({ doc, arms }) => [doc, arms])).toEqual([
      [1, { lexical: { rank: 1, score: 7.5 }, semantic: { rank: 2, score: 0.8 } }],
      [2, { lexical: { rank: 2, score: 3 } }],
      [3, { semantic: { rank: 1, score: 0.9 } }],
    ]);
    const scores = fused.map(({ score }) => score);
    expect(scores).toEqual([(62 + 61) / (61 * 62), 1 / 62, 1 / 61]);
  });

  test('ignores a missing arm', () => {
    const semantic = list([3, 0.9]);
    expect(fuse({ lexical: null, semantic }, EVEN)).toEqual([
      { shard: 0, segment: 1, doc: 3, score: 1 / 61, arms: { semantic: { rank: 1, score: 0.9 } } },
    ]);
    expect(fuse({ lexical: null, semantic: null }, EVEN)).toEqual([]);
  });

  test('treats one number in two segments as two documents', () => {
    const lexical = [{ shard: 0, segment: 0, doc: 4, score: 1 }];
    const semantic = [{ shard: 0, segment: 1, doc: 4, score: 1 }];
    expect(fuse({ lexical, semantic }, EVEN)).toHaveLength(2);
  });

  /** weight / (rrfK + rank) summed as a fraction, in thousandths. */
  function fraction(lexical: number | null, semantic: number | null, { rrfK, weights }: Fusion) {
    let [over, under] = [0n, 1n];
    const add = (weight: number, rank: number): void => {
      const d = BigInt(rrfK + rank);
      [over, under] = [over * d + BigInt(weight) * under, under * d];
    };
    if (lexical !== null) add(weights.lexical, lexical);
    if (semantic !== null) add(weights.semantic, semantic);
    return { over, under };
  }

  test('orders scores exactly as their fractions', () => {
    const rank = fc.option(fc.integer({ min: 1, max: 30 }), { nil: null });
    const weight = fc.constantFrom(1000, 500, 2000, 333);
    const ranks = fc.tuple(rank, rank).filter(([a, b]) => a !== null || b !== null);
    const arms = ([lexical, semantic]: [number | null, number | null]) => ({
      ...(lexical === null ? {} : { lexical: { rank: lexical, score: 1 } }),
      ...(semantic === null ? {} : { semantic: { rank: semantic, score: 1 } }),
    });
    const setting = fc.record({
      rrfK: fc.constantFrom(0, 1, 6, 30, 60),
      weights: fc.record({ lexical: weight, semantic: weight }),
    });
    let ties = 0;
    fc.assert(
      fc.property(setting, fc.array(ranks, { minLength: 2, maxLength: 60 }), (fusion, all) => {
        const [first, ...others] = all.map((one) => ({
          score: fusedScore(arms(one), fusion),
          ...fraction(...one, fusion),
        }));
        for (const other of others) {
          const difference = first.over * other.under - other.over * first.under;
          ties += difference === 0n ? 1 : 0;
          expect(Math.sign(first.score - other.score)).toBe(
            Number(difference > 0n) - Number(difference < 0n),
          );
        }
      }),
      { seed: 20_261_121, numRuns: 2000 },
    );
    expect(ties).toBeGreaterThan(20);
  });
});
