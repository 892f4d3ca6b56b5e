import { describe, expect, it } from 'vitest';
import {
  type AskCommit,
  type RemoteCommit,
  type RemoteIndex,
  remoteContext,
} from './remote-commit.ts';

describe('the lag of a commit that several calls share', () => {
  it('is read once, and ends for one call only by its own signal', async () => {
    const answer = Promise.withResolvers<never>();
    let reads = 0;
    const askShared: AskCommit = () => {
      reads++;
      return answer.promise;
    };
    const ask = () => Promise.reject(new Error('a read of one call'));
    const commit: RemoteCommit = { view: {}, mapping: {}, models: new Map(), lag: null } as never;
    const index: RemoteIndex = { commit, shards: [], ask, askShared, freshnessMs: 60_000 };
    const stop = new AbortController();
    const first = remoteContext(index, { signal: stop.signal }).lag();
    const second = remoteContext(index, {}).lag();
    stop.abort();
    await expect(first).rejects.toMatchObject({ code: 'interrupted' });
    answer.resolve({ lag_snapshots: 3 } as never);
    expect([await second, reads]).toEqual([{ lag_snapshots: 3 }, 1]);
  });
});
