import { LhsError } from '@lakehouse-search/contract';
import { describe, expect, it } from 'vitest';
import { Deadline } from './deadline.ts';

/** A clock that a test sets. */
const clock = () => {
  const time = { now: 0, looks: 0 };
  const ticks = () => {
    time.looks++;
    return time.now;
  };
  return { time, ticks };
};

describe('Deadline', () => {
  it('throws limit_exceeded with the name of the limit once the time is over', () => {
    const { time, ticks } = clock();
    const deadline = new Deadline(1000, { ticks });
    time.now = 1000;
    deadline.check();
    time.now = 1001;
    let thrown: unknown;
    try {
      deadline.check();
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(LhsError);
    expect(thrown).toMatchObject({ code: 'limit_exceeded', details: { limit: 'queryMillis' } });
  });

  it('looks at the clock once in 16,384 steps', () => {
    const { time, ticks } = clock();
    const deadline = new Deadline(1000, { ticks });
    const before = time.looks;
    for (let i = 0; i < 16_383; i++) deadline.spend(1);
    expect(time.looks).toBe(before);
    deadline.spend(1);
    expect(time.looks).toBe(before + 1);
    deadline.spend(1_000_000);
    expect(time.looks).toBe(before + 2);
  });
});
