import { describe, expect, it } from 'vitest';
import { KERNEL_BYTES } from '../../storage/arena.ts';
import * as vector from '../../vector/vector-kernels.ts';
import * as phrase from '../phrase/memory.ts';
import * as memory from './kernel-memory.ts';

/** Parts of the memory of kernels, by the rooms that write there: first byte and the one behind. */
const REGIONS: readonly (readonly [room: string, from: number, to: number])[] = [
  ['documents and scores', memory.DOCS_AT, memory.TABLE_AT],
  ['impacts', memory.TABLE_AT, memory.TABLE_AT + 33 * 256 * 8],
  ['queries', memory.SEGMENT.index, memory.QUERY.termBounds + 2048 * memory.QUERY_TERMS],
  ['phrases', phrase.BEST_COUNT_AT, phrase.BUCKETS_AT + 4 * 258],
  ['vectors', vector.QUERY_AT, vector.MORE_DOTS_AT + 4 * vector.BATCH],
  [
    'samples of dictionaries',
    memory.SAMPLES_AT,
    memory.SAMPLES_AT + memory.SAMPLE_SLOTS * memory.SAMPLE_BYTES,
  ],
];

describe('the memory of kernels', () => {
  it('has parts that do not overlap', () => {
    for (const [i, [room, , to]] of REGIONS.entries()) {
      const [next, from] = REGIONS[i + 1] ?? ['files', KERNEL_BYTES];
      expect([room, next, to <= from]).toEqual([room, next, true]);
    }
  });

  it('has room for a number per sampled block, and one behind them', () => {
    expect(8 * (memory.SAMPLED_BLOCKS + 1)).toBeLessThanOrEqual(memory.SAMPLE_BYTES);
  });
});
