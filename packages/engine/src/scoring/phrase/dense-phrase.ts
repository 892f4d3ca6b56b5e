/** Phrases of dense terms only: whole ranges in the kernels, by falling bound. */
import { rangeImpact } from '../../postings/dense-terms.ts';
import { RANGE } from '../../postings/format.ts';
import { raiseImpact } from '../../postings/impact-bound.ts';
import type { DenseTerm } from '../../postings/term-info.ts';
import { COUNTED_AT, EXCLUDED_AT } from '../kernel/kernel-memory.ts';
import { ROUND_UP } from '../kernel/query-kernel.ts';
import type { TopDocs } from '../top-docs.ts';
import { describePhrase } from './describe-phrase.ts';
import { offerEmitted, type PhraseRun, phraseBudget } from './phrase-run.ts';

/** A kernel call reads at most so many ranges: some 64,000 postings. */
const CALL_RANGES = 256;
/** What a range counts as, in steps of a deadline. */
const RANGE_STEPS = 64;

/** Offers the documents with the phrase that may reach theta. */
export function searchDensePhrase(run: PhraseRun, top: TopDocs): void {
  const { segment, terms, weight, workspace, averageLength } = run;
  const { bound, ranges } = workspace;
  const { reader } = segment;
  const scale = averageLength / reader.averageLength;
  let n = 0;
  for (let r = 0; r < reader.ranges; r++) {
    let code = 255;
    for (const { dense } of terms) {
      code = Math.min(code, rangeImpact(reader.arena, dense as DenseTerm, r));
    }
    if (code === 0) continue;
    bound[r] = weight * raiseImpact(reader.impacts[code], scale);
    ranges[n++] = r;
  }
  sortRanges(run, n);
  const scan = beginRanges(run, 0, weight);
  for (let i = 0; i < n; ) {
    i = scan(i, n, top.theta / ROUND_UP);
    offerEmitted(run, top);
  }
}

/** Number of documents with the phrase. */
export function countDensePhrase(run: PhraseRun): number {
  const { ranges, arena } = run.segment.reader;
  const { sorted } = run.workspace;
  for (let r = 0; r < ranges; r++) sorted[r] = r;
  const scan = beginRanges(run, 1, 0);
  let count = 0;
  for (let i = 0; i < ranges; ) {
    i = scan(i, ranges, -1);
    count += arena.i32[COUNTED_AT >> 2];
  }
  return count;
}

/** Counting sort of workspace.ranges[0 .. n) by bound, high ones first, into workspace.sorted. */
function sortRanges({ workspace, weight }: PhraseRun, n: number): void {
  const { bound, ranges, sorted, buckets, keys } = workspace;
  const scale = weight > 0 ? 255 / weight : 0;
  buckets.fill(0);
  for (let i = 0; i < n; i++) {
    const key = 255 - Math.min(255, Math.max(0, (bound[ranges[i]] * scale) | 0));
    keys[i] = key;
    buckets[key + 1]++;
  }
  for (let key = 1; key < 257; key++) buckets[key] += buckets[key - 1];
  for (let i = 0; i < n; i++) sorted[buckets[keys[i]]++] = ranges[i];
}

/**
 * Describes the terms; returns what emits (or counts) documents of sorted[from .. end) with the
 * phrase, where `weight` times an impact reaches `low`, and says where to go on.
 */
function beginRanges(
  run: PhraseRun,
  counting: 0 | 1,
  weight: number,
): (from: number, end: number, low: number) => number {
  const { segment, workspace, terms, blockedAt, deadline } = run;
  const { arena, codes, widthCodes } = segment.reader;
  describePhrase(run);
  arena.i32[EXCLUDED_AT >> 2] = blockedAt;
  const addresses = [workspace.sorted, workspace.bound, codes, widthCodes].map(
    ({ byteOffset }) => byteOffset,
  );
  const given = [...addresses, blockedAt === 0 ? 0 : 1, counting, weight];
  const { runs, steps } = phraseBudget(run, RANGE, CALL_RANGES, RANGE_STEPS);
  const kernel = workspace.phrases.dense[terms.length];
  return (from, end, low) => {
    const next = kernel(from, Math.min(end, from + runs), ...given, low);
    deadline.spend(steps * (next - from));
    return next;
  };
}
