/** Moves and rebuilds of windows as jobs: progress, cancel, crash. */
import type { Job } from '@lakehouse-search/engine';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { indexFolder, takeLock } from '../../src/open/index-folder.ts';
import { Registry } from '../../src/registry/registry.ts';
import { type ColdLake, ColdStore, OLD } from './cold-lake.ts';

let store: ColdStore;
let cold: ColdLake;
beforeAll(async () => {
  store = await ColdStore.start();
});
afterAll(() => store.close());
beforeEach(async () => {
  cold = await store.open();
  await cold.build();
});
afterEach(() => cold.close());

const watched = (job_id: string) => Array.fromAsync(cold.backend.watchJob({ job_id }));
const newest = async (): Promise<Job> => (await cold.backend.listJobs({ index: 't', limit: 1 }))[0];

describe('a job that moves windows', () => {
  it('reports copied bytes of all windows together, and ends with the moves', async () => {
    const { job_id } = await cold.backend.startJob({ kind: 'move_windows', index: 't', cool: OLD });
    const records = await watched(job_id);
    const last = records.at(-1)!;
    expect(last).toMatchObject({
      ...{ kind: 'move_windows', state: 'done', index: 't' },
      result: { cooled: OLD, warmed: [] },
    });
    expect(last.bytes_total).toBeGreaterThan(0);
    expect(last.bytes_done).toBe(last.bytes_total);
    expect(last.result).toMatchObject({ bytes_copied: last.bytes_total });
    expect(await cold.tiers()).toMatchObject({ '2025-01': 'cold', '2025-04': 'hot' });
  });

  it('is what the blocking call watches, and is listed', async () => {
    await cold.move({ cool: ['2025-01'] });
    expect(await newest()).toMatchObject({ kind: 'move_windows', state: 'done' });
    await expect(cold.move({ cool: ['1999-01'] })).rejects.toMatchObject({ code: 'not_found' });
    expect(await newest()).toMatchObject({ state: 'failed', error: { code: 'not_found' } });
  });

  it('copies to the store while another writer may take the lock of the index', async () => {
    const { dataDir } = cold.backend;
    const registry = new Registry(dataDir);
    const folder = indexFolder(dataDir, registry.get('t').uuid);
    registry.close();
    const tries: string[] = [];
    store.server.fault = ({ method }) => {
      if (method === 'PUT') {
        takeLock(folder, 't', 'test').release();
        tries.push(method);
      }
      return null;
    };
    await cold.move({ cool: OLD });
    expect(tries.length).toBeGreaterThan(3);
    expect(await cold.tiers()).toMatchObject({ '2025-01': 'cold' });
    expect(await cold.answersOf('t')).toEqual(await cold.answersOf('plain'));
  });

  it('copies again what another writer merged or swept meanwhile', async () => {
    const merged: Promise<unknown>[] = [];
    store.server.fault = ({ method }) => {
      if (method === 'PUT' && merged.length === 0) {
        merged.push(cold.backend.compact({ index: 't' }));
      }
      return null;
    };
    await cold.move({ cool: OLD });
    await Promise.all(merged);
    expect(merged.length).toBe(1);
    expect(await cold.tiers()).toMatchObject({ '2025-01': 'cold', '2025-02': 'cold' });
    expect(await cold.answersOf('t')).toEqual(await cold.answersOf('plain'));
  });

  it('is canceled between two files, and leaves its window in the tier', async () => {
    let puts = 0;
    let job_id = '';
    store.server.fault = ({ method }) => {
      if (method === 'PUT' && ++puts === 4) void cold.backend.cancelJob({ job_id });
      return null;
    };
    const job = await cold.backend.startJob({ kind: 'move_windows', index: 't', cool: OLD });
    job_id = job.job_id;
    expect((await watched(job_id)).at(-1)).toMatchObject({ state: 'canceled' });
    expect(new Set(Object.values(await cold.tiers()))).toEqual(new Set(['hot']));
    expect(await cold.answersOf('t')).toEqual(await cold.answersOf('plain'));
  });

  it('whose process is gone is failed, and what it left is said', async () => {
    const registry = new Registry(cold.backend.dataDir);
    const dead = registry.jobs.start(registry.get('t').uuid, 'move_windows', 1)!;
    registry.jobs.apply(dead.id, 'build_started', 2);
    registry.jobs.abandon(dead.id);
    registry.close();
    expect(await cold.backend.getJob({ job_id: dead.id })).toMatchObject({
      state: 'failed',
      error: { code: 'interrupted', details: { hint: expect.stringContaining('stay moved') } },
    });
  });
});

describe('a job that builds a window again', () => {
  it('reports documents, and ends with those of the window', async () => {
    const request = { kind: 'reindex_window', index: 't', window: '2025-02' } as const;
    const { job_id } = await cold.backend.startJob(request);
    const last = (await watched(job_id)).at(-1)!;
    const { doc_count } = last.result as { readonly doc_count: number };
    expect(last).toMatchObject({ kind: 'reindex_window', state: 'done' });
    expect(last.shards).toMatchObject([{ docs_done: doc_count, docs_total: doc_count }]);
    expect(await cold.answersOf('t')).toEqual(await cold.answersOf('plain'));
  });
});
