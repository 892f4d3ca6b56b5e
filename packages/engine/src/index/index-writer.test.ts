import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Fault, FaultyDirectory } from '../../test/faulty-directory.ts';
import type { DocumentBlock } from '../schema/field-block.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { Directory } from '../storage/directory.ts';
import { MemoryDirectory } from '../storage/memory-directory.ts';
import { plainArena } from '../storage/plain-arena.ts';
import { type Checkpoint, filesOf, readCommit } from './commit.ts';
import { openSnapshot } from './index-snapshot.ts';
import { IndexWriter, type KeyBatch } from './index-writer.ts';

const seed = 20_260_307;
const arena = plainArena();
const plans: readonly FieldPlan[] = [
  { id: 1, name: 'n', type: 'LONG', inverted: null, column: 'numeric', stored: false },
  { id: 2, name: 'tag', type: 'KEYWORD', inverted: null, column: 'ordinal', stored: true },
];

/** What an index should hold: by key a number and the place of its row. */
interface Row {
  readonly n: bigint;
  readonly file: number;
  readonly position: number;
}
type Model = ReadonlyMap<string, Row>;

const running = (lengths: readonly number[]): Int32Array => {
  const starts = Int32Array.from([0, ...lengths]);
  for (let i = 1; i < starts.length; i++) starts[i] += starts[i - 1];
  return starts;
};
const keysOf = (keys: readonly string[]): KeyBatch => ({
  offsets: running(keys.map((key) => Buffer.byteLength(key))),
  bytes: Buffer.from(keys.join('')),
});

function blockOf(rows: readonly (readonly [string, Row])[]): DocumentBlock {
  const keys = keysOf(rows.map(([key]) => key));
  const tags = rows.map(([, { n }]) => Buffer.from(`tag ${n}`));
  const starts = running(rows.map(() => 1));
  return {
    docs: rows.length,
    keyOffsets: keys.offsets,
    keyBytes: keys.bytes,
    files: Int32Array.from(rows, ([, { file }]) => file),
    positions: Int32Array.from(rows, ([, { position }]) => position),
    hashes: BigUint64Array.from(rows, ([, { n }]) => BigInt.asUintN(64, n)),
    fields: new Map([
      ['n', { kind: 'long', starts, values: BigInt64Array.from(rows, ([, { n }]) => n) }],
      [
        'tag',
        {
          kind: 'bytes',
          starts,
          offsets: running(tags.map(({ length }) => length)),
          bytes: Buffer.concat(tags),
        },
      ],
    ]),
  };
}

const checkpointOf = (snapshot: number): Checkpoint => ({
  table_uuid: 'table',
  snapshot_id: String(snapshot),
  sequence: String(snapshot),
  schema_id: 0,
  schema: null,
  file_set: { deletes: [], files: [] },
});

/** All that a directory's newest commit answers. */
function contentOf(directory: Directory): { model: Model; snapshot: string | null } {
  if (readCommit(directory) === null) return { model: new Map(), snapshot: null };
  const snapshot = openSnapshot(directory);
  const model = new Map<string, Row>();
  for (const segment of snapshot.segments) {
    for (let doc = 0; doc < segment.docs; doc++) {
      if (segment.isDeleted(doc)) continue;
      const key = Buffer.from(segment.keys.key(doc)).toString();
      const n = segment.numeric(1)?.valueAt(doc, 0) as bigint;
      const tag = segment.ordinals(2)?.valueAt(doc, 0) ?? new Uint8Array();
      expect(Buffer.from(tag).toString()).toBe(`tag ${n}`);
      expect(segment.stored(doc).get(2)?.[0]).toEqual(tag);
      expect(segment.hash(doc)).toBe(BigInt.asUintN(64, n));
      expect(segment.keys.find(segment.keys.key(doc))).toBe(doc);
      expect(model.has(key)).toBe(false);
      const { locators } = segment;
      model.set(key, { n, file: locators.file(doc), position: locators.position(doc) });
    }
  }
  expect(snapshot.liveDocs).toBe(model.size);
  const id = snapshot.checkpoint?.snapshot_id ?? null;
  snapshot.release();
  return { model, snapshot: id };
}

