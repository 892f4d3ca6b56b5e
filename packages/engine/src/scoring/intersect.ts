/**
 * Documents that hold all active terms, where the rarest is a list or short: its documents are
 * decoded, bitmaps sieve them, then longer lists are merged, decoding only blocks that may hold a
 * survivor.
 */
import { DENSE, LIST_BLOCK, SHORT } from '../postings/format.ts';
import { type SegmentScorer, STEP_DOCS } from './segment-scorer.ts';
import type { TermScorer } from './term-scorer.ts';

/** Lists of comparable size (up to so many times) are decoded whole and compared four by four. */
const COMPARABLE = 12;
const WORTH_A_KERNEL = 64;

/**
 * Writes the documents to workspace.survivors, rising, and returns how many. With `hits`,
 * term.hits holds each survivor's posting number in every list or short term. Blocked documents
 * are left out where a filter blocks them, before all else: it leaves few.
 */
export function intersectLists(scorer: SegmentScorer, hits: boolean): number {
  const { active, count } = scorer;
  const { survivors } = scorer.workspace;
  const lead = active[0];
  scorer.deadline.spend(lead.df / STEP_DOCS);
  lead.decodeDocs();
  let source = lead.docs;
  let n = lead.df;
  if (scorer.filtered) {
    n = sieve(scorer, source, n, scorer.blockedAt, 1, hits);
    source = survivors;
  }
  for (let k = 1; k < count; k++) {
    if (active[k].kind !== DENSE) continue;
    scorer.deadline.spend(n / STEP_DOCS);
    n = sieve(scorer, source, n, active[k].bitmapAt, 0, hits);
    source = survivors;
  }
  for (let k = 1; k < count; k++) {
    if (active[k].kind === DENSE) continue;
    scorer.deadline.spend((n + active[k].df) / STEP_DOCS);
    if (hits && source !== survivors) countUp(lead.hits, n);
    n = hits ? mergeHits(scorer, source, n, k) : merge(scorer, source, n, active[k], null, null);
    source = survivors;
  }
  if (source !== survivors) {
    survivors.set(source.subarray(0, n));
    if (hits) countUp(lead.hits, n);
  }
  return n;
}

/** Keeps documents of source[0 .. n) by a bitmap; posting numbers of the lead move along. */
function sieve(
  { active, workspace }: SegmentScorer,
  source: Int32Array,
  n: number,
  bitmapAt: number,
  flip: 0 | 1,
  hits: boolean,
): number {
  const { survivors } = workspace;
  const frame = workspace.frames.sieve;
  frame.sourceAt = source.byteOffset;
  frame.size = n;
  frame.bitmapAt = bitmapAt;
  frame.intoAt = survivors.byteOffset;
  frame.hitsAt = hits ? active[0].hits.byteOffset : 0;
  frame.first = source === survivors ? 0 : 1;
  frame.flip = flip;
  return workspace.kernels.sieve(frame);
}

function countUp(hits: Int32Array, n: number): void {
  for (let i = 0; i < n; i++) hits[i] = i;
}

/**
 * Intersects with list or short term k and moves the posting numbers of the terms before it along.
 */
function mergeHits(scorer: SegmentScorer, source: Int32Array, n: number, k: number): number {
  const { active, workspace } = scorer;
  const { hitsA, hitsB } = workspace;
  const m = merge(scorer, source, n, active[k], hitsA, hitsB);
  for (let before = 0; before < k; before++) {
    const { kind, hits } = active[before];
    if (kind !== DENSE) for (let i = 0; i < m; i++) hits[i] = hits[hitsA[i]];
  }
  active[k].hits.set(hitsB.subarray(0, m));
  return m;
}

/**
 * Documents of source[0 .. n) also in a list or short term; places in the source and the term to a
 * and b.
 */
function merge(
  scorer: SegmentScorer,
  source: Int32Array,
  n: number,
  term: TermScorer,
  a: Int32Array | null,
  b: Int32Array | null,
): number {
  const { survivors, frames, kernels } = scorer.workspace;
  if (term.kind === SHORT || (n > WORTH_A_KERNEL && n * COMPARABLE > term.df)) {
    term.decodeDocs();
    const frame = frames.intersection;
    frame.aAt = source.byteOffset;
    frame.aSize = n;
    frame.bAt = term.docs.byteOffset;
    frame.bSize = term.df;
    frame.intoAt = survivors.byteOffset;
    frame.aIndexesAt = a?.byteOffset ?? 0;
    frame.bIndexesAt = b?.byteOffset ?? 0;
    return kernels.intersect(frame);
  }
  return mergeBlocks(term, source, n, survivors, a, b);
}

/** The source is much shorter than the list: block by block. */
function mergeBlocks(
  term: TermScorer,
  source: Int32Array,
  n: number,
  into: Int32Array,
  a: Int32Array | null,
  b: Int32Array | null,
): number {
  const { docs, blocks } = term;
  let m = 0;
  let block = 0;
  for (let i = 0; i < n; ) {
    block = term.skipBlocks(block, source[i]);
    if (block === blocks) break;
    term.decodeBlock(block);
    const last = term.lastDoc(block);
    const stop = Math.min(term.df, (block + 1) * LIST_BLOCK) - 1;
    let j = block * LIST_BLOCK;
    for (; i < n; i++) {
      const doc = source[i];
      if (doc > last) break;
      while (j + 8 <= stop && docs[j + 8] < doc) j += 8;
      while (docs[j] < doc) j++;
      if (docs[j] !== doc) continue;
      into[m] = doc;
      if (a !== null && b !== null) {
        a[m] = i;
        b[m] = j;
      }
      m++;
    }
  }
  return m;
}

/** Keeps the documents of survivors[0 .. n) (intersectLists) that are not blocked. */
export function keepLiving(scorer: SegmentScorer, n: number): number {
  const { blocked, filtered } = scorer;
  if (blocked === null || filtered) return n;
  const { survivors } = scorer.workspace;
  let m = 0;
  for (let i = 0; i < n; i++) {
    const doc = survivors[i];
    survivors[m] = doc;
    m += (~blocked[doc >> 5] >>> doc) & 1;
  }
  return m;
}

/** The same, where the lists' posting numbers in `hits` move along. */
export function keepLivingHits(scorer: SegmentScorer, n: number): number {
  const { active, blocked, filtered, workspace } = scorer;
  if (blocked === null || filtered) return n;
  const { survivors } = workspace;
  const lists = scorer.activeLists;
  const first = active[0].hits;
  let m = 0;
  for (let i = 0; i < n; i++) {
    const doc = survivors[i];
    survivors[m] = doc;
    first[m] = first[i];
    for (let k = 1; k < lists; k++) active[k].hits[m] = active[k].hits[i];
    m += (~blocked[doc >> 5] >>> doc) & 1;
  }
  return m;
}

/** Number of docs[0 .. n) that are not blocked. */
export function livingOf(docs: Int32Array, n: number, blocked: Int32Array): number {
  let m = 0;
  for (let i = 0; i < n; i++) m += (~blocked[docs[i] >> 5] >>> docs[i]) & 1;
  return m;
}
