import { join } from 'node:path';
import { type Job, LhsError } from '@lakehouse-search/engine';
import type { LocalEngine } from '@lakehouse-search/engine/local/internal';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { schemaOf } from '../../../../test/support/schema.ts';
import { openSmallLake, type SmallLake } from '../../../../test/support/small-lake.ts';
import { Registry } from '../../src/registry/registry.ts';

const schema = schemaOf({ id: 'long', title: 'string' });
const rows = (count: number, from = 0) =>
  Array.from({ length: count }, (_, i) => ({ id: from + i, title: `row ${from + i} timeout` }));

let lake: SmallLake;
let backend: LocalEngine;
beforeEach(async () => {
  lake = await openSmallLake();
  backend = lake.backend;
  await lake.create(schema, { rows: rows(5000) });
  await lake.define('fields:\n  - { name: title, type: TEXT }');
});
afterEach(() => lake.close());

/** All records of a job until it has ended. */
const watched = (job_id: string) => Array.fromAsync(backend.watchJob({ job_id }));

const ORDER = ['pending', 'building', 'cutting_over', 'done'];

describe('a reindex job', () => {
  it('passes through its states in order and ends with the result of a reindex', async () => {
    const started = await backend.startJob({ kind: 'reindex', index: 't' });
    expect(started).toMatchObject({ kind: 'reindex', index: 't', state: 'pending', shards: [] });
    const records = await watched(started.job_id);
    const ranks = records.map(({ state }) => ORDER.indexOf(state));
    expect(ranks).toEqual(ranks.toSorted((a, b) => a - b));
    expect(new Set(ranks).size).toBeGreaterThan(2);
    const last = records.at(-1);
    expect(last).toMatchObject({
      state: 'done',
      shards: [{ shard: 0, docs_done: 5000, docs_total: 5000, generation: 1 }],
      result: { doc_count: 5000, index_generation: 1 },
      ended_at: expect.stringMatching(/Z$/),
    });
    expect(await backend.getJob({ job_id: started.job_id })).toEqual(last);
    expect(JSON.parse(JSON.stringify(last))).toEqual(last);
    expect(await watched(started.job_id)).toEqual([last]);
  });

  it('refuses a second one of the same index until it has ended', async () => {
    const first = await backend.startJob({ kind: 'reindex', index: 't' });
    const busy = { code: 'index_busy', message: expect.stringContaining('cannot reindex "t"') };
    await expect(backend.startJob({ kind: 'reindex', index: 't' })).rejects.toMatchObject(busy);
    await expect(backend.reindex({ index: 't' })).rejects.toMatchObject(busy);
    await watched(first.job_id);
    expect(await backend.reindex({ index: 't' })).toMatchObject({ index_generation: 2 });
  });

  it('that is canceled leaves the live generation as it was', async () => {
    await backend.reindex({ index: 't' });
    await lake.append(rows(5000, 5000));
    const { job_id } = await backend.startJob({ kind: 'reindex', index: 't' });
    await backend.cancelJob({ job_id });
    const last = (await watched(job_id)).at(-1);
    expect(last).toMatchObject({ state: 'canceled', ended_at: expect.any(String) });
    expect(last).not.toHaveProperty('error');
    expect(await backend.cancelJob({ job_id })).toEqual(last);
    expect(await backend.describeIndex({ index: 't' })).toMatchObject({
      num_docs: 5000,
      index_generation: 1,
    });
  });

  it('that fails records the error, and leaves the live generation as it was', async () => {
    await backend.reindex({ index: 't' });
    const { job_id } = await backend.startJob({ kind: 'reindex', index: 't', as_of: '77' });
    const last = (await watched(job_id)).at(-1);
    expect(last).toMatchObject({ state: 'failed', error: { code: 'not_found' } });
    expect(last?.error?.message).toContain('snapshot 77');
    expect(await backend.describeIndex({ index: 't' })).toMatchObject({ index_generation: 1 });
  });

  it('ends when the engine is closed', async () => {
    const { job_id } = await backend.startJob({ kind: 'reindex', index: 't' });
    const records = watched(job_id);
    const closing = backend.close();
    await expect(records).rejects.toMatchObject({ code: 'closed' });
    await closing;
    await expect(backend.getJob({ job_id })).rejects.toMatchObject({ code: 'closed' });
  });
});

