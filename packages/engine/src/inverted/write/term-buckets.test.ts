import { describe, expect, it } from 'vitest';
import { seededBelow } from '../../../../../test/support/random.ts';
import { planBuckets } from './term-buckets.ts';

const TERMS = 5000;
const MOST = 1 << 15;

/** Numbers of terms in an order, and occurrences by number: a few terms have many. */
function terms() {
  const random = seededBelow(7);
  const order = Int32Array.from({ length: TERMS }, (_, i) => (i * 7) % TERMS);
  const counts = order.map((_, term) => (term % 900 === 3 ? 3 * MOST : 1 + random(200)));
  return { order, counts, total: counts.reduce((sum, count) => sum + count, 0) };
}

describe('buckets of terms', () => {
  it.each([1, 2, 31, 1 << 16, 1 << 24])('hold all terms in their order: %i positions', (end) => {
    const { order, counts, total } = terms();
    const { buckets, positionBits, places } = planBuckets(order, counts, total, end);
    let [term, at] = [0, 0];
    for (const [number, { firstTerm, endTerm, from, to }] of buckets.entries()) {
      expect([firstTerm, from]).toEqual([term, at]);
      for (; term < endTerm; term++) {
        const id = order[term];
        at += counts[id];
        expect(places[2 * id]).toBe(number);
        expect(places[2 * id + 1] >>> positionBits).toBe(term - firstTerm);
      }
      expect(to).toBe(at);
    }
    expect([term, at]).toEqual([TERMS, total]);
    expect(2 ** positionBits).toBeGreaterThanOrEqual(end);
  });

  it('hold few occurrences, unless one term has more', () => {
    const { order, counts, total } = terms();
    const { buckets } = planBuckets(order, counts, total, 100);
    const large = buckets.filter(({ from, to }) => to - from > MOST);
    expect(large.map(({ firstTerm, endTerm }) => endTerm - firstTerm)).toEqual(
      Array.from({ length: 6 }, () => 1),
    );
  });
});
