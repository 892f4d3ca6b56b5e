/** Given documents as a leaf: matches, zones, bounds and scores against the list itself. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { forEachBit, wordsOf } from '../../bitmap/bitmap.ts';
import { precomputedLeaf } from './precomputed-leaf.ts';

const DOCS = 3000;
const bitsOf = (bits: Int32Array): number[] => {
  const docs: number[] = [];
  forEachBit(bits, (doc) => docs.push(doc));
  return docs;
};
const lists = fc
  .uniqueArray(
    fc.tuple(fc.integer({ min: 0, max: DOCS - 1 }), fc.double({ min: 0, max: 2, noNaN: true })),
    {
      maxLength: 200,
      selector: ([doc]) => doc,
    },
  )
  .map((list) => list.toSorted(([a], [b]) => a - b));

describe('a leaf of precomputed documents', () => {
  test('matches and scores the documents of its list', () => {
    fc.assert(
      fc.property(lists, fc.constantFrom(1, 0.5, 3), fc.nat(DOCS - 1), (list, boost, from) => {
        const docs = Int32Array.from(list, ([doc]) => doc);
        const leaf = precomputedLeaf(
          { docs, scores: Float64Array.from(list, ([, s]) => s) },
          boost,
        );
        const whole = new Int32Array(wordsOf(DOCS));
        leaf.fill(whole);
        expect(bitsOf(whole)).toEqual([...docs]);
        const all = Array.from({ length: DOCS }, (_, doc) => doc);
        expect(all.filter((doc) => leaf.has?.(doc))).toEqual([...docs]);
        const bounds = new Float64Array(whole.length / 8);
        leaf.addBounds(bounds);
        const wanted = whole.map((word, i) => (32 * i >= from ? word : 0));
        for (let range = 0; range < bounds.length; range++) {
          const scores = new Float64Array(256);
          leaf.add(range, wanted, scores);
          const expected = new Float64Array(256);
          for (const [doc, score] of list) {
            if (doc >> 8 === range && doc >> 5 >= Math.ceil(from / 32))
              expected[doc & 255] = boost * score;
          }
          expect(scores).toEqual(expected);
          expect(Math.max(...scores)).toBeLessThanOrEqual(bounds[range]);
        }
      }),
      { seed: 20_261_121, numRuns: 300 },
    );
  });

  test('matches nothing in a segment without documents in its list', () => {
    const bits = new Int32Array(8);
    precomputedLeaf(undefined, 1).fill(bits);
    expect(bitsOf(bits)).toEqual([]);
  });
});
