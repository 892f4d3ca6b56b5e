/** Top documents of the conjunction of the active terms. */
import { DENSE } from '../postings/format.ts';
import { intersectLists, keepLivingHits } from './intersect.ts';
import { EXCLUDED_AT } from './kernel-memory.ts';
import {
  CALL_RANGES,
  CALL_SURVIVORS,
  RANGE_STEPS,
  ROUND_UP,
  type SegmentScorer,
} from './segment-scorer.ts';

/**
 * Offers every document that holds the active terms, holds no excluded one, and can reach theta.
 */
export function searchConjunction(scorer: SegmentScorer): void {
  if (scorer.active[0].kind === DENSE) {
    searchDense(scorer);
    return;
  }
  const n = keepLivingHits(scorer, intersectLists(scorer, true));
  scorer.reportJoined(n);
  searchSurvivors(scorer, n);
}

/** Scores survivors[0 .. n) of lists (posting numbers in `hits`) and dense terms. */
function searchSurvivors(scorer: SegmentScorer, n: number): void {
  const { active, count, top, reader, workspace } = scorer;
  const lists = scorer.activeLists;
  for (let k = 0; k < lists; k++) active[k].decodeHitFrequencies(n);
  const scan = workspace.frames.survivors;
  scan.lists = lists;
  scan.dense = count - lists;
  scan.denseMax = 0;
  for (let k = lists; k < count; k++) scan.denseMax += active[k].maxScore;
  scan.survivorsAt = workspace.survivors.byteOffset;
  scan.codesAt = reader.codes.byteOffset;
  scorer.describe();
  for (let i = 0; i < n; ) {
    scan.theta = scorer.emitFrom;
    scan.low = top.theta / ROUND_UP;
    const from = i;
    i = workspace.kernels.lists(scan, i, Math.min(n, i + CALL_SURVIVORS));
    scorer.deadline.spend(i - from);
    scorer.takeEmitted();
  }
}

/** Dense terms only: ranges by falling bound. */
function searchDense(scorer: SegmentScorer): void {
  const { active, count, top, workspace } = scorer;
  scorer.describe();
  let highest = 0;
  for (let k = 0; k < count; k++) highest += active[k].maxScore;
  const n = boundRanges(scorer, ROUND_UP, top.theta);
  sortRanges(scorer, n, top.theta, highest * ROUND_UP);
  searchRanges(scorer, n, workspace.sorted);
}

/**
 * Lists the ranges in which the described dense terms can reach a score, with bounds, in
 * workspace.ranges; how many.
 */
export function boundRanges(scorer: SegmentScorer, roundUp: number, theta: number): number {
  const { workspace } = scorer;
  const scan = workspace.frames.bounds;
  scan.terms = scorer.count;
  scan.ranges = scorer.reader.ranges;
  scan.boundsAt = workspace.bound.byteOffset;
  scan.intoAt = workspace.ranges.byteOffset;
  scan.roundUp = roundUp;
  scan.theta = theta;
  return workspace.kernels.bounds(scan);
}

/** Counting sort of workspace.ranges[0 .. n) by bound, high ones first, into workspace.sorted. */
export function sortRanges(
  { workspace }: SegmentScorer,
  n: number,
  low: number,
  high: number,
): void {
  const { bound, ranges, sorted, buckets, keys } = workspace;
  const scale = high > low ? 255 / (high - low) : 0;
  buckets.fill(0);
  for (let i = 0; i < n; i++) {
    const key = 255 - Math.min(255, Math.max(0, ((bound[ranges[i]] - low) * scale) | 0));
    keys[i] = key;
    buckets[key + 1]++;
  }
  for (let key = 1; key < 257; key++) buckets[key] += buckets[key - 1];
  for (let i = 0; i < n; i++) sorted[buckets[keys[i]]++] = ranges[i];
}

/**
 * Runs the range kernel over the described dense terms; `order` lists n ranges, their bounds are in
 * workspace.bound.
 */
export function searchRanges(scorer: SegmentScorer, n: number, order: Int32Array): void {
  const { top, reader, workspace } = scorer;
  const scan = workspace.frames.ranges;
  scan.terms = scorer.count;
  scan.orderAt = order.byteOffset;
  scan.boundsAt = workspace.bound.byteOffset;
  scan.codesAt = reader.codes.byteOffset;
  scan.excluded = describeExcluded(scorer);
  for (let i = 0; i < n; ) {
    scan.theta = scorer.emitFrom;
    scan.low = top.theta / ROUND_UP;
    const from = i;
    i = workspace.kernels.ranges(scan, i, Math.min(n, i + CALL_RANGES));
    scorer.deadline.spend(RANGE_STEPS * (i - from));
    scorer.takeEmitted();
  }
}

/** Tells the kernels the bitmaps of excluded and blocked documents; returns how many. */
export function describeExcluded(scorer: SegmentScorer): number {
  const { excluded, excludedCount, blocked, reader } = scorer;
  const { i32 } = reader.arena;
  let n = 0;
  for (let i = 0; i < excludedCount; i++) {
    if (excluded[i].kind === DENSE) i32[(EXCLUDED_AT >> 2) + n++] = excluded[i].bitmapAt;
  }
  if (blocked !== null) i32[(EXCLUDED_AT >> 2) + n++] = blocked.byteOffset;
  return n;
}
