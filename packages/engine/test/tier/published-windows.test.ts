/** Cold windows of an index that is published: other data folders, other places, former objects. */
import { cpSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { deleteRows, upsertRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { seededBelow } from '../../../../test/support/random.ts';
import { storing } from '../../../../test/support/stored-files.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { coolSegments } from '../../src/home/windows/move-window.ts';
import { readCommit, writeCommit } from '../../src/index/commits/commit.ts';
import { evictColdBytes } from '../../src/storage/cold-cache.ts';
import { openLocalDirectory } from '../../src/storage/local-directory.ts';
import { type ColdLake, coldStore, OLD, rows } from './cold-lake.ts';

const store = coldStore();
let cold: ColdLake;
beforeEach(async () => {
  cold = await store.open();
  await cold.build();
});
afterEach(() => cold.close());

const openOther = (dataDir: string) =>
  openEngine(dataDir, { create: true, threads: 0, openEmbedder: tinyModels().open });
const HOT = new Set(['hot']);
const tiersOf = async () => new Set(Object.values(await cold.tiers()));
async function expectSame(): Promise<void> {
  for (const index of ['plain', 't']) await cold.backend.compact({ index });
  evictColdBytes(0);
  expect((await cold.answersOf('t')).exported).toEqual((await cold.answersOf('plain')).exported);
  expect(await cold.backend.verify({ index: 't', deep: true })).toMatchObject({ faults: [] });
}

describe('cold windows of a published index', () => {
  it('stay cold where another data folder has committed', async () => {
    const copy = join(cold.lake.folder, 'copy');
    cpSync(cold.backend.dataDir, copy, { recursive: true });
    await cold.move({ cool: OLD });
    await upsertRows(cold.lake.source, { kind: 'rows', rows: rows(120, 125, 'late disk') });
    const other = await openOther(copy);
    await other.sync({ index: 't' });
    await other.close();
    await upsertRows(cold.lake.source, { kind: 'rows', rows: rows(130, 135, 'later disk') });
    for (const index of ['plain', 't']) await cold.backend.sync({ index });
    expect(await cold.tiers()).toMatchObject({ '2025-01': 'cold', '2025-02': 'cold' });
    await expectSame();
  });

  it('are cold at once in an empty data folder, without their bytes', async () => {
    await cold.close();
    cold = await store.open();
    const below = seededBelow(7);
    const long = Array.from({ length: 600_000 }, () => below(4096).toString(16));
    const title = (n: number) => long.slice(12_000 * n, 12_000 * (n + 1)).join(' ');
    const definition = await cold.build(1, ', hot: 2', (n) => (n < 50 ? title(n) : `disk ${n}`));
    const { server } = store;
    const bundles = cold.objects().filter((key) => key.includes('/data/'));
    const sizes = bundles.map((key) => server.buckets.get('frozen')!.get(key)!.bytes.length);
    server.seen.length = 0;
    const other = await openOther(join(cold.lake.folder, 'empty'));
    await other.createIndex({ definition });
    await other.sync({ index: 't' });
    const tiers = Object.entries(await cold.tiers(other));
    expect(tiers.filter(([, tier]) => tier === 'hot').map(([window]) => window)).toEqual([
      ...['2025-04', '2025-05', 'none'],
    ]);
    const read = cold.bundleRequests('GET').map(({ headers }) => {
      const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
      return Number(to) - Number(from);
    });
    const sum = (all: readonly number[]) => all.reduce((a, b) => a + b, 0);
    expect(sum(read)).toBeLessThan(sum(sizes) / 2);
    evictColdBytes(0);
    expect(await cold.answersOf('t', other)).toEqual(await cold.answersOf('plain'));
    await other.moveWindows({ index: 't', warm: OLD });
    expect(await other.verify({ index: 't', deep: true })).toMatchObject({ faults: [] });
    await other.close();
  });

  it('go along to another place, and come back to the disk', async () => {
    await cold.move({ cool: OLD });
    const storage = `${cold.place}-second`;
    await cold.backend.moveIndex({ index: 't', storage });
    expect(cold.objects()).toEqual([]);
    expect(await cold.tiers()).toMatchObject({ '2025-01': 'cold', '2025-04': 'hot' });
    await expectSame();
    await cold.backend.moveIndex({ index: 't' });
    expect(await tiersOf()).toEqual(HOT);
    await expectSame();
  });

  it('of which some are to be hot become all hot without a store', async () => {
    await cold.close();
    cold = await store.open();
    await cold.build(1, ', hot: 2');
    await cold.move({ apply: true });
    expect(await tiersOf()).toEqual(new Set(['hot', 'cold']));
    await cold.backend.moveIndex({ index: 't' });
    expect(await tiersOf()).toEqual(HOT);
    await expectSame();
  });

  it.each([
    ['here', 'cold'],
    ['in a place that was left', 'hot'],
  ])('are there for a generation that is kept %s, after an erasure', async (_, tier) => {
    await cold.move({ cool: OLD });
    await cold.backend.reindex({ index: 't' });
    if (tier === 'hot') await cold.backend.moveIndex({ index: 't', storage: `${cold.place}-next` });
    await deleteRows(cold.lake.source, "id = 'k120'");
    for (const index of ['plain', 't']) await cold.backend.sync({ index });
    const keys = [{ identifier: [{ name: 'id', value: 'k120' }] }];
    const { report } = await cold.backend.runErasure({ index: 't', keys });
    expect(report.remains).toEqual([]);
    await cold.backend.rollbackIndex({ index: 't' });
    expect(await cold.tiers()).toMatchObject({ '2025-01': tier, '2025-04': 'hot' });
    await expectSame();
  });

  it('are there for a point in time alone in a place that was left', async () => {
    await cold.move({ cool: OLD });
    const { pit_id } = await cold.backend.openPit({ index: 't', keep_alive: '1h' });
    await cold.backend.moveIndex({ index: 't', storage: `${cold.place}-second` });
    const reader = openEngine(`${cold.place}/t`, { threads: 0 });
    await expect(reader).rejects.toMatchObject({ code: 'index_not_found' });
    evictColdBytes(0);
    const found = await cold.backend.search({ index: 't', pit_id, query: 'disk', limit: 150 });
    expect(found.hits).toHaveLength(150);
    await cold.backend.closePit({ index: 't', pit_id });
    await cold.backend.sync({ index: 't' });
    expect(cold.objects()).toEqual([]);
  });

  it.each([false, true])(
    'are removed from a place that a point in time needed (close: %s)',
    async (close_pits) => {
      await cold.move({ cool: OLD });
      const { pit_id } = await cold.backend.openPit({ index: 't', keep_alive: '1h' });
      await cold.backend.moveIndex({ index: 't', storage: `${cold.place}-second` });
      await deleteRows(cold.lake.source, "id = 'k5'");
      for (const index of ['plain', 't']) await cold.backend.sync({ index });
      const erasure = { index: 't', keys: [{ identifier: [{ name: 'id', value: 'k5' }] }] };
      const { report } = await cold.backend.runErasure({ ...erasure, close_pits });
      // a check caches what it reads of points in time
      const remains = report.remains.filter(({ where }) => !where.startsWith(cold.cache));
      const ends = new Set(remains.map(({ place, goes }) => `${place} ${goes}`));
      expect([...ends].sort()).toEqual(
        close_pits ? [] : ['pinned_commit expiry', 'published_commit expiry'],
      );
      evictColdBytes(0);
      const search = cold.backend.search({ index: 't', pit_id, query: 'disk', limit: 150 });
      if (close_pits) await expect(search).rejects.toMatchObject({ code: 'not_found' });
      else expect((await search).hits).toHaveLength(150);
      if (!close_pits) await cold.backend.runErasure({ ...erasure, close_pits: true });
      expect((await cold.backend.checkErasure(erasure)).remains).toEqual([]);
      expect(cold.objects()).toEqual([]);
      await expectSame();
    },
  );

  it('whose objects are lost let an erasure close the point in time that needs them', async () => {
    await cold.move({ cool: OLD });
    await deleteRows(cold.lake.source, "id = 'k120'");
    await cold.backend.sync({ index: 't' });
    await cold.backend.openPit({ index: 't', keep_alive: '1h' });
    await cold.backend.moveIndex({ index: 't', storage: `${cold.place}-second` });
    for (const key of cold.objects()) store.server.buckets.get('frozen')!.delete(key);
    const erasure = { index: 't', keys: [{ identifier: [{ name: 'id', value: 'k120' }] }] };
    const { remains } = await cold.backend.checkErasure(erasure);
    expect(remains.map(({ detail }) => detail).join()).toContain('that cannot be read');
    const { report } = await cold.backend.runErasure({ ...erasure, close_pits: true });
    expect(report.remains).toEqual([]);
  });

  it('of the shards of two nodes are in one place under two names', async () => {
    const { catalog, table } = cold.lake.source;
    for (const only of [0, 1]) {
      const node = await openOther(join(cold.lake.folder, `node-${only}`));
      const definition = `version: 1
index: t
source: { catalog: ${JSON.stringify(catalog)}, table: ${table} }
sharding: { shards: 2, only: [${only}] }
windows: { field: at, every: month }
storage: ${cold.place}/nodes
fields: [{ name: title, type: TEXT }, { name: at, type: DATE }]
`;
      await node.createIndex({ definition });
      await node.reindex({ index: 't' });
      await node.moveWindows({ index: 't', cool: OLD });
      expect((await node.search({ index: 't', query: 'disk' })).total).toBeGreaterThan(50);
      await node.close();
    }
    const names = cold.objects().filter((key) => key.includes('/nodes/indexes/'));
    expect(names).toHaveLength(2);
  });

  it('of former versions are read, and taken over by the next writer', async () => {
    const { dataDir } = cold.backend;
    for (const uuid of readdirSync(join(dataDir, 'indexes'))) {
      const directory = openLocalDirectory(join(dataDir, 'indexes', uuid, 'gen-000001'));
      if (readCommit(directory)?.windows === undefined) continue;
      await coolAsFormerly(directory, uuid);
    }
    const formerly = () => cold.objects().filter((key) => /\/1\/s\d+\.f\d+\.|\.stored/.test(key));
    expect(formerly().length).toBeGreaterThan(10);
    evictColdBytes(0);
    const other = await openOther(dataDir);
    expect(await cold.answersOf('t', other)).toEqual(await cold.answersOf('plain'));
    await other.close();
    await upsertRows(cold.lake.source, { kind: 'rows', rows: rows(20, 25, 'late disk') });
    for (const index of ['plain', 't']) await cold.backend.sync({ index });
    expect(formerly()).toEqual([]);
    expect(await cold.tiers()).toMatchObject({ '2025-01': 'cold', '2025-02': 'cold' });
    await expectSame();
    await cold.move({ warm: OLD });
    await expectSame();
  });
});

/** As versions did that did not publish indexes with windows: an object for each file. */
async function coolAsFormerly(directory: ReturnType<typeof openLocalDirectory>, uuid: string) {
  const { segments } = readCommit(directory)!;
  const find = storing(directory, `${cold.place}/${uuid}/1`, 65_536);
  const old = segments.filter(({ window }) => window !== null && window! < 20_179);
  await coolSegments(directory, old, find);
  const commit = readCommit(directory)!;
  const where = { place: cold.place, prefix: `${uuid}/1/` };
  writeCommit(directory, {
    ...commit,
    segments: commit.segments.map((entry) => (entry.cold ? { ...entry, cold: where } : entry)),
  });
}
