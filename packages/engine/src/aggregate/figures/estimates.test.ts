import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../base/limits.ts';
import { addDistinct, distinctCount, mergeDistinct, noDistinct } from './distinct.ts';
import { STANDARD_ERROR } from './hyperloglog.ts';
import { addToDigest, digestValues, mergeDigests, noDigest } from './t-digest.ts';

describe('estimates', () => {
  it('count distinct values exactly up to the bound, then within four standard errors', () => {
    const most = LIMITS.aggExactValues;
    for (const [count, kind] of [
      [0, 'text'],
      [most, 'text'],
      [most + 1, 'text'],
      [300_000, 'text'],
      [most + 1, 'number'],
      [500_000, 'number'],
    ] as const) {
      const distinct = noDistinct();
      for (let i = 0; i < count; i++) {
        addDistinct(distinct, kind === 'text' ? `value ${i % count}` : BigInt(i) * 1_000_003n);
      }
      const found = distinctCount(distinct);
      if (count <= most) expect(found).toBe(count);
      else expect(Math.abs(found - count) / count).toBeLessThan(4 * STANDARD_ERROR);
    }
  });

  it('merge exact and estimated counts in any order to the same result', () => {
    const parts = [0, 50_000, 100_000, 150_000].map((from) => {
      const distinct = noDistinct();
      for (let i = from; i < from + 70_000; i++) addDistinct(distinct, BigInt(i));
      return distinct;
    });
    const merged = (order: readonly number[]) => {
      const all = noDistinct();
      for (const i of order) mergeDistinct(all, structuredClone(parts[i]));
      return distinctCount(all);
    };
    expect(merged([0, 1, 2, 3])).toBe(merged([3, 1, 0, 2]));
    expect(Math.abs(merged([0, 1, 2, 3]) - 220_000) / 220_000).toBeLessThan(4 * STANDARD_ERROR);
  });

  const PERCENTS = [0, 0.1, 1, 25, 50, 75, 99, 99.9, 100];

  it('give percentiles of large sets within a tenth of a percent of rank', () => {
    const count = 200_000;
    const parts = Array.from({ length: 4 }, noDigest);
    // A permutation of 0 .. count - 1: the value is its own rank.
    for (let i = 0; i < count; i++) addToDigest(parts[i % 4], (i * 77_773) % count);
    const all = noDigest();
    for (const part of parts) mergeDigests(all, part);
    expect(all.weights!.length).toBeLessThan(900);
    digestValues(all, PERCENTS).forEach((value, i) => {
      const q = PERCENTS[i] / 100;
      const allowed = count * Math.max(0.00002, 0.004 * Math.sqrt(q * (1 - q)));
      expect(Math.abs(value! - q * (count - 1))).toBeLessThan(allowed);
    });
  });

  it('give exact percentiles of small sets, NaN excluded', () => {
    const digest = noDigest();
    for (const value of [5, Number.NaN, 1, 3, Number.POSITIVE_INFINITY]) addToDigest(digest, value);
    expect(digestValues(digest, [0, 25, 50, 100])).toEqual([1, 2.5, 4, Number.POSITIVE_INFINITY]);
    expect(digest.nans).toBe(1);
    expect(digestValues(noDigest(), [50])).toEqual([null]);
  });

  it('keep infinities out of the means of large sets', () => {
    const digest = noDigest();
    for (let i = 0; i < 20_000; i++) {
      addToDigest(digest, i % 10 === 0 ? Number.NEGATIVE_INFINITY : i % 7);
    }
    const [low, middle, high] = digestValues(digest, [1, 50, 100]);
    expect([low, high]).toEqual([Number.NEGATIVE_INFINITY, 6]);
    expect(middle).toBeGreaterThanOrEqual(2);
    expect(middle).toBeLessThanOrEqual(4);
  });
});
