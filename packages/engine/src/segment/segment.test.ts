import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryDirectory } from '../../../../test/support/memory-directory.ts';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { hashBytes } from '../base/bytes/hash-bytes.ts';
import type { DocumentBlock, FieldBlock } from '../schema/field-block.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { Verification } from '../storage/verification.ts';
import { type MergeField, mergeSegments } from './merge.ts';
import { SegmentReader } from './segment-reader.ts';
import { SegmentWriter } from './segment-writer.ts';

const seed = 20_260_306;
const plan = (id: number, name: string, more: Partial<FieldPlan>): FieldPlan => ({
  id,
  name,
  type: 'LONG',
  inverted: null,
  column: null,
  stored: false,
  ...more,
});
const plans = [
  plan(1, 'n', { column: 'numeric' }),
  plan(2, 'tag', { type: 'KEYWORD', column: 'ordinal' }),
  plan(4, 'note', { type: 'TEXT', stored: true }),
];

const fields: readonly MergeField[] = plans.map((field) => ({
  ...field,
  inverted: field.inverted?.kind ?? null,
}));

interface Row {
  readonly key: string;
  readonly n: bigint | null;
  readonly tag: string | null;
  readonly file: number;
  readonly position: number;
}

const running = (lengths: readonly number[]): Int32Array => {
  const starts = Int32Array.from([0, ...lengths]);
  for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
  return starts;
};
const texts = (values: readonly (string | null)[]) => {
  const present = values.flatMap((value) => (value === null ? [] : [Buffer.from(value)]));
  return {
    kind: 'bytes' as const,
    starts: running(values.map((value) => (value === null ? 0 : 1))),
    offsets: running(present.map(({ length }) => length)),
    bytes: Buffer.concat(present),
  };
};

function blockOf(rows: readonly Row[]): DocumentBlock {
  const keys = rows.map(({ key }) => Buffer.from(key));
  const numbers = rows.map(({ n }) => n);
  return {
    docs: rows.length,
    keyOffsets: running(keys.map(({ length }) => length)),
    keyBytes: Buffer.concat(keys),
    files: Int32Array.from(rows, ({ file }) => file),
    positions: Int32Array.from(rows, ({ position }) => position),
    hashes: BigUint64Array.from(rows, ({ position }) => BigInt(position) * 77n),
    fields: new Map<string, FieldBlock>([
      [
        'n',
        {
          kind: 'long',
          starts: running(numbers.map((n) => (n === null ? 0 : 1))),
          values: BigInt64Array.from(numbers.filter((n) => n !== null)),
        },
      ],
      ['tag', texts(rows.map(({ tag }) => tag))],
      ['note', texts(rows.map(({ key }) => `note of ${key}`))],
    ]),
  };
}

const row = fc.record({
  key: fc.string({ unit: 'binary', minLength: 1, maxLength: 6 }),
  n: fc.option(fc.bigInt(-100n, 100n)),
  tag: fc.option(fc.constantFrom('a', 'b', 'ab', 'ü')),
  file: fc.nat(2),
  position: fc.nat(30),
});
/** Distinct keys and distinct places; half of the lists lie in file order, so that runs are met. */
const rows = fc
  .tuple(
    fc.uniqueArray(row, {
      maxLength: 60,
      selector: ({ key }) => Buffer.from(key).toString('latin1'),
    }),
    fc.boolean(),
  )
  .map(([list, ordered]) => {
    const seen = new Set<string>();
    const distinct = list.filter(({ file, position }) => {
      const place = `${file}/${position}`;
      return !seen.has(place) && seen.add(place);
    });
    return ordered ? distinct.sort((a, b) => a.file - b.file || a.position - b.position) : distinct;
  });

const arena = plainArena();
const write = (directory: MemoryDirectory, id: string, list: readonly Row[]): SegmentReader => {
  const writer = new SegmentWriter(plans);
  const cut = list.length >> 1;
  writer.add(blockOf(list.slice(0, cut)));
  writer.add(blockOf(list.slice(cut)));
  const entry = writer.finish(directory, id);
  return SegmentReader.open(directory, entry, new Verification(directory));
};

