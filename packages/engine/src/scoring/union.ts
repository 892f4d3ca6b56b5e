/**
 * Top documents of a disjunction. The answer is split by the exact set of terms that a document
 * holds: first the documents with all terms (their scores are highest, so theta is nearly final
 * after them), then every smaller set whose largest possible score still reaches theta; most are
 * never touched. 2^n sets: for few terms.
 */
import type { Deadline } from '../base/time/deadline.ts';
import { SHORT } from '../postings/format.ts';
import { searchConjunction } from './conjunction.ts';
import { ROUND_UP, type SegmentScorer } from './segment-scorer.ts';
import type { TermScorer } from './term-scorer.ts';

/** Offers the documents that hold any of the scorer's terms. Throws limit_exceeded. */
export function searchUnion(scorer: SegmentScorer, deadline: Deadline): void {
  const { terms, termCount, top } = scorer;
  for (let i = 0; i < termCount; i++) {
    if (terms[i].kind === SHORT) boundShort(scorer, terms[i]);
  }
  const { sets, sums } = scorer.workspace;
  const n = orderSets(scorer);
  for (let s = 0; s < n && sums[s] * ROUND_UP >= top.theta; s++) {
    deadline.check();
    scorer.activate(sets[s]);
    searchConjunction(scorer);
  }
}

/** Fills `sets` by falling sums of the terms' best scores; returns how many. */
function orderSets({ terms, termCount: count, workspace }: SegmentScorer): number {
  const { sets, sums } = workspace;
  let n = 0;
  for (let set = 1; set < 1 << count; set++) {
    let sum = 0;
    for (let i = 0; i < count; i++) if (((set >> i) & 1) === 1) sum += terms[i].maxScore;
    let at = n++;
    for (; at > 0 && sums[at - 1] <= sum; at--) {
      sums[at] = sums[at - 1];
      sets[at] = sets[at - 1];
    }
    sums[at] = sum;
    sets[at] = set;
  }
  return n;
}

/** Short terms have no stored best impact: all their scores are looked at. */
function boundShort(scorer: SegmentScorer, term: TermScorer): void {
  term.decodeDocs();
  let max = 0;
  for (let i = 0; i < term.df; i++) {
    const score = scorer.score(term.weight, term.frequencies[i], term.docs[i]);
    if (score > max) max = score;
  }
  term.maxScore = max;
}
