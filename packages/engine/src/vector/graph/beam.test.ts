import { describe, expect, test } from 'vitest';
import { seededBelow } from '../../../../../test/support/random.ts';
import { Beam } from './beam.ts';

interface Entry {
  readonly slot: number;
  readonly key: number;
}

/** The best `most` of some entries; of equal keys the first ones. */
const bestOf = (entries: readonly Entry[], most: number): readonly Entry[] =>
  entries.toSorted((a, b) => b.key - a.key || a.slot - b.slot).slice(0, most);

const entriesOf = (beam: Beam): readonly Entry[] =>
  Array.from({ length: beam.size }, (_, i) => ({ slot: beam.slotAt(i), key: beam.keyAt(i) }));

describe('the candidates of a walk', () => {
  test.each([1, 2, 40, 160, 161, 162, 1000])(
    'are the best %i, in the order of their keys',
    (most) => {
      const below = seededBelow(most);
      const beam = new Beam(16);
      for (const kinds of [3, 50, 1e9]) {
        beam.reset(most);
        const entries: Entry[] = [];
        for (let slot = 0; slot < 3 * most; slot++) {
          const entry = { slot, key: below(kinds) / 7 };
          entries.push(entry);
          beam.add(entry.slot, entry.key);
          if (slot % 5 === 0) beam.next();
        }
        expect(entriesOf(beam)).toEqual(bestOf(entries, most));
        expect(beam.least).toBe(bestOf(entries, most)[most - 1].key);
      }
    },
  );

  test('are returned once each, the best one first', () => {
    const beam = new Beam(500);
    const below = seededBelow(7);
    const left = new Map<number, number>();
    const taken = () => {
      const slot = beam.next();
      expect(left.get(slot)).toBe(Math.max(...left.values()));
      left.delete(slot);
    };
    for (let slot = 0; slot < 500; slot++) {
      const key = below(1e9);
      left.set(slot, key);
      beam.add(slot, key);
      if (slot % 3 === 0) taken();
    }
    while (left.size > 0) taken();
    expect(beam.next()).toBe(-1);
  });
});
