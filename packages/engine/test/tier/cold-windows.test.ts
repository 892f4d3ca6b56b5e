// @module-tag campaign
// @module-tag slow
/** Windows in an object store, over whole indexes: an S3 server of this process, with faults. */
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { deleteRows, upsertRows } from '@lakehouse-search/lake';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import type { SmallLake } from '../../../../test/support/small-lake.ts';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import type { S3Server } from '../../../lake/test/s3-server.ts';
import { evictColdBytes } from '../../src/storage/cold-cache.ts';
import { type ColdLake, coldStore, OLD, rows } from './cold-lake.ts';

const store = coldStore();
let server: S3Server;
let cold: ColdLake;
let lake: SmallLake;
let place: string;
beforeAll(async () => {
  server = store.server;
});
beforeEach(async () => {
  cold = await store.open();
  ({ lake, place } = cold);
});
afterEach(() => cold.close());

const build: ColdLake['build'] = (...plan) => cold.build(...plan);
const answersOf: ColdLake['answersOf'] = (...request) => cold.answersOf(...request);
const tiers = () => cold.tiers();
const objects = () => cold.objects();
const move = (request: object) => cold.move(request);

describe('cold windows', () => {
  it.each(byEffort([3], [1, 3]))(
    'answer as hot ones do, before and after syncs, with %i shards',
    async (shards) => {
      await build(shards);
      store.failEvery(19);
      const done = await move({ cool: [...OLD, 'none'] });
      expect(done.cooled).toEqual([...OLD, 'none']);
      expect(await tiers()).toMatchObject({ '2025-01': 'cold', '2025-04': 'hot', none: 'cold' });
      expect(await answersOf('t')).toEqual(await answersOf('plain'));
      evictColdBytes(0);
      expect(await answersOf('t')).toEqual(await answersOf('plain'));
      server.seen.length = 0;
      // Late rows, rows that leave a cold window, and deletes of cold windows.
      await upsertRows(lake.source, { kind: 'rows', rows: rows(20, 40, 'late disk') });
      await upsertRows(lake.source, {
        kind: 'rows',
        rows: rows(3, 6).map((row) => ({ ...row, at: '2025-05-05T00:00:00Z' })),
      });
      await deleteRows(lake.source, "id = 'k50' OR id = 'k51'");
      for (const index of ['plain', 't']) await lake.backend.sync({ index });
      for (const index of ['plain', 't']) await lake.backend.compact({ index });
      expect(cold.bundleRequests('GET')).toEqual([]);
      const verified = await lake.backend.verify({ index: 't', deep: true });
      expect(verified).toMatchObject({ equal: true, faults: [] });
      const ids = (answers: Awaited<ReturnType<typeof answersOf>>) => answers.exported;
      expect(ids(await answersOf('t'))).toEqual(ids(await answersOf('plain')));
      // Hot segments of cold windows are cooled, too; then all of it becomes hot again.
      expect((await move({ cool: OLD })).cooled).toEqual(OLD);
      await move({ warm: [...OLD, 'none'] });
      expect(new Set(Object.values(await tiers()))).toEqual(new Set(['hot']));
      for (const index of ['plain', 't']) await lake.backend.compact({ index });
      expect(await answersOf('t')).toEqual(await answersOf('plain'));
      expect(await lake.backend.verify({ index: 't', deep: true })).toMatchObject({ faults: [] });
    },
  );

  it('stay with the store of their index while it is away', async () => {
    await build();
    await move({ cool: OLD });
    server.fault = () => ({ kind: 'status', status: 404, code: 'NoSuchBucket' });
    const refused = expect.objectContaining({ code: 'not_found', next: [] });
    await expect(lake.backend.sync({ index: 't' })).rejects.toEqual(refused);
    await expect(lake.backend.moveIndex({ index: 't' })).rejects.toEqual(refused);
    server.fault = () => null;
    expect(await tiers()).toMatchObject({ '2025-01': 'cold' });
    await lake.backend.moveIndex({ index: 't' });
    expect(new Set(Object.values(await tiers()))).toEqual(new Set(['hot']));
    expect(await answersOf('t')).toEqual(await answersOf('plain'));
  });

  it('are read by another process, from the cache on disk if it has the blocks', async () => {
    await build();
    await move({ cool: OLD });
    const wanted = await answersOf('plain');
    const open = async () => {
      evictColdBytes(0);
      const other = await openEngine(lake.backend.dataDir, {
        create: true,
        threads: 0,
        openEmbedder: tinyModels().open,
      });
      try {
        expect(await answersOf('t', other)).toEqual(wanted);
      } finally {
        await other.close();
      }
    };
    await open();
    const { cache: before } = await lake.backend.windowStatus({ index: 't' });
    await open();
    const { cache: after } = await lake.backend.windowStatus({ index: 't' });
    expect(after.misses).toBeGreaterThan(before.misses);
    expect(after.bytes_read).toBe(before.bytes_read);
    expect(before.bytes_read).toBeGreaterThan(0);
  });

  it('fail with window and store if the store is gone; others are still searched', async () => {
    await build();
    await move({ cool: ['2025-02'] });
    server.fault = () => ({ kind: 'status', status: 403, code: 'AccessDenied' });
    const query = 'disk';
    await expect(lake.backend.search({ index: 't', query })).rejects.toMatchObject({
      code: 'permission_denied',
      message: expect.stringContaining('cold window from 2025-02-01 on'),
      details: { place, window: '2025-02-01' },
    });
    const filter = 'at:[2025-03-01 TO 2025-05-01]';
    const found = await lake.backend.search({ index: 't', query, filter });
    const wanted = await lake.backend.search({ index: 'plain', query, filter });
    expect(found.hits).toEqual(wanted.hits);
    expect(found.total).toBe(wanted.total);
    server.fault = () => null;
    expect((await lake.backend.search({ index: 't', query })).total).toBe(150);
  });

  it('are answered with an error that names the store if it does not answer', async () => {
    await build();
    await move({ cool: ['2025-02'] });
    evictColdBytes(0);
    server.fault = () => ({ kind: 'silent' });
    await expect(lake.backend.search({ index: 't', query: 'disk' })).rejects.toMatchObject({
      code: 'unreachable',
      message: expect.stringContaining('the object store has not answered for 8 s'),
      details: { place, window: '2025-02-01' },
    });
    server.fault = () => null;
    expect((await lake.backend.search({ index: 't', query: 'disk' })).total).toBe(150);
  });

  it('are read a second time if bits flipped on the way', async () => {
    await build();
    await move({ cool: ['2025-02'] });
    evictColdBytes(0);
    const flipped = new Set<string>();
    server.fault = ({ key, headers }) => {
      const request = `${key} ${headers.range}`;
      if (flipped.has(request)) return null;
      flipped.add(request);
      return { kind: 'flip' };
    };
    expect((await lake.backend.search({ index: 't', query: 'disk' })).total).toBe(150);
    expect(flipped.size).toBeGreaterThan(0);
    server.fault = () => null;
  });

  it('refuse bytes that are not those that were cooled', async () => {
    await build();
    await move({ cool: ['2025-02'] });
    cold.damageBundles();
    await expect(lake.backend.search({ index: 't', query: 'disk' })).rejects.toMatchObject({
      code: 'corrupt_index',
    });
    await expect(move({ warm: ['2025-02'] })).rejects.toMatchObject({ code: 'corrupt_index' });
    expect(await tiers()).toMatchObject({ '2025-02': 'cold' });
  });

  it('follow the definition: the newest windows are hot, without those of the future', async () => {
    await build(1, ', hot: 2');
    await upsertRows(lake.source, {
      kind: 'rows',
      rows: [{ id: 'future', title: 'disk', host: 'h', at: '2999-01-01T00:00:00Z' }],
    });
    await lake.backend.sync({ index: 't' });
    expect((await move({ apply: true })).cooled).toEqual(OLD);
    expect(await tiers()).toEqual({
      ...{ '2025-01': 'cold', '2025-02': 'cold', '2025-03': 'cold', '2025-04': 'hot' },
      ...{ '2025-05': 'hot', '2999-01': 'hot', none: 'hot' },
    });
    expect(await move({ apply: true })).toMatchObject({ cooled: [], warmed: [], bytes_copied: 0 });
    await move({ cool: ['2025-05'] });
    const warmed = await move({ apply: true });
    expect(warmed.warmed).toEqual(['2025-05']);
    expect(warmed.bytes_copied).toBeGreaterThan(0);
  });

  it('are not sent again: the store has their files', async () => {
    await build();
    const all = cold.objects().map((key) => server.buckets.get('frozen')!.get(key)!.bytes.length);
    server.seen.length = 0;
    expect(await move({ cool: OLD })).toMatchObject({ cooled: OLD, bytes_copied: 0 });
    const sent = cold.bundleRequests('PUT').map(({ headers }) => Number(headers['content-length']));
    expect(sent.reduce((a, b) => a + b, 0)).toBeLessThan(all.reduce((a, b) => a + b, 0) / 10);
  });

  it('stay hot if the store fails', async () => {
    await build();
    server.fault = () => ({ kind: 'status', status: 403, code: 'AccessDenied' });
    await expect(move({ cool: OLD })).rejects.toMatchObject({ code: 'permission_denied' });
    expect(new Set(Object.values(await tiers()))).toEqual(new Set(['hot']));
    server.fault = () => null;
    await move({ cool: OLD });
    expect(await answersOf('t')).toEqual(await answersOf('plain'));
  });

  it('are there as long as a point in time needs them', async () => {
    await build();
    await move({ cool: ['2025-02'] });
    const { pit_id } = await lake.backend.openPit({ index: 't', keep_alive: '1h' });
    await move({ warm: ['2025-02'] });
    evictColdBytes(0);
    const found = await lake.backend.search({ index: 't', pit_id, query: 'disk', limit: 150 });
    expect(found.hits).toHaveLength(150);
    await lake.backend.closePit({ index: 't', pit_id });
  });

  it('are hot in an index that is opened by location, and cold ones again here', async () => {
    await build();
    await move({ cool: OLD });
    const there = await openEngine(`${place}/t`, { threads: 0, openEmbedder: tinyModels().open });
    try {
      const { hits, total } = await there.search({ query: 'disk', limit: 30 });
      const wanted = await lake.backend.search({ index: 'plain', query: 'disk', limit: 30 });
      expect([hits, total]).toEqual([wanted.hits, wanted.total]);
    } finally {
      await there.close();
    }
  });

  it('go with their index', async () => {
    await build();
    await move({ cool: OLD });
    expect(objects().length).toBeGreaterThan(0);
    await lake.backend.dropIndex({ index: 't' });
    expect(objects()).toEqual([]);
  });

  it('are built again as hot ones', async () => {
    await build();
    await move({ cool: OLD });
    await lake.backend.reindexWindow({ index: 't', window: '2025-01' });
    expect(await tiers()).toMatchObject({ '2025-01': 'hot', '2025-02': 'cold' });
    expect(await answersOf('t')).toEqual(await answersOf('plain'));
  });
});
