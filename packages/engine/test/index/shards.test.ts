// @module-tag campaign
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Progress, ShardProgress } from '@lakehouse-search/engine';
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { appendRows, createTable, deleteRows, upsertRows } from '@lakehouse-search/lake';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byEffort, everyNth, seedOfDay } from '../../../../test/support/effort.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { hasShared } from '../../../../test/support/shared-tables.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { readCommit, writeCommit } from '../../src/index/commits/commit.ts';
import { currentGeneration } from '../../src/open/index-folder.ts';
import { encodeKey } from '../../src/schema/keys/key.ts';
import { shardTable } from '../../src/schema/sharding/bucket-map.ts';
import { bucketOfKey } from '../../src/schema/sharding/key-buckets.ts';
import { withBucketIn, withSharding } from '../../src/schema/sharding/with-sharding.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { openTruthTable } from '../sync/in-step/truth-table.ts';

let folder = '';
let backend: LocalEngine;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'lhs-shards-'));
  backend = await openEngine(join(folder, 'data'), {
    create: true,
    threads: 0,
    openEmbedder: tinyModels().open,
  });
});
afterEach(async () => {
  await backend.close();
  rmSync(folder, { recursive: true, force: true });
});

const source = () => ({
  catalog: { type: 'filesystem' as const, warehouse: join(folder, 'lake') },
  table: 'ops.notes',
});
const append = (from: number, to: number) =>
  appendRows(source(), { kind: 'rows', rows: rows(from, to) });
const rows = (from: number, to: number, title = 'note') =>
  Array.from({ length: to - from }, (_, i) => ({ id: from + i, title: `${title} ${from + i}` }));

async function makeTable(): Promise<void> {
  await createTable(source().catalog, 'ops.notes', {
    schema: schemaOf({ id: 'long', title: 'string' }),
    formatVersion: 2,
  });
  await append(0, 300);
}

/** An index named after its number of shards. */
async function create(shards: number, more = ''): Promise<string> {
  const index = `with-${shards}`;
  const definition = definitionOf(shards, more);
  await backend.createIndex({ definition });
  return index;
}

function definitionOf(shards: number, more = ''): string {
  return [
    'version: 1',
    `index: with-${shards}`,
    `source: { catalog: ${JSON.stringify(source().catalog)}, table: ops.notes }`,
    `sharding: { shards: ${shards}, buckets: 1024 }`,
    more,
    'fields:',
    '  - { name: id, type: LONG, fast: true }',
    '  - { name: title, type: TEXT, cached: true }',
  ].join('\n');
}

/** The bucket of a row of the table by its key. */
const bucketOf = (id: number): number => {
  const key = encodeKey([String(id)], [0]);
  return bucketOfKey(key, 0, key.length);
};
const exported = (index: string) => Array.fromAsync(backend.exportDocuments({ index }));
const shardsOf = async (index: string) => (await backend.describeIndex({ index })).shards ?? [];

