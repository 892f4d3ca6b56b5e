/**
 * Documents of one term: only blocks or ranges whose best impact reaches the threshold are opened. The code book holds common
 * impacts exactly and bounds the others from above, so its products need no margin for rounding.
 */
import { DENSE, LIST_BLOCK, LONG, SHORT } from '../inverted/format.ts';
import { type Clause, HAS_DOCS, HAS_FREQUENCIES } from './clause.ts';
import { searchRanges } from './conjunction.ts';
import type { SegmentScorer } from './segment-scorer.ts';
import { ROWS } from './workspace.ts';

/** Offers the documents of a term that can reach theta. `scorer.active` holds just this term. */
export function searchSingle(scorer: SegmentScorer, clause: Clause): void {
  if (clause.kind === SHORT) searchShort(scorer, clause);
  else if (clause.kind === DENSE) searchDense(scorer, clause);
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
  const { book } = scorer;
  const { weight, state } = clause;
  for (let block = 0; block < clause.blocks; block++) {
    if (weight * book[clause.head(block) & 255] < scorer.threshold) continue;
    if ((state[block] & HAS_DOCS) === 0) clause.decodeBlock(block);
    if ((state[block] & HAS_FREQUENCIES) === 0) clause.decodeFrequencies(block);
    searchBlock(scorer, clause, block);
  }
}

function searchBlock(scorer: SegmentScorer, clause: Clause, block: number): void {
  const { docs, frequencies, weight } = clause;
  const { codes } = scorer.reader;
  const { impact } = scorer.workspace;
  const end = Math.min(clause.df, (block + 1) * LIST_BLOCK);
  let least = scorer.threshold;
  for (let i = block * LIST_BLOCK; i < end; i++) {
    const doc = docs[i];
    const code = codes[doc];
    const tf = frequencies[i];
    if (tf < ROWS && code < LONG && weight * impact[(tf << 8) | code] < least) continue;
    const score = scorer.score(weight, tf, doc);
    if (score < least) continue;
    scorer.offer(doc, score);
    least = scorer.threshold;
  }
}

function searchDense(scorer: SegmentScorer, clause: Clause): void {
  const { reader, workspace, book } = scorer;
  const { u8 } = reader.arena;
  const { bound, ranges } = workspace;
  clause.fillBounds(book);
  const { bounds, impactAt } = clause;
  const least = scorer.threshold;
  let first = 1;
  while (first < 256 && bounds[first] < least) first++;
  let n = 0;
  for (let r = 0; r < reader.ranges; r++) {
    const code = u8[impactAt + r];
    if (code < first) continue;
    bound[r] = bounds[code];
    ranges[n++] = r;
  }
  if (n > 0) searchRanges(scorer, n, ranges);
}
