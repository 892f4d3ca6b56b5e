/** A follower cools windows by their age. */
import type { FollowEvent } from '@lakehouse-search/engine';
import { upsertRows } from '@lakehouse-search/lake';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ColdLake, coldStore, OLD, rows } from './cold-lake.ts';

const store = coldStore();
let cold: ColdLake;
beforeEach(async () => {
  cold = await store.open();
  await cold.build(1, ', hot: 2');
});
afterEach(() => cold.close());

const append = (from: number) =>
  upsertRows(cold.lake.source, { kind: 'rows', rows: rows(from, from + 1) });

/** The events of a follower until `until` is true; `on` is awaited after each. */
async function followed(
  until: (events: readonly FollowEvent[]) => boolean,
  on: (event: FollowEvent) => Promise<unknown> = async () => {},
): Promise<readonly FollowEvent[]> {
  const stop = new AbortController();
  const events: FollowEvent[] = [];
  const call = { signal: stop.signal };
  for await (const event of cold.backend.follow({ index: 't', poll_ms: 10 }, call)) {
    events.push(event);
    await on(event);
    if (until(events)) stop.abort();
  }
  return events;
}
const named = (events: readonly FollowEvent[], name: FollowEvent['event']) =>
  events.filter(({ event }) => event === name);

describe('a follower of an index with hot windows', () => {
  it('cools each older window with a job after a commit, the oldest first', async () => {
    await append(148);
    const ended = (events: readonly FollowEvent[]) =>
      named(events, 'windows_moved').length > 0 && events.at(-1)!.event === 'waiting';
    const events = await followed(ended);
    expect(named(events, 'windows_moved')).toMatchObject(OLD.map((one) => ({ cooled: [one] })));
    expect(events[0].event).toBe('commit');
    expect(await cold.tiers()).toMatchObject({ '2025-03': 'cold', '2025-04': 'hot', none: 'hot' });
    const jobs = await cold.backend.listJobs({ index: 't' });
    const moves = jobs.filter(({ kind }) => kind === 'move_windows');
    expect(moves.map(({ state }) => state)).toEqual(['done', 'done', 'done']);
    await cold.backend.sync({ index: 'plain' });
    for (const index of ['plain', 't']) await cold.backend.compact({ index });
    expect((await cold.answersOf('t')).exported).toEqual((await cold.answersOf('plain')).exported);
  });

  it('says once that a move failed, goes on syncing, and leaves the window hot', async () => {
    const cooling = `/${cold.place.split('/').at(-1)}/`;
    store.server.fault = ({ method, key }) => {
      const isRead = method === 'GET' && `/${key}`.startsWith(cooling) && key.includes('/data/');
      return isRead ? { kind: 'status', status: 403, code: 'AccessDenied' } : null;
    };
    await append(148);
    const events = await followed(
      (all) => named(all, 'commit').length === 2 && all.at(-1)!.event === 'waiting',
      async ({ event }) => event === 'windows_failed' && (await append(147)),
    );
    expect(named(events, 'windows_failed')).toHaveLength(1);
    expect(named(events, 'retry')).toEqual([]);
    expect(new Set(Object.values(await cold.tiers()))).toEqual(new Set(['hot']));
  });

  it('cools nothing before a commit', async () => {
    const events = await followed((all) => all.at(-1)!.event === 'waiting');
    expect(events.map(({ event }) => event)).toEqual(['waiting']);
    expect(new Set(Object.values(await cold.tiers()))).toEqual(new Set(['hot']));
  });
});
