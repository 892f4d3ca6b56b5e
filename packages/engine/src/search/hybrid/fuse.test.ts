/** Fusion against sums of fractions and plain means, on lists made by hand and at random. */

import type { Fusion } from '@lakehouse-search/contract/internal';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ScoredDoc } from './find-nearest.ts';
import { fuse, fusedScore, rangesOf, ranksOf } from './fuse.ts';

const list = (...scores: [doc: number, score: number][]): ScoredDoc[] =>
  scores.map(([doc, score]) => ({ shard: 0, segment: doc % 2, doc, score }));
const EVEN: Fusion = { method: 'rrf', rrfK: 60, weights: { lexical: 1000, semantic: 1000 } };

type RankFusion = Fusion & { method: 'rrf' };

describe('fusing two arms by rank', () => {
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
  function fraction(
    lexical: number | null,
    semantic: number | null,
    { rrfK, weights }: RankFusion,
  ) {
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
      method: fc.constant('rrf' as const),
      rrfK: fc.constantFrom(0, 1, 6, 30, 60),
      weights: fc.record({ lexical: weight, semantic: weight }),
    });
    let ties = 0;
    fc.assert(
      fc.property(setting, fc.array(ranks, { minLength: 2, maxLength: 60 }), (fusion, all) => {
        const [first, ...others] = all.map((one) => ({
          score: fusedScore(arms(one), fusion, { lexical: null, semantic: null }),
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

describe('fusing two arms by score', () => {
  const weighted = (lexical: number, semantic: number): Fusion => {
    return { method: 'scores', weights: { lexical: lexical * 1000, semantic: semantic * 1000 } };
  };
  const scoreOf = (docs: ReturnType<typeof fuse>) =>
    Object.fromEntries(docs.map(({ doc, score }) => [doc, score]));

  test('scales each arm between its last document and its first', () => {
    const lexical = list([1, 9], [2, 5], [3, 1]);
    const semantic = list([3, 0.9], [4, 0.8], [1, 0.5]);
    const scores = scoreOf(fuse({ lexical, semantic }, weighted(0.75, 0.25)));
    expect(scores[1]).toBe(0.75);
    expect(scores[2]).toBe(0.375);
    expect(scores[3]).toBe(0.25);
    expect(scores[4]).toBeCloseTo(0.25 * 0.75, 12);
  });

  test('does not depend on the sum of the weights', () => {
    const lexical = list([1, 9], [2, 5], [3, 1]);
    const semantic = list([3, 0.9], [4, 0.8], [1, 0.5]);
    const one = scoreOf(fuse({ lexical, semantic }, weighted(0.75, 0.25)));
    const four = scoreOf(fuse({ lexical, semantic }, weighted(3, 1)));
    for (const doc of Object.keys(one)) expect(four[doc]).toBeCloseTo(one[doc], 12);
  });

  test('gives 1 in an arm whose documents score equally, or that has one document', () => {
    const one = { lexical: list([1, 3], [2, 3]), semantic: list([2, 0.4]) };
    expect(scoreOf(fuse(one, weighted(0.5, 0.5)))).toEqual({ 1: 0.5, 2: 1 });
    expect(rangesOf({ lexical: [], semantic: null })).toEqual({ lexical: null, semantic: null });
  });

  test('keeps the order of the only arm that has documents', () => {
    const scores = fc.uniqueArray(fc.integer({ min: 1, max: 1000 }), { minLength: 2 });
    fc.assert(
      fc.property(scores, (made) => {
        const lexical = list(
          ...made.toSorted((a, b) => b - a).map((s, i): [number, number] => [i, s / 10]),
        );
        const fused = fuse({ lexical, semantic: [] }, weighted(0.75, 0.25));
        const order = fused.toSorted((a, b) => b.score - a.score).map(({ doc }) => doc);
        expect(order).toEqual(lexical.map(({ doc }) => doc));
      }),
      { seed: 20_261_123 },
    );
  });

  test('adds up what the arms give, as an explanation shows them', () => {
    const arms = { lexical: list([1, 9], [2, 5]), semantic: list([2, 0.9], [1, 0.2]) };
    const ranges = rangesOf(arms);
    for (const { arms: own, score } of fuse(arms, weighted(0.6, 0.4))) {
      const parts = (['lexical', 'semantic'] as const).map((arm) =>
        fusedScore({ [arm]: own[arm] }, weighted(0.6, 0.4), ranges),
      );
      expect(parts[0] + parts[1]).toBeCloseTo(score, 12);
    }
  });
});
