import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MemoryDirectory } from '../../../../test/support/memory-directory.ts';
import { plainArena } from '../../../../test/support/plain-arena.ts';
import { simpleAnalyzer } from '../analysis/simple.ts';
import { runSteps } from '../base/steps.ts';
import type { DocumentBlock, FieldBlock } from '../schema/field-block.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { Verification } from '../storage/verification.ts';
import { AddedField, addHashes, setHashes } from './alter.ts';
import { checkSegment } from './check.ts';
import type { SegmentEntry } from './entry.ts';
import { mergeSegments } from './merge.ts';
import { SegmentReader } from './segment-reader.ts';
import { SegmentWriter } from './segment-writer.ts';

const seed = 20_261_122;
const arena = plainArena();
const TEXT = { kind: 'text', analyzer: simpleAnalyzer } as const;
const KEYWORD = { kind: 'keyword' } as const;
const PLANS: readonly FieldPlan[] = [
  { id: 1, name: 'title', type: 'TEXT', inverted: TEXT, column: null, stored: true },
  { id: 2, name: 'tag', type: 'KEYWORD', inverted: KEYWORD, column: 'ordinal', stored: true },
  { id: 3, name: 'n', type: 'LONG', inverted: null, column: 'numeric', stored: false },
];

interface Row {
  readonly title: string | null;
  readonly tag: string | null;
  readonly n: number | null;
}
const row: fc.Arbitrary<Row> = fc.record({
  title: fc.option(fc.constantFrom('disk full', 'disk slow', 'slow query again')),
  tag: fc.option(fc.constantFrom('a', 'b', 'ü')),
  n: fc.option(fc.integer({ min: -50, max: 50 })),
});
const rows = fc.array(row, { minLength: 1, maxLength: 40 });
const field = fc.constantFrom(...PLANS);

const running = (lengths: readonly number[]): Int32Array => {
  const starts = Int32Array.from([0, ...lengths]);
  for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
  return starts;
};

function valuesOf(list: readonly Row[], name: string): FieldBlock {
  const values = list.map((one) => one[name as keyof Row]);
  const starts = running(values.map((value) => (value === null ? 0 : 1)));
  const present = values.filter((value) => value !== null);
  if (name === 'n') return { kind: 'long', starts, values: BigInt64Array.from(present, BigInt) };
  const bytes = present.map((text) => Buffer.from(text as string));
  const offsets = running(bytes.map(({ length }) => length));
  return { kind: 'bytes', starts, offsets, bytes: Buffer.concat(bytes) };
}

function blockOf(list: readonly Row[]): DocumentBlock {
  const keys = list.map((_, i) => Buffer.from(`k${(i * 7) % 41}`));
  return {
    docs: list.length,
    keyOffsets: running(keys.map(({ length }) => length)),
    keyBytes: Buffer.concat(keys),
    files: new Int32Array(list.length),
    positions: Int32Array.from(list, (_, i) => i),
    hashes: BigUint64Array.from(list, (_, i) => BigInt(i) << 31n),
    hashed: { columns: ['1'] },
    fields: new Map(PLANS.map(({ name }) => [name, valuesOf(list, name)])),
  };
}

function write(directory: MemoryDirectory, id: string, list: readonly Row[], plans = PLANS) {
  const writer = new SegmentWriter(plans);
  writer.add(blockOf(list));
  return writer.finish(directory, id);
}

const openEntry = (directory: MemoryDirectory, entry: SegmentEntry): SegmentReader =>
  SegmentReader.open(directory, entry, new Verification(directory));

