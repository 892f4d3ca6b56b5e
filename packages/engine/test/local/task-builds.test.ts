// @module-tag campaign
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LhsError } from '@lakehouse-search/contract';
import type { EngineOptions } from '@lakehouse-search/engine/internal';
import { type LocalEngine, openEngine, runTaskLine } from '@lakehouse-search/engine/local/internal';
import { deleteRows, openTable } from '@lakehouse-search/lake';
import { afterEach, describe, expect, it } from 'vitest';
import {
  FIELDS,
  fillLake,
  KEY,
  type RandomRows,
  randomRows,
  schema,
  seen,
} from '../../../../test/support/built-tables.ts';
import { byEffort } from '../../../../test/support/effort.ts';
import { FaultyDirectory } from '../../../../test/support/faulty-directory.ts';
import { expireSnapshots } from '../../../../test/support/maintenance/index.ts';
import { fieldLine, hasShared, tablePath } from '../../../../test/support/shared-tables.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { SYSTEM_CLOCK } from '../../src/base/time/clock.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';

const FIXTURES = new URL('../../../../fixtures/tables/', import.meta.url).pathname;
const TASKS = byEffort([7], [1, 2, 7, 40]);
const SEED = 20_261_129;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lhs-tasks-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function newEngine(folder: string): Promise<LocalEngine> {
  const engine = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
  ends.push(() => engine.close());
  return engine;
}

async function newLake(options: EngineOptions = {}): Promise<SmallLake> {
  const lake = await openSmallLake(options);
  ends.push(() => lake.close());
  return lake;
}

const planned = async (engine: LocalEngine, index: string, tasks?: number) =>
  (await engine.planBuild({ index, tasks })).map((task) => JSON.stringify(task));

async function run(lines: readonly string[]): Promise<string[]> {
  const results: string[] = [];
  for (const line of lines) results.push(JSON.stringify(await runTaskLine(line, {})));
  return results;
}

async function build(engine: LocalEngine, index: string, tasks?: number): Promise<void> {
  const results = await run(await planned(engine, index, tasks));
  await engine.commitBuild({ index, results: results.toReversed() });
}

/** Results, and those of merges of their segments. */
async function merged(
  engine: LocalEngine,
  index: string,
  results: readonly string[],
  tasks?: number,
): Promise<string[]> {
  const merges = await engine.planMerges({ index, results, tasks });
  return [...results, ...(await run(merges.map((task) => JSON.stringify(task))))];
}

let random: RandomRows = randomRows(SEED);
const row = (id: number) => random.row(id);

async function filledLake(definition: string): Promise<SmallLake> {
  random = randomRows(SEED);
  const lake = await newLake();
  await fillLake(lake, random, definition);
  return lake;
}

