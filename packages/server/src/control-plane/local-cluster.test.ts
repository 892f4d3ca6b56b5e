import type { CallContext } from '@lakehouse-search/contract';
import type { BackendApi } from '@lakehouse-search/contract/internal';
import { describe, expect, it } from 'vitest';
import type { Activity, ActivityLog } from '../store/activity.ts';
import { LocalCluster } from './local-cluster.ts';

/** Many events of the index `busy`, after three of others. */
const EVENTS = ['quiet', 'own', null, ...Array<string>(200).fill('busy')].map(
  (index, at): Activity => {
    return { atMs: at, index, operation: 'reindex', subject: '', outcome: 'ok', details: {} };
  },
);
const activity = {
  newest: async (index: string | null, limit: number) =>
    EVENTS.filter((one) => index === null || one.index === index)
      .toReversed()
      .slice(0, limit),
} as unknown as ActivityLog;
const cluster = new LocalCluster({
  backend: {
    describeIndex: async ({ index }: { index: string }) => ({ index }),
  } as never as BackendApi,
  store: { activity, license: async () => undefined },
});
const callerOf = (...indexes: string[]): CallContext => ({
  principal: { subject: 'ann', scopes: ['index_read'], indexes },
});
const namesOf = async (request: object, call?: CallContext) =>
  (await cluster.activity(request, call)).map(({ index }) => index);

describe('the activity that a caller of some indexes sees', () => {
  it('is that of these indexes, however much others have', async () => {
    expect(await namesOf({}, callerOf('quiet', 'own', 'none'))).toEqual(['own', 'quiet']);
    expect(await namesOf({ index: 'own' }, callerOf('own'))).toEqual(['own']);
  });

  it('has as many events as were requested, the newest first', async () => {
    const names = await namesOf({ limit: 3 }, callerOf('busy', 'quiet'));
    expect(names).toEqual(['busy', 'busy', 'busy']);
    expect(await namesOf({ limit: 3 })).toEqual(['busy', 'busy', 'busy']);
  });
});
