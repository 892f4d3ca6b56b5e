import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { Deadline } from '../../base/time/deadline.ts';
import { MemoryRoom, ROW_MEMORY } from '../cache/memory-room.ts';
import { inRoom } from './read-table.ts';

const wanted = (rows: number) => Array.from({ length: rows }, () => ({ texts: [], locator: null }));
const cost = { bytes: 0, requests: 0 };

/** Look-ups that begin to read, and end when they are let go. */
function lookups(room: MemoryRoom) {
  const reading: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const read = (rows: number, deadline = new Deadline()) =>
    inRoom(
      room,
      async ({ length }) => {
        reading.push(length);
        await promise;
        return { rows: [], snapshot: null };
      },
      deadline,
    )(wanted(rows), undefined, cost);
  return { reading, read, letGo: resolve };
}

describe('look-ups of rows', () => {
  it('wait until they fit into the memory beside others, except for a few rows', async () => {
    const { reading, read, letGo } = lookups(new MemoryRoom(6000 * ROW_MEMORY));
    const all = [read(5000), read(1001), read(100)];
    await setImmediate();
    expect(reading).toEqual([100, 5000]);
    letGo();
    await Promise.all(all);
    expect(reading).toEqual([100, 5000, 1001]);
  });

  it('end as overloaded when their time is over before', async () => {
    const { read, letGo } = lookups(new MemoryRoom(6000 * ROW_MEMORY));
    const first = read(5000);
    const second = read(5000, new Deadline(1));
    await expect(second).rejects.toMatchObject({ code: 'overloaded' });
    letGo();
    await first;
  });

  it('end as interrupted when their call does', async () => {
    const { read, letGo } = lookups(new MemoryRoom(6000 * ROW_MEMORY));
    const first = read(5000);
    const stop = new AbortController();
    const second = read(5000, Deadline.of({ signal: stop.signal }));
    stop.abort();
    await expect(second).rejects.toMatchObject({ code: 'interrupted' });
    letGo();
    await first;
  });
});
