/**
 * Random documents and their life in an index: adds, updates, deletes, flushes, merges, commits.
 */

import fc from 'fast-check';
import { simpleAnalyzer } from '../../../packages/engine/src/analysis/simple.ts';
import {
  type IndexSnapshot,
  openSnapshot,
} from '../../../packages/engine/src/index/index-snapshot.ts';
import { IndexWriter, type KeyBatch } from '../../../packages/engine/src/index/index-writer.ts';
import type { DocumentBlock, FieldBlock } from '../../../packages/engine/src/schema/field-block.ts';
import type { FieldPlan } from '../../../packages/engine/src/schema/field-plan.ts';
import type { Mapping } from '../../../packages/engine/src/schema/mapping.ts';
import type { WindowLayout } from '../../../packages/engine/src/schema/windows.ts';
import type { Directory } from '../../../packages/engine/src/storage/directory.ts';
import { filesNamed } from '../files-named.ts';
import { MemoryDirectory } from '../memory-directory.ts';
import { plainArena } from '../plain-arena.ts';
import { deleteAt } from '../writer-edits.ts';
import { type FieldName, type ModelDoc, TYPES } from './model.ts';

export const FIELDS = Object.keys(TYPES) as readonly FieldName[];
const ofType = (...types: readonly string[]) =>
  FIELDS.filter((name) => types.includes(TYPES[name]));
export const TEXTS = ofType('TEXT');
export const KEYWORDS = ofType('KEYWORD');
export const NUMBERS = ofType('LONG', 'DOUBLE', 'DATE', 'BOOL');
/** Declared fast: ranges, sorts, collapse. k2 has terms only. */
export const FAST = FIELDS.filter((name) => TYPES[name] !== 'TEXT' && name !== 'k2');

const PLANS: readonly FieldPlan[] = FIELDS.map((name, id) => {
  const type = TYPES[name];
  const inverted =
    type === 'TEXT'
      ? ({ kind: 'text', analyzer: simpleAnalyzer } as const)
      : type === 'KEYWORD'
        ? ({ kind: 'keyword' } as const)
        : null;
  const column = type === 'KEYWORD' || type === 'IP' ? 'ordinal' : 'numeric';
  return {
    id,
    name,
    type,
    inverted,
    column: FAST.includes(name) ? column : null,
    stored: name === 't1',
  };
});

/** The mapping as searches see it. */
export const MAPPING = {
  definition: { index: 'oracle' },
  key: { partition: [], identifier: ['id'] },
  columns: [],
  keyColumns: 1,
  defaultFields: ['t1'],
  fields: PLANS.map((plan) => ({
    plan,
    definition: {
      name: plan.name,
      fast: FAST.includes(plan.name as FieldName),
      cached: plan.stored,
    },
    source: { kind: 'columns', columns: [] },
    multiValued: true,
  })),
} as unknown as Mapping;

/** Windows over the field "at", and the mapping of an index that has them. */
export const WINDOWS: WindowLayout = { field: FIELDS.indexOf('at'), every: 'year' };
export const WINDOWED: Mapping = { ...MAPPING, windows: WINDOWS };

export const WORDS = [
  ...['the', 'the', 'the', 'a', 'a', 'fix', 'fix', 'bug', 'été', '東京', 'İstanbul', 'x1'],
  ...['foo', 'fool', 'food', 'ofo', 'bar', 'baz', 'bazaar', '𝒳y', 'aa', 'aaa', 'aaaa'],
];
export const VALUES = ['Perl', 'perl', 'git', 'git-scm', 'été', '', 'a b', '𝒳', '東京', 'zz\u0001'];
export const LONGS = [0n, 1n, -1n, 7n, 8n, 255n, 256n, 70_000n, -5_000_000_000n];
export const HUGE = [
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 53n + 2n,
  -(2n ** 63n),
  2n ** 63n - 1n,
  2n ** 63n - 2n,
];
export const DOUBLES = [0, -0, 0.5, -1.25, 1e300, -1e-300, Infinity, -Infinity, NaN];
export const MICROS = [
  0n,
  1_577_836_800_000_000n,
  1_577_836_800_000_001n,
  -62_135_596_800_000_000n,
];
export const ADDRESSES = [
  '10.0.0.1',
  '10.0.0.2',
  '10.1.0.1',
  '192.168.7.7',
  '2001:db8::1',
  '2001:db8::2',
];

/** Writes an address of the test as its 16 bytes. */
function addressBytes(address: bigint): Uint8Array {
  return Buffer.from(address.toString(16).padStart(32, '0'), 'hex');
}

const several = <T>(one: fc.Arbitrary<T>, most = 3) => fc.array(one, { maxLength: most });
const sentence = fc
  .array(fc.constantFrom(...WORDS), { maxLength: 14 })
  .map((words) => words.join(' '));

/** The contents of a document: every field may have none, one or several values. */
function contents(addressOf: (text: string) => bigint) {
  return fc.record({
    texts: fc.record({ t1: several(sentence, 2), t2: several(sentence, 1) }),
    words: fc.record({
      k1: several(fc.constantFrom(...VALUES)),
      k2: several(fc.constantFrom(...VALUES), 1),
    }),
    numbers: fc.record({
      n1: several(fc.constantFrom(...LONGS), 1),
      n2: several(fc.oneof(fc.constantFrom(...LONGS), fc.constantFrom(...HUGE))),
      d1: several(fc.constantFrom(...DOUBLES), 2),
      at: several(fc.constantFrom(...MICROS), 1),
      b1: several(fc.constantFrom(0n, 1n), 1),
    }),
    addresses: fc.record({ ip: several(fc.constantFrom(...ADDRESSES).map(addressOf), 2) }),
  });
}
type Contents = Omit<ModelDoc, 'version' | 'key'>;

