/** Exact numbers of documents, without scores. */
import { DENSE } from '../postings/format.ts';
import { addBitmap } from '../postings/mark-docs.ts';
import { intersectLists, keepLiving, livingOf } from './intersect.ts';
import { type SegmentScorer, STEP_DOCS } from './segment-scorer.ts';
import type { TermScorer } from './term-scorer.ts';

/** Postings of lists, up to which they are looked at one by one. */
const FEW = 2000;

const bitmapOf = (term: TermScorer): number => term.bitmapAt;
const bytesOf = ({ reader }: SegmentScorer): number => reader.ranges << 5;

/** Documents of a term that are not blocked. */
export function countTerm(scorer: SegmentScorer, term: TermScorer): number {
  const { blocked, living } = scorer;
  if (blocked === null) return term.df;
  const known = living?.get(term.id);
  if (known !== undefined) return known;
  const count = countUnblocked(scorer, term, blocked);
  living?.set(term.id, count);
  return count;
}

function countUnblocked(scorer: SegmentScorer, term: TermScorer, blocked: Int32Array): number {
  scorer.deadline.spend(term.df / STEP_DOCS);
  if (term.kind === DENSE) {
    return scorer.workspace.bits.countAll([bitmapOf(term)], blocked.byteOffset, bytesOf(scorer));
  }
  if (term.df > FEW) return countMarked(scorer, [], [term]);
  term.decodeDocs();
  return livingOf(term.docs, term.df, blocked);
}

/** Documents that hold all active terms. */
export function countConjunction(scorer: SegmentScorer): number {
  const { active, count } = scorer;
  if (count === 1) return countTerm(scorer, active[0]);
  if (active[0].kind !== DENSE) return keepLiving(scorer, intersectLists(scorer, false));
  const bitmaps: number[] = [];
  for (let k = 0; k < count; k++) bitmaps.push(bitmapOf(active[k]));
  return scorer.workspace.bits.countAll(bitmaps, scorer.blockedAt, bytesOf(scorer));
}

/** Documents that hold any of the scorer's terms. */
export function countUnion(scorer: SegmentScorer): number {
  const { terms, termCount, blocked, living } = scorer;
  if (termCount === 1) return countTerm(scorer, terms[0]);
  if (termCount === 2 && (blocked === null || living !== null)) {
    scorer.activateAll();
    return countEach(scorer) - countConjunction(scorer);
  }
  const used = terms.slice(0, termCount);
  const dense = used.filter((term) => term.kind === DENSE);
  const lists = used.filter((term) => term.kind !== DENSE);
  if (lists.reduce((sum, { df }) => sum + df, 0) > FEW) return countMarked(scorer, dense, lists);
  return countDense(scorer, dense) + countOutside(scorer, dense, lists);
}

/** Marks the lists' documents and counts them with the bitmaps, the blocked ones left out. */
function countMarked(
  scorer: SegmentScorer,
  dense: readonly TermScorer[],
  lists: readonly TermScorer[],
): number {
  const { reader, workspace, blockedAt } = scorer;
  const marks = workspace.marks.subarray(0, 8 * reader.ranges);
  try {
    for (const term of lists) {
      scorer.deadline.spend(term.df / STEP_DOCS);
      term.mark(marks);
    }
    // Two bitmaps are counted together with the marks; more are added before.
    for (const term of dense.slice(2)) addBitmap(reader, bitmapOf(term), marks);
    const counted = [marks.byteOffset, ...dense.slice(0, 2).map(bitmapOf)];
    return workspace.bits.countAny(counted, blockedAt, marks.byteLength);
  } finally {
    marks.fill(0);
  }
}

/** |A| + |B|: with |A and B| the two make |A or B|, and conjunctions skip. */
export function countEach(scorer: SegmentScorer): number {
  let sum = 0;
  for (let i = 0; i < scorer.termCount; i++) sum += countTerm(scorer, scorer.terms[i]);
  return sum;
}

function countDense(scorer: SegmentScorer, dense: readonly TermScorer[]): number {
  if (dense.length === 0) return 0;
  if (dense.length === 1) return countTerm(scorer, dense[0]);
  return scorer.workspace.bits.countAny(dense.map(bitmapOf), scorer.blockedAt, bytesOf(scorer));
}

/** Documents of lists that no bitmap and no earlier list has. */
function countOutside(
  scorer: SegmentScorer,
  dense: readonly TermScorer[],
  lists: readonly TermScorer[],
): number {
  const { i32 } = scorer.reader.arena;
  const { marks } = scorer.workspace;
  const bitmaps = dense.map((term) => term.bitmapAt >> 2);
  if (scorer.blocked !== null) bitmaps.push(scorer.blocked.byteOffset >> 2);
  const several = lists.length > 1;
  let count = 0;
  for (const term of lists) {
    term.decodeDocs();
    count += countNew(term, i32, bitmaps, several ? marks : null);
  }
  if (several) for (const { docs, df } of lists) clear(marks, docs, df);
  return count;
}

function countNew(
  { docs, df }: TermScorer,
  i32: Int32Array,
  bitmaps: readonly number[],
  marks: Int32Array | null,
): number {
  const first = bitmaps.length > 0 ? bitmaps[0] : -1;
  const second = bitmaps.length > 1 ? bitmaps[1] : first;
  let count = 0;
  for (let i = 0; i < df; i++) {
    const doc = docs[i];
    const word = doc >> 5;
    let seen = first < 0 ? 0 : i32[first + word] | i32[second + word];
    for (let b = 2; b < bitmaps.length; b++) seen |= i32[bitmaps[b] + word];
    if (marks !== null) {
      seen |= marks[word];
      marks[word] |= 1 << doc;
    }
    count += (~seen >>> doc) & 1;
  }
  return count;
}

function clear(marks: Int32Array, docs: Int32Array, df: number): void {
  for (let i = 0; i < df; i++) marks[docs[i] >> 5] = 0;
}
