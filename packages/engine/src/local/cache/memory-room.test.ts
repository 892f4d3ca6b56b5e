import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { MemoryRoom } from './memory-room.ts';

const { signal } = new AbortController();

describe('the memory of builds', () => {
  it('lets builds in, in order, as long as their memory fits', async () => {
    const room = new MemoryRoom(100);
    const entered: string[] = [];
    const enter = async (name: string, bytes: number) => {
      const leave = await room.enter(bytes, signal);
      entered.push(name);
      return leave;
    };
    const first = await enter('a', 60);
    const second = enter('b', 50);
    const third = enter('c', 30);
    await setImmediate();
    expect(entered).toEqual(['a']);
    first();
    (await second)();
    (await third)();
    expect(entered).toEqual(['a', 'b', 'c']);
  });

  it('lets the next one in when one that waits is canceled', async () => {
    const room = new MemoryRoom(100);
    await room.enter(60, signal);
    const stop = new AbortController();
    const canceled = room.enter(50, stop.signal);
    const next = room.enter(40, signal);
    stop.abort();
    await expect(canceled).rejects.toMatchObject({ code: 'interrupted' });
    expect(typeof (await next)).toBe('function');
  });
});
