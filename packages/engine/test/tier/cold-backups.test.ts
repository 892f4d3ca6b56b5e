// @module-tag campaign
/** Backups of an index with cold windows, over an S3 server with faults. */
import { join } from 'node:path';
import { deleteRows, upsertRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { evictColdBytes } from '../../src/storage/cold-cache.ts';
import { type ColdLake, coldStore, OLD, rows } from './cold-lake.ts';

const store = coldStore();
let cold: ColdLake;
let target: string;
beforeEach(async () => {
  cold = await store.open();
  target = join(cold.lake.folder, 'backups');
});
afterEach(() => cold.close());

const backUp = () => cold.backend.backup({ index: 't', target });
const restore = () => cold.backend.restore({ target, index: 't' });
const reads = () =>
  store.server.seen.filter(({ method, key }) => {
    return method === 'GET' && key !== '' && cold.place.endsWith(key.split('/')[0]!);
  });

describe('a backup of an index with cold windows', () => {
  it.each(byEffort([3], [1, 3]))(
    'is restored as an index of hot windows, and a sync catches up, with %i shards',
    async (shards) => {
      await cold.build(shards);
      await cold.move({ cool: OLD });
      evictColdBytes(0);
      store.failEvery(19);
      const done = await backUp();
      expect(done.num_docs).toBe(150);
      await cold.backend.dropIndex({ index: 't' });
      expect(cold.objects()).toEqual([]);
      await restore();
      expect(new Set(Object.values(await cold.tiers()))).toEqual(new Set(['hot']));
      expect(await cold.answersOf('t')).toEqual(await cold.answersOf('plain'));
      await upsertRows(cold.lake.source, { kind: 'rows', rows: rows(20, 40, 'late disk') });
      await deleteRows(cold.lake.source, "id = 'k50'");
      for (const index of ['plain', 't']) await cold.backend.sync({ index });
      const verified = await cold.backend.verify({ index: 't', deep: true });
      expect(verified).toMatchObject({ equal: true, faults: [] });
      expect((await cold.move({ cool: OLD })).cooled).toEqual(OLD);
      const again = await cold.backend.verify({ index: 't', deep: true });
      expect(again).toMatchObject({ equal: true, faults: [] });
    },
  );

  it('copies and reads no field files that were backed up in the other tier', async () => {
    await cold.build();
    const first = await backUp();
    await cold.move({ cool: OLD });
    store.server.seen.length = 0;
    const second = await backUp();
    expect(reads()).toEqual([]);
    expect(second.bytes_copied).toBeLessThan(first.bytes_copied / 2);
    await cold.move({ warm: OLD });
    const third = await backUp();
    expect(third.bytes_copied).toBeLessThan(first.bytes_copied / 2);
    const { faults } = await cold.backend.verify({ index: 't', deep: true });
    expect(faults).toEqual([]);
  });

  it('fails if an object is not the file that was cooled', async () => {
    await cold.build();
    await cold.move({ cool: ['2025-02'] });
    cold.damageBundles();
    await expect(backUp()).rejects.toMatchObject({ code: 'corrupt_index' });
    expect(await cold.backend.listBackups({ target })).toEqual([]);
  });
});
