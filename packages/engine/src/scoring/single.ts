/**
 * Documents of one term: only blocks or ranges whose best impact reaches the threshold are opened.
 * A code is the exact value of a common impact and an upper bound of any other, so products need no
 * margin for rounding.
 */
import { DENSE, SHORT } from '../postings/format.ts';
import type { ListTerm } from '../postings/term-info.ts';
import { boundRanges, searchRanges } from './conjunction.ts';
import { BLOCK_STEPS, CALL_BLOCKS, type SegmentScorer } from './segment-scorer.ts';
import type { TermScorer } from './term-scorer.ts';

/** Offers the documents of a term that can reach theta. `scorer.active` holds just this term. */
export function searchSingle(scorer: SegmentScorer, term: TermScorer): void {
  if (term.kind === SHORT) searchShort(scorer, term);
  else if (term.kind === DENSE) searchDense(scorer);
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

function searchDense(scorer: SegmentScorer): void {
  scorer.describe();
  const n = boundRanges(scorer, 1, scorer.threshold);
  if (n > 0) searchRanges(scorer, n, scorer.workspace.ranges);
}
