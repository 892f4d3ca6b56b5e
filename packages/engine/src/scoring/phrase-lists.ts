/** Phrases with a list term: survivors by falling bound, in 256 steps, many in one call. */
import { rangeWidth } from '../postings/dense-terms.ts';
import { RANGE_SHIFT } from '../postings/format.ts';
import { ROWS } from './impact-table.ts';
import { intersectLists } from './intersect.ts';
import { COUNTED_AT, DOCS_AT, EMITTED_AT, SCORES_AT } from './kernel-memory.ts';
import type { PhraseScan } from './kernels.ts';
import { beginPhrase, locateHits, type PhraseBudget, phraseBudget } from './positions.ts';
import { CALL_SURVIVORS, ROUND_UP, type SegmentScorer } from './segment-scorer.ts';

/** Calls `visit` with every document with the phrase that may reach theta, and its frequency. */
export function searchListPhrase(
  scorer: SegmentScorer,
  weight: number,
  visit: (doc: number, frequency: number) => void,
): void {
  const { top, workspace } = scorer;
  const { buckets } = workspace;
  const n = intersectLists(scorer, true);
  if (n === 0) return;
  sortSurvivors(scorer, n);
  const scan = beginSurvivors(scorer, 0, weight);
  const budget = survivorBudget(scorer);
  // buckets[key] is the end of bucket key by now.
  for (let key = 0, from = 0; key < 256; key++) {
    const to = buckets[key];
    if (from === to) continue;
    if (weight * ((256 - key) / 255.999) * ROUND_UP < top.theta) break;
    locateHits(scorer, from, to);
    while (from < to) {
      scan.low = top.theta / ROUND_UP;
      from = runSurvivors(scorer, scan, budget, from, to);
      eachEmittedPhrase(scorer, visit);
    }
  }
}

/** Number of documents with the phrase. */
export function countListPhrase(scorer: SegmentScorer): number {
  const { ordered } = scorer.workspace;
  const n = intersectLists(scorer, true);
  if (n === 0) return 0;
  for (let i = 0; i < n; i++) ordered[i] = i;
  const scan = beginSurvivors(scorer, 1, 0);
  const budget = survivorBudget(scorer);
  scan.low = -1;
  locateHits(scorer, 0, n);
  let count = 0;
  for (let i = 0; i < n; ) {
    i = runSurvivors(scorer, scan, budget, i, n);
    count += scorer.reader.arena.i32[COUNTED_AT >> 2];
  }
  return count;
}

/** Describes the terms; returns the scan of workspace.ordered. */
function beginSurvivors(scorer: SegmentScorer, counting: 0 | 1, weight: number): PhraseScan {
  const { workspace } = scorer;
  const scan = beginPhrase(scorer, counting, weight);
  scan.orderAt = workspace.ordered.byteOffset;
  scan.survivorsAt = workspace.survivors.byteOffset;
  scan.blockedAt = scorer.blockedAt;
  return scan;
}

const survivorBudget = (scorer: SegmentScorer): PhraseBudget =>
  phraseBudget(scorer, 1, CALL_SURVIVORS, 1);

function runSurvivors(
  scorer: SegmentScorer,
  scan: PhraseScan,
  { runs, steps }: PhraseBudget,
  from: number,
  end: number,
): number {
  const to = Math.min(end, from + runs);
  const next = scorer.workspace.kernels.phraseSurvivors(scan, from, to);
  scorer.deadline.spend(steps * (next - from));
  return next;
}

/** Documents that a phrase kernel emitted, with their phrase frequencies. */
export function eachEmittedPhrase(
  scorer: SegmentScorer,
  visit: (doc: number, frequency: number) => void,
): void {
  const { i32 } = scorer.reader.arena;
  const emitted = i32[EMITTED_AT >> 2];
  for (let i = 0; i < emitted; i++) {
    visit(i32[(DOCS_AT >> 2) + i], i32[(SCORES_AT >> 2) + i]);
  }
}

/**
 * Orders survivors[0 .. n) by the impact of the lead's frequency; buckets[k] is the end of bucket
 * k.
 */
function sortSurvivors(scorer: SegmentScorer, n: number): void {
  const { active, workspace, reader } = scorer;
  const { survivors, ordered, buckets, keys, table } = workspace;
  const lead = active[0];
  const { hits, frequencies } = lead;
  lead.decodeHitFrequencies(n);
  buckets.fill(0);
  for (let i = 0; i < n; i++) {
    const tf = leastFrequency(scorer, survivors[i], Math.min(frequencies[hits[i]], ROWS));
    const key =
      255 - Math.min(255, (table.impact[(tf << 8) | reader.codes[survivors[i]]] * 255.999) | 0);
    keys[i] = key;
    buckets[key + 1]++;
  }
  for (let key = 1; key < 257; key++) buckets[key] += buckets[key - 1];
  for (let i = 0; i < n; i++) ordered[buckets[keys[i]]++] = i;
}

/** At most this frequency by the widths of dense terms in the document's range. */
function leastFrequency({ active, count, reader }: SegmentScorer, doc: number, tf: number): number {
  let least = tf;
  for (let k = 1; k < count && least > 1; k++) {
    const { dense } = active[k];
    if (dense === null) continue;
    const width = rangeWidth(reader.arena, dense, doc >> RANGE_SHIFT);
    if (width < 5 && 1 << width < least) least = 1 << width;
  }
  return least;
}
