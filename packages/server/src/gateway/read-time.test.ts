import { describe, expect, it } from 'vitest';
import { readTime, timeOfEachStep } from './read-time.ts';

describe('the time of the nodes of a read', () => {
  it('is shared by all steps, and leaves a last step to nodes that are fast', () => {
    let now = 1_000_000;
    const time = readTime(5000, {}, () => now);
    expect([time.millis, time.isOfCall, time.left()]).toEqual([5000, false, 5000]);
    now += 4000;
    expect(time.left()).toBe(1000);
    now += 4000;
    expect(time.left()).toBe(300);
  });

  it('ends before the deadline of the call', () => {
    let now = 1_000_000;
    const time = readTime(5000, { deadline: now + 2000 }, () => now);
    expect([time.millis, time.isOfCall, time.left()]).toEqual([1800, true, 1800]);
    now += 1900;
    expect(time.left()).toBe(50);
  });

  it('is whole for each step of reads that are many searches', () => {
    expect(timeOfEachStep(5000).left()).toBe(5000);
  });
});
