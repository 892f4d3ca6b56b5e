/** Searches of cold windows in search threads. */
import { type LocalEngine, openEngine } from '@lakehouse-search/engine/local/internal';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { tinyModels } from '../../../../test/support/tiny-model.ts';
import { coldCacheFigures } from '../../src/storage/cold-cache.ts';
import { type ColdLake, coldStore, OLD } from './cold-lake.ts';

const store = coldStore();
let cold: ColdLake;
let threaded: LocalEngine;
beforeAll(async () => {
  cold = await store.open();
  await cold.build(3);
  await cold.move({ cool: [...OLD, 'none'] });
  const options = { openEmbedder: tinyModels().open, threads: 2 };
  threaded = await openEngine(cold.backend.dataDir, { create: true, ...options });
});
afterAll(async () => {
  await threaded.close();
  await cold.close();
});

describe('search threads', () => {
  it('read cold windows themselves, and their figures are those of the process', async () => {
    const before = coldCacheFigures().misses;
    const { misses } = (await threaded.windowStatus({ index: 't' })).cache;
    const request = { index: 't', query: 'disk 3', limit: 30 };
    const wanted = await cold.backend.search({ ...request, index: 'plain' });
    // a busy machine starts a thread slower than a call waits for one
    const found = await vi.waitFor(() => threaded.search(request));
    expect([found.hits, found.total]).toEqual([wanted.hits, wanted.total]);
    expect(coldCacheFigures().misses).toBe(before);
    const { cache } = await threaded.windowStatus({ index: 't' });
    expect(cache.misses).toBeGreaterThan(misses);
    expect(cache.bytes).toBeGreaterThan(0);
    const again = await threaded.search(request);
    expect(again.hits).toEqual(wanted.hits);
  });

  it('answer as this thread does, side by side', async () => {
    const wanted = await cold.answersOf('plain');
    const found = await Promise.all([1, 2, 3].map(() => cold.answersOf('t', threaded)));
    expect(found).toEqual([wanted, wanted, wanted]);
  });

  it('name window and store if the store denies access, and answer when it allows it', async () => {
    const options = { openEmbedder: tinyModels().open, threads: 1 };
    vi.stubEnv('LHS_COLD_CACHE_BYTES', '0');
    vi.stubEnv('LHS_COLD_CACHE_DIR', `${cold.cache}-none`);
    const other = await openEngine(cold.backend.dataDir, { create: true, ...options });
    try {
      store.server.fault = () => ({ kind: 'status', status: 403, code: 'AccessDenied' });
      const request = { index: 't', query: 'disk' };
      await expect(other.search(request)).rejects.toMatchObject({
        code: 'permission_denied',
        details: { place: cold.place },
      });
      store.server.fault = () => null;
      expect((await other.search(request)).total).toBe(150);
    } finally {
      await other.close();
    }
  });
});
