import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import type { FieldBlock } from '../schema/field-block.ts';
import type { Region } from '../storage/directory.ts';
import { StoredReader, type StoredValue } from './stored-reader.ts';
import { StoredWriter } from './stored-writer.ts';

const seed = 20_260_305;
const arena = plainArena();

function regionOf(parts: readonly Uint8Array[]): Region {
  const bytes = Buffer.concat(parts);
  const region = arena.allocate(bytes.length);
  region.bytes.set(bytes);
  return region;
}

const open = (parts: readonly Uint8Array[]): StoredReader =>
  StoredReader.open(regionOf(parts), 'stored');

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

  describe('that are short', () => {
    const words = ['fix', 'the', 'größe', 'of', 'a', 'buffer', 'in', 'parser', '日本', 'tests'];
    const random = fc.sample(fc.array(fc.nat(12), { maxLength: 14 }), { seed, numRuns: 16_000 });
    const rows: Row[] = random.map((numbers, i) => ({
      texts: i % 7 === 0 ? [] : [numbers.map((n) => words[n] ?? `${i * n}`).join(' ')],
      longs: i % 5 === 0 ? [BigInt(i) ** 3n] : [],
      doubles: i % 11 === 0 ? [i / 7] : [],
    }));
    const writer = new StoredWriter([2, 5, 9]);
    writer.add(rows.length, blocks(rows));
    const parts = writer.finish();

    test('are read back one by one in any order, and after a merge', () => {
      const reader = open(parts);
      const merged = new StoredWriter([2, 5, 9]);
      for (let doc = 0; doc < rows.length; doc++) merged.addFrom([reader], doc);
      const again = open(merged.finish());
      reader.check();
      for (let i = 0; i < rows.length; i++) {
        const doc = (i * 7919) % rows.length;
        for (const one of [reader, again]) {
          const found = one.row(doc);
          const fields = [2, 5, 9].map((field) => plain(found.get(field)));
          expect(fields).toEqual(expected(rows[doc]));
        }
      }
    });

    test('take less than half of their bytes', () => {
      const reader = open(parts);
      const raw = rows.reduce((sum, _, doc) => sum + reader.rowBytes(doc).length, 0);
      expect(Buffer.concat(parts).length).toBeLessThan(raw / 2 + 2 ** 18);
    });

    test('are refused or read as other rows if bytes are damaged', () => {
      const region = regionOf(parts);
      for (const at of fc.sample(fc.nat(region.length - 1), { seed, numRuns: 200 })) {
        region.bytes[at] ^= 0x41;
        try {
          const reader = StoredReader.open(region, 'stored');
          for (let doc = 0; doc < rows.length; doc += 97) reader.rowBytes(doc);
        } catch (error) {
          expect(error).toMatchObject({ code: 'corrupt_index' });
        }
        region.bytes[at] ^= 0x41;
      }
    });
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
