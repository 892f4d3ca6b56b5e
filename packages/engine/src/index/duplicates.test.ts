import { describe, expect, it } from 'vitest';
import { filesNamed } from '../../../../test/support/files-named.ts';
import { MemoryDirectory } from '../../../../test/support/memory-directory.ts';
import { seededBelow } from '../../../../test/support/random.ts';
import { arena, blockOf, plans } from '../../../../test/support/writer-pair.ts';
import { findDuplicates } from './duplicates.ts';
import { openSnapshot } from './index-snapshot.ts';
import { IndexWriter } from './index-writer.ts';
import { PendingSegment } from './pending-segment.ts';

describe('a search for equal keys', () => {
  it('in ranges of their hashes finds what one for all does', () => {
    const directory = new MemoryDirectory(arena);
    const writer = IndexWriter.open(directory, plans);
    const below = seededBelow(11);
    const places = new Map<string, number[]>();
    let position = 0;
    for (let segment = 0; segment < 5; segment++) {
      const keys = new Set(Array.from({ length: 80 }, () => `k${below(250)}`));
      const rows = [...keys].map((key) => [key, { n: 1n, file: 0, position: position++ }] as const);
      for (const [key, row] of rows) places.set(key, [...(places.get(key) ?? []), row.position]);
      writer.add(blockOf(rows));
      writer.flush();
    }
    writer.commit({ checkpoint: null, files: filesNamed('a') });
    writer.close();
    const snapshot = openSnapshot(directory);
    const segments = snapshot.segments.map((reader) => new PendingSegment(reader));
    const expected = [...places].filter(([, all]) => all.length > 1).sort();
    expect(expected.length).toBeGreaterThan(50);
    for (const most of [1, 7, 100, undefined]) {
      const found = findDuplicates(segments, Number.POSITIVE_INFINITY, most).map(
        ({ key, locations }) => [
          Buffer.from(key).toString(),
          locations.map((location) => location.position).sort((a, b) => a - b),
        ],
      );
      expect(found.sort(), `${most} at once`).toEqual(expected);
    }
    expect(findDuplicates(segments, 3, 7)).toHaveLength(3);
    snapshot.release();
  });
});
