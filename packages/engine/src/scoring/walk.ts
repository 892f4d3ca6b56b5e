/**
 * The way of any number of terms, and of fields without frequencies: cursors over the postings,
 * range by range of 256 documents; ranges whose bounds stay below theta are passed over. Slower,
 * and the oracle of the others.
 */

import type { Deadline } from '../base/deadline.ts';
import { K1 } from '../inverted/format.ts';
import type { InvertedReader } from '../inverted/inverted-reader.ts';
import { NO_MORE_DOCS, type PostingsCursor } from '../postings/cursors.ts';
import type { TermInfo } from '../postings/term-info.ts';
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
  return walkAny(walk, top);
}

/** What a term's postings in a range count as, in steps of a deadline. */
const RANGE_STEPS = 32;

const scores = new Float64Array(256);
const seen = new Uint8Array(256);

function walkAny(walk: Walk, top: TopDocs | null): number {
  const { segment, terms, deadline } = walk;
  const { reader, blocked } = segment;
  const cursors = terms.map(({ info }) => reader.postings(info));
  let count = 0;
  for (let first = 0; first < reader.docs; first += 256) {
    deadline.spend(RANGE_STEPS * terms.length);
    seen.fill(0);
    const wanted = top !== null && bound(walk, first) * ROUND_UP >= top.theta;
    if (wanted) scores.fill(0);
    for (let k = 0; k < terms.length; k++) addRange(walk, terms[k], cursors[k], first, wanted);
    for (let i = 0; i < 256; i++) {
      if (seen[i] === 0 || isBlocked(blocked, first + i)) continue;
      count++;
      if (wanted && scores[i] >= top.theta) top.offer(first + i, scores[i]);
    }
  }
  return count;
}

/** The most that a document of the 256 from `first` on scores. */
function bound({ segment, terms, averageLength }: Walk, first: number): number {
  const { reader } = segment;
  const last = Math.min(first + 255, reader.docs - 1);
  let sum = 0;
  for (const { info, weight } of terms) {
    sum += weight * (reader.text ? reader.impactBound(info, first, last, averageLength) : 1);
  }
  return sum;
}

function addRange(
  walk: Walk,
  term: WalkedTerm,
  cursor: PostingsCursor,
  first: number,
  wanted: boolean,
): void {
  for (let doc = cursor.advance(first); doc < first + 256; doc = cursor.next()) {
    seen[doc - first] = 1;
    if (wanted) scores[doc - first] += termScore(walk, term.weight, cursor.tf(), doc);
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
  const cursors = terms.map(({ info }) => reader.postings(info));
  const rarest = cursors
    .map((_, k) => k)
    .sort((a, b) => terms[a].info.df - terms[b].info.df)
    .map((k) => cursors[k]);
  const weight = terms.reduce((sum, term) => sum + term.weight, 0);
  let count = 0;
  for (let doc = nextCommon(rarest, 0); doc !== NO_MORE_DOCS; doc = nextCommon(rarest, doc + 1)) {
    deadline.spend(terms.length);
    if (isBlocked(blocked, doc)) continue;
    const tf = mode === 'phrase' ? phraseFrequency(reader, terms, cursors) : 1;
    if (tf === 0) continue;
    count++;
    if (top === null) continue;
    if (mode === 'phrase') top.offer(doc, termScore(walk, weight, tf, doc));
    else top.offer(doc, sumScores(walk, cursors, doc));
  }
  return count;
}

function sumScores(walk: Walk, cursors: readonly PostingsCursor[], doc: number): number {
  let sum = 0;
  for (let k = 0; k < cursors.length; k++) {
    sum += termScore(walk, walk.terms[k].weight, cursors[k].tf(), doc);
  }
  return sum;
}

/** The first document from `from` on that all cursors hold; they stand on it. */
function nextCommon(cursors: readonly PostingsCursor[], from: number): number {
  let doc = cursors[0].advance(from);
  for (let k = 1; k < cursors.length && doc !== NO_MORE_DOCS; ) {
    const other = cursors[k].advance(doc);
    if (other === doc) k++;
    else {
      doc = other === NO_MORE_DOCS ? other : cursors[0].advance(other);
      k = 1;
    }
  }
  return doc;
}

/** Starts from which every term is at its position. */
function phraseFrequency(
  reader: InvertedReader,
  terms: readonly WalkedTerm[],
  cursors: readonly PostingsCursor[],
): number {
  if (!reader.text) return 0;
  let starts: Set<number> | null = null;
  for (let k = 0; k < terms.length; k++) {
    const into = new Int32Array(cursors[k].tf());
    const size = cursors[k].positions(into);
    const own = new Set<number>();
    for (let i = 0; i < size; i++) {
      const start = into[i] - terms[k].position;
      if (start >= 0 && (starts === null || starts.has(start))) own.add(start);
    }
    starts = own;
  }
  return starts?.size ?? 0;
}
