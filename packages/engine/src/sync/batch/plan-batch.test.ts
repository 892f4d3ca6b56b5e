import type { SourceFile } from '@lakehouse-search/contract';
import type { DeleteFile, FileScan, FileSet } from '@lakehouse-search/lake';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PlanSource, planStep } from './plan-batch.ts';

const seed = 20_261_121;

/** A data file of a model: how many rows, which are dead, and which the index has. */
interface ModelFile {
  readonly path: string;
  readonly records: number;
  readonly sequence: number;
  readonly deletes: readonly string[];
  readonly dead: readonly number[];
}

function scanOf({ path, records, sequence, deletes }: ModelFile): FileScan {
  const files = deletes.map((name) => ({ kind: 'position', path: name }) as DeleteFile);
  const data = { path, recordCount: records, dataSequence: BigInt(sequence) };
  return { data: data as FileScan['data'], deletes: files };
}

const followedOf = ({ path, records, sequence, deletes }: ModelFile): SourceFile => ({
  path,
  records,
  sequence: String(sequence),
  deletes: deletes.map((name) => ({ path: name })),
});

const setOf = (files: readonly ModelFile[]): FileSet => ({
  snapshotId: 1n,
  files: files.map(scanOf),
});

/** `indexed`: by path; `opened`: takes the paths of the files whose deletes were read. */
function sourceOf(
  files: readonly ModelFile[],
  indexed: ReadonlyMap<string, readonly number[]>,
  opened: string[] = [],
  dropped = 0,
): PlanSource {
  return {
    dropped,
    deadPositions: async ({ data }) => {
      opened.push(data.path);
      return Int32Array.from(files.find(({ path }) => path === data.path)!.dead);
    },
    positionsIn: (paths) =>
      new Map(paths.map((path) => [path, Int32Array.from(indexed.get(path) ?? [])])),
  };
}

const file = (path: string, over: Partial<ModelFile> = {}): ModelFile => ({
  path,
  records: 4,
  sequence: 1,
  deletes: [],
  dead: [],
  ...over,
});

describe('the plan of a batch', () => {
  test('skips unchanged files, however their paths are written', async () => {
    const before = [file('file:///w/a.parquet', { deletes: ['file:/w/d'] }), file('/w/b.parquet')];
    const after = [file('/w/a.parquet', { deletes: ['/w/d'] }), file('file:/w//b.parquet')];
    const opened: string[] = [];
    const source = sourceOf(after, new Map(), opened);
    const plan = await planStep(before.map(followedOf), setOf(after), source);
    expect(plan).toEqual({ removed: [], read: [], withDropped: false });
    expect(opened).toEqual([]);
  });

  test('treats an overwritten path, another count or sequence number as another file', async () => {
    const before = [file('a'), file('b'), file('c')];
    const after = [file('a', { records: 5 }), file('b', { sequence: 2 }), file('c'), file('c')];
    const plan = await planStep(before.map(followedOf), setOf(after), sourceOf(after, new Map()));
    const whole = (path: string) => ({ kind: 'removed', path, positions: null });
    expect(plan.removed).toEqual(['a', 'b', 'c'].map(whole));
    expect(plan.read.map(({ scan, only }) => [scan.data.path, only])).toEqual(
      ['a', 'b', 'c', 'c'].map((path) => [path, null]),
    );
  });

  test('opens only delete files for a merge-on-read delete; offsets separate vectors', async () => {
    const vector = (offset: number) =>
      ({ kind: 'vector', path: 'v', contentOffset: offset, contentSize: 9 }) as DeleteFile;
    const [{ data }] = setOf([file('a', { records: 8 })]).files;
    const followed = { path: 'a', records: 8, sequence: '1', deletes: [{ path: 'v', offset: 4 }] };
    const dead = file('a', { dead: [1, 5] });
    const indexed = new Map([['a', [0, 2, 3, 4, 5, 6, 7]]]);
    const same = { snapshotId: 1n, files: [{ data, deletes: [vector(4)] }] };
    expect((await planStep([followed], same, sourceOf([dead], indexed))).removed).toEqual([]);
    const other = { snapshotId: 1n, files: [{ data, deletes: [vector(40)] }] };
    const plan = await planStep([followed], other, sourceOf([dead], indexed));
    expect(plan.removed).toEqual([{ kind: 'removed', path: 'a', positions: Int32Array.of(5) }]);
    expect(plan.read).toEqual([]);
  });

  const positions = fc.uniqueArray(fc.nat(9)).map((list) => list.toSorted((a, b) => a - b));
  const modelFile = fc.record({
    path: fc.constantFrom('a', 'b', 'c', 'd'),
    records: fc.constantFrom(6, 10),
    sequence: fc.constantFrom(1, 2),
    deletes: fc.subarray(['x', 'y', 'z']),
    dead: positions,
  });
  const files = fc.uniqueArray(modelFile, { selector: ({ path }) => path, maxLength: 4 });

  const livePlaces = (list: readonly ModelFile[]): Set<string> =>
    new Set(
      list.flatMap(({ path, records, deletes, dead }) =>
        Array.from({ length: records }, (_, at) => at)
          .filter((at) => deletes.length === 0 || !dead.includes(at))
          .map((at) => `${path}:${at}`),
      ),
    );

  test('leads from any row locations to exactly the live ones', async () => {
    const property = fc.asyncProperty(
      files,
      files,
      fc.boolean(),
      async (before, after, dropped) => {
        // What two states say of one file agrees where its deletes do.
        const now = after.map((each) => {
          const then = before.find(({ path }) => path === each.path);
          const same = then !== undefined && then.deletes.join() === each.deletes.join();
          return same ? { ...each, dead: then.dead } : each;
        });
        const held = [...livePlaces(before)].filter((_, i) => !dropped || i % 3 > 0);
        const lost = livePlaces(before).size - held.length;
        const indexed = new Map<string, number[]>();
        for (const place of held) {
          const [path, at] = place.split(':');
          indexed.set(path, [...(indexed.get(path) ?? []), Number(at)]);
        }
        const source = sourceOf(now, indexed, [], lost);
        const plan = await planStep(before.map(followedOf), setOf(now), source);
        const places = new Set(held);
        for (const { path, positions: gone } of plan.removed) {
          for (const place of places) {
            const [of, at] = place.split(':');
            if (of === path && (gone === null || gone.includes(Number(at)))) places.delete(place);
          }
        }
        const live = livePlaces(now);
        for (const { scan, only } of plan.read) {
          for (let at = 0; at < scan.data.recordCount; at++) {
            const place = `${scan.data.path}:${at}`;
            if (!live.has(place) || (only !== null && !only.includes(at))) continue;
            expect(places.has(place), `${place} is read though the index has it`).toBe(false);
            places.add(place);
          }
        }
        if (lost === 0 || plan.withDropped) expect(places).toEqual(live);
        else expect([...places].filter((place) => !live.has(place))).toEqual([]);
      },
    );
    await fc.assert(property, { seed, numRuns: 2000 });
  });
});
