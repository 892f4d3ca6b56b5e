import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seededNumbers } from '../../../../../test/support/random.ts';
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

describe('the merge policy', () => {
  test('makes disjoint, ascending groups within the limits', () => {
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

  /** A history of commits: what is added, which part of it replaces or deletes older documents. */
  interface History {
    readonly what: string;
    readonly base: number;
    readonly commits: number;
    readonly bytes: number;
    readonly deletes: number;
    /** Bounds: bytes written by merges for each byte added; segments, on average and at most. */
    readonly most: {
      readonly amplification: number;
      readonly average: number;
      readonly max: number;
    };
  }

  const DOC_BYTES = 200;
  const settings = { ...MERGE_SETTINGS, maxBytes: 512 * MB };

  /** Runs a history as a writer does: after each commit, merges until the policy wants none. */
  function simulate({ base, commits, bytes, deletes }: History) {
    const random = seededNumbers(seed);
    let segments = base === 0 ? [] : [size(base, base / DOC_BYTES)];
    let [added, written, sum, max] = [0, 0, 0, 0];
    for (let commit = 0; commit < commits; commit++) {
      const grown = bytes * (0.5 + random());
      added += grown;
      segments.push(size(grown, Math.ceil(grown / DOC_BYTES)));
      segments = deleteEvenly(segments, (deletes * grown) / DOC_BYTES);
      for (let [group] = chooseMerges(segments, settings); group; ) {
        const chosen = new Set(group);
        const live = group.reduce((total, place) => total + liveBytes(segments[place]), 0);
        const docs = group.reduce((n, at) => n + segments[at].docs - segments[at].deletedDocs, 0);
        written += live;
        segments = [...segments.filter((_, place) => !chosen.has(place)), size(live, docs)];
        [group] = chooseMerges(segments, settings);
      }
      sum += segments.length;
      max = Math.max(max, segments.length);
    }
    return { amplification: written / added, average: sum / commits, max, segments };
  }

  /** Deletes so many living documents, as many of each segment as it has part in them. */
  function deleteEvenly(segments: readonly SegmentSize[], count: number): SegmentSize[] {
    const live = segments.reduce((sum, { docs, deletedDocs }) => sum + docs - deletedDocs, 0);
    return segments.map((segment) => {
      const gone = (count * (segment.docs - segment.deletedDocs)) / live;
      return { ...segment, deletedDocs: Math.min(segment.docs, segment.deletedDocs + gone) };
    });
  }

  const HISTORIES: readonly History[] = [
    {
      what: '1,000 rows a commit onto a large segment',
      ...{ base: 91 * MB, commits: 2000, bytes: 0.2 * MB, deletes: 0 },
      most: { amplification: 6, average: 11, max: 15 },
    },
    {
      what: 'each row replaces another',
      ...{ base: 91 * MB, commits: 2000, bytes: 0.2 * MB, deletes: 1 },
      most: { amplification: 9, average: 9, max: 12 },
    },
    {
      what: 'from nothing to 2 GB',
      ...{ base: 0, commits: 2000, bytes: MB, deletes: 0 },
      most: { amplification: 4, average: 15, max: 25 },
    },
    {
      what: 'large commits, a fifth replaced',
      ...{ base: 0, commits: 300, bytes: 20 * MB, deletes: 0.2 },
      most: { amplification: 3, average: 20, max: 32 },
    },
    {
      what: 'commits of five rows',
      ...{ base: MB, commits: 5000, bytes: 1000, deletes: 0.5 },
      most: { amplification: 120, average: 4, max: 5 },
    },
  ];

  test.each(HISTORIES)('leaves few segments and writes each byte a few times: $what', (history) => {
    const { amplification, average, max, segments } = simulate(history);
    const figures = `${amplification.toFixed(1)} bytes written for each that is added`;
    console.log(`${history.what}: ${figures}, ${average.toFixed(1)} segments, at most ${max}`);
    const { most } = history;
    expect(amplification).toBeLessThan(most.amplification);
    expect(average).toBeLessThan(most.average);
    expect(max).toBeLessThanOrEqual(most.max);
    for (const { docs, deletedDocs } of segments) {
      expect(deletedDocs).toBeLessThanOrEqual(docs * settings.deletedPart);
    }
  });

  test('merges a hundred small segments to few in few merges', () => {
    const segments = Array.from({ length: 100 }, () => size(MB / 2));
    const merges = chooseMerges(segments);
    expect(segments.length - merges.flat().length + merges.length).toBeLessThanOrEqual(13);
    expect(merges.length).toBeLessThanOrEqual(4);
  });

  test('prefers the merge that is rich in deletes', () => {
    const plain = Array.from({ length: 6 }, () => size(8 * MB, 1000, 0));
    const rich = Array.from({ length: 6 }, () => size(9.5 * MB, 1000, 150));
    const [first] = chooseMerges([...plain, ...rich], { ...MERGE_SETTINGS, maxBytes: 50 * MB });
    expect(first.every((place) => place >= 6)).toBe(true);
  });

  test('rewrites a segment with many deletes; a forced merge leaves one without deletes', () => {
    expect(chooseMerges([size(MB, 100, 10), size(MB, 100, 30)])).toEqual([[1]]);
    expect(chooseForcedMerges([size(MB), size(9 * MB), size(MB)], 1)).toEqual([[0, 1, 2]]);
    expect(chooseForcedMerges([size(MB)], 1)).toEqual([]);
    expect(chooseForcedMerges([size(MB, 100, 1)], 1)).toEqual([[0]]);
    expect(chooseForcedMerges([size(900 * MB), size(900 * MB), size(MB)], 1)).toEqual([[1, 2]]);
  });
});
