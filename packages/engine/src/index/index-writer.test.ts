// @module-tag campaign
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkIndex } from '../../../../test/support/check-index.ts';
import { byEffort } from '../../../../test/support/effort.ts';
import { type Fault, FaultyDirectory } from '../../../../test/support/faulty-directory.ts';
import { filesNamed } from '../../../../test/support/files-named.ts';
import { MemoryDirectory } from '../../../../test/support/memory-directory.ts';
import {
  arena,
  blockOf,
  contentOf,
  type Model,
  Pair,
  plans,
  type Step,
  sorted,
} from '../../../../test/support/writer-pair.ts';
import { filesOf, readCommit } from './commits/commit.ts';
import { openSnapshot } from './index-snapshot.ts';
import { IndexWriter } from './index-writer.ts';

const seed = 20_260_307;

const keys = fc.uniqueArray(fc.nat(12), { maxLength: 8 });
/**
 * A file is rewritten: of the rows at marked places some come again, some changed, some are gone.
 */
const rewrite: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant('rewrite' as const),
  file: fc.nat(2),
  part: fc.option(fc.nat(7), { nil: null }),
  fates: fc.array(fc.constantFrom('same', 'changed', 'gone'), { minLength: 1, maxLength: 5 }),
  fresh: keys,
  between: fc.constantFrom(null, 'flush', 'merge', 'install', 'plan', 'run'),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: keys.map((list): Step => ({ kind: 'put', keys: list })) },
  { weight: 2, arbitrary: keys.map((list): Step => ({ kind: 'delete', keys: list })) },
  { weight: 1, arbitrary: keys.map((list): Step => ({ kind: 'delete rows', keys: list })) },
  { weight: 1, arbitrary: keys.map((list): Step => ({ kind: 'move', keys: list })) },
  { weight: 4, arbitrary: rewrite },
  {
    weight: 6,
    arbitrary: fc
      .constantFrom('flush', 'merge', 'force', 'commit', 'commit', 'rollback', 'reopen')
      .map((kind) => ({ kind }) as Step),
  },
  {
    weight: 8,
    arbitrary: fc
      .constantFrom('plan', 'plan all', 'run', 'run', 'install', 'install', 'drop')
      .map((kind) => ({ kind }) as Step),
  },
);

/** The newest commit is whole, and names its number of shards only if there are several. */
function expectWhole(directory: MemoryDirectory, shards: number): void {
  const snapshot = openSnapshot(directory);
  expect(checkIndex(snapshot)).toEqual([]);
  expect(snapshot.shards.length).toBe(shards);
  expect(snapshot.shards.flatMap(({ segments }) => segments).length).toBe(snapshot.segments.length);
  expect(snapshot.commit.shards).toBe(shards === 1 ? undefined : shards);
  snapshot.release();
}

