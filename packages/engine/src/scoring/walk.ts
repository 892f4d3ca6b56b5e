/**
 * The way of any number of terms, and of fields without frequencies: cursors over the postings,
 * range by range of 256 documents; ranges whose bounds stay below theta are passed over. Slower,
 * and the oracle of the others.
 */

import { Pool } from '../base/pool.ts';
import type { Deadline } from '../base/time/deadline.ts';
import { K1 } from '../inverted/format.ts';
import type { PostingsCursor } from '../postings/cursors.ts';
import { SHORT } from '../postings/format.ts';
import { impactBound, raiseImpact } from '../postings/impact-bound.ts';
import type { BigTerm, TermInfo } from '../postings/term-info.ts';
import { eachCommonDoc, frequencyAtCursors, type SloppyPhrase } from './phrase/phrase-match.ts';
import type { ScoringSegment, TermMode } from './request.ts';
import { ROUND_UP } from './segment-scorer.ts';
import type { TopDocs } from './top-docs.ts';

/** A term as it is walked. */
export interface WalkedTerm {
  readonly info: TermInfo;
  readonly weight: number;
  readonly position: number;
}

/** What is walked in one segment. Terms stand in the order in which scores are added. */
export interface Walk {
  readonly segment: ScoringSegment;
  readonly mode: TermMode;
  readonly terms: readonly WalkedTerm[];
  readonly averageLength: number;
  readonly deadline: Deadline;
}

/** Offers matching documents to `top` (null: none is wanted) and returns how many there are. */
export function walkSegment(walk: Walk, top: TopDocs | null): number {
  if (walk.mode === 'phrase' || walk.mode === 'and') return walkAll(walk, top);
  return pool.lend((range) => walkAny(walk, top, range));
}

/** What a term's postings in a range count as, in steps of a deadline. */
const RANGE_STEPS = 32;

/** What a walk knows of the range at hand, by document. */
interface RangeScores {
  readonly scores: Float64Array;
  readonly seen: Uint8Array;
}

const pool = new Pool<RangeScores>(() => ({
  scores: new Float64Array(256),
  seen: new Uint8Array(256),
}));

function walkAny(walk: Walk, top: TopDocs | null, range: RangeScores): number {
  const { segment, terms, deadline } = walk;
  const { reader, blocked } = segment;
  const cursors = terms.map(({ info }) => reader.postings(info));
  const { scores, seen } = range;
  const bounds = terms.map(({ info }) => (info.kind === SHORT ? null : reader.big(info)));
  let count = 0;
  for (let first = 0; first < reader.docs; first += 256) {
    deadline.spend(RANGE_STEPS * terms.length);
    seen.fill(0);
    const wanted = top !== null && bound(walk, bounds, first) * ROUND_UP >= top.theta;
    if (wanted) scores.fill(0);
    const into = wanted ? scores : null;
    for (let k = 0; k < terms.length; k++) {
      addRange(walk, terms[k].weight, cursors[k], first, seen, into);
    }
    for (let i = 0; i < 256; i++) {
      if (seen[i] === 0 || isBlocked(blocked, first + i)) continue;
      count++;
      if (wanted && scores[i] >= top.theta) top.offer(first + i, scores[i]);
    }
  }
  return count;
}

/** The most that a document of the 256 from `first` on scores. */
function bound(walk: Walk, opened: readonly (BigTerm | null)[], first: number): number {
  const { segment, terms, averageLength } = walk;
  const { reader } = segment;
  const last = Math.min(first + 255, reader.docs - 1);
  const scale = averageLength / reader.averageLength;
  let sum = 0;
  for (let k = 0; k < terms.length; k++) {
    const own = reader.text ? impactBound(reader, opened[k], first, last, reader.impacts) : 1;
    sum += terms[k].weight * (reader.text ? raiseImpact(own, scale) : 1);
  }
  return sum;
}

function addRange(
  walk: Walk,
  weight: number,
  cursor: PostingsCursor,
  first: number,
  seen: Uint8Array,
  scores: Float64Array | null,
): void {
  for (let doc = cursor.advance(first); doc < first + 256; doc = cursor.next()) {
    seen[doc - first] = 1;
    if (scores !== null) scores[doc - first] += termScore(walk, weight, cursor.tf(), doc);
  }
}

/** The score of a term; in fields without lengths, as if every value had the average length. */
function termScore(
  { segment, averageLength }: Walk,
  weight: number,
  tf: number,
  doc: number,
): number {
  const { reader } = segment;
  return weight * (tf / (tf + (reader.text ? reader.normAt(doc, averageLength) : K1)));
}

function isBlocked(blocked: Int32Array | null, doc: number): boolean {
  return blocked !== null && ((blocked[doc >> 5] >>> doc) & 1) === 1;
}

function walkAll(walk: Walk, top: TopDocs | null): number {
  const { segment, terms, mode, deadline } = walk;
  const { reader, blocked } = segment;
  const walked = terms.map(({ info }) => ({ cursor: reader.postings(info), df: info.df }));
  const cursors = walked.map(({ cursor }) => cursor);
  const weight = terms.reduce((sum, term) => sum + term.weight, 0);
  const phrase = exactPhrase(terms);
  let count = 0;
  eachCommonDoc(walked, deadline, (doc) => {
    if (isBlocked(blocked, doc)) return;
    const tf = mode === 'phrase' ? frequencyOf(phrase, cursors, walk) : 1;
    if (tf === 0) return;
    count++;
    if (top === null) return;
    if (mode === 'phrase') top.offer(doc, termScore(walk, weight, tf, doc));
    else top.offer(doc, sumScores(walk, cursors, doc));
  });
  return count;
}

/** Every term at its own position. */
function exactPhrase(terms: readonly WalkedTerm[]): SloppyPhrase {
  return { offsets: terms.map(({ position }) => position), same: terms.map((_, i) => i), slop: 0 };
}

function frequencyOf(
  phrase: SloppyPhrase,
  cursors: readonly PostingsCursor[],
  { segment, deadline }: Walk,
): number {
  return segment.reader.text ? frequencyAtCursors(phrase, cursors, deadline) : 0;
}

function sumScores(walk: Walk, cursors: readonly PostingsCursor[], doc: number): number {
  let sum = 0;
  for (let k = 0; k < cursors.length; k++) {
    sum += termScore(walk, walk.terms[k].weight, cursors[k].tf(), doc);
  }
  return sum;
}
