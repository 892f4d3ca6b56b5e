/**
 * Phrases: documents that hold all terms, then their positions. A phrase scores as one term whose
 * frequency is the number of its occurrences and whose weight is the sum of the terms' weights; its
 * frequency is at most any term's, which bounds it.
 */
import { DENSE } from '../../postings/format.ts';
import type { SegmentScorer } from '../segment-scorer.ts';
import { countListPhrase, searchListPhrase } from './list-phrase.ts';
import { countDensePhrase, searchDensePhrase } from './phrase-dense.ts';

/** Offers the documents with the phrase of the active terms. */
export function searchPhrase(scorer: SegmentScorer, weight: number): void {
  const visit = (doc: number, frequency: number) => offer(scorer, weight, doc, frequency);
  if (scorer.active[0].kind === DENSE) searchDensePhrase(scorer, weight, visit);
  else searchListPhrase(scorer, weight, visit);
}

/** Number of documents with the phrase of the active terms. */
export const countPhrase = (scorer: SegmentScorer): number =>
  scorer.active[0].kind === DENSE ? countDensePhrase(scorer) : countListPhrase(scorer);

function offer(scorer: SegmentScorer, weight: number, doc: number, tf: number): void {
  const score = scorer.score(weight, tf, doc);
  if (score >= scorer.top.theta) scorer.top.offer(doc, score);
}
