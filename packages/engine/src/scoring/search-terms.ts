/**
 * Searches of words over one field of several segments, top documents and exact numbers:
 *   1. statistics over all segments give every term its weight, boost x idf; equal terms of a disjunction become one
 *   2. segments are searched one after another; they share the list of the best documents and with it the threshold
 *   3. a term's tenth best score, stored at indexing, begins the threshold where it surely holds
 */
import type { TermInfo } from '../inverted/term-info.ts';
import { searchConjunction } from './conjunction.ts';
import { countConjunction, countEach, countTerm, countUnion } from './count.ts';
import { countPhrase, searchPhrase } from './phrase.ts';
import {
  gatherStatistics,
  inverseFrequency,
  lookUpTerms,
  type QueryTerm,
  type ScoringSegment,
  type SegmentTerms,
  type TermMode,
  type TermSearch,
} from './request.ts';
import { SegmentScorer } from './segment-scorer.ts';
import { searchSingle } from './single.ts';
import { TopDocs } from './top-docs.ts';
import { MOST_SPLIT, searchUnion } from './union.ts';
import { walkSegment } from './walk.ts';

/** Descriptors of the kernels. */
const MOST_TERMS = 8;
/** A stored tenth best score says something about lists up to this length. */
const PRIMED = 10;

/** Offers the best documents to `top`; with `count`, returns the exact number of matching documents, else 0. */
export function searchTerms(search: TermSearch, top: TopDocs, count = false): number {
  const plan = planOf(search, primes(search, top));
  const total = run(plan, top, count);
  if (!plan.primed || top.settled) return total;
  // Of the documents that the stored scores spoke of some are deleted: once more, without them.
  top.clear();
  run({ ...plan, primed: false }, top, false);
  return total;
}

/** The exact number of matching documents. */
export function countTerms(search: TermSearch): number {
  return run(planOf(search, false), null, true);
}

interface PlannedTerm extends QueryTerm {
  /** Place in the search. */
  readonly place: number;
  readonly weight: number;
  /** Place in the order in which shares are added: rarest first. */
  readonly order: number;
}

interface Plan {
  readonly mode: TermMode;
  readonly segments: readonly ScoringSegment[];
  readonly terms: readonly PlannedTerm[];
  /** By segment. */
  readonly found: readonly SegmentTerms[];
  readonly averageLength: number;
  /** All terms are in some segment, or any will do. */
  readonly possible: boolean;
  /** The threshold begins at stored tenth best scores. */
  readonly primed: boolean;
}

function planOf(search: TermSearch, primed: boolean): Plan {
  const { mode, segments } = search;
  const used = mode === 'term' ? { ...search, terms: search.terms.slice(0, 1) } : search;
  const found = segments.map((segment) => lookUpTerms(used, segment));
  const statistics = used.statistics ?? gatherStatistics(used, found);
  const { docs, frequencies, averageLength } = statistics;
  const order = rarestFirst(frequencies);
  const terms = used.terms.map((term, place) => {
    const weight = term.boost * inverseFrequency(docs, frequencies[place]);
    return { ...term, place, weight, order: order[place] };
  });
  return {
    mode,
    segments,
    terms: mode === 'phrase' ? terms : distinct(terms),
    found,
    averageLength,
    possible: mode === 'or' || terms.every(({ place }) => frequencies[place] > 0),
    primed,
  };
}

function rarestFirst(frequencies: readonly number[]): readonly number[] {
  const places = frequencies.map((_, i) => i);
  places.sort((a, b) => frequencies[a] - frequencies[b] || a - b);
  const rank: number[] = [];
  places.forEach((place, i) => {
    rank[place] = i;
  });
  return rank;
}

/** Equal terms as one with the sum of their weights. */
function distinct(terms: readonly PlannedTerm[]): readonly PlannedTerm[] {
  const found: PlannedTerm[] = [];
  for (const term of terms) {
    const at = found.findIndex((other) => Buffer.compare(other.bytes, term.bytes) === 0);
    if (at < 0) found.push(term);
    else found[at] = { ...found[at], weight: found[at].weight + term.weight };
  }
  return found;
}

