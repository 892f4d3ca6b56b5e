import { afterEach, describe, expect, it, vi } from 'vitest';
import { atIntervals, partOf, REPORT_MS, runSteps, type Steps, takeSteps } from './steps.ts';

afterEach(() => vi.restoreAllMocks());

/** Time goes on by `ms` with each look at it. */
function timeThatGoesOn(ms: number): void {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => {
    now += ms;
    return now;
  });
}

/** Counts to `end`; `left`: what was done when it was ended. */
function counting(end: number) {
  const seen = { done: 0, ended: false };
  const steps = (function* (): Steps<string> {
    try {
      for (; seen.done < end; seen.done++) yield seen.done / end;
      return 'all';
    } finally {
      seen.ended = true;
    }
  })();
  return { seen, steps };
}

describe('work in steps', () => {
  it('run in one go, and say how far they are', () => {
    const told: number[] = [];
    expect(runSteps(counting(4).steps, (part) => told.push(part))).toBe('all');
    expect(told).toEqual([0, 0.25, 0.5, 0.75]);
  });

  it('are part of larger work', () => {
    const told: number[] = [];
    expect(runSteps(partOf(counting(2).steps, 0.5, 1), (part) => told.push(part))).toBe('all');
    expect(told).toEqual([0.5, 0.75]);
  });

  it('let timers and signals have their turns', async () => {
    timeThatGoesOn(30);
    const { seen, steps } = counting(1000);
    let turns = 0;
    const timer = setInterval(() => turns++);
    expect(await takeSteps(steps)).toBe('all');
    clearInterval(timer);
    expect(turns).toBeGreaterThan(0);
    expect(seen.ended).toBe(true);
  });

  it('end at a signal that comes between them, also as part of larger work', async () => {
    timeThatGoesOn(30);
    const stop = new AbortController();
    const { seen, steps } = counting(1000);
    const ended = takeSteps(partOf(steps, 0, 1), { signal: stop.signal });
    setImmediate(() => stop.abort());
    await expect(ended).rejects.toMatchObject({ code: 'interrupted' });
    expect(seen).toMatchObject({ ended: true });
    expect(seen.done).toBeLessThan(10);
  });

  it('do not begin after the signal', async () => {
    const { seen, steps } = counting(10);
    const signal = AbortSignal.abort();
    await expect(takeSteps(steps, { signal })).rejects.toMatchObject({ code: 'interrupted' });
    expect(seen.done).toBe(0);
  });

  it('throw what a step throws', async () => {
    const steps = (function* (): Steps<void> {
      yield 0;
      throw new Error('the disk');
    })();
    await expect(takeSteps(steps)).rejects.toThrow('the disk');
  });
});

describe('progress reports', () => {
  it('come as often as they may and no more', () => {
    timeThatGoesOn(REPORT_MS / 5);
    const told: number[] = [];
    const tell = atIntervals((part) => told.push(part));
    for (let i = 1; i <= 20; i++) tell(i);
    expect(told).toEqual([5, 10, 15, 20]);
  });
});
