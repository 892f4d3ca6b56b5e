import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { SYSTEM_CLOCK } from './clock.ts';

const HOUR = 3_600_000;

describe('a sleep by the clock of this machine', () => {
  it('ends after its time, and leaves the signal', async () => {
    const { signal } = new AbortController();
    await SYSTEM_CLOCK.sleep(1, signal);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it('ends without an error when the signal is aborted, before it or meanwhile', async () => {
    const stop = new AbortController();
    const asleep = SYSTEM_CLOCK.sleep(HOUR, stop.signal);
    stop.abort();
    expect(await asleep).toBeUndefined();
    expect(await SYSTEM_CLOCK.sleep(HOUR, stop.signal)).toBeUndefined();
  });
});
