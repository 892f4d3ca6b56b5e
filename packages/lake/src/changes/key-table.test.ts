import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { vectorOf } from '../scan/vectors.ts';
import { MapValue, type Type, type Value } from '../schema/type.ts';
import { KEY_STATE, KeyTable } from './key-table.ts';
import { hashRows, LANES } from './row-hash.ts';

const SEED = 20_261_121;
const STRING: Type = { kind: 'string' };

const hashOf = (types: readonly Type[], rows: readonly (readonly Value[])[]) =>
  hashRows(
    types.map((type, i) =>
      vectorOf(
        type,
        rows.map((row) => row[i]),
      ),
    ),
    types,
    rows.length,
  );
const at = (hashes: Int32Array, row: number) =>
  hashes.subarray(row * LANES, row * LANES + LANES).join();

describe('hashes of rows', () => {
  it('are equal exactly where the rows are', () => {
    const value = fc.option(fc.string({ unit: 'binary', maxLength: 6 }), { nil: null });
    fc.assert(
      fc.property(fc.array(fc.tuple(value, value), { maxLength: 50 }), (rows) => {
        const hashes = hashOf([STRING, STRING], rows);
        rows.forEach((row, i) => {
          rows.forEach((other, j) => {
            const equal = row[0] === other[0] && row[1] === other[1];
            expect(at(hashes, i) === at(hashes, j)).toBe(equal);
          });
        });
      }),
      { seed: SEED, numRuns: 100 },
    );
  });

  it.each<readonly [string, Type, readonly Value[]]>([
    ['text', STRING, [null, '', '\0', '\0\0', 'a', 'ab', 'abc', 'abcd', 'abcd\0', 'abcde']],
    ['integers', { kind: 'int' }, [null, 0, 1, -1, 2 ** 31 - 1, -(2 ** 31)]],
    ['longs', { kind: 'long' }, [null, 0n, 1n, -1n, 2n ** 32n, -(2n ** 63n), 2n ** 63n - 1n]],
    ['doubles', { kind: 'double' }, [null, 0, -0, 1, Number.NaN, Infinity, -Infinity, 5e-324]],
    ['booleans', { kind: 'boolean' }, [null, false, true]],
    ['decimals', { kind: 'decimal', precision: 20, scale: 2 }, [null, 0n, 1n, 10n, -1n]],
    ['binary', { kind: 'binary' }, [null, new Uint8Array(0), Uint8Array.of(0), Uint8Array.of(1)]],
  ])('tell %s apart, NULL too', (_, type, values) => {
    const hashes = hashOf(
      [type],
      values.map((value) => [value]),
    );
    expect(new Set(values.map((__, i) => at(hashes, i))).size).toBe(values.length);
  });

  it('do not mind the order of a map, nor which NaN it is', () => {
    const map: Type = {
      kind: 'map',
      keyId: 1,
      key: STRING,
      valueId: 2,
      valueRequired: true,
      value: { kind: 'int' },
    };
    const pairs = [
      ['a', 1],
      ['b', 2],
    ] as const;
    const maps = [[new MapValue(pairs)], [new MapValue(pairs.toReversed())]];
    const hashes = hashOf([map], maps);
    expect(at(hashes, 0)).toBe(at(hashes, 1));
    const bits = new BigInt64Array([0x7ff8000000000001n, 0x7ff8000000000000n]);
    const values = new Float64Array(bits.buffer);
    const nans = hashRows([{ kind: 'float64', nulls: null, values }], [{ kind: 'double' }], 2);
    expect(at(nans, 0)).toBe(at(nans, 1));
  });
});

describe('the key table', () => {
  it('finds every key that was added, and no other', () => {
    const count = 20_000;
    const rows = Array.from({ length: count * 2 }, (_, i) => [`key ${i}`]);
    const hashes = hashOf([STRING], rows);
    const table = new KeyTable();
    for (let i = 0; i < count; i++) {
      expect(table.find(hashes, i)).toBe(-1);
      const place = { file: i % 7, position: i * 2, state: KEY_STATE.before };
      expect(table.add(hashes, i, hashes, place)).toBe(i);
    }
    for (let i = 0; i < count; i++) {
      expect(table.find(hashes, i)).toBe(i);
      expect(table.find(hashes, count + i)).toBe(-1);
      expect(table.place(i)).toEqual({ file: i % 7, position: i * 2 });
      expect(table.sameRow(i, hashes, i)).toBe(true);
      expect(table.sameRow(i, hashes, count + i)).toBe(false);
    }
    table.settle(5, KEY_STATE.updated, 9, 1);
    expect(table.place(5)).toEqual({ file: 9, position: 1 });
    expect(table.state(5)).toBe(KEY_STATE.updated);
    expect(table.state(4)).toBe(KEY_STATE.before);
    expect(table.size).toBe(count);
  });
});
