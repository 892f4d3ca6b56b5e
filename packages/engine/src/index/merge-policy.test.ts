import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  chooseForcedMerges,
  chooseMerges,
  liveBytes,
  MERGE_SETTINGS,
  type SegmentSize,
} from './merge-policy.ts';

const seed = 20_260_308;
const MB = 2 ** 20;
const size = (bytes: number, docs = 1000, deletedDocs = 0): SegmentSize => ({
  bytes,
  docs,
  deletedDocs,
});
const sizes = fc.array(
  fc
    .tuple(
      fc.integer({ min: 1, max: 900 * MB }),
      fc.integer({ min: 1, max: 9_000_000 }),
      fc.nat(100),
    )
    .map(([bytes, docs, part]) => size(bytes, docs, Math.floor((docs * part) / 100))),
  { maxLength: 40 },
);

test('groups are disjoint, ascending and within the limits', () => {
  fc.assert(
    fc.property(sizes, fc.integer({ min: 1, max: 4 }), (segments, count) => {
      for (const groups of [chooseMerges(segments), chooseForcedMerges(segments, count)]) {
        expect(new Set(groups.flat()).size).toBe(groups.flat().length);
        for (const group of groups) {
          expect(group.length).toBeGreaterThan(0);
          expect(group.toSorted((a, b) => a - b)).toEqual(group);
          if (group.length === 1) {
            expect(segments[group[0]].deletedDocs).toBeGreaterThan(0);
            continue;
          }
          const bytes = group.reduce((sum, place) => sum + liveBytes(segments[place]), 0);
          expect(bytes).toBeLessThanOrEqual(MERGE_SETTINGS.maxBytes);
        }
      }
    }),
    { seed, numRuns: 300 },
  );
});

test.each([5, 0.6, 0.1])('a thousand commits of %d MB: few segments, few rewrites', (each) => {
  let segments: SegmentSize[] = [];
  let written = 0;
  for (let commit = 0; commit < 1000; commit++) {
    segments.push(size(each * MB));
    for (let groups = chooseMerges(segments); groups.length > 0; groups = chooseMerges(segments)) {
      const chosen = new Set(groups.flat());
      const merged = groups.map((group) => {
        const bytes = group.reduce((sum, place) => sum + segments[place].bytes, 0);
        written += bytes;
        return size(bytes);
      });
      segments = [...segments.filter((_, place) => !chosen.has(place)), ...merged];
    }
  }
  const total = 1000 * each * MB;
  expect(segments.reduce((sum, { bytes }) => sum + bytes, 0)).toBeCloseTo(total, 0);
  expect(segments.length).toBeLessThan(30);
  // 0.1 MB: eight of them are still below the floor and are merged again with the next ones.
  expect(written / total).toBeLessThan(each < 0.5 ? 6 : 4);
});

test('many deletes rewrite a segment alone; a forced merge leaves one without deletes', () => {
  expect(chooseMerges([size(MB, 100, 10), size(MB, 100, 30)])).toEqual([[1]]);
  expect(chooseForcedMerges([size(MB), size(9 * MB), size(MB)], 1)).toEqual([[0, 1, 2]]);
  expect(chooseForcedMerges([size(MB)], 1)).toEqual([]);
  expect(chooseForcedMerges([size(MB, 100, 1)], 1)).toEqual([[0]]);
  expect(chooseForcedMerges([size(900 * MB), size(900 * MB), size(MB)], 1)).toEqual([[1, 2]]);
});
