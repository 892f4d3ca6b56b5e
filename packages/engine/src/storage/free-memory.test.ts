import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { freeMemory } from './free-memory.ts';

const BYTES = 64 * 2 ** 20;

/** The bytes of an array that nothing refers to when this returns. */
const filled = () => new Uint8Array(BYTES).fill(1).length;

describe('memory that is given back', () => {
  it('is that of arrays which are not used any more', () => {
    const kept = new Uint8Array(BYTES).fill(2);
    freeMemory();
    const before = process.memoryUsage().arrayBuffers;
    expect(filled()).toBe(BYTES);
    freeMemory();
    freeMemory();
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(BYTES / 2);
    expect(kept.every((byte) => byte === 2)).toBe(true);
  });
});

/** Full collections in a process that makes 200 MiB of garbage. */
function fullCollections(small: boolean): number {
  const module = new URL('./free-memory.ts', import.meta.url).href;
  const code = `
    import { constants, PerformanceObserver } from 'node:perf_hooks';
    import { setImmediate } from 'node:timers/promises';
    import { keepHeapsSmall } from '${module}';
    let count = 0;
    const seen = (list) => {
      const { NODE_PERFORMANCE_GC_MAJOR: major } = constants;
      count += list.getEntries().filter(({ detail }) => detail.kind === major).length;
    };
    if (${small}) keepHeapsSmall();
    new PerformanceObserver(seen).observe({ entryTypes: ['gc'] });
    const used = [];
    for (let i = 0; i < 250; i++) {
      used[i % 16] = Array.from({ length: 10_000 }, (_, n) => ({ n, text: 'n' + n }));
      await setImmediate();
    }
    console.log(count);`;
  const args = ['--input-type=module', '--eval', code];
  return Number(spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout);
}

describe('heaps that are kept small', () => {
  it('are collected more often', () => {
    expect(fullCollections(true)).toBeGreaterThan(fullCollections(false));
  });
});
