/**
 * Documents of one term: only blocks or ranges whose best impact reaches the threshold are opened.
 * The code book holds common impacts exactly and bounds the others from above, so its products need
 * no margin for rounding.
 */
import { DENSE, SHORT } from '../inverted/format.ts';
import type { BigTerm } from '../inverted/term-info.ts';
import type { Clause } from './clause.ts';
import { boundRanges, searchRanges } from './conjunction.ts';
import type { SegmentScorer } from './segment-scorer.ts';

/** Offers the documents of a term that can reach theta. `scorer.active` holds just this term. */
export function searchSingle(scorer: SegmentScorer, clause: Clause): void {
  if (clause.kind === SHORT) searchShort(scorer, clause);
  else if (clause.kind === DENSE) searchDense(scorer);
  else searchList(scorer, clause);
}

function searchShort(scorer: SegmentScorer, clause: Clause): void {
  clause.decodeDocs();
  const { docs, frequencies, df, weight } = clause;
  const { top } = scorer;
  for (let i = 0; i < df; i++) {
    const score = scorer.score(weight, frequencies[i], docs[i]);
    if (score >= top.theta) scorer.offer(docs[i], score);
  }
}

function searchList(scorer: SegmentScorer, clause: Clause): void {
  const { reader, kernels } = scorer;
  const { payload } = clause.term as BigTerm;
  for (let block = 0; block < clause.blocks; ) {
    const least = scorer.threshold;
    block = kernels.list(
      block,
      clause.blocks,
      clause.lastWords << 2,
      clause.headWords << 2,
      clause.dataWords << 2,
      payload,
      clause.df,
      reader.codes.byteOffset,
      scorer.blockedAt,
      firstCode(scorer.book, clause.weight, least),
      clause.weight,
      least,
    );
    scorer.takeEmitted();
  }
}

/** The first impact code with which a term may reach a score; 256 where none does. */
function firstCode(book: Float64Array, weight: number, least: number): number {
  let low = 1;
  let high = 256;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (weight * book[middle] < least) low = middle + 1;
    else high = middle;
  }
  return low;
}

function searchDense(scorer: SegmentScorer): void {
  scorer.describe();
  const n = boundRanges(scorer, 1, scorer.threshold);
  if (n > 0) searchRanges(scorer, n, scorer.workspace.ranges);
}
