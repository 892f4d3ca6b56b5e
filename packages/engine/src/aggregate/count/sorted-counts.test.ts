import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { SortedCounts } from './sorted-counts.ts';

function counted<Code extends number | bigint>(codes: readonly Code[]): [Code, number][] {
  const counts = new Map<Code, number>();
  for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

describe('SortedCounts', () => {
  it('counts 32-bit codes over many chunks, in rising order', () => {
    const code = fc.oneof(
      fc.integer({ min: 0, max: 20 }),
      fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    );
    fc.assert(
      fc.property(fc.array(code, { maxLength: 500 }), (codes) => {
        const counts = new SortedCounts(false, 1);
        for (const one of codes) counts.add(one);
        const found = counts.finish();
        const pairs = Array.from(found.codes as Uint32Array, (one, i) => [one, found.counts[i]]);
        expect(pairs).toEqual(counted(codes));
      }),
    );
  });

  it('merges few times where far more values come than it expected', () => {
    const sort = vi.spyOn(Uint32Array.prototype, 'sort');
    const counts = new SortedCounts(false, 1);
    for (let i = 0; i < 300_000; i++) counts.add((i * 7919) % 70_001);
    const { codes } = counts.finish();
    expect(codes).toHaveLength(70_001);
    expect(sort.mock.calls.length).toBeLessThan(20);
    sort.mockRestore();
  });

  it('counts 64-bit values the same way', () => {
    fc.assert(
      fc.property(fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })), (values) => {
        const twice = [...values, ...values];
        const counts = new SortedCounts(true, 1);
        for (const value of twice) counts.add(value);
        const found = counts.finish();
        const pairs = Array.from(found.codes as BigInt64Array, (v, i) => [v, found.counts[i]]);
        expect(pairs).toEqual(counted(twice));
      }),
    );
  });
});