describe('a job of another host', () => {
  it('runs until a cancellation stays unanswered for a minute', async () => {
    const data = join(lake.folder, 'data');
    const registry = new Registry(data);
    const { uuid } = registry.get('t');
    const job_id = registry.jobs.start(uuid, 'reindex', 1)?.id ?? '';
    registry.jobs.apply(job_id, 'build_started', 2);
    const file = new Database(join(data, 'registry.db'));
    const elsewhere = (set: string) => file.exec(`UPDATE jobs SET ${set} WHERE id = '${job_id}'`);
    elsewhere(`owner = json_set(owner, '$.host', 'elsewhere')`);
    registry.jobs.abandon(job_id);
    expect(await backend.getJob({ job_id })).toMatchObject({
      state: 'building',
      owner: { host: 'elsewhere' },
    });
    await expect(backend.reindex({})).rejects.toMatchObject({ details: { host: 'elsewhere' } });
    const canceling = { state: 'building', canceling: true };
    expect(await backend.cancelJob({ job_id })).toMatchObject(canceling);
    expect(await backend.cancelJob({ job_id })).toMatchObject(canceling);
    elsewhere('cancel_ms = cancel_ms - 60000');
    expect(await backend.cancelJob({ job_id })).toMatchObject({ state: 'canceled' });
    file.close();
    registry.close();
    expect(await backend.reindex({})).toMatchObject({ doc_count: 5000 });
  });
});

describe('a blocking reindex', () => {
  it('is a job that can be listed, watched and canceled by others', async () => {
    let records: Promise<Job[]> | undefined;
    const progress = async () => {
      records ??= (async () => {
        const [{ job_id }] = await backend.listJobs({ index: 't' });
        await backend.cancelJob({ job_id });
        return watched(job_id);
      })();
    };
    const done = backend.reindex({ index: 't' }, { progress });
    await expect(done).rejects.toMatchObject({ code: 'interrupted' });
    expect((await records)?.at(-1)?.state).toBe('canceled');
  });

  it('is canceled by the signal of its call', async () => {
    const stop = new AbortController();
    const call = { signal: stop.signal, progress: () => stop.abort() };
    await expect(backend.reindex({ index: 't' }, call)).rejects.toThrow(LhsError);
    expect(await backend.listJobs()).toMatchObject([{ state: 'canceled' }]);
  });
});

describe('a list of jobs', () => {
  it('is newest first, and narrowed by index, state and limit', async () => {
    await backend.reindex({ index: 't' });
    await expect(backend.reindex({ index: 't', as_of: '77' })).rejects.toThrow(LhsError);
    await backend.reindex({ index: 't' });
    const states = async (request: object) => {
      return (await backend.listJobs(request)).map(({ state }) => state);
    };
    expect(await states({})).toEqual(['done', 'failed', 'done']);
    expect(await states({ state: 'failed' })).toEqual(['failed']);
    expect(await states({ index: 't', limit: 2 })).toEqual(['done', 'failed']);
    await expect(states({ index: 'other' })).rejects.toMatchObject({ code: 'index_not_found' });
    const principal = { subject: 'u', indexes: [], scopes: [] };
    expect(await backend.listJobs({}, { principal })).toEqual([]);
  });

  it('holds no more ended jobs than the limit', async () => {
    for (let i = 0; i < 105; i++) {
      await backend.reindex({ index: 't', as_of: '77' }).catch(() => {});
    }
    expect(await backend.listJobs({ limit: 1000 })).toHaveLength(100);
  });

  it('and a record are closed to others', async () => {
    await backend.reindex({ index: 't' });
    const [{ job_id }] = await backend.listJobs();
    const principal = { subject: 'u', indexes: ['x'], scopes: [] };
    const denied = { code: 'permission_denied' };
    const hidden = { code: 'not_found' };
    await expect(backend.getJob({ job_id }, { principal })).rejects.toMatchObject(hidden);
    await expect(backend.cancelJob({ job_id }, { principal })).rejects.toMatchObject(hidden);
    const tenant = { subject: 'u', tenant: 'a', scopes: [] };
    await expect(backend.listJobs({}, { principal: tenant })).rejects.toMatchObject(denied);
    await expect(backend.getJob({ job_id: 'x' })).rejects.toMatchObject({ code: 'not_found' });
  });
});
