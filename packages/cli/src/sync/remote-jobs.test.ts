import { type Job, LhsError, type Progress } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import { withJobProgress } from './remote-jobs.ts';

const job = (fields: object): Job =>
  ({
    job_id: 'j',
    index: 'notes',
    kind: 'verify',
    state: 'building',
    shards: [],
    ...fields,
  }) as unknown as Job;

/** A service that records its calls; `records` are those of its job. */
function service(records: (canceled: Promise<void>) => AsyncIterable<Job>, refusal?: LhsError) {
  const calls: string[] = [];
  const canceled = Promise.withResolvers<void>();
  const backend = {
    verify: async () => {
      calls.push('verify');
      return { equal: true };
    },
    startJob: async ({ kind }: { readonly kind: string }) => {
      calls.push(`start ${kind}`);
      if (refusal !== undefined) throw refusal;
      return job({ state: 'pending' });
    },
    watchJob: () => records(canceled.promise),
    cancelJob: async () => {
      calls.push('cancel');
      canceled.resolve();
      return job({ canceling: true });
    },
  } as unknown as BackendApi;
  return { backend: withJobProgress(backend), calls };
}

describe('a long operation of a service', () => {
  it('runs as a job whose progress is reported', async () => {
    const shards = [{ docs_done: 3, docs_total: 10 }];
    const { backend, calls } = service(async function* () {
      yield job({ phase: 'reading', shards });
      yield job({ state: 'done', result: { equal: true } });
    });
    const seen: Progress[] = [];
    const progress = (one: Progress) => void seen.push(one);
    expect(await backend.verify({ index: 'notes' }, { progress })).toEqual({ equal: true });
    expect(seen).toEqual([{ phase: 'reading', docs_done: 3, docs_total: 10 }]);
    expect(calls).toEqual(['start verify']);
  });

  it('runs as it is if nobody watches', async () => {
    const { backend, calls } = service(async function* () {});
    await backend.verify({ index: 'notes' });
    expect(calls).toEqual(['verify']);
  });

  it('is canceled when its call is aborted, and ends as interrupted', async () => {
    const stop = new AbortController();
    const { backend, calls } = service(async function* (canceled) {
      yield job({ phase: 'reading' });
      stop.abort();
      await canceled;
      yield job({ state: 'canceled' });
    });
    const call = backend.verify({ index: 'notes' }, { progress: () => {}, signal: stop.signal });
    await expect(call).rejects.toMatchObject({ code: 'interrupted' });
    expect(calls).toEqual(['start verify', 'cancel']);
  });

  it('is canceled if its call is aborted before the service has answered', async () => {
    const stop = new AbortController();
    const calls: string[] = [];
    const backend = withJobProgress({
      startJob: async (_: object, call: { readonly signal?: AbortSignal } = {}) => {
        stop.abort();
        call.signal?.throwIfAborted();
        return job({ state: 'pending' });
      },
      cancelJob: async () => void calls.push('cancel'),
      async *watchJob() {
        yield job({ state: 'canceled' });
      },
    } as unknown as BackendApi);
    const call = backend.verify({ index: 'notes' }, { progress: () => {}, signal: stop.signal });
    await expect(call).rejects.toMatchObject({ code: 'interrupted' });
    expect(calls).toEqual(['cancel']);
  });

  it('throws the error of the job', async () => {
    const error = { code: 'disk_full', status: 500, message: 'the disk is full', details: {} };
    const { backend } = service(async function* () {
      yield job({ state: 'failed', error });
    });
    const call = backend.verify({ index: 'notes' }, { progress: () => {} });
    await expect(call).rejects.toMatchObject({ code: 'disk_full', message: 'the disk is full' });
  });

  it.each([
    ['its caller may not start jobs', 'permission_denied'],
    ['the service has no jobs of its kind', 'unsupported'],
  ] as const)('runs without progress if %s', async (_, code) => {
    const refusal = new LhsError(code, 'no job');
    const { backend, calls } = service(async function* () {}, refusal);
    await backend.verify({ index: 'notes' }, { progress: () => {} });
    expect(calls).toEqual(['start verify', 'verify']);
  });

  it('shows the job of a reshard beside it, which a caller may be refused', async () => {
    const shards = [{ docs_done: 3, docs_total: 10 }];
    const seen = Promise.withResolvers<Progress>();
    const jobs = [[job({ kind: 'alter', phase: 'reading', shards })]];
    const backend = withJobProgress({
      applyReshard: async () => seen.promise,
      listJobs: async () => jobs.pop() ?? Promise.reject(new Error('refused')),
    } as unknown as BackendApi);
    const plan = backend.applyReshard({ index: 'a', shards: 2 }, { progress: seen.resolve });
    expect(await plan).toEqual({ phase: 'reading', docs_done: 3, docs_total: 10 });
  });
});
