import type { ErrorCode } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../observe/observer.ts';
import type { Activity } from '../store/activity.ts';
import { activityRecorder } from './record-activity.ts';

/** What is recorded of calls with these codes. */
async function outcomesOf(codes: readonly (ErrorCode | undefined)[]): Promise<readonly string[]> {
  const added: Activity[] = [];
  const last = Promise.withResolvers<void>();
  const names = { listIndexes: async () => [], listAliases: async () => [] };
  const faults = { failed: (_: string, error: unknown) => last.reject(error), succeeded: () => {} };
  const log = {
    add: async (one: Activity) => {
      added.push(one);
      if (one.index === 'last') last.resolve();
    },
  };
  const recorder = activityRecorder(log, names, faults);
  const end = (index: string, code?: ErrorCode) =>
    recorder.ended({ operation: 'reindex', index, code, request_id: 'r' } as CallRecord);
  for (const code of codes) end('notes', code);
  end('last');
  await last.promise;
  return added.slice(0, -1).map(({ outcome }) => outcome);
}

describe('the activity of an index', () => {
  it('has what was done, and what failed', async () => {
    expect(await outcomesOf([undefined, 'index_busy', 'io_error'])).toEqual([
      ...['ok', 'index_busy', 'io_error'],
    ]);
  });

  it('has nothing that callers could not even begin', async () => {
    expect(await outcomesOf(['unauthenticated', 'permission_denied', 'overloaded'])).toEqual([]);
  });
});
