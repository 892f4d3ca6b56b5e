import { describe, expect, it } from 'vitest';
import { ndcg } from './ndcg.ts';

const key = (value: string) => ({ identifier: [{ name: 'id', value }] });
const keys = (values: string) => [...values].map(key);
const judgments = (grades: Readonly<Record<string, number>>) =>
  Object.entries(grades).map(([value, grade]) => ({ key: key(value), grade }));

describe('nDCG@10', () => {
  it('is the published figure of the textbook example', () => {
    // Grades 3, 2, 3, 0, 1, 2 with the exponential gain: 13.8483 of an ideal 14.5955.
    const grades = { a: 3, b: 2, c: 3, d: 0, e: 1, f: 2 };
    const ideal = [3, 3, 2, 2, 1].reduce((sum, g, i) => sum + (2 ** g - 1) / Math.log2(i + 2), 0);
    const found = [3, 2, 3, 0, 1, 2].reduce(
      (sum, g, i) => sum + (2 ** g - 1) / Math.log2(i + 2),
      0,
    );
    expect(ndcg(keys('abcdef'), judgments(grades))).toBeCloseTo(found / ideal, 12);
    expect(found).toBeCloseTo(13.848, 3);
  });

  it('is 1 for the best order, 0 without relevant hits or judgments above 0', () => {
    expect(ndcg(keys('ab'), judgments({ a: 2, b: 1 }))).toBe(1);
    expect(ndcg(keys('xy'), judgments({ a: 2 }))).toBe(0);
    expect(ndcg(keys('ab'), judgments({ a: 0 }))).toBe(0);
  });

  it('heeds the first ten hits alone', () => {
    expect(ndcg(keys('bcdefghijka'), judgments({ a: 1 }))).toBe(0);
  });
});