/** Bytes of the components by kind and field. */
const bytesOf = (directory: MemoryDirectory, { components }: SegmentEntry) =>
  new Map(
    components
      .map(({ kind, field, file }): [string, Buffer] => [
        `${kind} ${field}`,
        Buffer.from(directory.read(file)),
      ])
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

/** The entry with a field; each part is the values of its next documents. */
function withField(
  directory: MemoryDirectory,
  entry: SegmentEntry,
  plan: FieldPlan,
  parts: readonly { readonly docs: number; readonly block: FieldBlock | null }[],
): SegmentEntry {
  const field = new AddedField(plan);
  for (const { docs, block } of parts) field.add(docs, block);
  return runSteps(field.finishing(entry, directory));
}

const fields = PLANS.map((plan) => ({ ...plan, inverted: plan.inverted?.kind ?? null }));
const mergeOne = (directory: MemoryDirectory, entry: SegmentEntry, id: string) => {
  const reader = openEntry(directory, entry);
  return mergeSegments([{ reader, deleted: null, moved: null }], fields, directory, id).entry;
};

describe('a field that is added to a segment', () => {
  test('has the documents of a build, and after a merge its bytes', () => {
    fc.assert(
      fc.property(rows, field, fc.nat(40), (list, plan, at) => {
        const directory = new MemoryDirectory(arena);
        const others = PLANS.filter((own) => own !== plan);
        const before = write(directory, 's1', list, others);
        const parts = [list.slice(0, at), list.slice(at)].map((part) => ({
          docs: part.length,
          block: part.length === 0 ? null : valuesOf(part, plan.name),
        }));
        const entry = withField(directory, before, plan, parts);
        const [reader, built] = [
          openEntry(directory, entry),
          openEntry(directory, write(directory, 's2', list)),
        ];
        expect(checkSegment(reader, 1)).toEqual([]);
        const sorted = (doc: number, own: SegmentReader) => [...own.stored(doc)].sort();
        for (let doc = 0; doc < list.length; doc++) {
          expect(sorted(doc, reader)).toEqual(sorted(doc, built));
        }
        const merged = mergeOne(directory, entry, 's3');
        const rebuilt = mergeOne(directory, built.entry, 's4');
        expect(bytesOf(directory, merged)).toEqual(bytesOf(directory, rebuilt));
      }),
      { seed, numRuns: 60 },
    );
  });

  test('has no more documents than the segment, and none where no values are given', () => {
    const directory = new MemoryDirectory(arena);
    const list = [{ title: null, tag: null, n: 1 }];
    const before = write(directory, 's1', list, []);
    const reader = openEntry(directory, withField(directory, before, PLANS[2], []));
    expect(reader.numeric(3)?.has(0)).toBe(false);
    const two = [{ docs: 2, block: null }];
    expect(() => withField(directory, before, PLANS[2], two)).toThrow('s1 has 1');
  });
});

/** Values of a stored group stay until the next merge. */
const dropField = (entry: SegmentEntry, field: number): SegmentEntry => ({
  ...entry,
  components: entry.components.filter((own) => own.field !== field),
});

describe('a field that is dropped from a segment', () => {
  test('leaves what a build without it has, after the next merge byte by byte', () => {
    fc.assert(
      fc.property(rows, field, (list, plan) => {
        const directory = new MemoryDirectory(arena);
        const full = write(directory, 's1', list);
        const written = directory.list();
        const entry = dropField(full, plan.id);
        expect(directory.list()).toEqual(written);
        expect(entry.components.some((own) => own.field === plan.id)).toBe(false);
        const left = PLANS.filter((own) => own !== plan);
        const kept = fields.filter(({ id }) => id !== plan.id);
        const merge = (own: SegmentEntry, id: string) => {
          const reader = openEntry(directory, own);
          expect(checkSegment(reader, 1)).toEqual([]);
          return mergeSegments([{ reader, deleted: null, moved: null }], kept, directory, id).entry;
        };
        const merged = merge(entry, 's2');
        const rebuilt = write(directory, 's3', list, left);
        expect(bytesOf(directory, merged)).toEqual(bytesOf(directory, rebuilt));
      }),
      { seed, numRuns: 40 },
    );
  });

  test('that comes back under its id has its new stored values alone', () => {
    const directory = new MemoryDirectory(arena);
    const list = [
      { title: 'old', tag: 'a', n: 1 },
      { title: 'older', tag: null, n: 2 },
    ];
    const full = write(directory, 's1', list);
    const changed = [
      { ...list[0], title: 'new' },
      { ...list[1], title: null },
    ];
    const values = [{ docs: 2, block: valuesOf(changed, 'title') }];
    const plan: FieldPlan = { ...PLANS[0], inverted: null };
    const reader = openEntry(directory, withField(directory, dropField(full, 1), plan, values));
    const text = (doc: number) =>
      reader
        .stored(doc)
        .get(1)
        ?.map((value) => String(Buffer.from(value as Uint8Array)));
    expect([text(0), text(1)]).toEqual([['new'], undefined]);
    expect(reader.stored(0).get(2)).toBeDefined();
  });
});

describe('the row hashes of a segment', () => {
  test('are replaced with the columns that they cover', () => {
    const directory = new MemoryDirectory(arena);
    const list = Array.from({ length: 5 }, (_, n) => ({ title: null, tag: null, n }));
    const entry = write(directory, 's1', list);
    const before = openEntry(directory, entry);
    const added = BigUint64Array.from(list, (_, i) => (2n ** 32n - 1n) * (BigInt(i) + 1n));
    const sums = addHashes(before.rowHashes, added);
    const lane = (value: bigint, at: bigint) => (value >> (32n * at)) & 0xffff_ffffn;
    sums.forEach((sum, doc) => {
      for (const at of [0n, 1n]) {
        const wanted = (lane(before.hash(doc), at) + lane(added[doc], at)) & 0xffff_ffffn;
        expect(lane(sum, at)).toBe(wanted);
      }
    });
    const hashed = [{ docs: 5, columns: ['1', '3'] }];
    const after = openEntry(directory, setHashes(entry, sums, hashed, directory, 7));
    expect([...after.rowHashes]).toEqual([...sums]);
    expect(after.entry.hashed).toEqual(hashed);
    expect(checkSegment(after, 1)).toEqual([]);
    const short = setHashes(entry, sums, [{ docs: 4, columns: [] }], directory, 8);
    expect(checkSegment(openEntry(directory, short), 1).join()).toContain('describes 4 row hashes');
  });
});
