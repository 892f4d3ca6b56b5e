import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { selectFirst } from './select-first.ts';

const SEED = 20_261_121;

describe('selectFirst', () => {
  it('are those of a sort, with the last of them at its place', () => {
    const input = fc
      .array(fc.integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 200 })
      .chain((values) => fc.tuple(fc.constant(values), fc.integer({ min: 1, max: values.length })));
    const property = fc.property(input, ([values, count]) => {
      const items = Int32Array.from(values, (_, i) => i);
      selectFirst(items, items.length, count, (a, b) => values[a]! < values[b]!);
      const sorted = values.toSorted((a, b) => a - b);
      const found = Array.from(items.subarray(0, count), (i) => values[i]!);
      expect(found.toSorted((a, b) => a - b)).toEqual(sorted.slice(0, count));
      expect(found.at(-1)).toBe(sorted[count - 1]);
      expect(Array.from(items).sort((a, b) => a - b)).toEqual(values.map((_, i) => i));
    });
    fc.assert(property, { seed: SEED, numRuns: 2000 });
  });

  it('leaves items beyond the size alone', () => {
    const items = Int32Array.from([3, 1, 2, 0]);
    selectFirst(items, 3, 1, (a, b) => a < b);
    expect([items[0], items[3]]).toEqual([1, 0]);
  });
});
