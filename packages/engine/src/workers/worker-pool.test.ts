import { setImmediate } from 'node:timers/promises';
import { setEnvironmentData } from 'node:worker_threads';
import { afterEach, describe, expect, test } from 'vitest';
import type { TestAnswer, TestRequest } from '../../test/workers/test-worker.ts';
import { type CommitSource, fromBytes, toBytes } from './messages.ts';
import { WorkerPool, type WorkerPoolOptions } from './worker-pool.ts';

const entry = new URL('../../test/workers/test-worker.ts', import.meta.url);
let pool: WorkerPool;
const start = (options: Partial<WorkerPoolOptions> = {}) => {
  pool = new WorkerPool({ threads: 1, entry, ...options });
};
afterEach(() => pool.close());

const sourceOf = (id: number) => ({ id }) as CommitSource;
function call(
  what: TestRequest['what'],
  {
    commit = 1,
    signal,
    millis = 60_000,
    limit = 'call',
    share,
  }: {
    commit?: number;
    signal?: AbortSignal;
    millis?: number;
    limit?: 'call' | 'query';
    share?: string;
  } = {},
): Promise<TestAnswer> {
  const request = toBytes({ what });
  const running = pool.run({
    source: sourceOf(commit),
    time: { millis, limit },
    signal,
    share,
    work: () => ({ kind: 'shard', shard: 0, operation: 'search', request }),
  });
  return running.then((answer) => fromBytes(answer as Uint8Array) as TestAnswer);
}

