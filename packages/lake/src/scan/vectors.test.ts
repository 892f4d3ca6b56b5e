import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Type, Value } from '../schema/type.ts';
import type { Batch } from './batch.ts';
import { constantVector, isNullAt, selectRows, valuesOf, vectorOf } from './vectors.ts';

const SEED = 20_261_121;

const nullable = <T>(values: fc.Arbitrary<T>) => fc.array(fc.option(values, { nil: null }));
const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
const cases: readonly (readonly [Type, fc.Arbitrary<Value[]>])[] = [
  [{ kind: 'string' }, nullable(fc.string({ unit: 'binary', maxLength: 40 }))],
  [{ kind: 'uuid' }, nullable(fc.uuid())],
  [{ kind: 'int' }, nullable(fc.integer())],
  [{ kind: 'date' }, nullable(fc.integer())],
  [{ kind: 'long' }, nullable(int64)],
  [{ kind: 'timestamptz_ns' }, nullable(int64)],
  [{ kind: 'float' }, nullable(fc.float())],
  [{ kind: 'double' }, nullable(fc.double())],
  [{ kind: 'boolean' }, nullable(fc.boolean())],
  [{ kind: 'decimal', precision: 38, scale: 2 }, nullable(int64)],
  [{ kind: 'binary' }, nullable(fc.uint8Array())],
];

describe.each(cases.map(([type, values]) => [type.kind, type, values] as const))(
  'a vector of %s',
  (_, type, arbitrary) => {
    it('gives back its values, whole and selected', () => {
      fc.assert(
        fc.property(arbitrary, fc.infiniteStream(fc.boolean()), (values, keep) => {
          const vector = vectorOf(type, values);
          expect(valuesOf(vector, values.length)).toEqual(values);
          expect(values.map((_value, row) => isNullAt(vector, row))).toEqual(
            values.map((value) => value === null),
          );
          const selection = Int32Array.from(values.keys()).filter(() => keep.next().value);
          const batch: Batch = {
            rows: values.length,
            columns: [vector],
            file: 'f',
            positions: Int32Array.from(values.keys(), (row) => row * 3),
          };
          const selected = selectRows(batch, selection);
          expect(valuesOf(selected.columns[0], selected.rows)).toEqual(
            Array.from(selection, (row) => values[row]),
          );
          expect([...selected.positions]).toEqual(Array.from(selection, (row) => row * 3));
        }),
        { seed: SEED, numRuns: 200 },
      );
    });
  },
);

describe('selection of vectors', () => {
  it('takes rows in any order, long runs and short ones', () => {
    const values = Array.from({ length: 1000 }, (_, i) => (i % 10 === 9 ? null : `text ${i}`));
    const batch: Batch = {
      rows: values.length,
      columns: [vectorOf({ kind: 'string' }, values)],
      file: 'f',
      positions: Int32Array.from(values.keys()),
    };
    const runs = [500, 501, 502, ...Array.from({ length: 90 }, (_, i) => i), 999, 3, 2, 2, 700];
    const selected = selectRows(batch, Int32Array.from(runs));
    expect(valuesOf(selected.columns[0], selected.rows)).toEqual(runs.map((row) => values[row]));
  });

  it('keeps a byte order mark', () => {
    const values = ['\u{feff}text', '\u{feff}'];
    expect(valuesOf(vectorOf({ kind: 'string' }, values), 2)).toEqual(values);
  });

  it('makes vectors of one value', () => {
    expect(valuesOf(constantVector({ kind: 'string' }, 'ü', 3), 3)).toEqual(['ü', 'ü', 'ü']);
    expect(valuesOf(constantVector({ kind: 'long' }, null, 2), 2)).toEqual([null, null]);
  });
});
