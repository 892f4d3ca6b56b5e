import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MovedRows } from './moved-rows.ts';

const seed = 20_261_121;
const DOCS = 40;

const move = fc.record({
  doc: fc.nat(DOCS - 1),
  file: fc.nat(4),
  position: fc.nat(30),
  look: fc.boolean(),
});

/** What a list of places gives for a file: documents and positions, by position. */
function byHand(
  places: ReadonlyMap<number, { file: number; position: number }>,
  file: number,
  positions: readonly number[] | null,
): number[][] {
  return [...places]
    .filter(([, place]) => place.file === file)
    .filter(([, { position }]) => positions === null || positions.includes(position))
    .map(([doc, { position }]) => [position, doc])
    .sort(([a, x], [b, y]) => a - b || x - y);
}

describe('MovedRows', () => {
  test('returns the last location of a row, whatever is read in between', () => {
    const wanted = fc.uniqueArray(fc.nat(35), { maxLength: 12 });
    fc.assert(
      fc.property(fc.array(move, { maxLength: 80 }), wanted, (moves, unordered) => {
        const positions = unordered.sort((a, b) => a - b);
        const rows = new MovedRows(DOCS);
        const places = new Map<number, { file: number; position: number }>();
        const check = () => {
          for (let file = 0; file <= 5; file++) {
            for (const some of [null, positions]) {
              const found: number[][] = [];
              const at = some === null ? null : Int32Array.from(some);
              rows.forEachIn(file, at, (doc, position) => found.push([position, doc]));
              expect(found.map(([position]) => position)).toEqual(
                found.map(([position]) => position).toSorted((a, b) => a - b),
              );
              found.sort(([a, x], [b, y]) => a - b || x - y);
              expect(found).toEqual(byHand(places, file, some));
            }
          }
        };
        for (const { doc, file, position, look } of moves) {
          rows.set(doc, file, position);
          places.set(doc, { file, position });
          if (look) check();
        }
        check();
        expect(rows.count).toBe(places.size);
        const all: number[][] = [];
        rows.forEach((...row) => {
          all.push(row);
        });
        expect(all).toEqual(
          [...places].map(([doc, p]) => [doc, p.file, p.position]).sort(([a], [b]) => a - b),
        );
        for (let doc = 0; doc < DOCS; doc++) {
          expect(rows.has(doc)).toBe(places.has(doc));
          if (!rows.has(doc)) continue;
          expect({ file: rows.file(doc), position: rows.position(doc) }).toEqual(places.get(doc));
        }
      }),
      { seed, numRuns: 300 },
    );
  });

  test('does not change through a copy', () => {
    const rows = new MovedRows(3);
    rows.set(1, 0, 7);
    const frozen = rows.freeze();
    rows.set(1, 2, 9);
    rows.set(0, 2, 9);
    expect(frozen).toEqual({ files: Int32Array.of(0, 1, 0), positions: Int32Array.of(0, 7, 0) });
    expect(rows.locations()).toEqual({
      files: Int32Array.of(3, 3, 0),
      positions: Int32Array.of(9, 9, 0),
    });
  });
});
