/**
 * Top documents of the conjunction of the active terms. Of one term only blocks or ranges whose
 * best impact reaches the threshold are opened. A code is the exact value of a common impact and an
 * upper bound of any other, so products of one term need no margin for rounding.
 */
import { DENSE, SHORT } from '../postings/format.ts';
import type { ListTerm } from '../postings/term-info.ts';
import { intersectLists, keepLivingHits } from './intersect.ts';
import { EXCLUDED_AT } from './kernel/kernel-memory.ts';
import {
  BLOCK_STEPS,
  CALL_BLOCKS,
  CALL_RANGES,
  CALL_SURVIVORS,
  RANGE_STEPS,
  ROUND_UP,
  type SegmentScorer,
} from './segment-scorer.ts';
import type { TermScorer } from './term-scorer.ts';

/**
 * Offers every document that holds the active terms, holds no excluded one, and can reach theta.
 */
export function searchConjunction(scorer: SegmentScorer): void {
  const [rarest] = scorer.active;
  if (scorer.count === 1) searchTerm(scorer, rarest);
  else if (rarest.kind === DENSE) searchDense(scorer);
  else {
    const n = keepLivingHits(scorer, intersectLists(scorer, true));
    scorer.reportJoined(n);
    searchSurvivors(scorer, n);
  }
}

/** The same for one active term. */
function searchTerm(scorer: SegmentScorer, term: TermScorer): void {
  if (term.kind === SHORT) searchShort(scorer, term);
  else if (term.kind === DENSE) searchDenseTerm(scorer);
  else searchList(scorer, term);
}

function searchShort(scorer: SegmentScorer, term: TermScorer): void {
  term.decodeDocs();
  const { docs, frequencies, df, weight } = term;
  const { top } = scorer;
  for (let i = 0; i < df; i++) {
    const score = scorer.score(weight, frequencies[i], docs[i]);
    if (score >= top.theta) scorer.offer(docs[i], score);
  }
}

function searchList(scorer: SegmentScorer, term: TermScorer): void {
  const { reader, workspace } = scorer;
  const scan = workspace.frames.list;
  scan.list = term.list as ListTerm;
  scan.weight = term.weight;
  scan.codesAt = reader.codes.byteOffset;
  scan.blockedAt = scorer.blockedAt;
  for (let block = 0; block < term.blocks; ) {
    scan.theta = scorer.threshold;
    scan.leastCode = firstCode(scorer.impacts, term.weight, scan.theta);
    const from = block;
    block = workspace.kernels.list(scan, block, Math.min(term.blocks, block + CALL_BLOCKS));
    scorer.deadline.spend(BLOCK_STEPS * (block - from));
    scorer.takeEmitted();
  }
}

/** The first impact code with which a term may reach a score; 256 where none does. */
function firstCode(impacts: Float64Array, weight: number, least: number): number {
  let low = 1;
  let high = 256;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (weight * impacts[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

function searchDenseTerm(scorer: SegmentScorer): void {
  scorer.describe();
  const n = boundRanges(scorer, 1, scorer.threshold);
  if (n > 0) searchRanges(scorer, n, scorer.workspace.ranges);
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
