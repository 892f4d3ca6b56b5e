import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { KeyTable } from './key-table.ts';
import { emptyKeys, type TextKeys } from './text-keys.ts';

/** Keys of which many begin alike, so that they collide. */
function keysOf(numbers: readonly number[]): TextKeys {
  const keys = emptyKeys(numbers.length);
  numbers.forEach((number, i) => {
    keys.words.set([number % 7, number % 3, 0, number], i * 4);
  });
  return keys;
}

const numbers = fc.array(fc.nat(300), { maxLength: 60 });

describe('the key table of the embedding cache', () => {
  it('finds the latest number of each key, scanned or built, between additions', () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat(300), { maxLength: 4000 }),
        fc.array(fc.record({ asked: numbers, added: numbers }), { maxLength: 12 }),
        (stored, steps) => {
          const table = KeyTable.of(keysOf(stored).bytes);
          const model = new Map(stored.map((number, i) => [number, i]));
          let count = stored.length;
          for (const { asked, added } of steps) {
            const wanted = asked.map((number) => model.get(number) ?? -1);
            expect([...table.findAll(keysOf(asked))]).toEqual(wanted);
            const keys = keysOf(added);
            added.forEach((number, i) => {
              expect(table.add(keys, i)).toBe(count);
              model.set(number, count++);
            });
          }
          expect(table.count).toBe(count);
          for (const [number, at] of model) {
            expect(table.find(keysOf([number]), 0)).toBe(at);
            expect(table.bytes(at, at + 1)).toEqual(keysOf([number]).bytes);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
