import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeSorted, type SortedCursor } from './merge-sorted.ts';

class ListCursor implements SortedCursor<ListCursor> {
  readonly list: number;
  readonly #values: readonly number[];
  #at = -1;

  constructor(list: number, values: readonly number[]) {
    this.list = list;
    this.#values = values;
  }

  get value(): number {
    return this.#values[this.#at]!;
  }

  next(): boolean {
    return ++this.#at < this.#values.length;
  }

  compare(other: ListCursor): number {
    return this.value - other.value;
  }
}

const rising = fc
  .uniqueArray(fc.integer({ min: 0, max: 30 }))
  .map((values) => values.sort((a, b) => a - b));

describe('mergeSorted', () => {
  it('visits every key once, in order, with all lists that have it', () => {
    fc.assert(
      fc.property(fc.array(rising, { maxLength: 6 }), (lists) => {
        const wanted = new Map<number, number[]>();
        lists.forEach((values, list) => {
          for (const value of values) wanted.set(value, [...(wanted.get(value) ?? []), list]);
        });
        const found: [number, number[]][] = [];
        const cursors = lists.map((values, list) => new ListCursor(list, values));
        mergeSorted(cursors, (equal, count) => {
          const at = equal.slice(0, count);
          found.push([at[0]!.value, at.map(({ list }) => list).sort((a, b) => a - b)]);
          return true;
        });
        expect(found).toEqual([...wanted].sort(([a], [b]) => a - b));
      }),
    );
  });

  it('stops when the visitor has enough', () => {
    const seen: number[] = [];
    mergeSorted([new ListCursor(0, [1, 2, 3]), new ListCursor(1, [2, 4])], ([first]) => {
      seen.push(first!.value);
      return seen.length < 2;
    });
    expect(seen).toEqual([1, 2]);
  });
});
