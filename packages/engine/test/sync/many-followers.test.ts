import type { FollowEvent } from '@lakehouse-search/engine';
import { openEngine } from '@lakehouse-search/engine/local/internal';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FollowedTable, next } from '../../../../test/support/followed-table.ts';

let table: FollowedTable;
beforeEach(async () => {
  table = await new FollowedTable().open();
});
afterEach(() => table.dispose());

type Events = AsyncIterator<FollowEvent>;
const follow = (poll_ms = 5000): Events =>
  table.backend.follow({ poll_ms })[Symbol.asyncIterator]();
const all = <T>(followers: readonly Events[], each: (events: Events) => Promise<T>) =>
  Promise.all(followers.map(each));
const end = (followers: readonly Events[]) => all(followers, async (one) => one.return?.());

describe('500 followers of one index', () => {
  it('share one worker: each reads each commit, and none waits for another', async () => {
    const { slept } = table.clock;
    const followers = Array.from({ length: 500 }, () => follow());
    slept.length = 0;
    await all(followers, (events) => next(events, 'waiting'));
    for (const id of [4, 5, 6]) {
      await table.append(id);
      const commits = await all(followers, (events) =>
        next(events, 'commit', ['waiting', 'merge']),
      );
      expect(new Set(commits.map((commit) => JSON.stringify(commit))).size).toBe(1);
      expect(commits[0]).toMatchObject({ operation: 'append', inserted: 1 });
    }
    // each worker pauses between two looks
    expect(slept.length).toBeLessThan(100);
    await end(followers);
    expect(table.leftovers()).toEqual([]);
    expect(await table.ids()).toEqual([1, 2, 3, 4, 5, 6]);
  });
});

describe('a follower beside others', () => {
  it('that comes later gets its first event at once', async () => {
    const first = follow();
    await next(first, 'waiting');
    const more = first.next();
    const second = follow(100);
    expect(await next(second, 'waiting')).toMatchObject({ every_ms: 100 });
    await table.append(4);
    expect(await next(second, 'commit')).toEqual((await more).value);
    await second.return?.();
    await table.append(5);
    expect(await next(first, 'commit', ['waiting', 'merge'])).toMatchObject({ inserted: 1 });
    await first.return?.();
    expect(table.leftovers()).toEqual([]);
  });

  it('makes looks as often as it wants', async () => {
    const { slept } = table.clock;
    const [slow, quick] = [follow(60_000), follow(100)];
    await all([slow, quick], (events) => next(events, 'waiting'));
    slept.length = 0;
    const event = quick.next();
    await expect.poll(() => slept.length).toBeGreaterThan(20);
    expect(new Set(slept)).toEqual(new Set([100]));
    await table.append(4);
    expect((await event).value).toMatchObject({ event: 'commit' });
    await end([slow, quick]);
  });

  it('that does not read stops no other, and ends when it is far behind', async () => {
    const [idle, busy] = [follow(), follow()];
    await all([idle, busy], (events) => next(events, 'waiting'));
    const holder = (await openEngine(table.folder, { create: true, threads: 0 }))
      .follow({})
      [Symbol.asyncIterator]();
    await table.append(4);
    await next(holder, 'commit');
    for (let i = 0; i < 1001; i++) await next(busy, 'retry');
    await holder.return?.(undefined);
    await expect(idle.next()).rejects.toMatchObject({ code: 'overloaded' });
    await next(busy, 'waiting', ['retry', 'commit']);
    await end([busy]);
    expect(table.leftovers()).toEqual([]);
  });

  it('gets the same error, and the next one begins anew', async () => {
    const followers = [follow(), follow()];
    await all(followers, (events) => next(events, 'waiting'));
    await table.backend.dropIndex({ index: 'notes' });
    const ends = await Promise.allSettled(followers.map((events) => events.next()));
    for (const one of ends) expect(one).toMatchObject({ reason: { code: 'index_not_found' } });
    await expect(follow().next()).rejects.toMatchObject({ code: 'invalid_argument' });
  });

  it('that begins while the last one ends finds the index free', async () => {
    const first = follow();
    await next(first, 'waiting');
    await table.append(4);
    await next(first, 'commit');
    const ended = first.return?.();
    const second = follow();
    expect((await second.next()).value).toMatchObject({ event: 'waiting' });
    await ended;
    await end([second]);
    expect(table.leftovers()).toEqual([]);
  });
});