type Step =
  | { readonly do: 'put'; readonly from: number; readonly count: number }
  | { readonly do: 'delete'; readonly keys: readonly number[] }
  | { readonly do: 'flush' | 'merge' | 'force' | 'commit' };

/** An index to be built: a pool of contents and what happens to it. */
export interface CorpusPlan {
  readonly pool: readonly Contents[];
  readonly steps: readonly Step[];
}

const KEYS = 900;

export function corpusPlan(addressOf: (text: string) => bigint): fc.Arbitrary<CorpusPlan> {
  const step: fc.Arbitrary<Step> = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant('put' as const),
        from: fc.nat(KEYS - 1),
        count: fc.integer({ min: 1, max: 400 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constant('delete' as const),
        keys: fc.array(fc.nat(KEYS - 1), { maxLength: 60 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constantFrom(
          'flush' as const,
          'merge' as const,
          'force' as const,
          'commit' as const,
        ),
      }),
    },
  );
  return fc.record({
    pool: fc.array(contents(addressOf), { minLength: 20, maxLength: 160 }),
    steps: fc.array(step, { minLength: 2, maxLength: 9 }),
  });
}

/** A built index, and what a model must know of it. */
export interface Corpus {
  readonly directory: Directory;
  readonly snapshot: IndexSnapshot;
  readonly physical: readonly ModelDoc[];
  readonly live: readonly ModelDoc[];
}

const keyOf = (number: number): string => `k${String((number * 7919) % 100_003)}`;
const state = { checkpoint: null, files: filesNamed('f') };

/**
 * Runs a plan in an index of so many shards. Versions are the rows of one data file, so that the
 * index tells which of them it still holds.
 */
export function buildCorpus(
  plan: CorpusPlan,
  shards = 1,
  windows: WindowLayout | null = null,
): Corpus {
  const directory = new MemoryDirectory(plainArena());
  const writer = IndexWriter.open(directory, PLANS, { shards, windows });
  const versions: ModelDoc[] = [];
  const live = new Map<string, ModelDoc>();
  const placesOf = (keys: readonly string[]) =>
    keys.flatMap((key) => live.get(key) ?? []).map((doc) => ({ file: 0, position: doc.version }));
  for (const step of plan.steps) {
    if (step.do === 'put') {
      const numbers = Array.from({ length: step.count }, (_, i) => (step.from + i) % KEYS);
      deleteAt(writer, placesOf(numbers.map(keyOf)));
      const docs = numbers.map((number, i): ModelDoc => {
        const version = versions.length + i;
        return {
          ...plan.pool[(version * 31 + number) % plan.pool.length]!,
          version,
          key: keyOf(number),
        };
      });
      writer.add(blockOf(docs));
      for (const doc of docs) live.set(doc.key, doc);
      versions.push(...docs);
    } else if (step.do === 'delete') {
      const keys = [...new Set(step.keys.map(keyOf))].filter((key) => live.has(key));
      deleteAt(writer, placesOf(keys));
      for (const key of keys) live.delete(key);
    } else if (step.do === 'flush') writer.flush();
    else if (step.do === 'merge') writer.merges.run();
    else if (step.do === 'force') writer.merges.runForced(1);
    else writer.commit(state);
  }
  writer.commit(state);
  writer.close();
  const snapshot = openSnapshot(directory);
  const physical = snapshot.segments.flatMap((segment) =>
    Array.from({ length: segment.docs }, (_, doc) => versions[segment.locators.position(doc)]!),
  );
  return { directory, snapshot, physical, live: [...live.values()] };
}

/** The documents of a corpus, deleted ones that are not merged away among them. */
export function versionsOf({ physical }: Corpus): string {
  return physical
    .map(({ version }) => version)
    .sort((a, b) => a - b)
    .join();
}

function running(lengths: readonly number[]): Int32Array {
  const starts = Int32Array.from([0, ...lengths]);
  for (let i = 1; i < starts.length; i++) starts[i]! += starts[i - 1]!;
  return starts;
}

function keyBatch(keys: readonly string[]): KeyBatch {
  return { offsets: running(keys.map((key) => key.length)), bytes: Buffer.from(keys.join('')) };
}

function blockOf(docs: readonly ModelDoc[]): DocumentBlock {
  const keys = keyBatch(docs.map((doc) => doc.key));
  return {
    docs: docs.length,
    keyOffsets: keys.offsets,
    keyBytes: keys.bytes,
    files: new Int32Array(docs.length),
    positions: Int32Array.from(docs, (doc) => doc.version),
    hashes: BigUint64Array.from(docs, (doc) => BigInt(doc.version)),
    fields: new Map(FIELDS.map((name) => [name, fieldBlock(name, docs)])),
  };
}

function fieldBlock(name: FieldName, docs: readonly ModelDoc[]): FieldBlock {
  const type = TYPES[name];
  if (type === 'TEXT' || type === 'KEYWORD' || type === 'IP') {
    const values = docs.map((doc): Uint8Array[] => {
      if (type === 'IP') return doc.addresses[name]!.map(addressBytes);
      const texts = type === 'TEXT' ? doc.texts[name]! : doc.words[name]!;
      return texts.map((text) => Buffer.from(text));
    });
    const flat = values.flat();
    return {
      kind: 'bytes',
      starts: running(values.map((list) => list.length)),
      offsets: running(flat.map((value) => value.length)),
      bytes: Buffer.concat(flat),
    };
  }
  const values = docs.map((doc) => doc.numbers[name]!);
  const starts = running(values.map((list) => list.length));
  if (type === 'DOUBLE') {
    return { kind: 'double', starts, values: Float64Array.from(values.flat() as number[]) };
  }
  return { kind: 'long', starts, values: BigInt64Array.from(values.flat() as bigint[]) };
}
