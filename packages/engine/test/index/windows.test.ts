// @module-tag campaign
import type { Progress } from '@lakehouse-search/engine';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { deleteRows, upsertRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { readCommit, writeCommit } from '../../src/index/commits/commit.ts';
import { currentGeneration } from '../../src/open/index-folder.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { indexFolderOf } from '../faults/operations.ts';

let lake: SmallLake;
let backend: LocalEngine;
beforeEach(async () => {
  lake = await openSmallLake();
  ({ backend } = lake);
});
afterEach(() => lake.close());

/** A day after 1970-01-01. */
const day = (days: number) => new Date(days * 86_400_000).toISOString();
/** Row `id` has the date of day `id`, each tenth one none. */
const dateOf = (id: number) => (id % 10 === 9 ? null : day(id));
const rows = (from: number, to: number, more: object = {}) =>
  Array.from({ length: to - from }, (_, i) => {
    const id = from + i;
    return { id, title: `note ${id} ${id % 3 === 0 ? 'fizz' : 'other'}`, at: dateOf(id), ...more };
  });

const makeTable = () =>
  lake.create(schemaOf({ id: 'long', title: 'string', at: 'timestamptz' }), {
    rows: rows(0, 120),
  });

const definition = (index: string, more: string) =>
  [
    'version: 1',
    `index: ${index}`,
    `source: { catalog: ${JSON.stringify(lake.source.catalog)}, table: a.t }`,
    more,
    'fields:',
    '  - { name: id, type: LONG, fast: true }',
    '  - { name: title, type: TEXT, cached: true }',
    '  - { name: at, type: DATE }',
    '',
  ].join('\n');
const MONTHS = 'windows: { field: at, every: month }';

async function create(index: string, more = MONTHS): Promise<string> {
  await backend.createIndex({ definition: definition(index, more) });
  await backend.reindex({ index });
  return index;
}

const exported = (index: string) => Array.fromAsync(backend.exportDocuments({ index }));
const docsByWindow = async (index: string) => {
  const { windows } = await backend.windowStatus({ index });
  return Object.fromEntries(windows.map(({ window, num_docs }) => [window, num_docs]));
};

describe('an index with windows', () => {
  it('stores each row in the window of its date, and lists its windows', async () => {
    await makeTable();
    const index = await create('monthly');
    expect(await docsByWindow(index)).toEqual({
      '1970-01': 28,
      '1970-02': 26,
      '1970-03': 27,
      '1970-04': 27,
      none: 12,
    });
    const status = await backend.windowStatus({ index });
    expect(status.windows[1]).toMatchObject({
      ...{ from: '1970-02-01', to: '1970-03-01', segments: 1, deleted_docs: 0 },
    });
    const { windows, bytes } = await backend.describeIndex({ index });
    expect(windows).toEqual({ field: 'at', every: 'month', windows: status.windows });
    expect(status.windows.reduce((sum, one) => sum + one.bytes, 0)).toBe(bytes);
    expect((await backend.status({ index })).windows).toEqual(windows);
  });

  it.each(byEffort([3], [1, 3]))(
    'holds what one without windows holds after each sync, %i shards',
    async (n) => {
      await makeTable();
      const sharding = `sharding: { shards: ${n} }`;
      const plain = await create('plain', sharding);
      const windowed = await create('windowed', `${sharding}\n${MONTHS}`);
      const expectEqual = async () => {
        const answers = await Promise.all(
          [plain, windowed].map((index) => backend.verify({ index, deep: true })),
        );
        expect(answers[1]).toMatchObject({ equal: true, faults: [], digest: answers[0]!.digest });
        expect(await exported(windowed)).toEqual(await exported(plain));
      };
      const syncBoth = async () => {
        for (const index of [plain, windowed]) await backend.sync({ index });
        await expectEqual();
      };
      await expectEqual();
      // A late row of an old window, a row of a new one, and rows that move to other windows.
      await lake.append(rows(200, 201, { at: day(3) }));
      await lake.append(rows(400, 402));
      await syncBoth();
      await upsertRows(lake.source, { kind: 'rows', rows: rows(0, 20, { at: day(45) }) });
      await upsertRows(lake.source, { kind: 'rows', rows: rows(40, 45, { at: null }) });
      await syncBoth();
      expect(await docsByWindow(windowed)).toMatchObject({ '1970-01': 11, '1971-02': 2, none: 15 });
      await deleteRows(lake.source, 'id >= 31 AND id < 59');
      await syncBoth();
      for (const index of [plain, windowed]) await backend.compact({ index });
      await expectEqual();
    },
  );

  it('drops a window with its last row', async () => {
    await makeTable();
    const index = await create('monthly');
    await deleteRows(lake.source, 'id < 31');
    await backend.sync({ index });
    expect(Object.keys(await docsByWindow(index))).not.toContain('1970-01');
  });

  it('builds one window again and leaves the others as they are', async () => {
    await makeTable();
    const index = await create('monthly');
    await upsertRows(lake.source, { kind: 'rows', rows: rows(3, 5, { title: 'changed fizz' }) });
    await backend.sync({ index });
    await lake.append(rows(5000, 5001));
    const live = () =>
      openLocalDirectory(currentGeneration(indexFolderOf(backend.dataDir, index))!.path);
    const before = readCommit(live())!;
    const documents = await exported(index);
    const done = await backend.reindexWindow({ index, window: '1970-01' });
    expect(done).toMatchObject({ window: '1970-01', doc_count: 28 });
    const after = readCommit(live())!;
    const others = (commit: typeof after) => commit.segments.filter(({ window }) => window !== 0);
    expect(others(after)).toEqual(others(before));
    expect(after.checkpoint).toEqual(before.checkpoint);
    expect(after.segments.filter(({ window }) => window === 0)).toMatchObject([
      { docs: 28, deletedDocs: 0 },
    ]);
    expect(await exported(index)).toEqual(documents);
    expect(await backend.verify({ index })).toMatchObject({ equal: true, faults: [] });
  });

  it('reports the documents of each window during a reindex', async () => {
    await makeTable();
    const index = await create('monthly');
    const reports: Progress[] = [];
    await backend.reindex({ index }, { progress: (report) => reports.push(report) });
    const last = reports.findLast(({ windows }) => windows !== undefined)!;
    expect(last.windows).toEqual(
      Object.entries(await docsByWindow(index)).map(([window, docs_done]) => ({
        window,
        docs_done,
      })),
    );
    expect((await backend.listJobs())[0]!.windows).toEqual(last.windows);
  });

  it('refuses rows whose dates need too many windows, and stays as it was', async () => {
    await makeTable();
    await lake.append(rows(1000, 2200));
    await backend.createIndex({ definition: definition('daily', MONTHS.replace('month', 'day')) });
    await expect(backend.reindex({ index: 'daily' })).rejects.toMatchObject({
      code: 'limit_exceeded',
      message: expect.stringContaining('more than 1000 windows'),
    });
  });

  it('needs a reindex after its definition has other windows', async () => {
    await makeTable();
    const index = await create('monthly');
    const years = definition(index, MONTHS.replace('month', 'year'));
    const plan = await backend.alterIndex({ definition_yaml: years });
    expect(plan.changes).toMatchObject([{ setting: 'windows', strategy: 'reindex' }]);
    await backend.alterIndex({ definition_yaml: years, apply: true });
    expect(Object.keys(await docsByWindow(index))).toEqual(['1970', 'none']);
  });

  it('reports a document that lies in another window than its date', async () => {
    await makeTable();
    const index = await create('monthly');
    const directory = openLocalDirectory(
      currentGeneration(indexFolderOf(backend.dataDir, index))!.path,
    );
    const commit = readCommit(directory)!;
    const segments = commit.segments.map((entry) =>
      entry.window === 0 ? { ...entry, window: 31 } : entry,
    );
    writeCommit(directory, { ...commit, number: commit.number + 1, segments });
    const { faults } = await backend.verify({ index });
    expect(faults[0]).toContain('document 0 is not of 1970-02');
  });

  it('has no windows to list without a definition of some', async () => {
    await makeTable();
    const index = await create('plain', '');
    await expect(backend.windowStatus({ index })).rejects.toMatchObject({ code: 'not_found' });
    expect(await backend.describeIndex({ index })).not.toHaveProperty('windows');
  });
});

describe('a definition with windows', () => {
  it.each([
    ['windows: { field: at }', 'windows needs "every"'],
    ['windows: { field: title, every: day }', 'must be a fast DATE field'],
    ['windows: { field: att, every: day }', 'did you mean "at"?'],
    ['windows: { field: at, every: hour }', 'unknown windows.every "hour"'],
  ])('%s is refused: %s', async (windows, message) => {
    const issues = await backend.validateDefinition({ definition: definition('x', windows) });
    expect(issues.map((issue) => issue.message).join()).toContain(message);
  });
});
