import { afterEach, describe, expect, test } from 'vitest';
import type { TestRequest } from '../../test/workers/test-worker.ts';
import { type CommitSource, toBytes } from './messages.ts';
import { SearchThread } from './search-thread.ts';

const entry = new URL('../../test/workers/test-worker.ts', import.meta.url);
let thread: SearchThread;
afterEach(() => thread.terminate());

/** Runs a task that ends when it is canceled. */
function run(number: number): Promise<unknown> {
  const request = toBytes({ what: 'wait for cancel' } satisfies TestRequest);
  return new Promise((done, failed) => {
    const task = { number, source: { id: 1 } as CommitSource, done, failed };
    const work = { kind: 'shard', shard: 0, operation: 'search', request } as const;
    thread.run(task, work, Number.POSITIVE_INFINITY);
  });
}

describe('a search thread', () => {
  test('cancels tasks of any number, each once', async () => {
    thread = new SearchThread(entry, 1, { free: () => {}, ended: () => {} });
    for (const number of [1, 2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1, 2 ** 32 + 1]) {
      const running = run(number);
      const answered: string[] = [];
      const watched = running.then(() => answered.push('answered'));
      await new Promise(setImmediate);
      expect(answered).toEqual([]);
      thread.cancel(Number.POSITIVE_INFINITY);
      await watched;
    }
  });
});