const sorted = (model: Model): [string, Row][] => [...model].sort(([a], [b]) => (a < b ? -1 : 1));

type Step =
  | { readonly kind: 'put'; readonly keys: readonly number[] }
  | { readonly kind: 'delete'; readonly keys: readonly number[] }
  | { readonly kind: 'delete rows'; readonly keys: readonly number[] }
  | { readonly kind: 'move'; readonly keys: readonly number[] }
  | { readonly kind: 'flush' | 'merge' | 'force' | 'commit' | 'rollback' | 'reopen' };

/** Drives a writer and a model side by side. */
class Pair {
  writer: IndexWriter;
  committed: Model = new Map();
  snapshot = 0;
  readonly #directory: Directory;
  #model = new Map<string, Row>();
  #next = 0;

  constructor(directory: Directory) {
    this.#directory = directory;
    this.writer = this.#open();
  }

  get model(): Model {
    return this.#model;
  }

  run(step: Step): void {
    switch (step.kind) {
      case 'put':
        this.#put(step.keys.map((key) => `k${key}`));
        break;
      case 'delete':
      case 'delete rows':
        this.#delete(
          step.keys.map((key) => `k${key}`),
          step.kind === 'delete rows',
        );
        break;
      case 'move':
        this.#move(step.keys.map((key) => `k${key}`));
        break;
      case 'flush':
        this.writer.flush();
        break;
      case 'merge':
        this.writer.merge();
        return;
      case 'force':
        this.writer.forceMerge(1);
        return;
      case 'commit':
        this.writer.commit({ checkpoint: checkpointOf(this.snapshot + 1), files: ['a', 'b', 'c'] });
        this.snapshot++;
        this.committed = new Map(this.#model);
        return;
      case 'rollback':
        this.writer.rollback();
        this.#model = new Map(this.committed);
        return;
      case 'reopen':
        this.writer.close();
        this.writer = this.#open();
        this.#model = new Map(this.committed);
    }
  }

  #open(): IndexWriter {
    const merge = {
      floorBytes: 1,
      segmentsPerTier: 3,
      maxBytes: 2 ** 30,
      maxDocs: 1000,
      deletedPart: 0.3,
    };
    return IndexWriter.open(this.#directory, plans, { merge, memoryBytes: 60_000, now: () => 0 });
  }

  #place(): { file: number; position: number } {
    const at = this.#next++;
    return { file: at % 3, position: Math.floor(at / 3) };
  }

  /** Replaces rows as a sync does: deletes first. */
  #put(keys: readonly string[]): void {
    this.writer.deleteKeys(keysOf(keys));
    const rows = keys.map((key): [string, Row] => [
      key,
      { n: BigInt(this.#next), ...this.#place() },
    ]);
    this.writer.add(blockOf(rows));
    for (const [key, row] of rows) this.#model.set(key, row);
    expect(this.writer.liveDocs).toBe(this.#model.size);
  }

  #delete(keys: readonly string[], byRow: boolean): void {
    const found = keys.filter((key) => this.#model.has(key));
    let deleted = 0;
    if (byRow) {
      for (const key of found) {
        const { file, position } = this.#model.get(key) as Row;
        deleted += this.writer.deleteRows(file, Int32Array.of(position));
      }
    } else deleted = this.writer.deleteKeys(keysOf(keys));
    expect(deleted).toBe(found.length);
    for (const key of found) this.#model.delete(key);
  }

  #move(keys: readonly string[]): void {
    const places = keys.map(() => this.#place());
    const moved = this.writer.moveRows(
      keysOf(keys),
      Int32Array.from(places, ({ file }) => file),
      Int32Array.from(places, ({ position }) => position),
    );
    const found = keys.filter((key) => this.#model.has(key));
    expect(moved).toBe(found.length);
    keys.forEach((key, i) => {
      const row = this.#model.get(key);
      if (row !== undefined) this.#model.set(key, { n: row.n, ...places[i] });
    });
    for (const key of found) {
      const { file, position } = this.#model.get(key) as Row;
      expect(this.writer.findKey(Buffer.from(key))).toEqual({ file, position });
    }
  }
}

const keys = fc.uniqueArray(fc.nat(12), { maxLength: 8 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: keys.map((list): Step => ({ kind: 'put', keys: list })) },
  { weight: 2, arbitrary: keys.map((list): Step => ({ kind: 'delete', keys: list })) },
  { weight: 1, arbitrary: keys.map((list): Step => ({ kind: 'delete rows', keys: list })) },
  { weight: 1, arbitrary: keys.map((list): Step => ({ kind: 'move', keys: list })) },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom('flush', 'merge', 'force', 'commit', 'commit', 'rollback', 'reopen')
      .map((kind) => ({ kind }) as Step),
  },
);

test('an index holds what a map would, through flushes, merges, commits, rollbacks', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const directory = new MemoryDirectory(arena);
      const pair = new Pair(directory);
      for (const each of [...steps, { kind: 'commit' } as Step]) {
        pair.run(each);
        const visible = contentOf(directory);
        expect(sorted(visible.model)).toEqual(sorted(pair.committed));
        expect(visible.snapshot).toBe(pair.snapshot === 0 ? null : String(pair.snapshot));
      }
      const commit = readCommit(directory);
      expect([...filesOf(commit!)].sort()).toEqual(directory.list());
      expect(pair.writer.duplicates()).toEqual([]);
      pair.writer.close();
    }),
    { seed, numRuns: 150 },
  );
});

