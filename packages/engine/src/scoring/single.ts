/** Documents of one term: only blocks or ranges whose best impact reaches theta are opened. */
import { DENSE, LIST_BLOCK, LONG, SHORT } from '../inverted/format.ts';
import { type Clause, HAS_DOCS, HAS_FREQUENCIES } from './clause.ts';
import { searchRanges } from './conjunction.ts';
import { type SegmentScorer, UP } from './segment-scorer.ts';
import { ROWS } from './workspace.ts';

/** The next number above 1: theta times this is what a strictly better score reaches. */
const NEXT = 1 + 2 ** -52;

/** Offers the documents of a term that can reach theta. `scorer.active` holds just this term. */
export function searchSingle(scorer: SegmentScorer, clause: Clause): void {
  if (clause.kind === SHORT) searchShort(scorer, clause);
  else if (clause.kind === DENSE) searchDense(scorer, clause);
  else searchList(scorer, clause);
}

/** What an offer in document order has to reach: equal scores lose their tie once the list is full of earlier documents. */
function threshold({ top }: SegmentScorer): number {
  return top.strict ? top.theta * NEXT : top.theta;
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
    if (weight * book[clause.head(block) & 255] * UP < threshold(scorer)) continue;
    if ((state[block] & HAS_DOCS) === 0) clause.decodeBlock(block);
    if ((state[block] & HAS_FREQUENCIES) === 0) clause.decodeFrequencies(block);
    searchBlock(scorer, clause, block);
  }
}

/** By frequency below ROWS: the first length code with which the term scores less than asked for. */
const limits = new Uint8Array(ROWS);

/** Fills `limits` for frequencies 1 .. most. */
function setLimits(scorer: SegmentScorer, weight: number, least: number, most: number): void {
  const { impact } = scorer.workspace;
  for (let tf = 1; tf <= most; tf++) {
    let low = 0;
    let high = LONG;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (weight * impact[(tf << 8) | middle] < least) high = middle;
      else low = middle + 1;
    }
    limits[tf] = low;
  }
}

function searchBlock(scorer: SegmentScorer, clause: Clause, block: number): void {
  const { docs, frequencies, weight } = clause;
  const { codes } = scorer.reader;
  const end = Math.min(clause.df, (block + 1) * LIST_BLOCK);
  const most = Math.min(ROWS - 1, 2 ** ((clause.head(block) >>> 16) & 255));
  let least = threshold(scorer);
  setLimits(scorer, weight, least, most);
  for (let i = block * LIST_BLOCK; i < end; i++) {
    const doc = docs[i];
    const code = codes[doc];
    const tf = frequencies[i];
    if (tf < ROWS && code >= limits[tf] && code < LONG) continue;
    const score = scorer.score(weight, tf, doc);
    if (score < least) continue;
    scorer.offer(doc, score);
    const now = threshold(scorer);
    if (now === least) continue;
    least = now;
    setLimits(scorer, weight, least, most);
  }
}

function searchDense(scorer: SegmentScorer, clause: Clause): void {
  const { reader, workspace, book } = scorer;
  const { u8 } = reader.arena;
  const { bound, ranges } = workspace;
  clause.fillBounds(book);
  const { bounds, impactAt } = clause;
  const least = threshold(scorer);
  let first = 1;
  while (first < 256 && bounds[first] * UP < least) first++;
  let n = 0;
  for (let r = 0; r < reader.ranges; r++) {
    const code = u8[impactAt + r];
    if (code < first) continue;
    bound[r] = bounds[code] * UP;
    ranges[n++] = r;
  }
  if (n > 0) searchRanges(scorer, n, ranges);
}
