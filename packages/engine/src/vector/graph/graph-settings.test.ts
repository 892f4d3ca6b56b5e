import { describe, expect, test } from 'vitest';
import { MAX_FILE_BYTES } from '../../storage/arena.ts';
import { GRAPH_SETTINGS, levelOf, MOST_COUNT, wantsGraph } from './graph-settings.ts';

describe('settings of a graph', () => {
  test('allow a graph where it pays and its file can be mapped', () => {
    const sizes = [9_999, 10_000, 999_999, 1_000_000, MOST_COUNT, MOST_COUNT + 1];
    const wanted = (index: 'auto' | 'flat' | 'hnsw') =>
      sizes.map((size) => wantsGraph(index, size));
    expect(wanted('flat')).toEqual([false, false, false, false, false, false]);
    expect(wanted('hnsw')).toEqual([false, true, true, true, true, false]);
    expect(wanted('auto')).toEqual([false, false, false, true, true, false]);
  });

  test('keep the largest graph within one file', () => {
    const { links } = GRAPH_SETTINGS;
    const part = 100_000;
    let upper = 0;
    let places = 0;
    for (let slot = 0; slot < part; slot++) {
      const level = levelOf(slot, links);
      if (level > 0) upper++;
      places += level;
    }
    const ofVector = 4 * (2 * links + 1) + (4 * (upper + places * links)) / part;
    expect(MOST_COUNT * ofVector).toBeLessThan(0.95 * MAX_FILE_BYTES);
  });
});
