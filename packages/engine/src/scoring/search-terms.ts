/**
 * Term searches over one field of several segments: the top documents and exact totals.
 *
 * 1. Statistics over all segments give each term its weight, boost x idf. Equal terms of a
 *    disjunction are merged.
 * 2. Segments are searched one after another. They share the list of the best documents, and
 *    with it the threshold.
 * 3. The tenth best score of a term, stored at indexing, is the first threshold where it is a
 *    valid bound.
 */
import { type Deadline, NO_DEADLINE } from '../base/time/deadline.ts';
import { blameIndex } from '../postings/damage.ts';
import { searchConjunction } from './conjunction.ts';
import { countConjunction, countEach, countTerm, countUnion } from './count.ts';
import { inverseFrequency } from './field-statistics.ts';
import { MAX_TERMS } from './kernel/compiled-kernels.ts';
import { lookUpByKernel } from './kernel/look-up.ts';
import { NOT_BY_KERNEL, runByKernel } from './kernel/query-kernel.ts';
import { countPhrase, searchPhrase } from './phrase/phrase.ts';
import {
  gatherStatistics,
  lookUpTerms,
  type QueryTerm,
  type ScoringSegment,
  type SegmentTerms,
  type TermMode,
  type TermSearch,
} from './request.ts';
import { lendScorer, type SegmentScorer } from './segment-scorer.ts';
import { TopDocs } from './top-docs.ts';
import { searchUnion } from './union.ts';
import { MAX_SPLIT } from './workspace.ts';

/** Terms store their tenth best score: it bounds lists up to this length. */
const STORED_BEST = 10;
/** A threshold that was too high is tried once more times this. */
const LOWER = 0.97;

/**
 * Offers the best documents to `top`; with `count`, returns the exact number of matching documents,
 * else 0. NOT_BY_KERNEL if a segment has more of the terms than kernels take.
 */
export function searchTerms(search: TermSearch, top: TopDocs, count = false): number {
  const stored = boundedByStored(search, top);
  const found = runByKernel(search, top, count, stored);
  if (found !== NOT_BY_KERNEL) {
    if (stored && top.theta > 0 && !top.settled) searchAgain(search, top);
    return found;
  }
  const plan = planOf(search, stored);
  if (!fits(plan)) return NOT_BY_KERNEL;
  const total = run(plan, top, count);
  if (!plan.stored || top.theta === 0 || top.settled) return total;
  // Of the documents that the stored scores spoke of some are deleted: once more, without them.
  top.clear();
  run({ ...plan, stored: false }, top, false);
  return total;
}

/**
 * Of the documents that the stored scores spoke of some are deleted: once more, with a threshold a
 * little lower, which finds the page of most terms, or without one.
 */
function searchAgain(search: TermSearch, top: TopDocs): void {
  for (const threshold of [top.theta * LOWER, 0]) {
    top.clear();
    top.raise(threshold);
    runByKernel(search, top, false, false);
    if (top.settled) return;
  }
}

/** The exact number of matching documents, or NOT_BY_KERNEL. */
export function countTerms(search: TermSearch): number {
  const found = runByKernel(search, null, true, false);
  if (found !== NOT_BY_KERNEL) return found;
  const plan = planOf(search, false);
  return fits(plan) ? run(plan, null, true) : NOT_BY_KERNEL;
}

interface Plan {
  readonly mode: TermMode;
  readonly segments: readonly ScoringSegment[];
  readonly terms: readonly QueryTerm[];
  /** By segment. */
  readonly found: readonly SegmentTerms[];
  /** By term: boost x idf; of equal terms the first has all, the others -1. */
  readonly weights: readonly number[];
  /** By term: its place in the order in which scores are added, rarest first. */
  readonly order: readonly number[];
  /** Terms with a weight. */
  readonly size: number;
  readonly averageLength: number;
  /** All terms are in some segment, or any will do. */
  readonly possible: boolean;
  /** The threshold begins at stored tenth best scores. */
  readonly stored: boolean;
  readonly deadline: Deadline;
}

/** The weight of a term that is counted with an equal one before it. */
const MERGED = -1;

function planOf(search: TermSearch, stored: boolean): Plan {
  const { mode, segments } = search;
  const terms =
    mode === 'term' && search.terms.length > 1 ? search.terms.slice(0, 1) : search.terms;
  const byKernel = mode === 'phrase' ? lookUpByKernel(search) : null;
  const found = byKernel ?? segments.map((segment) => lookUpTerms(terms, segment));
  const statistics = search.statistics ?? gatherStatistics(segments, found, terms.length);
  const { field, frequencies } = statistics;
  const { docs, averageLength } = field;
  const weights: number[] = [];
  const order: number[] = [];
  let possible = true;
  for (let i = 0; i < terms.length; i++) {
    const df = frequencies[i];
    weights.push(terms[i].boost * inverseFrequency(docs, df));
    if (df === 0) possible = mode === 'or';
    let rank = 0;
    for (let j = 0; j < terms.length; j++) {
      if (frequencies[j] < df || (frequencies[j] === df && j < i)) rank++;
    }
    order.push(rank);
  }
  const size = mode === 'phrase' ? terms.length : mergeEqual(terms, weights);
  const { deadline = NO_DEADLINE } = search;
  const counted = { weights, order, size, averageLength, possible };
  return { mode, segments, terms, found, ...counted, stored, deadline };
}