describe('the index writer', () => {
  test('equals a map through merges, moves and rollbacks', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), fc.constantFrom(1, 3), (steps, shards) => {
        const directory = new MemoryDirectory(arena);
        const pair = new Pair(directory, shards);
        for (const each of [...steps, { kind: 'commit' } as Step]) {
          pair.run(each);
          const visible = contentOf(directory);
          expect(sorted(visible.model)).toEqual(sorted(pair.committed));
          expect(visible.snapshot).toBe(pair.snapshot === 0 ? null : String(pair.snapshot));
        }
        // What a merge read stays until it has ended and the next commit sweeps.
        pair.dropPlans();
        pair.run({ kind: 'commit' });
        const commit = readCommit(directory);
        expect([...filesOf(commit!)].sort()).toEqual(directory.list());
        expect(pair.writer.shardDocs.length).toBe(shards);
        expect(pair.writer.shardDocs.reduce((a, b) => a + b)).toBe(pair.model.size);
        pair.writer.close();
        expectWhole(directory, shards);
      }),
      { seed, numRuns: Number(process.env.LHS_RUNS ?? 400) },
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
  function runUnder(
    fault: Fault,
    shards = 1,
  ): {
    directory: MemoryDirectory;
    faulty: FaultyDirectory;
    failed: boolean;
    before: { model: Model; snapshot: number };
    after: { model: Model; snapshot: number };
  } {
    const directory = new MemoryDirectory(arena);
    const faulty = new FaultyDirectory(directory, fault);
    const pair = new Pair(faulty, shards);
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

  function expectOldOrNew(fault: Fault, shards: number): boolean {
    const { directory, failed, before, after } = runUnder(fault, shards);
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

  test.each([
    [1, byEffort(5, 1)],
    [3, byEffort(23, 4)],
  ])(
    'leaves the old or the new commit and no orphan after a failed or torn operation (%i shards)',
    (shards, step) => {
      const { operations } = runUnder({ kind: 'none' }, shards).faulty;
      expect(operations).toBeGreaterThan(60);
      for (const kind of ['fail', 'tear', 'crash'] as const) {
        for (let operation = 1; operation <= operations; operation += step) {
          expectOldOrNew({ kind, operation }, shards);
        }
      }
    },
  );

  test.each([
    [1, byEffort(397, 97)],
    [3, byEffort(1597, 397)],
  ])('leaves the old or the new commit intact on a full disk (%i shards)', (shards, step) => {
    const { bytes } = runUnder({ kind: 'none' }, shards).faulty;
    let failures = 0;
    for (let byte = 0; byte < bytes; byte += step) {
      if (expectOldOrNew({ kind: 'full', byte }, shards)) failures++;
    }
    expect(failures).toBe(Math.ceil(bytes / step));
  });

  test('refuses another number of shards than the index was built with', () => {
    const directory = new MemoryDirectory(arena);
    const writer = IndexWriter.open(directory, plans, { shards: 3 });
    writer.add(blockOf([['a', { n: 1n, file: 0, position: 0 }]]));
    writer.commit({ checkpoint: null, files: filesNamed('a') });
    writer.close();
    expect(() => IndexWriter.open(directory, plans, { shards: 2 })).toThrow(
      'the definition has 2 shards, the index was built with 3',
    );
    IndexWriter.open(directory, plans).close();
    expect(readCommit(directory)?.shards).toBe(3);
  });

  test('detects every flipped byte of every file', () => {
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

  test('finds a new document by the key of a committed one, and no deleted one', async () => {
    const directory = new MemoryDirectory(arena);
    const writer = IndexWriter.open(directory, plans);
    const row = (i: number) => ({ n: 1n, file: 0, position: i });
    writer.add(blockOf(Array.from({ length: 100 }, (_, i) => [`k${i}`, row(i)] as const)));
    writer.commit({ checkpoint: null, files: filesNamed('a', 'b') });
    writer.add(
      blockOf([
        ['new', { n: 2n, file: 1, position: 0 }],
        ['k7', { n: 3n, file: 1, position: 1 }],
        ['k42', { n: 3n, file: 1, position: 2 }],
      ]),
    );
    const found = (await writer.duplicatesInSteps(100, {})).map(({ key, locations: places }) => {
      const lying = places.map(({ file, position }) => ({ file, position }));
      return [Buffer.from(key).toString(), lying];
    });
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
    writer.markPositions(new Map([[0, Int32Array.of(7, 42)]]));
    writer.deleteMarked();
    expect(await writer.duplicatesInSteps(100, {})).toEqual([]);
    writer.close();
  });

  test('finds two live documents of one key, with both locators', async () => {
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
    const [duplicate, ...others] = await writer.duplicatesInSteps(100, {});
    expect(others).toEqual([]);
    expect(Buffer.from(duplicate.key).toString()).toBe('a');
    expect(duplicate.locations).toMatchObject([
      { file: 0, position: 0 },
      { file: 1, position: 7 },
    ]);
    writer.markPositions(new Map([[0, Int32Array.of(0)]]));
    writer.deleteMarked();
    expect(await writer.duplicatesInSteps(100, {})).toEqual([]);
    writer.close();
    expect(directory.list()).toEqual([]);
  });

  test('leaves the commit of an open snapshot unchanged', () => {
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
});