describe('an index that tasks build', () => {
  const layouts = {
    'one shard': '',
    'several shards': 'sharding: { shards: 3 }\n',
    windows: 'windows: { field: at, every: month }\n',
  };
  for (const [name, lines] of Object.entries(layouts)) {
    it(`is that of one process (${name})`, async () => {
      const lake = await filledLake(`${KEY}${lines}${FIELDS}storage: ./home\n`);
      const { backend } = lake;
      await backend.reindex({ index: 't' });
      const queries = Array.from({ length: byEffort(60, 300) }, random.query);
      const expected = await seen(backend, 't', queries);
      expect(expected.documents.length).toBeGreaterThan(1000);
      for (const tasks of TASKS) {
        await build(backend, 't', tasks);
        expect(await seen(backend, 't', queries)).toEqual(expected);
        const results = await run(await planned(backend, 't', tasks));
        const once = await merged(backend, 't', results, 3);
        const twice = await merged(backend, 't', once, 1);
        await backend.commitBuild({ index: 't', results: twice });
        expect(await seen(backend, 't', queries)).toEqual(expected);
        // and goes on as any other
        await lake.append([row(90_000 + tasks)]);
        await backend.sync({ index: 't' });
        await deleteRows(lake.source, `id = ${90_000 + tasks}`);
        await backend.sync({ index: 't' });
        expect((await seen(backend, 't', [])).digest).toEqual(expected.digest);
      }
    });
  }

  const tables = [
    ...['own_equality', 'own_equality_partitioned', 'own_positions', 'own_vectors'],
    ...['own_partitioned', 'own_avro', 'own_evolved'],
  ].map((table) => ({ table, path: `${FIXTURES}${table}` }));
  const others = byEffort(false, hasShared)
    ? [
        ...['inbox_eq', 'inbox_eq_dropped', 'inbox_eq_part', 'reviews_mor', 'reviews_mor_part'],
        ...['journal_dv', 'journal_dv_compacted', 'rowgroups_small', 'formats_avro'],
      ].map((table) => ({ table, path: tablePath(table) }))
    : [];
  it.each([...tables, ...others])('of a table with deletes: $table', async ({ path }) => {
    const folder = newFolder();
    const engine = await newEngine(folder);
    const table = await openTable({ path });
    const fields = table.schema.fields.flatMap((field) => fieldLine(field) ?? []);
    await table.close();
    const source = `source: { path: ${JSON.stringify(path)} }`;
    const lines = `key: row\n${source}\nfields:\n${fields.join('\n')}`;
    for (const [index, more] of [
      ['one', ''],
      ['many', `storage: ${folder}/home`],
    ]) {
      const definition = `version: 1\nindex: ${index}\n${lines}\n${more}\n`;
      await engine.createIndex({ definition, base_dir: folder });
    }
    await engine.reindex({ index: 'one' });
    const queries = ['*:*', 'the', 'a', 'fix', 'dev'].map((query) => ({ query }));
    const expected = await seen(engine, 'one', queries);
    for (const tasks of TASKS) {
      await build(engine, 'many', tasks);
      expect(await seen(engine, 'many', queries)).toEqual(expected);
    }
  });

  it('of parts of a file: any rows may be those of a task', async () => {
    const lake = await filledLake(`${KEY}${FIELDS}storage: ./home\n`);
    await lake.backend.reindex({ index: 't' });
    const queries = Array.from({ length: 20 }, random.query);
    const expected = await seen(lake.backend, 't', queries);
    const [line] = await planned(lake.backend, 't', 1);
    const task = JSON.parse(line);
    const table = await lake.table();
    const { files } = await table.files(await lake.head());
    await table.close();
    const splits = files.flatMap(({ data: { path, recordCount: to } }) => {
      const cut = random.below(to);
      return [
        { path, from: 0, to: cut },
        { path, from: cut, to },
      ];
    });
    const tasks = splits.map((split, at) =>
      JSON.stringify({ ...task, task: at, tasks: splits.length, splits: [split] }),
    );
    await lake.backend.commitBuild({ index: 't', results: await run(tasks) });
    expect(await seen(lake.backend, 't', queries)).toEqual(expected);
  });
});

const WORDS =
  'key: { identifier: [id] }\nfields:\n  - { name: title, type: TEXT }\nstorage: ./home\n';

const DAY_MS = 86_400_000;

async function twoFiles(definition = WORDS, options: EngineOptions = {}): Promise<SmallLake> {
  const lake = await newLake(options);
  await lake.create(schema);
  await lake.append(Array.from({ length: 50 }, (_, i) => row(i)));
  await lake.append(Array.from({ length: 50 }, (_, i) => row(50 + i)));
  await lake.define(definition);
  return lake;
}

const failure = (work: Promise<unknown>): Promise<LhsError> =>
  work.then(
    () => expect.unreachable('it should fail'),
    (error) => error,
  );

