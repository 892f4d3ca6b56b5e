/** Phrases of dense terms only: whole ranges in the kernels, by falling bound. */
import { rangeImpact } from '../postings/dense-terms.ts';
import type { DenseTerm } from '../postings/term-info.ts';
import { describeExcluded, sortRanges } from './conjunction.ts';
import { COUNTED_AT } from './kernel-memory.ts';
import { eachEmittedPhrase } from './phrase-lists.ts';
import { beginPhrase } from './positions.ts';
import { type SegmentScorer, UP } from './segment-scorer.ts';

/**
 * Calls `visit` with every document with the phrase that may reach theta, and its phrase frequency.
 */
export function searchDensePhrase(
  scorer: SegmentScorer,
  weight: number,
  visit: (doc: number, frequency: number) => void,
): void {
  const { active, count, reader, top, workspace, impacts } = scorer;
  const { bound, ranges } = workspace;
  let n = 0;
  for (let r = 0; r < reader.ranges; r++) {
    let code = 255;
    for (let k = 0; k < count; k++) {
      code = Math.min(code, rangeImpact(reader.arena, active[k].dense as DenseTerm, r));
    }
    if (code === 0) continue;
    bound[r] = weight * impacts[code];
    ranges[n++] = r;
  }
  sortRanges(scorer, n, 0, weight);
  beginPhrase(scorer);
  const excluded = describeExcluded(scorer);
  for (let i = 0; i < n; ) {
    i = runRanges(scorer, i, n, excluded, 0, weight, top.theta / UP);
    eachEmittedPhrase(scorer, visit);
  }
}

/** Number of documents with the phrase. */
export function countDensePhrase(scorer: SegmentScorer): number {
  const { ranges, arena } = scorer.reader;
  const { sorted } = scorer.workspace;
  for (let r = 0; r < ranges; r++) sorted[r] = r;
  beginPhrase(scorer);
  const excluded = describeExcluded(scorer);
  let count = 0;
  for (let i = 0; i < ranges; ) {
    i = runRanges(scorer, i, ranges, excluded, 1, 0, -1);
    count += arena.i32[COUNTED_AT >> 2];
  }
  return count;
}

function runRanges(
  { kernels, count, reader, workspace }: SegmentScorer,
  from: number,
  to: number,
  excluded: number,
  counting: number,
  weight: number,
  low: number,
): number {
  return kernels.phrases(
    count,
    from,
    to,
    workspace.sorted.byteOffset,
    workspace.bound.byteOffset,
    reader.codes.byteOffset,
    reader.widthCodes.byteOffset,
    excluded,
    counting,
    weight,
    low,
  );
}
