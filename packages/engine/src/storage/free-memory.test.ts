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
