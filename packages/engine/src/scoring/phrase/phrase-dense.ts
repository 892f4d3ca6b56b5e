/** Phrases of dense terms only: whole ranges in the kernels, by falling bound. */
import { rangeImpact } from '../../postings/dense-terms.ts';
import { RANGE } from '../../postings/format.ts';
import type { DenseTerm } from '../../postings/term-info.ts';
import { describeExcluded, sortRanges } from '../conjunction.ts';
import { COUNTED_AT } from '../kernel/kernel-memory.ts';
import type { PhraseScan } from '../kernel/kernels.ts';
import {
  beginPhrase,
  eachEmittedPhrase,
  type PhraseBudget,
  phraseBudget,
} from '../kernel/positions.ts';
import { CALL_RANGES, RANGE_STEPS, ROUND_UP, type SegmentScorer } from '../segment-scorer.ts';

/** Comparing positions takes about so many times as long as reading frequencies. */
const PHRASE_STEPS = 4;

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
  const scan = beginRanges(scorer, 0, weight);
  const budget = rangeBudget(scorer);
  for (let i = 0; i < n; ) {
    scan.low = top.theta / ROUND_UP;
    i = runRanges(scorer, scan, budget, i, n);
    eachEmittedPhrase(scorer, visit);
  }
}

/** Number of documents with the phrase. */
export function countDensePhrase(scorer: SegmentScorer): number {
  const { ranges, arena } = scorer.reader;
  const { workspace } = scorer;
  const { sorted } = workspace;
  for (let r = 0; r < ranges; r++) sorted[r] = r;
  const scan = beginRanges(scorer, 1, 0);
  const budget = rangeBudget(scorer);
  scan.low = -1;
  let count = 0;
  for (let i = 0; i < ranges; ) {
    i = runRanges(scorer, scan, budget, i, ranges);
    count += arena.i32[COUNTED_AT >> 2];
  }
  return count;
}

/** Describes the terms; returns the scan of workspace.sorted. */
function beginRanges(scorer: SegmentScorer, counting: 0 | 1, weight: number): PhraseScan {
  const { workspace } = scorer;
  const scan = beginPhrase(scorer, counting, weight);
  scan.orderAt = workspace.sorted.byteOffset;
  scan.boundsAt = workspace.bound.byteOffset;
  scan.excluded = describeExcluded(scorer);
  return scan;
}

const rangeBudget = (scorer: SegmentScorer): PhraseBudget =>
  phraseBudget(scorer, RANGE, CALL_RANGES, PHRASE_STEPS * RANGE_STEPS);

function runRanges(
  scorer: SegmentScorer,
  scan: PhraseScan,
  { runs, steps }: PhraseBudget,
  from: number,
  end: number,
): number {
  const to = Math.min(end, from + runs);
  const next = scorer.workspace.kernels.phrases(scan, from, to);
  scorer.deadline.spend(steps * (next - from));
  return next;
}