const SCRIPT: readonly Step[] = [
  { kind: 'put', keys: [1, 2, 3, 4, 5] },
  { kind: 'commit' },
  { kind: 'put', keys: [2, 6] },
  { kind: 'delete', keys: [1] },
  { kind: 'move', keys: [3, 4] },
  { kind: 'commit' },
  { kind: 'put', keys: [7] },
  { kind: 'force' },
  { kind: 'delete rows', keys: [5] },
  { kind: 'commit' },
];

/**
 * Runs the script under a fault; gives back what is left, the state before the failing step and
 * after it.
 */
function runUnder(fault: Fault): {
  directory: MemoryDirectory;
  faulty: FaultyDirectory;
  failed: boolean;
  before: { model: Model; snapshot: number };
  after: { model: Model; snapshot: number };
} {
  const directory = new MemoryDirectory(arena);
  const faulty = new FaultyDirectory(directory, fault);
  const pair = new Pair(faulty);
  let failed = false;
  let after = { model: pair.committed, snapshot: 0 };
  for (const each of SCRIPT) {
    try {
      pair.run(each);
    } catch (error) {
      failed = true;
      expect((error as { code: string }).code).toBe(
        fault.kind === 'full' ? 'disk_full' : 'io_error',
      );
      if (each.kind === 'commit') after = { model: pair.model, snapshot: pair.snapshot + 1 };
      else after = { model: pair.committed, snapshot: pair.snapshot };
      expect(() => pair.writer.flush()).toThrow('has stopped');
      break;
    }
    after = { model: pair.committed, snapshot: pair.snapshot };
  }
  const before = { model: pair.committed, snapshot: pair.snapshot };
  const left = new MemoryDirectory(arena, directory.files());
  pair.writer.close();
  return { directory: left, faulty, failed, before, after };
}

function expectOldOrNew(fault: Fault): boolean {
  const { directory, failed, before, after } = runUnder(fault);
  for (const state of ['as left', 'reopened']) {
    if (state === 'reopened') IndexWriter.open(directory, plans).close();
    const found = contentOf(directory);
    const at = [before, after].find(
      ({ snapshot }) => (snapshot === 0 ? null : String(snapshot)) === found.snapshot,
    );
    expect(at, `${state}: snapshot ${found.snapshot}`).toBeDefined();
    expect(sorted(found.model)).toEqual(sorted(at!.model));
  }
  const commit = readCommit(directory);
  expect(directory.list()).toEqual(commit === null ? [] : [...filesOf(commit)].sort());
  return failed;
}

test('a failing, torn or last operation leaves the old commit or the new one, no orphan', () => {
  const { operations } = runUnder({ kind: 'none' }).faulty;
  expect(operations).toBeGreaterThan(60);
  for (const kind of ['fail', 'tear', 'crash'] as const) {
    for (let operation = 1; operation <= operations; operation++) {
      expectOldOrNew({ kind, operation });
    }
  }
});

