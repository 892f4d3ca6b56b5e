import { describe, expect, it } from 'vitest';
import { memoryPlan, usualMemory } from './memory-plan.ts';

const GIB = 2 ** 30;

describe('the memory of a server', () => {
  it('is divided into parts that fit into the budget', () => {
    for (const total of [GIB / 2, GIB, 4 * GIB, 64 * GIB, 1024 * GIB]) {
      for (const threads of [0, 1, 3]) {
        const { build, threadHeap, coldBlocks, filters, results } = memoryPlan(total, threads);
        expect(build + threads * threadHeap + coldBlocks + filters + results).toBeLessThan(total);
      }
    }
  });

  it('grows with the budget until the most that a part can use', () => {
    const [small, large, huge] = [1, 4, 1024].map((gib) => memoryPlan(gib * GIB, 1));
    expect(large.filters).toBe(4 * small.filters);
    expect(huge).toMatchObject({ build: 2 * GIB, threadHeap: GIB, coldBlocks: GIB });
  });

  it('leaves memory to others unless it is named', () => {
    expect(usualMemory()).toBeGreaterThan(0);
    expect(usualMemory()).toBeLessThan(process.constrainedMemory() || Number.MAX_VALUE);
  });
});
