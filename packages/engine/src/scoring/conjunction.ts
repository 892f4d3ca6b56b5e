/** Top documents of the conjunction of the active terms. */
import { DENSE } from '../postings/format.ts';
import { intersectLists, keepLivingHits } from './intersect.ts';
import { EXCLUDED_AT } from './kernel-memory.ts';
import { type SegmentScorer, UP } from './segment-scorer.ts';

/**
 * Offers every document that holds the active terms, holds no excluded one, and can reach theta.
 */
export function searchConjunction(scorer: SegmentScorer): void {
  if (scorer.active[0].kind === DENSE) {
    searchDense(scorer);
    return;
  }
  const n = keepLivingHits(scorer, intersectLists(scorer, true));
  if (scorer.joined < 0) scorer.joined = n;
  searchSurvivors(scorer, n);
}

/** Scores survivors[0 .. n) of lists (posting numbers in `hits`) and dense terms. */
function searchSurvivors(scorer: SegmentScorer, n: number): void {
  const { active, count, top, reader, workspace } = scorer;
  let lists = 0;
  while (lists < count && active[lists].kind !== DENSE) active[lists++].decodeHitFrequencies(n);
  let ahead = 0;
  for (let k = lists; k < count; k++) ahead += active[k].maxScore;
  scorer.describe();
  for (let i = 0; i < n; ) {
    i = scorer.kernels.lists(
      lists,
      count - lists,
      i,
      n,
      workspace.survivors.byteOffset,
      reader.codes.byteOffset,
      scorer.emitFrom,
      top.theta / UP,
      ahead,
    );
    scorer.takeEmitted();
  }
}

/** Dense terms only: ranges by falling bound. */
function searchDense(scorer: SegmentScorer): void {
  const { active, count, top, workspace } = scorer;
  scorer.describe();
  let highest = 0;
  for (let k = 0; k < count; k++) highest += active[k].maxScore;
  const n = boundRanges(scorer, UP, top.theta);
  sortRanges(scorer, n, top.theta, highest * UP);
  searchRanges(scorer, n, workspace.sorted);
}

/**
 * Lists the ranges in which the described dense terms can reach a score, with bounds, in
 * workspace.ranges; how many.
 */
export function boundRanges(scorer: SegmentScorer, up: number, least: number): number {
  const { count, reader, workspace, kernels } = scorer;
  return kernels.bounds(
    count,
    reader.ranges,
    workspace.bound.byteOffset,
    workspace.ranges.byteOffset,
    up,
    least,
  );
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
  const { count, top, reader, workspace } = scorer;
  const excluded = describeExcluded(scorer);
  for (let i = 0; i < n; ) {
    i = scorer.kernels.ranges(
      count,
      i,
      n,
      order.byteOffset,
      workspace.bound.byteOffset,
      reader.codes.byteOffset,
      excluded,
      scorer.emitFrom,
      top.theta / UP,
    );
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