test('a disk that is full at any byte leaves the old commit or the new one, whole', () => {
  const { bytes } = runUnder({ kind: 'none' }).faulty;
  let failures = 0;
  for (let byte = 0; byte < bytes; byte += 97) {
    if (expectOldOrNew({ kind: 'full', byte })) failures++;
  }
  expect(failures).toBe(Math.ceil(bytes / 97));
});

test('every flipped byte of every file is detected', () => {
  const { directory } = runUnder({ kind: 'none' });
  const whole = contentOf(directory);
  expect(whole.model.size).toBeGreaterThan(3);
  const files = directory.files();
  fc.assert(
    fc.property(fc.constantFrom(...files.keys()), fc.nat(), fc.nat(7), (name, at, bit) => {
      const bytes = files.get(name)!.slice();
      bytes[at % bytes.length] ^= 1 << bit;
      const damaged = new MemoryDirectory(arena, new Map([...files, [name, bytes]]));
      let code = 'none';
      try {
        contentOf(damaged);
      } catch (error) {
        code = (error as { code: string }).code;
      }
      expect(code, `${name}, byte ${at % bytes.length}`).toMatch(/corrupt_index|unsupported/);
    }),
    { seed, numRuns: 400 },
  );
});

test('a new document with the key of a committed one is found, a deleted one is not', () => {
  const directory = new MemoryDirectory(arena);
  const writer = IndexWriter.open(directory, plans);
  const row = (i: number) => ({ n: 1n, file: 0, position: i });
  writer.add(blockOf(Array.from({ length: 100 }, (_, i) => [`k${i}`, row(i)] as const)));
  writer.commit({ checkpoint: null, files: ['a', 'b'] });
  writer.add(
    blockOf([
      ['new', { n: 2n, file: 1, position: 0 }],
      ['k7', { n: 3n, file: 1, position: 1 }],
      ['k42', { n: 3n, file: 1, position: 2 }],
    ]),
  );
  const found = writer.duplicates().map(({ key, places }) => [Buffer.from(key).toString(), places]);
  expect(new Map(found as [string, unknown][])).toEqual(
    new Map([
      [
        'k7',
        [
          { file: 1, position: 1 },
          { file: 0, position: 7 },
        ],
      ],
      [
        'k42',
        [
          { file: 1, position: 2 },
          { file: 0, position: 42 },
        ],
      ],
    ]),
  );
  writer.deleteRows(0, Int32Array.of(7, 42));
  expect(writer.duplicates()).toEqual([]);
  writer.close();
});

test('two live documents of one key are found, with both places', () => {
  const directory = new MemoryDirectory(arena);
  const writer = IndexWriter.open(directory, plans);
  writer.add(blockOf([['a', { n: 1n, file: 0, position: 0 }]]));
  writer.flush();
  writer.add(
    blockOf([
      ['b', { n: 2n, file: 0, position: 1 }],
      ['a', { n: 3n, file: 1, position: 7 }],
    ]),
  );
  const [duplicate, ...others] = writer.duplicates();
  expect(others).toEqual([]);
  expect(Buffer.from(duplicate.key).toString()).toBe('a');
  expect(duplicate.places).toEqual([
    { file: 0, position: 0 },
    { file: 1, position: 7 },
  ]);
  writer.deleteRows(0, Int32Array.of(0));
  expect(writer.duplicates()).toEqual([]);
  writer.close();
  expect(directory.list()).toEqual([]);
});

test('an open snapshot keeps its commit while the index goes on', () => {
  const directory = new MemoryDirectory(arena);
  const pair = new Pair(directory);
  pair.run({ kind: 'put', keys: [1, 2, 3] });
  pair.run({ kind: 'commit' });
  const snapshot = openSnapshot(directory);
  pair.run({ kind: 'put', keys: [2, 4] });
  pair.run({ kind: 'force' });
  pair.run({ kind: 'commit' });
  expect(snapshot.checkpoint?.snapshot_id).toBe('1');
  expect(snapshot.liveDocs).toBe(3);
  expect(snapshot.find(Buffer.from('k4'))).toBeNull();
  expect(snapshot.find(Buffer.from('k2'))?.segment.numeric(1)?.valueAt(1, 0)).toBe(1n);
  snapshot.release();
  pair.writer.close();
});
