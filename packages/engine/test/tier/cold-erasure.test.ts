// @module-tag campaign
/** Erasure of rows in cold windows: remains are planted in a bucket and in a folder. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { ErasureResponse, JsonObject } from '@lakehouse-search/contract';
import { deleteRows, upsertRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { byEffort } from '../../../../test/support/effort.ts';
import { evictColdBytes } from '../../src/storage/cold-cache.ts';
import { type ColdLake, coldStore, OLD } from './cold-lake.ts';

const store = coldStore();
let cold: ColdLake;
let folder: string;
afterEach(async () => {
  await cold.close();
  rmSync(folder, { recursive: true, force: true });
});

const WORD = 'quilbert';
const KEYS = { index: 't', keys: [{ identifier: [{ name: 'id', value: 'k5' }] }] };
const filesBelow = (path: string): readonly string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
const holding = (files: readonly Buffer[]) => files.filter((bytes) => bytes.includes(WORD)).length;

/** The store of the windows: how many of its objects hold the word, and planting one more. */
const STORES = {
  bucket: {
    place: () => undefined,
    objects: () => {
      const all = store.server.buckets.get('frozen')!;
      return cold.objects().map((key) => Buffer.from(all.get(key)!.bytes));
    },
    plant: (key: string) =>
      void store.server.put('frozen', `${cold.place.slice(12)}/${key}`, Buffer.from(WORD)),
  },
  folder: {
    place: () => join(folder, 'store'),
    objects: () => filesBelow(cold.place).map((path) => readFileSync(path)),
    plant: (key: string) => {
      mkdirSync(dirname(join(cold.place, key)), { recursive: true });
      writeFileSync(join(cold.place, key), WORD);
    },
  },
};

const planted = async () => {
  const at = '2025-01-06T00:00:00Z';
  const row = { id: 'k5', title: `disk of ${WORD}`, host: 'h0', at };
  await upsertRows(cold.lake.source, { kind: 'rows', rows: [row] });
  await cold.backend.sync({ index: 't' });
  await cold.backend.compact({ index: 't' });
  await cold.move({ cool: OLD });
  evictColdBytes(0);
  await cold.answersOf('t');
  await deleteRows(cold.lake.source, "id = 'k5'");
  for (const index of ['plain', 't']) await cold.backend.sync({ index });
};
const placesLeft = async () => {
  const { remains } = await cold.backend.checkErasure(KEYS);
  return remains.map(({ place }) => place);
};

describe.each(byEffort(['bucket'] as const, ['bucket', 'folder'] as const))(
  'an erasure of a row in a cold window (%s)',
  (kind) => {
    const { place, objects, plant } = STORES[kind];
    beforeEach(async () => {
      folder = mkdtempSync(join(tmpdir(), 'lhs-cold-store-'));
      cold = await store.open(place());
      await cold.build();
    });

    it('finds it in all parts of the segment, and removes it from store and cache', async () => {
      await planted();
      expect(holding(objects())).toBeGreaterThan(0);
      const cached = filesBelow(cold.cache).length;
      expect(cached).toBeGreaterThan(0);
      const { remains } = await cold.backend.checkErasure(KEYS);
      const own = remains.filter((one) => one.place === 'cold_window');
      expect(own[0]).toMatchObject({ key: 0, goes: 'erase' });
      expect(own[0].detail).toContain(`cold in "${cold.place}", deleted`);
      const last = own.flatMap(({ fields = [] }) => fields);
      expect(last).toContainEqual({ field: 'title', parts: ['terms', 'stored'], own_terms: 1 });
      expect(last).toContainEqual(expect.objectContaining({ field: 'meaning', parts: ['vector'] }));
      expect(last).toContainEqual(expect.objectContaining({ field: 'at', parts: ['column'] }));

      const { job_id } = await cold.backend.startJob({ kind: 'erase', ...KEYS });
      const records = await Array.fromAsync(cold.backend.watchJob({ job_id }));
      expect(records.at(-1)).toMatchObject({ state: 'done', bytes_total: expect.any(Number) });
      expect(records.at(-1)!.bytes_done).toBe(records.at(-1)!.bytes_total);
      const { report, actions, receipt } = records.at(-1)!.result as ErasureResponse;
      expect(report.remains).toEqual([]);
      expect(actions.segments_rewritten).toBeGreaterThan(0);
      const verdict = await cold.backend.verifyReceipt({
        ...{ keys: KEYS.keys, receipt: receipt as unknown as JsonObject },
      });
      expect(verdict).toMatchObject({ valid: true, covered: [true] });
      expect(await placesLeft()).toEqual([]);
      expect(holding(objects())).toBe(0);
      const local = filesBelow(cold.backend.dataDir).filter((path) => path.includes('/indexes/'));
      const uuid = /indexes\/([^/]+)\//.exec(local.find((path) => path.includes('blocks'))!)![1];
      const live = local.filter((path) => path.includes(uuid) && !path.includes('/embeddings/'));
      expect(holding(live.map((path) => readFileSync(path)))).toBe(0);
      expect(holding(filesBelow(cold.cache).map((path) => readFileSync(path)))).toBe(0);
      expect(await cold.tiers()).toMatchObject({ '2025-01': 'cold', '2025-02': 'cold' });
      await cold.backend.compact({ index: 'plain' });
      expect(await cold.answersOf('t')).toEqual(await cold.answersOf('plain'));
      expect(await cold.backend.verify({ index: 't', deep: true })).toMatchObject({ faults: [] });
    });

    it('finds an object that no commit names, and removes it', async () => {
      await planted();
      await cold.backend.runErasure(KEYS);
      const { index_uuid } = (await cold.backend.runErasure(KEYS)).receipt.statement;
      plant(`${index_uuid}/1/s000099.f1.text`);
      const { remains } = await cold.backend.checkErasure(KEYS);
      expect(remains).toMatchObject([{ place: 'cold_window', key: null, goes: 'erase' }]);
      expect(remains[0].where).toContain('s000099.f1.text');
      expect((await cold.backend.runErasure(KEYS)).actions.cold_objects_removed).toBe(1);
      expect(await placesLeft()).toEqual([]);
    });

    it('leaves a point in time that needs the objects, unless it may close it', async () => {
      await planted();
      const { pit_id } = await cold.backend.openPit({ index: 't', keep_alive: '1h' });
      const left = await cold.backend.runErasure(KEYS);
      expect(new Set(left.report.remains.map((one) => one.place))).toContain('pinned_commit');
      expect(holding(objects())).toBeGreaterThan(0);
      evictColdBytes(0);
      const found = await cold.backend.search({ index: 't', pit_id, query: 'disk', limit: 150 });
      expect(found.hits).toHaveLength(149);
      const done = await cold.backend.runErasure({ ...KEYS, close_pits: true });
      expect(done.report.remains).toEqual([]);
      expect(holding(objects())).toBe(0);
    });
  },
);