/** Objects of the store whose names begin so. */
const objects = (lake: SmallLake, begin: string) =>
  readdirSync(join(lake.folder, 'home'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.includes(`/data/${begin}`))
    .sort();

describe('results of tasks', () => {
  it('are the same objects for twins and repeated tasks, which count once', async () => {
    const lake = await twoFiles();
    const lines = await planned(lake.backend, 't', 2);
    const [twins] = await Promise.all([run(lines), run(lines)]);
    const before = objects(lake, '9');
    expect(before).toHaveLength(4);
    const again = await run(lines);
    expect(again).toEqual(twins.map((line) => expect.stringContaining(line.slice(0, 300))));
    expect(objects(lake, '9')).toEqual(before);
    await lake.backend.commitBuild({ index: 't', results: [...again, ...twins, again[0]] });
    expect((await lake.documents()).size).toBe(100);
    await lake.expectRebuilt();
  });

  it('are refused if one is missing, and the live generation stays', async () => {
    const lake = await twoFiles();
    await lake.backend.reindex({ index: 't' });
    const lines = await planned(lake.backend, 't', 2);
    const results = await run(lines);
    for (const [given, message] of [
      [[results[1]], 'no result of 0 among tasks 0 to 1'],
      [[], 'there are no results'],
    ] as const) {
      const error = await failure(lake.backend.commitBuild({ index: 't', results: given }));
      expect(error).toMatchObject({ code: 'invalid_argument' });
      expect(error.message).toContain(message);
    }
    expect((await lake.backend.describeIndex({ index: 't' })).index_generation).toBe(1);
    await lake.backend.commitBuild({ index: 't', results });
  });

  it('are refused if rows are missing or there twice', async () => {
    const lake = await twoFiles();
    const [line] = await planned(lake.backend, 't', 1);
    const task = JSON.parse(line);
    const [first] = task.splits;
    const of = async (...splits: object[]) => {
      const build = `${task.build.slice(0, -16)}${'0'.repeat(15)}${splits.length}`;
      const lines = splits.map((split, at) =>
        JSON.stringify({ ...task, build, task: at, tasks: splits.length, splits: [split] }),
      );
      return lake.backend.commitBuild({ index: 't', results: await run(lines) });
    };
    const second = task.splits[1];
    expect((await failure(of(first))).message).toContain(`the rows of "${second.path}"`);
    const overlap = of(first, { ...second, from: 0, to: 40 }, { ...second, from: 39, to: 50 });
    expect((await failure(overlap)).message).toContain(`the rows of "${second.path}"`);
    const [result] = await run([line]);
    const less = JSON.stringify({ ...JSON.parse(result), docs: 99 });
    const cut = await failure(lake.backend.commitBuild({ index: 't', results: [less] }));
    expect(cut.message).toContain('task 0 has 99 of 100 rows');
    expect((await lake.backend.describeIndex({ index: 't' })).status).toBe('created');
  });

  it('of two tasks with one key name both rows', async () => {
    const lake = await twoFiles();
    await lake.append([row(7)]);
    const results = await run(await planned(lake.backend, 't', 3));
    const error = await failure(lake.backend.commitBuild({ index: 't', results }));
    expect(error.code).toBe('source_invalid');
    expect(error.message).toMatch(/key id=7 stands in two rows: row [07] of .* and row [07] of /);
  });

  it('are merged by tasks, which find rows that share a key', async () => {
    const lake = await twoFiles();
    await lake.append([60, 200, 201, 202].map(row));
    const results = await run(await planned(lake.backend, 't', 30));
    expect(results).toHaveLength(3);
    const [all] = await lake.backend.planMerges({ index: 't', results });
    const error = await failure(runTaskLine(JSON.stringify(all), {}));
    expect(error.code).toBe('source_invalid');
    expect(error.message).toMatch(/key id=60 stands in two rows/);
    expect(objects(lake, '9')).toHaveLength(6);
  });

  it('leave the last of the rows with one key, and rows that cannot be indexed', async () => {
    const more = 'on_duplicate_key: last\non_bad_row: skip\n';
    const lake = await twoFiles(`${WORDS}${more}`);
    await lake.append([
      { ...row(7), title: 'newest' },
      { ...row(1), id: null },
    ]);
    const results = await run(await planned(lake.backend, 't', 3));
    let built = await lake.backend.commitBuild({ index: 't', results });
    expect(built).toMatchObject({ doc_count: 100, dropped_duplicates: 1, skipped_rows: 1 });
    const again = await run(await planned(lake.backend, 't', 3));
    const all = await merged(lake.backend, 't', again);
    expect(all.length).toBe(again.length + 1);
    built = await lake.backend.commitBuild({ index: 't', results: all });
    expect(built).toMatchObject({ doc_count: 100, dropped_duplicates: 1, skipped_rows: 1 });
    const { total } = await lake.backend.search({ index: 't', query: 'newest' });
    expect(total).toBe(1);
    const single = await lake.backend.reindex({ index: 't' });
    const { skipped_rows, first_skipped_rows } = single;
    expect(built).toMatchObject({ skipped_rows, first_skipped_rows });
  });

  it('of a changed definition, or of a snapshot that is gone, are refused by name', async () => {
    const lake = await twoFiles();
    const { backend } = lake;
    const results = await run(await planned(backend, 't', 2));
    const gone = results.map((line) => JSON.stringify({ ...JSON.parse(line), snapshot: '77' }));
    const expired = await failure(backend.commitBuild({ index: 't', results: gone }));
    expect(expired).toMatchObject({ code: 'source_changed' });
    expect(expired.message).toContain('forgotten snapshot 77, planned at 20');
    expect(expired.next).toEqual([{ step: 'plan_build', index: 't' }]);
    const at = `catalog: ${JSON.stringify(lake.source.catalog)}, table: a.t`;
    const definition_yaml = `version: 1\nindex: t\nsource: { ${at} }\n${WORDS}  # changed
description: other\n`.replace('TEXT', 'KEYWORD');
    await backend.alterIndex({ index: 't', definition_yaml, apply: true });
    const changed = await failure(backend.commitBuild({ index: 't', results }));
    expect(changed).toMatchObject({ code: 'source_changed' });
    expect(changed.message).toContain('its definition is not that of version 1');
  });

  it('of a snapshot that the table has expired have the error that plans again', async () => {
    const lake = await twoFiles();
    const { backend } = lake;
    const lines = await planned(backend, 't', 2);
    const [first] = await run(lines.slice(0, 1));
    await deleteRows(lake.source, 'id < 60');
    await expireSnapshots(lake.source, Date.now() + 60_000, { deleteFiles: true });
    const errors = [
      await failure(runTaskLine(lines[1], {})),
      await failure(backend.commitBuild({ index: 't', results: [first] })),
    ];
    for (const { code, message, next } of errors) {
      expect({ code, next }).toEqual({
        code: 'source_changed',
        next: [{ step: 'plan_build', index: 't' }],
      });
      expect(message).toMatch(/the table of "t" has forgotten snapshot \d+, planned at 20/);
    }
    await build(backend, 't', 2);
    expect((await lake.documents()).size).toBe(40);
  });

  it.each(['fail', 'crash'] as const)(
    'are published whole or not at all where the commit ends in the middle: %s',
    async (kind) => {
      const lake = await twoFiles();
      await build(lake.backend, 't', 2);
      await lake.append([row(200)]);
      const results = await run(await planned(lake.backend, 't', 3));
      let isCommitted = false;
      for (let operation = 1; !isCommitted; operation += byEffort(7, 1)) {
        const engine = await openEngine(join(lake.folder, 'data'), {
          threads: 0,
          openDirectory: (path, fence) =>
            new FaultyDirectory(openLocalDirectory(path, fence), { kind, operation }),
        });
        isCommitted = await engine.commitBuild({ index: 't', results }).then(
          () => true,
          () => false,
        );
        await engine.close().catch(() => {});
        expect([100, 101]).toContain((await lake.documents()).size);
      }
      await lake.backend.commitBuild({ index: 't', results });
      await lake.expectRebuilt();
      const indexes = join(lake.folder, 'data', 'indexes');
      const left = readdirSync(join(indexes, readdirSync(indexes)[0]));
      expect(left.filter((name) => /^g\d+$/.test(name)).length).toBeLessThanOrEqual(2);
    },
  );

  it('go on with what has run when a build begins again', async () => {
    const lake = await twoFiles();
    const { backend } = lake;
    const ran: string[] = [];
    const runner = (most: number) =>
      async function* (lines: readonly string[]) {
        for (const line of lines.slice(0, most)) {
          const { took_ms, task } = await runTaskLine(line, {});
          ran.push(`${task} ${took_ms}`);
          yield JSON.stringify(await runTaskLine(line, {}));
        }
      };
    const broken = backend.reindexByTasks({ index: 't', tasks: 2, run: runner(1) });
    expect((await failure(broken)).message).toContain('no result of 1');
    const stored = objects(lake, '9');
    await backend.reindexByTasks({ index: 't', tasks: 2, run: runner(2) });
    expect(ran[1]).toBe(ran[0]);
    expect(objects(lake, '9')).toEqual(expect.arrayContaining(stored));
    expect((await lake.documents()).size).toBe(100);
  });

  it('that no build takes are deleted after a week, those of younger plans stay', async () => {
    let ms = Date.now();
    const clock = { ...SYSTEM_CLOCK, now: () => ms };
    const lake = await twoFiles(WORDS, { clock });
    const { backend } = lake;
    const change = async (id: number) => {
      await lake.append([row(id)]);
      await backend.sync({ index: 't' });
    };
    await build(backend, 't', 2);
    const used = objects(lake, '9').filter((name) => !name.endsWith('.json'));
    await change(500);
    await run(await planned(backend, 't', 2));
    const dead = objects(lake, '9');
    ms += 6 * DAY_MS;
    await change(501);
    expect(objects(lake, '9')).toEqual(dead);
    await run(await planned(backend, 't', 3));
    const young = objects(lake, '9').filter((name) => !dead.includes(name));
    ms += 2 * DAY_MS;
    await change(502);
    expect(objects(lake, '9')).toEqual([...used, ...young].sort());
    await lake.expectRebuilt();
  });

  it('need an index with storage', async () => {
    const lake = await twoFiles(WORDS.replace('storage: ./home\n', ''));
    const error = await failure(lake.backend.planBuild({ index: 't' }));
    expect(error).toMatchObject({ code: 'invalid_argument' });
    expect(error.message).toBe('"t" has no storage, where tasks put segments');
  });
});