/** Equal terms become one with the sum of their weights; returns how many are left. */
function mergeEqual(terms: readonly QueryTerm[], weights: number[]): number {
  let size = 0;
  for (let i = 0; i < terms.length; i++) {
    let same = 0;
    while (!equalBytes(terms[same].bytes, terms[i].bytes)) same++;
    if (same === i) size++;
    else {
      weights[same] += weights[i];
      weights[i] = MERGED;
    }
  }
  return size;
}

function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}

/**
 * Disjunctions, a short list: stored scores help, unless filters or the start of a page make them
 * void.
 */
function boundedByStored(
  { terms, mode, segments }: TermSearch,
  { limit, after }: TopDocs,
): boolean {
  const conjunction = mode === 'and' || mode === 'phrase';
  if ((terms.length > 1 && conjunction) || limit > STORED_BEST || after !== null) return false;
  for (let s = 0; s < segments.length; s++) {
    if (segments[s].blocked !== null && segments[s].living === null) return false;
  }
  return true;
}

function run(plan: Plan, top: TopDocs | null, count: boolean): number {
  if (!plan.possible) return 0;
  let total = 0;
  for (let s = 0; s < plan.segments.length; s++) {
    plan.deadline.check();
    total += blameIndex(() => runTerms(plan, s, top, count));
  }
  return total;
}

/** No segment has more terms than kernels take. */
function fits(plan: Plan): boolean {
  const most = plan.mode === 'or' ? MAX_SPLIT : MAX_TERMS;
  return !plan.possible || plan.found.every((infos) => presentIn(plan, infos) <= most);
}

/** Terms that a segment has, equal ones counted once. */
function presentIn({ weights }: Plan, infos: SegmentTerms): number {
  let present = 0;
  for (let i = 0; i < infos.length; i++) {
    if (infos[i] !== null && weights[i] !== MERGED) present++;
  }
  return present;
}

function runTerms(plan: Plan, place: number, top: TopDocs | null, count: boolean): number {
  const segment = plan.segments[place];
  const present = presentIn(plan, plan.found[place]);
  if (present === 0 || (plan.mode !== 'or' && present < plan.size)) return 0;
  top?.enter(segment.number, segment.ranks);
  return lendScorer(segment.reader, (scorer) => {
    scorer.begin(segment, top ?? NO_TOP, plan, present);
    openTerms(plan, place, scorer);
    if (top !== null) {
      if (plan.stored) raiseByStored(scorer, top);
      searchSegment(plan, scorer);
    }
    return count ? countSegment(plan, scorer) : 0;
  });
}

function openTerms(plan: Plan, place: number, scorer: SegmentScorer): void {
  const infos = plan.found[place];
  for (let i = 0; i < infos.length; i++) {
    const info = infos[i];
    if (info === null || plan.weights[i] === MERGED) continue;
    scorer.addTerm(info, plan.weights[i], plan.terms[i].position, plan.order[i]);
  }
}

/** The tenth best score of a disjunction is at least that of any of its terms. */
function raiseByStored({ terms, termCount }: SegmentScorer, top: TopDocs): void {
  for (let i = 0; i < termCount; i++) top.raise(terms[i].tenthBest);
}

const NO_TOP = new TopDocs(0, () => new Uint8Array(0));

function searchSegment(plan: Plan, scorer: SegmentScorer): void {
  scorer.activateAll();
  if (scorer.termCount === 1) searchConjunction(scorer);
  else if (plan.mode === 'phrase') searchPhrase(scorer, sum(plan.weights));
  else if (plan.mode === 'or') searchUnion(scorer, plan.deadline);
  else searchConjunction(scorer);
}

function sum(weights: readonly number[]): number {
  let total = 0;
  for (const weight of weights) total += weight;
  return total;
}

function countSegment(plan: Plan, scorer: SegmentScorer): number {
  const { terms, termCount, joined } = scorer;
  if (termCount === 1) return countTerm(scorer, terms[0]);
  scorer.activateAll();
  if (plan.mode === 'phrase') return countPhrase(scorer);
  if (plan.mode !== 'or') return joined >= 0 ? joined : countConjunction(scorer);
  return termCount > 2 || joined < 0 ? countUnion(scorer) : countEach(scorer) - joined;
}
