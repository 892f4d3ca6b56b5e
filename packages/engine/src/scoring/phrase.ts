/**
 * Phrases: documents that hold all terms, then their positions. A phrase scores as one term whose
 * frequency is the number of its occurrences and whose weight is the sum of the terms' weights; its
 * frequency is at most any term's, which bounds it.
 */
import { DENSE, RANGE_SHIFT } from '../inverted/format.ts';
import { denseFrequency } from './dense-frequency.ts';
import { intersectLists } from './intersect.ts';
import { countDensePhrase, searchDensePhrase } from './phrase-dense.ts';
import { beginPhrase, phraseFrequency } from './positions.ts';
import { type SegmentScorer, UP } from './segment-scorer.ts';
import { ROWS } from './workspace.ts';

/** Offers the documents with the phrase of the active terms. */
export function searchPhrase(scorer: SegmentScorer, weight: number): void {
  if (scorer.active[0].kind === DENSE) {
    searchDensePhrase(scorer, weight, (doc, tf) => offer(scorer, weight, doc, tf));
  } else searchLists(scorer, weight);
}

/** Number of documents with the phrase of the active terms. */
export function countPhrase(scorer: SegmentScorer): number {
  if (scorer.active[0].kind === DENSE) return countDensePhrase(scorer);
  const n = intersectLists(scorer, true);
  beginPhrase(scorer);
  const { survivors } = scorer.workspace;
  let count = 0;
  for (let i = 0; i < n; i++) {
    const doc = survivors[i];
    if (!scorer.isBlocked(doc) && phraseFrequency(scorer, doc, i, 1) > 0) count++;
  }
  return count;
}

/** Driven by a list: candidates by falling bound, in 256 steps. */
function searchLists(scorer: SegmentScorer, weight: number): void {
  const { top, workspace } = scorer;
  const { survivors, ordered, buckets } = workspace;
  const n = intersectLists(scorer, true);
  if (n === 0) return;
  sortSurvivors(scorer, n);
  beginPhrase(scorer);
  let from = 0;
  // buckets[key] is the end of bucket key by now.
  for (let key = 0; key < 256; key++) {
    const to = buckets[key];
    if (from === to) continue;
    if (weight * ((256 - key) / 255.999) * UP < top.theta) break;
    for (let i = from; i < to; i++) {
      const hit = ordered[i];
      const doc = survivors[hit];
      if (scorer.isBlocked(doc) || denseBelow(scorer, weight, doc)) continue;
      offer(scorer, weight, doc, phraseFrequency(scorer, doc, hit, 0));
    }
    from = to;
  }
}

/**
 * Orders survivors[0 .. n) by the impact of the lead's frequency; buckets[k] is the end of bucket
 * k.
 */
function sortSurvivors(scorer: SegmentScorer, n: number): void {
  const { active, workspace, reader } = scorer;
  const { survivors, ordered, buckets, keys, impact } = workspace;
  const lead = active[0];
  const { hits, frequencies } = lead;
  lead.decodeHitFrequencies(n);
  buckets.fill(0);
  for (let i = 0; i < n; i++) {
    const tf = leastFrequency(scorer, survivors[i], Math.min(frequencies[hits[i]], ROWS));
    const key = 255 - Math.min(255, (impact[(tf << 8) | reader.codes[survivors[i]]] * 255.999) | 0);
    keys[i] = key;
    buckets[key + 1]++;
  }
  for (let key = 1; key < 257; key++) buckets[key] += buckets[key - 1];
  for (let i = 0; i < n; i++) ordered[buckets[keys[i]]++] = i;
}

/** At most this frequency by the widths of dense terms in the document's range. */
function leastFrequency({ active, count, reader }: SegmentScorer, doc: number, tf: number): number {
  const { u8 } = reader.arena;
  let least = tf;
  for (let k = 1; k < count && least > 1; k++) {
    if (active[k].kind !== DENSE) continue;
    const width = u8[active[k].widthAt + (doc >> RANGE_SHIFT)];
    if (width < 5 && 1 << width < least) least = 1 << width;
  }
  return least;
}

/**
 * True when the frequency of a dense term, cheaper than positions, keeps the document below theta.
 */
function denseBelow(scorer: SegmentScorer, weight: number, doc: number): boolean {
  const { active, count, top } = scorer;
  if (top.size < top.limit) return false;
  let least = ROWS;
  for (let k = 1; k < count; k++) {
    if (active[k].kind === DENSE) least = Math.min(least, denseFrequency(active[k], doc));
  }
  return least < ROWS && below(scorer, weight, least, doc);
}

function below(scorer: SegmentScorer, weight: number, tf: number, doc: number): boolean {
  const impact = scorer.workspace.impact[(tf << 8) | scorer.reader.codes[doc]];
  return weight * impact * UP < scorer.top.theta;
}

function offer(scorer: SegmentScorer, weight: number, doc: number, tf: number): void {
  if (tf === 0) return;
  const score = scorer.score(weight, tf, doc);
  if (score >= scorer.top.theta) scorer.top.offer(doc, score);
}
