import type { Job } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { lagText } from '../indexes/lag-text.ts';
import { hasEnded, jobProgress } from './job-progress.ts';

const job = (fields: object): Job =>
  ({ kind: 'reindex', index: 'x', state: 'building', shards: [], ...fields }) as unknown as Job;

describe('the progress of a job', () => {
  it('adds the shards up while it runs', () => {
    const shards = [
      { shard: 0, docs_done: 10, docs_total: 40, generation: 2 },
      { shard: 1, docs_done: 10, docs_total: 40, generation: 2 },
    ];
    expect(jobProgress(job({ shards, phase: 'reading', eta_ms: 2300 }))).toEqual({
      part: 0.25,
      words: 'reading · 20 of 80 documents · 2.3 s left',
    });
    expect(jobProgress(job({ shards, state: 'done' }))).toEqual({ words: '20 documents' });
  });

  it('counts bytes while files are copied, and says that it has not begun', () => {
    const copying = job({ phase: 'copying', bytes_done: 500, bytes_total: 2000 });
    expect(jobProgress(copying)).toEqual({ part: 0.25, words: 'copying · 500 B of 2.0 kB' });
    expect(jobProgress(job({}))).toEqual({ words: 'starting' });
    expect([hasEnded(job({})), hasEnded(job({ state: 'canceled' }))]).toEqual([false, true]);
  });
});

describe('the lag of an index', () => {
  it('is worded', () => {
    const lag = { snapshots: 2, rows: { added: 1204, deleted: 12 }, seconds: 40 };
    expect(lagText({ status: 'live', lag })).toBe('2 snapshots behind, +1,204 −12 rows, for 40 s');
    expect(lagText({ status: 'live', lag: { ...lag, snapshots: 0 } })).toBe('at the table’s head');
    expect(lagText({ status: 'created' })).toBe('not built yet');
    const source_error = { code: 'source_unreachable', message: 'away' };
    expect(lagText({ status: 'live', source_error })).toBe('the table cannot be reached: away');
  });
});
