import type { ColumnVector, Value } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lanesOf } from '../../../../test/support/oracle/murmur.ts';
import type { HashSet } from '../schema/hash-set.ts';
import { type HashedColumn, RowHashes } from './row-hash.ts';

const seed = 20_261_122;
const M = 2n ** 32n;

/** Bytes of a value as docs/format.md describes them, for the two types of these columns. */
function bytesOf(value: string | bigint): Buffer {
  if (typeof value === 'string') return Buffer.from(value);
  const bytes = Buffer.alloc(8);
  bytes.writeBigInt64LE(value);
  return bytes;
}

/** The two lanes over columns in one pass. */
function described(columns: readonly (readonly [id: number, value: string | bigint])[]) {
  const words = columns.flatMap(([id, value]) => {
    const bytes = bytesOf(value);
    const padded = Buffer.concat([bytes, Buffer.alloc((4 - (bytes.length % 4)) % 4)]);
    const own = Array.from({ length: padded.length / 4 }, (_, i) => padded.readUInt32LE(4 * i));
    return [id, bytes.length, ...own].map(BigInt);
  });
  return lanesOf(words, [0x6c687331n, 0x726f7731n]);
}

const present = (row: Row): [number, string | bigint][] =>
  [...row.entries()].flatMap(([id, value]): [number, string | bigint][] =>
    value === null ? [] : [[id, value]],
  );

/** Sum of the hashes of single columns, and of one pass over several. */
function expected(row: Row, { whole, columns }: HashSet): bigint {
  const own = present(row).filter(([id]) => columns.includes(String(id)));
  const addends = own.map((column) => described([column]));
  if (whole !== undefined) {
    const together = present(row).filter(([id]) => whole.includes(id));
    addends.push(described(together.sort(([a], [b]) => a - b)));
  }
  const lane = (at: 0 | 1) => addends.reduce((sum, lanes) => sum + lanes[at], 0n) % M;
  return lane(0) + lane(1) * M;
}

type Row = ReadonlyMap<number, string | bigint | null>;
const IDS = [3, 7, 12, 40];
const row: fc.Arbitrary<Row> = fc
  .tuple(
    fc.option(fc.string({ unit: 'binary', maxLength: 9 })),
    fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
    fc.option(fc.string({ maxLength: 3 })),
    fc.option(fc.bigInt(-3n, 3n)),
  )
  .map((values) => new Map(values.map((value, i) => [IDS[i], value])));
const rows = fc.array(row, { minLength: 1, maxLength: 12 });

function vectorOf(values: readonly (string | bigint | null)[]): ColumnVector {
  const nulls = Uint8Array.from(values, (value) => (value === null ? 1 : 0));
  if (values.every((value) => typeof value !== 'bigint')) {
    const parts = values.map((value) => Buffer.from((value ?? '') as string));
    const offsets = new Int32Array(parts.length + 1);
    parts.forEach(({ length }, i) => {
      offsets[i + 1] = offsets[i] + length;
    });
    return { kind: 'utf8', nulls, offsets, bytes: Buffer.concat(parts) };
  }
  const numbers = values.map((value) => (value ?? 0n) as bigint);
  return { kind: 'int64', nulls, values: BigInt64Array.from(numbers) };
}

const columnsOf = (all: readonly Row[]): HashedColumn[] =>
  IDS.map((fieldId) => ({ fieldId, vector: vectorOf(all.map((one) => one.get(fieldId)!)) }));
const hashesOf = (all: readonly Row[]) => new RowHashes(columnsOf(all), all.length);

describe('row hashes', () => {
  const sets = fc.record({
    columns: fc.subarray(IDS).map((ids) => ids.map(String)),
    whole: fc.option(fc.subarray(IDS), { nil: undefined }),
  });

  it('are the sums that the format describes, under every set of columns', () => {
    fc.assert(
      fc.property(rows, sets, (all, set) => {
        const wanted = all.map((one) => expected(one, set));
        expect([...hashesOf(all).of(set)!]).toEqual(wanted);
      }),
      { seed, numRuns: 300 },
    );
  });

  it('grow by the hashes of an added column, lane by lane', () => {
    fc.assert(
      fc.property(rows, fc.constantFrom(...IDS), (all, added) => {
        const hashes = hashesOf(all);
        const others = IDS.filter((id) => id !== added).map(String);
        const lanes = (set: HashSet) => new Uint32Array(hashes.of(set)!.buffer);
        const [before, more] = [lanes({ columns: others }), lanes({ columns: [String(added)] })];
        expect(lanes(hashes.set)).toEqual(before.map((lane, at) => lane + more[at]));
      }),
      { seed, numRuns: 100 },
    );
  });

  it('cover all columns by default, in whatever order they come', () => {
    fc.assert(
      fc.property(rows, (all) => {
        const reversed = new RowHashes(columnsOf(all).reverse(), all.length);
        expect(reversed.set).toEqual({ columns: ['3', '7', '12', '40'] });
        expect(reversed.own).toEqual(hashesOf(all).own);
      }),
      { seed, numRuns: 30 },
    );
  });

  it('of format 1 stay what they were', () => {
    const value: readonly (readonly [number, Value])[] = [
      [1, 1n],
      [2, 'hello'],
    ];
    const columns = value.map(([fieldId, one]) => ({
      fieldId,
      vector: vectorOf([one as string | bigint]),
    }));
    const [hash] = new RowHashes(columns, 1).of({ whole: [1, 2], columns: [] })!;
    expect(hash.toString(16)).toBe('fa9de88ef15ce683');
  });

  it('do not exist under a set with a column that was not read', () => {
    const hashes = new RowHashes(columnsOf([new Map(IDS.map((id) => [id, null]))]), 1);
    expect(hashes.of({ columns: ['3', '99'] })).toBeNull();
    expect(hashes.of({ whole: [3, 99], columns: [] })).toBeNull();
    expect([...hashes.of({ columns: [] })!]).toEqual([0n]);
  });
});