describe('a segment', () => {
  test('gives back keys, ranks, locators, hashes and values', () => {
    fc.assert(
      fc.property(rows, fc.string({ unit: 'binary' }), (list, other) => {
        const reader = write(new MemoryDirectory(arena), 's1', list);
        const keys = list.map(({ key }) => Buffer.from(key));
        const sorted = keys.toSorted(Buffer.compare);
        list.forEach((expected, doc) => {
          expect(Buffer.from(reader.keys.key(doc))).toEqual(keys[doc]);
          expect(reader.keys.find(keys[doc])).toBe(doc);
          expect(reader.keys.rank(doc)).toBe(sorted.findIndex((key) => key.equals(keys[doc])));
          expect(reader.locators.file(doc)).toBe(expected.file);
          expect(reader.locators.position(doc)).toBe(expected.position);
          expect(reader.hash(doc)).toBe(BigInt(expected.position) * 77n);
          const note = reader.stored(doc).get(4)?.[0] as Uint8Array;
          expect(Buffer.from(note).toString()).toBe(
            Buffer.from(`note of ${expected.key}`).toString(),
          );
          expect(reader.numeric(1)?.count(doc)).toBe(expected.n === null ? 0 : 1);
          if (expected.n !== null) expect(reader.numeric(1)?.valueAt(doc, 0)).toBe(expected.n);
          const tag =
            expected.tag === null ? -1 : reader.ordinals(2)?.find(Buffer.from(expected.tag));
          expect(reader.ordinals(2)?.ord(doc)).toBe(tag);
        });
        expect(reader.keys.find(Buffer.from(other))).toBe(
          keys.findIndex((key) => key.equals(Buffer.from(other))),
        );
        expect(reader.numeric(2)).toBeNull();
        reader.release();
      }),
      { seed, numRuns: 100 },
    );
  });

  test('finds a key whether hashes are spread evenly or all at one end', () => {
    const texts = Array.from({ length: 60_000 }, (_, i) => `key ${i}`);
    const hashOf = (text: string) => hashBytes(Buffer.from(text), 0, text.length);
    const ends = texts.filter(
      (text) => hashOf(text) < 2 ** 25 || hashOf(text) >= 2 ** 32 - 2 ** 22,
    );
    for (const kept of [texts.slice(0, 3000), ends, texts.slice(0, 1), texts.slice(0, 2), []]) {
      const list = kept.map((key, position) => ({ key, n: null, tag: null, file: 0, position }));
      const { keys } = write(new MemoryDirectory(plainArena()), 's1', list);
      const places = new Map(kept.map((key, doc) => [key, doc]));
      for (const text of texts.slice(0, 6000).concat(ends)) {
        expect(keys.find(Buffer.from(text)), text).toBe(places.get(text) ?? -1);
      }
    }
  });

  test('merges to the bytes of a segment built of the live documents', () => {
    fc.assert(
      fc.property(rows, fc.array(fc.nat(59)), fc.nat(59), (list, dead, at) => {
        const directory = new MemoryDirectory(arena);
        const parts = [list.slice(0, at), list.slice(at)];
        const inputs = parts.map((part, i) => {
          const deleted = new Int32Array(8 * Math.ceil(part.length / 256));
          for (const doc of dead) if (doc < part.length) deleted[doc >> 5] |= 1 << (doc & 31);
          return { reader: write(directory, `s${i}`, part), deleted, moved: null };
        });
        const live = parts.flatMap((part) => part.filter((_, doc) => !dead.includes(doc)));
        const { entry, docMaps } = mergeSegments(inputs, fields, directory, 'merged');
        expect(entry.docs).toBe(live.length);
        expect(docMaps.flatMap((map) => [...map].filter((doc) => doc >= 0))).toEqual(
          live.map((_, doc) => doc),
        );
        write(directory, 'rebuilt', live).release();
        for (const { file } of entry.components) {
          const twin = file.replace('merged', 'rebuilt');
          expect(Buffer.from(directory.read(file)), file).toEqual(
            Buffer.from(directory.read(twin)),
          );
        }
        for (const { reader } of inputs) reader.release();
      }),
      { seed, numRuns: 60 },
    );
  });

  test('refuses a damaged component at its first use', () => {
    const directory = new MemoryDirectory(arena);
    const reader = write(directory, 's1', [
      { key: 'k', n: 1n, tag: 'a', file: 0, position: 0 },
      { key: 'l', n: 2n, tag: 'b', file: 0, position: 1 },
    ]);
    const { entry } = reader;
    for (const { file } of entry.components) {
      const files = new Map(directory.list().map((name) => [name, directory.read(name).slice()]));
      const bytes = files.get(file)!;
      bytes[bytes.length - 17] ^= 4;
      const damaged = new MemoryDirectory(arena, files);
      const use = () => {
        const opened = SegmentReader.open(damaged, entry, new Verification(damaged));
        return [
          opened.keys,
          opened.rowHashes,
          opened.locators,
          opened.numeric(1),
          opened.ordinals(2),
          opened.stored(0),
        ];
      };
      expect(use, file).toThrow(file);
    }
  });
});
