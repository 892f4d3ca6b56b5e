/** Positions of a phrase's terms, made ready for the kernels. */
import { DENSE } from '../postings/format.ts';
import { describePhrase } from './describe-terms.ts';
import type { SegmentScorer } from './segment-scorer.ts';

/** Describes the active terms as a phrase. */
export function beginPhrase(scorer: SegmentScorer): void {
  scorer.describe();
  describePhrase(scorer.reader.arena, scorer.active, scorer.count);
}

/** Makes ready the positions of the list terms of ordered[from .. to): frequencies and bits. */
export function locateHits(scorer: SegmentScorer, from: number, to: number): void {
  const { ordered } = scorer.workspace;
  for (let k = 0; k < scorer.count && scorer.active[k].kind !== DENSE; k++) {
    const term = scorer.active[k];
    if (term.list !== null) term.locateHits(ordered, from, to);
  }
}
