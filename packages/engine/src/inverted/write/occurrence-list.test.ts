import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { OccurrenceList } from './occurrence-list.ts';

/** Occurrences of a chunk, as in the list. */
const CHUNK = 1 << 18;

/** Whether two lists of up to a million numbers are equal: `toEqual` takes a second for them. */
const same = (a: readonly number[], b: readonly number[]): boolean =>
  a.length === b.length && a.every((value, i) => value === b[i]);

interface Plain {
  readonly terms: number[];
  readonly positions: number[];
}

function contents(list: OccurrenceList): Plain {
  const plain: Plain = { terms: [], positions: [] };
  for (const { from, count, terms, positions } of list.takeChunks()) {
    expect(from).toBe(plain.terms.length);
    for (let i = 0; i < count; i++) {
      plain.terms.push(terms[i]);
      plain.positions.push(positions === null ? from + i : positions[i]);
    }
  }
  return plain;
}

describe('occurrences in chunks', () => {
  it('keeps what was appended in runs that cross chunks', () => {
    const run = fc.integer({ min: 1, max: CHUNK + 10 });
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 4 }), fc.nat(3), (runs, keepFrom) => {
        const list = new OccurrenceList();
        const terms: number[] = [];
        for (const [at, length] of runs.entries()) {
          if (at === keepFrom) {
            list.keepPositions((chunk, from, to) => {
              for (let i = from; i < to; i++) chunk[i - from] = i;
            });
          }
          const ids = Int32Array.from({ length }, (_, i) => at * 7 + i);
          list.append(ids, length, terms.length);
          for (const id of ids) terms.push(id);
          list.push(at, terms.length);
          terms.push(at);
        }
        expect(list.size).toBe(terms.length);
        expect(list.hasPositions).toBe(keepFrom < runs.length);
        expect(list.bytes).toBeGreaterThanOrEqual((list.hasPositions ? 8 : 4) * terms.length);
        const plain = contents(list);
        expect(same(plain.terms, terms)).toBe(true);
        expect(plain.positions.length).toBe(terms.length);
        expect(plain.positions.findIndex((position, i) => position !== i)).toBe(-1);
      }),
      { numRuns: 12, seed: 20_261_123 },
    );
  });

  it('leaves out terms below 0, whose positions stay empty', () => {
    const list = new OccurrenceList();
    list.keepPositions(() => {});
    list.appendSome(Int32Array.of(5, -1, 6, -1), 4, 10);
    list.appendSome(Int32Array.of(-1, 7), 2, 0);
    expect(contents(list)).toEqual({ terms: [5, 6, 7], positions: [10, 12, 1] });
  });

  it('frees a chunk when the next one is taken', () => {
    const list = new OccurrenceList();
    list.append(new Int32Array(CHUNK + 1), CHUNK + 1, 0);
    const taken = [...list.takeChunks()];
    expect(taken.map(({ terms }) => terms.length)).toEqual([0, 0]);
  });
});
