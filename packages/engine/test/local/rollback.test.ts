// @module-tag campaign
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { IndexStatus } from '@lakehouse-search/engine';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import { deleteRows, expireSnapshots, upsertRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { replacingBatch, streamedBatch, wireBatch } from '../../../../test/support/wire-batch.ts';
import { indexFolder } from '../../src/open/index-folder.ts';
import { Registry } from '../../src/registry/registry.ts';

const SEED = Number(process.env.LHS_SEED ?? 20_261_122);
const HOUR = 3_600_000;
const schema = schemaOf({ id: 'long', title: 'string', level: 'long' });
const row = (id: number, level = id % 7) => ({ id, title: `row ${id} timeout running`, level });
const rows = (count: number, from = 0) => Array.from({ length: count }, (_, i) => row(from + i));

const OLD = 'fields:\n  - { name: title, type: TEXT, cached: true }';
const NEW = `fields:
  - { name: title, type: TEXT, cached: true, analyzer: english }
  - { name: level, type: LONG, fast: true }
sharding: { shards: 3 }`;

let lake: SmallLake;
let backend: LocalEngine;
let time: number;
beforeEach(async () => {
  time = 0;
  lake = await openSmallLake({
    clock: {
      now: () => Date.now() + time,
      ticks: () => performance.now() + time,
      random: Math.random,
      sleep: (ms, signal) =>
        new Promise((resolve) => {
          const timer = setTimeout(resolve, ms);
          signal?.addEventListener('abort', () => {
            clearTimeout(timer);
            resolve();
          });
        }),
    },
  });
  backend = lake.backend;
  await lake.create(schema);
  await append(rows(50));
});
afterEach(() => lake.close());

const append = (more: readonly ReturnType<typeof row>[]) => lake.append(more);
const definition = (lines: string, name = 't') =>
  `version: 1\nindex: ${name}\nsource: { catalog: ${JSON.stringify(lake.source.catalog)}, ` +
  `table: a.t }\n${lines}\n`;
const alter = (lines: string, name = 't') =>
  backend.alterIndex({ index: 't', definition_yaml: definition(lines, name), apply: true });
const state = async (): Promise<IndexStatus> => backend.status({});
const kept = async () => ((await state()).generations ?? []).filter((one) => one.state === 'kept');
const titled = async (query: string) => (await backend.search({ query, limit: 0 })).total;

/** Each generation is what the table says under its own definition, terms and values too. */
async function expectTrue(): Promise<void> {
  for (const { generation, state } of (await backend.describeIndex({})).generations ?? []) {
    const found = await backend.verify({ generation, deep: true });
    const { equal, faults, missing, extra, stale } = found;
    expect({ state, equal, faults, missing, extra, stale }).toEqual({
      ...{ state, equal: true, faults: [], missing: 0, extra: 0, stale: 0 },
    });
  }
}

async function altered(lines = ''): Promise<void> {
  await lake.build(OLD + lines);
  await alter(NEW + lines);
}

describe('a rollback', () => {
  it('brings back the former definition and generation with what was synced since', async () => {
    await altered();
    await append(rows(10, 100));
    expect(await backend.sync({})).toMatchObject({ doc_count: 60, index_generation: 2 });
    expect(await titled('level:3')).toBe(9);
    const head = String(await lake.head());
    expect(await kept()).toMatchObject([
      { generation: 1, definition_version: 1, snapshot: head, num_docs: 60 },
    ]);
    expect(await backend.rollbackIndex({})).toMatchObject({
      ...{ index: 't', index_generation: 1, former_generation: 2, definition_version: 3 },
      ...{ snapshot: head, doc_count: 60, snapshots_applied: 0 },
    });
    await expect(titled('level:3')).rejects.toMatchObject({ code: 'invalid_query' });
    expect(await titled('title:running')).toBe(60);
    expect(await titled('title:run')).toBe(0);
    expect((await backend.describeIndex({})).fields.map(({ name }) => name)).toEqual(['title']);
    await expectTrue();
  });

  it('goes forward again, and both ways lose no row', async () => {
    await altered();
    for (let i = 0; i < byEffort(2, 4); i++) {
      await append(rows(5, 1000 * (i + 1)));
      await backend.sync({});
      const { index_generation } = await backend.rollbackIndex({});
      expect(index_generation).toBe(i % 2 === 0 ? 1 : 2);
      expect((await state()).num_docs).toBe(55 + 5 * i);
      await expectTrue();
    }
    expect(await titled('title:run')).toBe(50 + 5 * byEffort(2, 4));
  });

  it('applies what the generation has not applied yet', async () => {
    await lake.build(OLD);
    await append(rows(7, 200));
    // a reindex: the new generation goes to the head
    await alter(`${NEW}\nkey: { identifier: [id, title] }`);
    expect(await kept()).toMatchObject([{ generation: 1, num_docs: 50 }]);
    expect(await backend.rollbackIndex({})).toMatchObject({ doc_count: 57, snapshots_applied: 1 });
    await expectTrue();
  });

  /** The batch of the table's head that a connector sends to the live generation. */
  const nextBatch = async () => {
    const table = await lake.table();
    const batch = replacingBatch(table, await backend.getCheckpoint({}), await lake.head());
    return batch.finally(() => table.close());
  };

  it.each([
    ['whole', wireBatch],
    ['streamed', streamedBatch],
  ] as const)('loses nothing of batches that were sent %s', async (_, sent) => {
    await altered();
    for (let i = 1; i <= 3; i++) {
      await append(rows(5, 1000 * i));
      await deleteRows(lake.source, `id = ${i}`);
      const batch = sent(await nextBatch());
      expect(await backend.applyBatch({ batch })).toMatchObject({ applied: true });
    }
    expect(await backend.rollbackIndex({})).toMatchObject({ doc_count: 62 });
    await expectTrue();
    expect(await backend.sync({})).toMatchObject({ inserted: 0, deleted: 0 });
    expect(await backend.rollbackIndex({})).toMatchObject({ doc_count: 62 });
  });

  it('goes to the head if the table has expired the snapshot of a streamed batch', async () => {
    await altered();
    await append(rows(5, 1000));
    await backend.applyBatch({ batch: streamedBatch(await nextBatch()) });
    await append(rows(4, 2000));
    await expireSnapshots(lake.source, {});
    expect(await backend.rollbackIndex({})).toMatchObject({ doc_count: 59, index_generation: 1 });
    await backend.sync({});
    await expectTrue();
  });

  it('after a reindex of the same definition keeps the definition and its version', async () => {
    await lake.build(OLD);
    await backend.reindex({});
    expect(await backend.rollbackIndex({})).toMatchObject({
      ...{ index_generation: 1, former_generation: 2, definition_version: 1 },
    });
    expect(await titled('title:running')).toBe(50);
  });

  it('keeps the name of an index that was renamed', async () => {
    await lake.build(OLD);
    await alter(NEW, 'renamed');
    expect(await backend.rollbackIndex({})).toMatchObject({ index: 'renamed' });
    const { index, fields } = await backend.describeIndex({});
    expect([index, fields.length]).toEqual(['renamed', 1]);
    await append(rows(3, 300));
    await backend.sync({ index: 'renamed' });
    expect((await backend.rollbackIndex({})).doc_count).toBe(53);
  });

  it('is refused without a former generation, and for one that is not kept', async () => {
    await lake.build(`${OLD}\nkeep_previous: 0`);
    await backend.reindex({});
    const none = { code: 'not_found', message: '"t" has no former generation to roll back to' };
    await expect(backend.rollbackIndex({})).rejects.toMatchObject(none);
    const other = { code: 'not_found', message: '"t" keeps no generation 7' };
    await expect(backend.rollbackIndex({ generation: 7 })).rejects.toMatchObject(other);
    const record = { kind: 'rollback', state: 'failed', error: { code: 'not_found' } };
    expect((await backend.listJobs({}))[0]).toMatchObject(record);
    expect((await state()).index_generation).toBe(2);
  });

  it('leaves points in time of both generations valid', async () => {
    await altered();
    const late = await backend.openPit({});
    await backend.rollbackIndex({});
    const early = await backend.openPit({});
    await append(rows(4, 400));
    await backend.sync({});
    await backend.rollbackIndex({});
    const total = async (pit_id: string, query: string) =>
      (await backend.search({ pit_id, query, limit: 0 })).total;
    expect(await total(late.pit_id, 'level:3 AND title:run')).toBe(7);
    expect(await total(early.pit_id, 'title:running')).toBe(50);
    await expect(total(early.pit_id, 'level:3')).rejects.toMatchObject({ code: 'invalid_query' });
  });

  it('meets searches and syncs of another engine without an error', async () => {
    await altered();
    const { openEngine } = await import('@lakehouse-search/engine/local/internal');
    const other = await openEngine(backend.dataDir, { create: true, threads: 0 });
    let stopped = false;
    const searches = (async () => {
      let count = 0;
      for (; !stopped; count++) {
        const { total } = await other.search({ query: 'title:timeout', limit: 3 });
        expect(total).toBeGreaterThanOrEqual(50);
      }
      return count;
    })();
    const syncs = (async () => {
      for (let i = 0; !stopped; i++) {
        await append(rows(1, 500 + i));
        await other.sync({}).catch((error: { code: string; message: string }) => {
          // the definition was replaced between the two: the next sync has the new one
          expect(error).toMatchObject({ code: 'index_busy' });
        });
      }
    })();
    for (let i = 0; i < 8; i++) await backend.rollbackIndex({});
    stopped = true;
    expect(await searches).toBeGreaterThan(0);
    await syncs;
    await other.close();
    await backend.sync({});
    await expectTrue();
  });
});

describe('a kept generation', () => {
  it('is brought along by syncs, batches and followers, whatever the definitions are', async () => {
    await altered();
    const random = seededBelow(SEED);
    for (let step = 0; step < 14; step++) {
      const act = random(4);
      if (act === 0) await append(rows(1 + random(9), 2000 + 20 * step));
      else if (act === 1)
        await upsertRows(lake.source, { kind: 'rows', rows: rows(5, random(40)) });
      else if (act === 2) await deleteRows(lake.source, `id = ${random(50)}`);
      const next = random(5);
      if (next === 0) await backend.rollbackIndex({});
      else if (next === 1) await followed();
      else if (next === 2) await backend.compact({});
      else await backend.sync({});
      if (step % 3 === 2) {
        await backend.sync({});
        await expectTrue();
        const [live, former] = (await state()).generations ?? [];
        expect(former).toMatchObject({ snapshot: live.snapshot, num_docs: live.num_docs });
      }
    }
  });

  async function followed(): Promise<void> {
    const stop = new AbortController();
    for await (const { event } of backend.follow({}, { signal: stop.signal })) {
      if (event === 'waiting') stop.abort();
    }
  }

  it('goes with the next compaction after its time', async () => {
    await altered('\nkeep_previous: 2h');
    time = 2.1 * HOUR;
    await backend.compact({});
    expect(folders()).toEqual(['gen-000002']);
  });

  it('stays for its time and goes with the next sync after it', async () => {
    await altered('\nkeep_previous: 2h');
    const [{ until = '' }] = await kept();
    expect(Math.abs(Date.parse(until) - Date.now() - 2 * HOUR)).toBeLessThan(60_000);
    expect(folders()).toEqual(['gen-000001', 'gen-000002']);
    time = 2.1 * HOUR;
    expect(await kept()).toEqual([]);
    await expect(backend.rollbackIndex({})).rejects.toMatchObject({ code: 'not_found' });
    await backend.sync({});
    expect(folders()).toEqual(['gen-000002']);
  });

  it('stays until so many newer ones have become live', async () => {
    await lake.define(`${OLD}\nkeep_previous: 2`);
    for (let i = 0; i < 4; i++) await backend.reindex({});
    const all = (await kept()).map(({ generation, until }) => ({ generation, until }));
    expect(all).toEqual([{ generation: 3 }, { generation: 2 }]);
    expect(folders()).toEqual(['gen-000002', 'gen-000003', 'gen-000004']);
    await append(rows(5, 600));
    await backend.sync({});
    expect(await backend.rollbackIndex({ generation: 2 })).toMatchObject({ doc_count: 55 });
    expect((await kept()).map(({ generation }) => generation)).toEqual([4, 3]);
    await alter(`${OLD}\nkeep_previous: 1`);
    expect((await kept()).map(({ generation }) => generation)).toEqual([4]);
    await expectTrue();
  });

  it('that cannot follow stops nothing, says why, and catches up later', async () => {
    await lake.build(`${OLD}\nkeep_previous: 5`);
    await alter(`${NEW}\nkeep_previous: 5\non_duplicate_key: last`);
    await append([row(1), row(2)]);
    const done = await backend.sync({});
    expect(done).toMatchObject({ dropped_duplicates: 2, index_generation: 2 });
    expect(done.fallen_behind).toMatchObject([{ generation: 1, code: 'source_invalid' }]);
    const [{ fallen_behind: fault }] = await kept();
    expect(fault).toMatchObject({ code: 'source_invalid', message: expect.any(String) });
    await expect(backend.rollbackIndex({})).rejects.toMatchObject({ code: 'source_invalid' });
    expect((await state()).index_generation).toBe(2);
    await deleteRows(lake.source, 'id = 1 OR id = 2');
    expect(await backend.sync({})).not.toHaveProperty('fallen_behind');
    expect((await kept())[0]).not.toHaveProperty('fallen_behind');
    await expectTrue();
  });

  it('is gone with its index, as its jobs, aliases and saved queries are', async () => {
    await altered();
    await backend.setAlias({ alias: 'notes', index: 't' });
    for (const index of ['t', 'notes', 'other']) {
      await backend.createSavedQuery({ name: index, request: { index, query: 'timeout' } });
    }
    await backend.openPit({});
    expect(await backend.dropIndex({ index: 't' })).toEqual({
      ...{ index: 't', aliases: ['notes'], saved_queries: 2, jobs: 2 },
      ...{ generations: 2, points_in_time: 1, bytes: expect.any(Number) },
    });
    expect(await backend.listSavedQueries()).toMatchObject([{ name: 'other' }]);
    expect(await backend.listJobs()).toEqual([]);
    expect(existsSync(join(lake.folder, 'data', 'indexes'))).toBe(true);
    expect(readdirSync(join(lake.folder, 'data', 'indexes'))).toEqual([]);
  });
});

function folders(): readonly string[] {
  const registry = new Registry(backend.dataDir);
  const folder = indexFolder(backend.dataDir, registry.list()[0].uuid);
  registry.close();
  return readdirSync(folder)
    .filter((name) => name.startsWith('gen-'))
    .sort();
}
