/** Cold windows whose objects the store has lost: their bytes are nowhere but in the table. */
import { upsertRows } from '@lakehouse-search/lake';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { evictColdBytes } from '../../src/storage/cold-cache.ts';
import { type ColdLake, ColdStore, OLD, rows } from './cold-lake.ts';

let store: ColdStore;
let cold: ColdLake;
beforeAll(async () => {
  store = await ColdStore.start();
});
afterAll(() => store.close());
beforeEach(async () => {
  cold = await store.open();
  await cold.build();
  await cold.move({ cool: OLD.slice(0, 2) });
  // a second bundle, of which a third window has a part
  await upsertRows(cold.lake.source, { kind: 'rows', rows: rows(60, 65, 'late disk') });
  for (const index of ['plain', 't']) await cold.backend.sync({ index });
  await cold.move({ cool: OLD.slice(2) });
});
afterEach(async () => {
  vi.restoreAllMocks();
  await cold.close();
});

/** Removes all bundles but the newest; returns their locations. */
function loseBundles(): readonly string[] {
  const bundles = cold.objects().filter((key) => key.includes('/data/'));
  evictColdBytes(0);
  for (const key of bundles) store.server.buckets.get('frozen')!.delete(key);
  return bundles.map((key) => `s3://frozen/${key}`);
}

describe('cold windows whose objects are lost', () => {
  it('are all named by a verification, and built again by a repair', async () => {
    const lost = loseBundles();
    expect(lost.length).toBeGreaterThan(1);
    const found = await cold.backend.verify({ index: 't' });
    expect(found.equal).toBe(false);
    for (const path of lost) expect(found.faults.join('\n')).toContain(path);
    expect(await cold.backend.verify({ index: 't', repair: true })).toMatchObject({ equal: true });
    expect(await cold.backend.verify({ index: 't', deep: true })).toMatchObject({ faults: [] });
    for (const index of ['plain', 't']) await cold.backend.compact({ index });
    evictColdBytes(0);
    expect(await cold.answersOf('t')).toEqual(await cold.answersOf('plain'));
  });
});