/** One term, a short list: stored scores help, unless filters or the start of a page make them void. */
function primes({ terms, mode, segments }: TermSearch, { limit, after }: TopDocs): boolean {
  if ((terms.length > 1 && mode !== 'term') || limit > PRIMED || after !== null) return false;
  return segments.every(({ blocked, living }) => blocked === null || living !== null);
}

function run(plan: Plan, top: TopDocs | null, count: boolean): number {
  if (!plan.possible) return 0;
  let total = 0;
  for (let s = 0; s < plan.segments.length; s++) total += runSegment(plan, s, top, count);
  return total;
}

function runSegment(plan: Plan, place: number, top: TopDocs | null, count: boolean): number {
  const segment = plan.segments[place];
  const found = termsOf(plan, place);
  if (found.length === 0 || (plan.mode !== 'or' && found.length < plan.terms.length)) return 0;
  top?.enter(segment.number, segment.ranks);
  const most = plan.mode === 'or' ? MOST_SPLIT : MOST_TERMS;
  if (!segment.reader.text || found.length > most) return walk(plan, segment, found, top);
  const scorer = open(plan, segment, found, top ?? NO_TOP);
  if (top !== null) {
    if (plan.primed) top.prime(scorer.clauses[0].tenth);
    searchSegment(plan, scorer);
  }
  return count ? countSegment(plan, scorer) : 0;
}

interface FoundTerm {
  readonly term: PlannedTerm;
  readonly info: TermInfo;
}

/** The terms that a segment has. */
function termsOf(plan: Plan, place: number): FoundTerm[] {
  const found: FoundTerm[] = [];
  for (const term of plan.terms) {
    const info = plan.found[place][term.place];
    if (info !== null) found.push({ term, info });
  }
  return found;
}

const NO_TOP = new TopDocs(0, () => new Uint8Array(0));

function walk(
  { mode, averageLength }: Plan,
  segment: ScoringSegment,
  found: readonly FoundTerm[],
  top: TopDocs | null,
): number {
  const ordered = mode === 'phrase' ? found : found.toSorted((a, b) => a.term.order - b.term.order);
  const terms = ordered.map(({ term, info }) => ({ info, weight: term.weight, slot: term.slot }));
  return walkSegment({ segment, mode, terms, averageLength }, top);
}

function open(
  plan: Plan,
  segment: ScoringSegment,
  found: readonly FoundTerm[],
  top: TopDocs,
): SegmentScorer {
  const scorer = new SegmentScorer(segment, top, plan.averageLength, found.length);
  const { reader } = segment;
  const scale = plan.averageLength / reader.averageLength;
  scorer.clauses = found.map(({ term, info }, i) => {
    const clause = scorer.workspace.clauses[i];
    clause.open(reader, info, term.weight, scale);
    clause.slot = term.slot;
    clause.order = term.order;
    return clause;
  });
  return scorer;
}

function searchSegment(plan: Plan, scorer: SegmentScorer): void {
  const { clauses } = scorer;
  if (plan.mode === 'phrase' && clauses.length > 1) {
    scorer.activate(clauses);
    searchPhrase(
      scorer,
      plan.terms.reduce((sum, term) => sum + term.weight, 0),
    );
  } else if (clauses.length === 1) {
    scorer.activate(clauses);
    searchSingle(scorer, clauses[0]);
  } else if (plan.mode === 'or') searchUnion(scorer);
  else {
    scorer.activate(clauses);
    searchConjunction(scorer);
  }
}

function countSegment(plan: Plan, scorer: SegmentScorer): number {
  const { clauses } = scorer;
  if (clauses.length === 1) return countTerm(scorer, clauses[0]);
  scorer.activate(clauses);
  if (plan.mode === 'phrase') return countPhrase(scorer);
  const joined = scorer.joined >= 0 ? scorer.joined : -1;
  if (plan.mode === 'or') {
    if (clauses.length > 2 || joined < 0) return countUnion(scorer);
    return countEach(scorer) - joined;
  }
  return joined >= 0 ? joined : countConjunction(scorer);
}
