import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { endLookPeriod, lookPeriod } from './looks.ts';

describe('the period in which a look at files holds', () => {
  it('ends when the event loop turns', async () => {
    const period = lookPeriod();
    await nextTurn();
    expect(lookPeriod()).not.toBe(period);
  });

  it('ends when this process replaces a file', () => {
    const period = lookPeriod();
    endLookPeriod();
    expect(lookPeriod()).not.toBe(period);
  });

  it('ends after a millisecond of work that does not let the event loop turn', () => {
    const period = lookPeriod();
    const until = performance.now() + 1;
    while (performance.now() < until);
    expect(lookPeriod()).not.toBe(period);
  });

  it('is one for all looks of a read', () => {
    endLookPeriod();
    const periods = new Set(Array.from({ length: 1000 }, lookPeriod));
    expect(periods.size).toBeLessThan(500);
  });
});