describe('an index of several shards', () => {
  it('holds what one of one shard holds, through every kind of change', async () => {
    await makeTable();
    const one = await create(1);
    const many = await create(7);
    for (const index of [one, many]) await backend.reindex({ index });
    const expectEqual = async () => {
      const [a, b] = [await backend.verify({ index: one }), await backend.verify({ index: many })];
      expect(a).toMatchObject({ equal: true, faults: [] });
      expect(b).toMatchObject({ equal: true, faults: [], digest: a.digest });
      expect(await exported(many)).toEqual(await exported(one));
    };
    await expectEqual();
    await append(300, 320);
    await upsertRows(source(), { kind: 'rows', rows: rows(290, 310, 'changed') });
    await deleteRows(source(), 'id < 100');
    for (const index of [one, many]) {
      const done = await backend.sync({ index });
      expect(done).toMatchObject({ inserted: 20, updated: 20, deleted: 100 });
    }
    await expectEqual();
    for (const index of [one, many]) await backend.compact({ index });
    await expectEqual();
    const shards = await shardsOf(many);
    expect(shards.map(({ segments, deleted_docs }) => [segments, deleted_docs])).toEqual(
      shards.map(() => [1, 0]),
    );
  });

  it('holds the same when a map moves buckets; a definition without a map keeps it', async () => {
    await makeTable();
    const one = await create(1);
    const many = await create(3);
    for (const index of [one, many]) await backend.reindex({ index });
    const text = definitionOf(3);
    const table = withBucketIn({ shards: 3 }, bucketOf(7), 2);
    for (let id = 20; id < 40; id++) table[bucketOf(id)] = 0;
    const definition_yaml = withSharding(text, 3, table);
    const plan = await backend.alterIndex({ index: many, definition_yaml, apply: true });
    expect(plan).toMatchObject({ applied: true, strategy: 'live', generation: 1 });
    const expectEqual = async () => {
      const [a, b] = [await backend.verify({ index: one }), await backend.verify({ index: many })];
      expect(b).toMatchObject({ equal: true, faults: [], digest: a.digest });
      expect(await exported(many)).toEqual(await exported(one));
      const counts = [0, 0, 0];
      for (const { fields } of await exported(one)) counts[table[bucketOf(Number(fields.id))]]++;
      expect((await shardsOf(many)).map(({ num_docs }) => num_docs)).toEqual(counts);
    };
    await expectEqual();
    await append(300, 320);
    await upsertRows(source(), { kind: 'rows', rows: rows(5, 25, 'changed') });
    await deleteRows(source(), 'id < 3');
    for (const index of [one, many]) {
      expect(await backend.sync({ index })).toMatchObject({ inserted: 20, updated: 20 });
    }
    await expectEqual();
    const keys = Array.from({ length: 60 }, (_, id) => ({
      identifier: [{ name: 'id', value: String(id) }],
    }));
    const [a, b] = await Promise.all([one, many].map((index) => backend.getKeys({ index, keys })));
    expect(b.rows).toEqual(a.rows);
    const bare = await backend.alterIndex({ index: many, definition_yaml: text });
    expect(bare).toMatchObject({ is_noop: true });
    const equal = withSharding(text, 3, shardTable({ shards: 3 }));
    const back = await backend.alterIndex({ index: many, definition_yaml: equal });
    expect(back).toMatchObject({ is_noop: false, strategy: 'live' });
  });

  it('describes each shard, whose figures add up to those of the index', async () => {
    await makeTable();
    const index = await create(3);
    expect((await backend.describeIndex({ index })).shards).toBeUndefined();
    await backend.reindex({ index });
    const whole = await backend.describeIndex({ index });
    const shards = whole.shards ?? [];
    expect(shards.map(({ shard }) => shard)).toEqual([0, 1, 2]);
    for (const name of ['num_docs', 'deleted_docs', 'segments', 'bytes'] as const) {
      const sum = shards.reduce((total, shard) => total + shard[name], 0);
      expect(sum, name).toBe(whole[name]);
    }
    for (const { num_docs, index_generation } of shards) {
      expect(num_docs).toBeGreaterThan(60);
      expect(index_generation).toBe(1);
    }
    expect((await backend.status({ index })).shards).toEqual(shards);
  });

  it('reports the progress of each shard of a reindex, and all documents at its end', async () => {
    await makeTable();
    const index = await create(3);
    const reports: (readonly ShardProgress[])[] = [];
    const progress = ({ shards }: Progress) => reports.push(shards ?? []);
    await backend.reindex({ index }, { progress });
    const last = reports.at(-1)!;
    const docs = (await shardsOf(index)).map(({ num_docs }) => num_docs);
    expect(last.map(({ docs_done }) => docs_done)).toEqual(docs);
    for (const report of reports) {
      expect(report.map(({ shard, generation }) => [shard, generation])).toEqual([
        [0, 1],
        [1, 1],
        [2, 1],
      ]);
      for (const { docs_done, docs_total } of report) {
        expect(docs_done).toBeLessThanOrEqual(docs_total);
      }
    }
  });

  it('needs a reindex after its definition names another number of shards', async () => {
    await makeTable();
    const index = await create(3);
    await backend.reindex({ index });
    await backend.close();
    const registry = new Database(join(folder, 'data', 'registry.db'));
    registry
      .prepare(
        `UPDATE indexes SET definition = replace(definition, 'shards: 3', 'shards: 2'),
         parsed = NULL, version = version + 1`,
      )
      .run();
    registry.close();
    backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
    await append(300, 310);
    await expect(backend.sync({ index })).rejects.toMatchObject({
      code: 'invalid_argument',
      message: 'the definition has 2 shards, the index was built with 3',
      hint: expect.stringContaining('reindex'),
    });
    expect(await shardsOf(index)).toHaveLength(3);
    await backend.reindex({ index });
    expect(await shardsOf(index)).toHaveLength(2);
    expect(await exported(index)).toHaveLength(310);
  });

  it('drops rows that share a key, whichever flush their documents came in', async () => {
    await makeTable();
    await append(250, 300);
    const index = await create(3, 'on_duplicate_key: last');
    const built = await backend.reindex({ index });
    expect(built).toMatchObject({ doc_count: 300, dropped_duplicates: 50 });
    expect(await backend.verify({ index })).toMatchObject({ equal: true });
  });

  it('reports a document that lies in another shard than its key belongs to', async () => {
    await makeTable();
    const index = await create(3);
    await backend.reindex({ index });
    await backend.close();
    const indexes = join(folder, 'data', 'indexes');
    const { path } = currentGeneration(join(indexes, readdirSync(indexes)[0]))!;
    const directory = openLocalDirectory(path);
    const commit = readCommit(directory)!;
    const segments = commit.segments.map((entry) => ({ ...entry, shard: 1 }));
    writeCommit(directory, { ...commit, segments });
    backend = await openEngine(join(folder, 'data'), { create: true, threads: 0 });
    const { equal, faults } = await backend.verify({ index });
    expect(equal).toBe(false);
    expect(faults[0]).toMatch(/keys: document \d+ of shard 1 belongs to [02]/);
  });
});

describe.skipIf(!hasShared)('the shards of an index over a table that others wrote', () => {
  it.each(everyNth(['events_variant', 'types_v3', 'reviews_mor'], byEffort(3, 1), seedOfDay()))(
    '%s: export and digest equal those of one shard',
    async (name) => {
      const table = await openTruthTable(name, { withMeaning: true });
      const seen = [];
      for (const shards of [1, 3, 64]) {
        const index = `t${shards}`;
        const definition = table.definition.replace(
          'index: t',
          `index: ${index}\nsharding: { shards: ${shards} }`,
        );
        await backend.createIndex({ definition, base_dir: folder });
        await backend.reindex({ index });
        const { digest, equal } = await backend.verify({ index });
        expect(equal).toBe(true);
        seen.push({ digest, documents: await exported(index) });
      }
      await table.source.close();
      expect(seen[1]).toEqual(seen[0]);
      expect(seen[2]).toEqual(seen[0]);
    },
  );
});
