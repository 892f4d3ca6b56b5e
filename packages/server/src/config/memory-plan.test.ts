import { limitMemory, systemMemory, usableMemory } from '@lakehouse-search/lake/internal';
import { describe, expect, it } from 'vitest';
import { leastMemory, memoryPlan, serverMemory, usualMemory } from './memory-plan.ts';

const MIB = 2 ** 20;
const GIB = 2 ** 30;

describe('the memory of a server', () => {
  it('is divided into parts that fit into the budget with what the process takes', () => {
    for (const threads of [0, 1, 3]) {
      for (const total of [leastMemory(threads), GIB / 2, GIB, 4 * GIB, 64 * GIB, 1024 * GIB]) {
        const plan = memoryPlan(total, threads);
        const { base, build, threadHeap, coldBlocks, filters, results } = plan;
        // the first 64 MiB of a build are those of the process itself
        const builds = Math.max(0, build - 64 * MIB);
        const heaps = threads * (threadHeap - 64 * MIB);
        expect(base + builds + heaps + coldBlocks + filters + results).toBeLessThan(total);
      }
    }
  });

  it('grows with the budget until the maximum of each part', () => {
    const [small, large, huge] = [1, 4, 1024].map((gib) => memoryPlan(gib * GIB, 1));
    expect(large.filters).toBeGreaterThan(4 * small.filters);
    expect(huge).toMatchObject({ build: 2 * GIB, threadHeap: GIB, coldBlocks: GIB });
  });

  it('has no part for builds if the least build does not fit', () => {
    expect(memoryPlan(leastMemory(1), 1).build).toBe(0);
    expect(memoryPlan(GIB / 2, 1).build).toBeGreaterThanOrEqual(224 * MIB);
  });

  it('is refused at the start if it holds no server, with what is needed', () => {
    expect(() => memoryPlan(304 * MIB - 1, 0)).toThrow('with 0 search threads needs 304 MiB');
    expect(() => memoryPlan(leastMemory(3) - 1, 3)).toThrow('with 3 search threads needs 368 MiB');
    expect(() => serverMemory('304MiB', 4)).toThrow('with 4 search threads needs 432 MiB');
  });

  it('of a second server in a process does not depend on that of the first', () => {
    const usual = usualMemory();
    const release = limitMemory(256 * MIB);
    expect([usualMemory(), usableMemory()]).toEqual([usual, 256 * MIB]);
    release();
    expect(usableMemory()).toBe(systemMemory());
  });

  it('starts as many threads as it holds unless their number is named', () => {
    expect(serverMemory('304MiB', undefined).threads).toBeLessThanOrEqual(1);
    expect(serverMemory('1GiB', 2).threads).toBe(2);
  });

  it('leaves memory to others unless it is named', () => {
    expect(usualMemory()).toBeGreaterThan(0);
    expect(usualMemory()).toBeLessThan(process.constrainedMemory() || Number.MAX_VALUE);
  });
});