describe('a pool of search threads', () => {
  test('opens a commit in a thread once, and closes it when it is released', async () => {
    start();
    expect((await call('answer')).opened).toEqual([1]);
    expect((await call('answer', { commit: 2 })).opened).toEqual([1, 2]);
    pool.release(1);
    expect((await call('answer', { commit: 2 })).opened).toEqual([2]);
  });

  test('starts threads only when calls need them, and no more than its number', async () => {
    start({ threads: 2 });
    expect(pool.figures.threads).toBe(0);
    await call('answer');
    await call('answer');
    expect(pool.figures.threads).toBe(1);
    const threads = await Promise.all([1, 2, 3, 4].map(async () => (await call('answer')).thread));
    expect(new Set(threads).size).toBe(2);
  });

  test('refuses a call when too many wait', async () => {
    start({ queue: 1 });
    const stop = new AbortController();
    const first = call('wait for cancel', { signal: stop.signal });
    const second = call('answer');
    expect(() => call('answer')).toThrow(
      expect.objectContaining({ code: 'overloaded', message: expect.stringContaining('1 calls') }),
    );
    stop.abort();
    await expect(first).rejects.toMatchObject({ code: 'interrupted' });
    expect((await second).opened).toEqual([1]);
  });

  test('takes the calls of shares in turns, however many wait of one', async () => {
    start();
    const stop = new AbortController();
    const first = call('wait for cancel', { signal: stop.signal, share: 'heavy' });
    const order: string[] = [];
    const others = ['heavy', 'heavy', 'heavy', 'light', 'small', 'light'].map(async (share) => {
      await call('answer', { share });
      order.push(share);
    });
    stop.abort();
    await expect(first).rejects.toMatchObject({ code: 'interrupted' });
    await Promise.all(others);
    expect(order).toEqual(['heavy', 'light', 'small', 'heavy', 'light', 'heavy']);
  });

  test('refuses a call of the share that fills the queue, not the next caller', async () => {
    start({ queue: 3 });
    const stop = new AbortController();
    const first = call('wait for cancel', { signal: stop.signal, share: 'heavy' });
    const heavy = [1, 2, 3].map(() => call('answer', { share: 'heavy' }));
    const ends = Promise.allSettled(heavy);
    expect(() => call('answer', { share: 'heavy' })).toThrow(
      expect.objectContaining({ code: 'overloaded' }),
    );
    const light = call('answer', { share: 'light' });
    stop.abort();
    await expect(first).rejects.toMatchObject({ code: 'interrupted' });
    await light;
    const codes = (await ends).map((end) => end.status === 'rejected' && end.reason.code);
    expect(codes).toEqual([false, false, 'overloaded']);
    expect(pool.figures.waiting).toBe(0);
  });

  test('frees the thread of an aborted call, which goes on with the next one', async () => {
    start({ graceMs: 60_000 });
    const { thread } = await call('answer');
    const stop = new AbortController();
    const aborted = call('wait for cancel', { signal: stop.signal });
    const next = call('answer');
    stop.abort();
    await expect(aborted).rejects.toMatchObject({ code: 'interrupted' });
    expect((await next).thread).toBe(thread);
  });

  test('takes an aborted call out of the queue', async () => {
    start();
    const [running, waiting] = [new AbortController(), new AbortController()];
    const first = call('wait for cancel', { signal: running.signal });
    const second = call('hang', { signal: waiting.signal });
    waiting.abort();
    await expect(second).rejects.toMatchObject({ code: 'interrupted' });
    expect(pool.figures.waiting).toBe(0);
    running.abort();
    await expect(first).rejects.toMatchObject({ code: 'interrupted' });
    expect(() => call('answer', { signal: waiting.signal })).toThrow('aborted');
  });

  test('replaces a thread that does not answer after its deadline', async () => {
    start({ graceMs: 1 });
    const hanging = call('hang', { millis: 1 });
    const next = call('answer');
    await expect(hanging).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect((await next).opened).toEqual([1]);
  });

  test('starts no call in a thread that answers while it is terminated', async () => {
    const signal = new Int32Array(new SharedArrayBuffer(4));
    setEnvironmentData('answered', signal);
    start({ graceMs: 0 });
    await call('answer');
    await setImmediate(); // Timers come next, messages after them.
    const late = expect(call('answer and signal', { millis: 1000 })).rejects.toMatchObject({
      code: 'deadline_exceeded',
    });
    const until = performance.now() + 1000; // The call began before.
    const next = call('answer');
    expect(Atomics.wait(signal, 0, 0, 60_000)).not.toBe('timed-out');
    while (performance.now() <= until + 1);
    await Promise.all([late, next]);
    expect((await next).opened).toEqual([1]);
  });

  test('does not start a call whose time is over when a thread is free', async () => {
    start();
    const stop = new AbortController();
    const first = call('wait for cancel', { signal: stop.signal });
    const late = call('hang', { millis: -1 });
    stop.abort();
    await expect(first).rejects.toMatchObject({ code: 'interrupted' });
    await expect(late).rejects.toMatchObject({ code: 'deadline_exceeded' });
    expect((await call('answer')).opened).toEqual([1]);
  });

  test('refuses a query that has waited for long, for its own time is not over', async () => {
    start();
    const stop = new AbortController();
    const first = call('wait for cancel', { signal: stop.signal });
    const query = call('answer', { millis: -1, limit: 'query' });
    stop.abort();
    await expect(first).rejects.toMatchObject({ code: 'interrupted' });
    await expect(query).rejects.toMatchObject({
      code: 'overloaded',
      details: { retry_after_s: 1 },
    });
  });

  test('fails the call of a thread that ends, and starts another one', async () => {
    start();
    const { thread } = await call('answer');
    await expect(call('exit')).rejects.toMatchObject({
      code: 'internal',
      message: expect.stringContaining('thread has ended'),
    });
    expect((await call('answer')).thread).not.toBe(thread);
  });

  test('ends calls that run or wait when it is closed, and takes no more', async () => {
    start();
    const running = call('hang');
    const waiting = call('answer');
    const ends = [running, waiting].map((end) =>
      expect(end).rejects.toMatchObject({ code: 'closed' }),
    );
    await pool.close();
    await Promise.all(ends);
    expect(() => call('answer')).toThrow('the engine is closed');
    expect(pool.figures).toEqual({ threads: 0, waiting: 0 });
  });
});
