import type { ErrorCode, IndexSummary } from '@lakehouse-search/contract';
import type { Operation } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import type { CallRecord } from '../observe/observer.ts';
import type { Activity } from '../store/activity.ts';
import { activityRecorder } from './record-activity.ts';

/** What is recorded of calls with these codes. */
async function outcomesOf(codes: readonly (ErrorCode | undefined)[]): Promise<readonly string[]> {
  const entries = await recorded(codes.map((code) => ['reindex', code]));
  return entries.map(({ outcome }) => outcome);
}

/** What is recorded of calls of operations over a service whose only index is `notes`. */
async function recorded(
  calls: readonly (readonly [Operation, ErrorCode?])[],
): Promise<readonly Activity[]> {
  const added: Activity[] = [];
  const last = Promise.withResolvers<void>();
  const notes = { name: 'notes' } as IndexSummary;
  const names = { listIndexes: async () => [notes], listAliases: async () => [] };
  const faults = { failed: (_: string, error: unknown) => last.reject(error), succeeded: () => {} };
  const log = {
    add: async (one: Activity) => {
      added.push(one);
      if (one.index === 'last') last.resolve();
    },
  };
  const recorder = activityRecorder(log, names, faults);
  const end = (operation: Operation, code?: ErrorCode, index?: string) =>
    recorder.ended({ operation, index, code, request_id: 'r' } as CallRecord);
  for (const [operation, code] of calls) end(operation, code);
  end('reindex', undefined, 'last');
  await last.promise;
  return added.slice(0, -1);
}

describe('the activity of an index', () => {
  it('has what was done, and what failed', async () => {
    expect(await outcomesOf([undefined, 'index_busy', 'io_error'])).toEqual([
      ...['ok', 'index_busy', 'io_error'],
    ]);
  });

  it('has the changes of an index that the request does not name, and no reads', async () => {
    const changes = ['runErasure', 'moveWindows', 'reindexWindow', 'backup', 'restore'] as const;
    const all = await recorded([...changes, 'search', 'verify'].map((one) => [one as Operation]));
    expect(all.map(({ operation, index }) => [operation, index])).toEqual([
      ...changes.slice(0, -1).map((operation) => [operation, 'notes']),
      ['restore', null],
    ]);
  });

  it('has nothing that callers could not even begin', async () => {
    expect(await outcomesOf(['unauthenticated', 'permission_denied', 'overloaded'])).toEqual([]);
  });
});
