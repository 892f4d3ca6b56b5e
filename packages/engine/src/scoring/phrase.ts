/**
 * Phrases: documents that hold all terms, then their positions. A phrase scores as one term whose
 * frequency is the number of its occurrences and whose weight is the sum of the terms' weights; its
 * frequency is at most any term's, which bounds it.
 */
import { DENSE } from '../postings/format.ts';
import { phraseCodeOf } from './phrase/compiled-phrases.ts';
import { countCompiled, searchCompiled } from './phrase/list-phrase.ts';
import { countDensePhrase, searchDensePhrase } from './phrase-dense.ts';
import { countListPhrase, searchListPhrase } from './phrase-lists.ts';
import type { SegmentScorer } from './segment-scorer.ts';

/** Offers the documents with the phrase of the active terms. */
export function searchPhrase(scorer: SegmentScorer, weight: number): void {
  const visit = (doc: number, frequency: number) => offer(scorer, weight, doc, frequency);
  const code = phraseCodeOf(scorer.reader.arena);
  if (scorer.active[0].kind === DENSE) searchDensePhrase(scorer, weight, visit);
  else if (code !== null) searchCompiled(code, scorer, weight, visit);
  else searchListPhrase(scorer, weight, visit);
}

/** Number of documents with the phrase of the active terms. */
export function countPhrase(scorer: SegmentScorer): number {
  if (scorer.active[0].kind === DENSE) return countDensePhrase(scorer);
  const code = phraseCodeOf(scorer.reader.arena);
  return code === null ? countListPhrase(scorer) : countCompiled(code, scorer);
}

function offer(scorer: SegmentScorer, weight: number, doc: number, tf: number): void {
  const score = scorer.score(weight, tf, doc);
  if (score >= scorer.top.theta) scorer.top.offer(doc, score);
}
