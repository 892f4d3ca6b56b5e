import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FieldBlock } from '../schema/field-block.ts';
import { plainArena } from '../storage/plain-arena.ts';
import { StoredReader, type StoredValue } from './stored-reader.ts';
import { StoredWriter } from './stored-writer.ts';

const seed = 20_260_305;
const arena = plainArena();

function open(parts: readonly Uint8Array[]): StoredReader {
  const bytes = Buffer.concat(parts);
  const region = arena.allocate(bytes.length);
  region.bytes.set(bytes);
  return StoredReader.open(region, 'stored');
}

const running = (lengths: readonly number[]): Int32Array => {
  const starts = Int32Array.from([0, ...lengths]);
  for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
  return starts;
};

interface Row {
  readonly texts: readonly string[];
  readonly longs: readonly bigint[];
  readonly doubles: readonly number[];
}

function blocks(rows: readonly Row[]): FieldBlock[] {
  const texts = rows.flatMap((row) => row.texts.map((text) => Buffer.from(text)));
  return [
    {
      kind: 'bytes',
      starts: running(rows.map((row) => row.texts.length)),
      offsets: running(texts.map((text) => text.length)),
      bytes: Buffer.concat(texts),
    },
    {
      kind: 'long',
      starts: running(rows.map((row) => row.longs.length)),
      values: BigInt64Array.from(rows.flatMap((row) => row.longs)),
    },
    {
      kind: 'double',
      starts: running(rows.map((row) => row.doubles.length)),
      values: Float64Array.from(rows.flatMap((row) => row.doubles)),
    },
  ];
}

const row: fc.Arbitrary<Row> = fc.record({
  texts: fc.array(fc.oneof(fc.string({ unit: 'binary' }), fc.constant('x'.repeat(9000))), {
    maxLength: 2,
  }),
  longs: fc.array(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), { maxLength: 2 }),
  doubles: fc.array(fc.double(), { maxLength: 2 }),
});

const plain = (values: readonly StoredValue[] | undefined): unknown[] =>
  (values ?? []).map((value) =>
    value instanceof Uint8Array ? Buffer.from(value).toString() : value,
  );
const expected = ({ texts, longs, doubles }: Row): unknown[] => [
  texts.map((text) => Buffer.from(text).toString()),
  longs,
  doubles,
];

describe('stored rows', () => {
  test('are read back in any order, also after a merge with other fields', () => {
    fc.assert(
      fc.property(fc.array(row, { maxLength: 40 }), fc.nat(), (rows, mask) => {
        const writer = new StoredWriter([2, 5, 9]);
        writer.add(rows.length, blocks(rows));
        const reader = open(writer.finish());
        expect(reader.docs).toBe(rows.length);
        for (let i = rows.length - 1; i >= 0; i--) {
          const found = reader.row(i);
          expect([2, 5, 9].map((field) => plain(found.get(field)))).toEqual(expected(rows[i]));
        }
        const same = new StoredWriter([2, 5, 9]);
        const fewer = new StoredWriter([5, 7]);
        const kept = rows.flatMap((_, doc) => (((mask >> (doc % 9)) & 1) === 1 ? [doc] : []));
        for (const doc of kept) {
          same.addFrom([reader], doc);
          fewer.addFrom([reader], doc);
        }
        fewer.addFrom([], 0);
        const rebuilt = new StoredWriter([2, 5, 9]);
        rebuilt.add(kept.length, blocks(kept.map((doc) => rows[doc])));
        expect(Buffer.concat(same.finish())).toEqual(Buffer.concat(rebuilt.finish()));
        const narrow = open(fewer.finish());
        kept.forEach((doc, i) => {
          expect(plain(narrow.row(i).get(5))).toEqual(rows[doc].longs);
          expect(narrow.row(i).get(2)).toBeUndefined();
        });
        expect(narrow.row(kept.length).size).toBe(0);
      }),
      { seed, numRuns: 60 },
    );
  });

  test('are unpacked once per block of a page, and huge blocks are not all cached', () => {
    const unpacked = (documents: number, length: number) => {
      const rows = Array.from({ length: documents }, (_, i) => {
        return { texts: [String(i).padEnd(length)], longs: [], doubles: [] };
      });
      const writer = new StoredWriter([2, 5, 9]);
      writer.add(documents, blocks(rows));
      const reader = open(writer.finish());
      const blocksOf = () => rows.map((_, doc) => reader.rowBytes(doc).buffer);
      const before = blocksOf();
      return blocksOf().filter((block, doc) => block !== before[doc]).length;
    };
    expect(unpacked(30, 30_000)).toBe(0);
    expect(unpacked(10, 1_000_000)).toBe(10);
  });
});
