import { getEventListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { SYSTEM_CLOCK } from '../base/time/clock.ts';
import { whileWanted } from './caller.ts';

const INTERRUPTED = { code: 'interrupted' };
const LATE = { code: 'deadline_exceeded' };
const hanging = () => new Promise<never>(() => {});

describe('a read of a call', () => {
  it('has its result, and is not watched if the event loop does not turn', async () => {
    const { signal } = new AbortController();
    let listeners = -1;
    const read = async () => {
      await Promise.resolve();
      listeners = getEventListeners(signal, 'abort').length;
      return 7;
    };
    expect(await whileWanted({ signal }, SYSTEM_CLOCK, read)).toBe(7);
    expect(listeners).toBe(0);
    await nextTurn();
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('is interrupted by an abort in the turn in which it ends', async () => {
    const stop = new AbortController();
    const { signal } = stop;
    const ends = whileWanted({ signal }, SYSTEM_CLOCK, async () => 7);
    stop.abort();
    await expect(ends).rejects.toMatchObject(INTERRUPTED);
  });

  it.each(['at once', 'later'])('that hangs is interrupted by an abort %s', async (when) => {
    const stop = new AbortController();
    const { signal } = stop;
    const read = expect(whileWanted({ signal }, SYSTEM_CLOCK, hanging)).rejects;
    if (when === 'later') for (let i = 0; i < 3; i++) await nextTurn();
    stop.abort();
    await read.toMatchObject(INTERRUPTED);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  it('that hangs ends at its deadline', async () => {
    const deadline = Date.now() + 5;
    await expect(whileWanted({ deadline }, SYSTEM_CLOCK, hanging)).rejects.toMatchObject(LATE);
  });

  it('has its own error if it fails first', async () => {
    const { signal } = new AbortController();
    const read = async () => {
      await nextTurn();
      await nextTurn();
      throw new TypeError('a bug');
    };
    await expect(whileWanted({ signal }, SYSTEM_CLOCK, read)).rejects.toThrow('a bug');
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});
