import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { endLookPeriod, Looks } from './looks.ts';

/** Works for some milliseconds without letting the event loop turn. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('the period in which a look at files holds', () => {
  it('ends when the event loop turns', async () => {
    const looks = new Looks();
    const { period } = looks;
    await nextTurn();
    expect(looks.period).not.toBe(period);
  });

  it.each([0, 60_000])('ends when this process replaces a file (%i ms)', (ms) => {
    const looks = new Looks(ms);
    const { period } = looks;
    endLookPeriod();
    expect(looks.period).not.toBe(period);
  });

  it('ends after a millisecond of work that does not let the event loop turn', () => {
    const looks = new Looks();
    const { period } = looks;
    work(1);
    expect(looks.period).not.toBe(period);
  });

  it('is one for all looks of a read', () => {
    const looks = new Looks();
    const periods = new Set(Array.from({ length: 1000 }, () => looks.period));
    expect(periods.size).toBeLessThan(500);
  });

  it('lasts as long as is said for a folder that no other process writes', async () => {
    const now = vi.spyOn(performance, 'now').mockReturnValue(1000);
    const looks = new Looks(20);
    const { period } = looks;
    await nextTurn();
    now.mockReturnValue(1019);
    expect(looks.period).toBe(period);
    now.mockReturnValue(1020);
    expect(looks.period).not.toBe(period);
    now.mockRestore();
  });
});
