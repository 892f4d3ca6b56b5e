/** Moves and rebuilds of windows as jobs: progress, cancel, crash. */
import type { Job } from '@lakehouse-search/engine';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Registry } from '../../src/registry/registry.ts';
import { type ColdLake, coldStore, OLD } from './cold-lake.ts';

const store = coldStore();
let cold: ColdLake;
beforeEach(async () => {
  cold = await store.open();
  await cold.build();
});
afterEach(() => cold.close());

const watched = (job_id: string) => Array.fromAsync(cold.backend.watchJob({ job_id }));
const newest = async (): Promise<Job> => (await cold.backend.listJobs({ index: 't', limit: 1 }))[0];

describe('a job that moves windows', () => {
  it('reports fetched bytes of all windows together, and ends with the moves', async () => {
    await cold.move({ cool: OLD });
    const { job_id } = await cold.backend.startJob({ kind: 'move_windows', index: 't', warm: OLD });
    const records = await watched(job_id);
    const last = records.at(-1)!;
    expect(last).toMatchObject({
      ...{ kind: 'move_windows', state: 'done', index: 't' },
      result: { cooled: [], warmed: OLD },
    });
    expect(last.bytes_total).toBeGreaterThan(0);
    expect(last.bytes_done).toBe(last.bytes_total);
    expect(last.result).toMatchObject({ bytes_copied: last.bytes_total });
    expect(new Set(Object.values(await cold.tiers()))).toEqual(new Set(['hot']));
  });

  it('is what the blocking call watches, and is listed', async () => {
    await cold.move({ cool: ['2025-01'] });
    expect(await newest()).toMatchObject({ kind: 'move_windows', state: 'done' });
    await expect(cold.move({ cool: ['1999-01'] })).rejects.toMatchObject({ code: 'not_found' });
    expect(await newest()).toMatchObject({ state: 'failed', error: { code: 'not_found' } });
  });

  it('is canceled between two files, and leaves its window in the tier', async () => {
    await cold.move({ cool: OLD });
    let gets = 0;
    let job_id = '';
    store.server.fault = ({ method, key }) => {
      if (method === 'GET' && key.includes('/data/') && ++gets === 4) {
        void cold.backend.cancelJob({ job_id });
      }
      return null;
    };
    const job = await cold.backend.startJob({
      kind: 'move_windows',
      index: 't',
      warm: ['2025-01'],
    });
    job_id = job.job_id;
    expect((await watched(job_id)).at(-1)).toMatchObject({ state: 'canceled' });
    expect(await cold.tiers()).toMatchObject({ '2025-01': 'cold', '2025-02': 'cold' });
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
