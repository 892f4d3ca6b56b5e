import type { Deadline } from '../../base/time/deadline.ts';
import { inOneTurn } from '../../base/turns.ts';
import { type Bitmaps, copyBitmap } from '../../bitmap/bitmaps.ts';
import type { RankedDoc } from '../../collect/order.ts';
import { SegmentDoc } from '../../collect/ranked-docs.ts';
import { docsByRank } from '../../collect/segment-order.ts';
import { hasCold } from '../../index/cold-segments.ts';
import type { Clause, Leaf } from '../../query/bind/clause.ts';
import { valueScore } from '../../query/clauses/term.ts';
import { type FieldFigures, SnapshotStatistics } from '../../query/weight/statistics.ts';
import type { TermShape } from '../../query/weight/term-shape.ts';
import { createWeight, type Weight } from '../../query/weight/weight.ts';
import type { FieldPlan } from '../../schema/field-plan.ts';
import type {
  QueryTerm,
  ScoringSegment,
  TermSearch,
  TermStatistics,
} from '../../scoring/request.ts';
import {
  countPatterns,
  type PatternSearch,
  searchPatterns,
} from '../../scoring/search-patterns.ts';
import { countTerms, searchTerms } from '../../scoring/search-terms.ts';
import { type TopAfter, TopDocs } from '../../scoring/top-docs.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import { eachCold, mapCold } from '../../storage/cold-file.ts';
import type { Execution, ExecutionPlan } from './execution-plan.ts';
import type { KernelShape, PatternShape } from './kernel-shape.ts';
import { Narrowing, narrowingClauses } from './narrowing.ts';
import { reachableSegments } from './reachable.ts';
import { scratchOf } from './scratch.ts';
import { canSettle, firstByKeys, numberKey, SPARE, settled } from './untied.ts';

/** Answers a query of a shape by the postings' kernels, in steps. */
export function* kernelSearch(
  segments: readonly SegmentReader[],
  plan: ExecutionPlan,
  shape: KernelShape,
): Generator<void, Execution> {
  const { deadline } = plan;
  const narrowing = narrowingClauses(plan);
  const outer = narrowing.length === 0 ? null : new Narrowing(narrowing, plan.filters, deadline);
  const blocked: Blocked[] = [];
  const reachable = segments.map(reachableSegments(plan.windows, [plan.clause, ...narrowing]));
  const scoring = yield* scoringSegments(segments, reachable, shape, { outer, deadline }, blocked);
  // keys of hits that tie in several segments are demanded together
  const isApart = scoring.length > 1 && hasCold(segments);
  const isPart = isApart || reachable.includes(false);
  const kernel = (own: readonly ScoringSegment[]): Kernel =>
    'pattern' in shape
      ? patternKernel(shape, own, deadline)
      : termKernel(shape, own, plan, isPart ? segments : []);
  const page = { ...plan, added: addedScores(shape, segments, plan) };
  const answer =
    plan.limit === 0
      ? yield* counted(kernel(scoring))
      : (('pattern' in shape ? null : yield* searchUntied(segments, kernel(scoring), page)) ??
        (yield* searchTop(segments, withRanks(scoring, segments), { kernel, isApart }, page)));
  for (const { bitmaps, bits } of blocked) bitmaps.give(bits);
  return answer;
}

/** A plan with the scores of the clauses that all hits match, which are added to that of the words. */
type RaisedPlan = ExecutionPlan & { readonly added: readonly number[] };

function addedScores(
  { before, after }: KernelShape,
  segments: readonly SegmentReader[],
  { statistics: merged }: ExecutionPlan,
): readonly number[] {
  if (before.length + after.length === 0) return [];
  const statistics = new SnapshotStatistics(segments, merged);
  const scoreOf = (leaf: Leaf) =>
    leaf.kind === 'term' ? valueScore(leaf, statistics) : leaf.boost;
  return [before.reduce((sum, leaf) => sum + scoreOf(leaf), 0), ...after.map(scoreOf)];
}

function* counted(search: Kernel): Generator<void, Execution> {
  const total = yield* search.count();
  return { docs: [], total };
}

/** A bitmap that was taken for this query. */
interface Blocked {
  readonly bitmaps: Bitmaps;
  readonly bits: Int32Array;
}

/** What answers a query: the best documents with their exact number, or that alone. */
interface Kernel {
  /** Returns the number of matching documents; with `count` false it may be 0. */
  search(top: TopDocs, count: boolean): Generator<void, number>;
  count(): Generator<void, number>;
}

/** The sum of the parts, each of which is a step. */
function* sum<T>(parts: readonly T[], of: (part: T) => number): Generator<void, number> {
  let total = 0;
  yield* eachCold(parts, (part) => {
    total += of(part);
  });
  return total;
}

function termKernel(
  { mode, field, terms }: TermShape,
  segments: readonly ScoringSegment[],
  { statistics: merged, deadline }: ExecutionPlan,
  whole: readonly SegmentReader[],
): Kernel {
  const given = merged !== null || whole.length > 0;
  const statistics = given ? termStatistics(whole, merged, field, terms) : undefined;
  const search: TermSearch = { mode, terms, segments, statistics, deadline };
  return {
    search: (top, count) => sum([search], (whole) => searchTerms(whole, top, count)),
    count: () => sum([search], countTerms),
  };
}

/** The figures of all shards, or of segments, as the kernels take them. */
function termStatistics(
  segments: readonly SegmentReader[],
  merged: readonly FieldFigures[] | null,
  field: FieldPlan,
  terms: readonly QueryTerm[],
): TermStatistics {
  const statistics = new SnapshotStatistics(segments, merged);
  const frequencies = terms.map(({ bytes }) => statistics.documentFrequency(field.id, bytes));
  return { field: statistics.field(field), frequencies };
}

function patternKernel(
  { pattern, score, nearer }: PatternShape,
  segments: readonly ScoringSegment[],
  deadline: Deadline,
): Kernel {
  const search = { pattern, score, nearer, deadline };
  const parts = segments.map((segment): PatternSearch => ({ ...search, segments: [segment] }));
  return {
    search: (top, count) => sum(parts, (part) => searchPatterns(part, top, count)),
    count: () => sum(parts, countPatterns),
  };
}

/** The same segments with the order of their keys. */
const withRanks = (
  scoring: readonly ScoringSegment[],
  segments: readonly SegmentReader[],
): readonly ScoringSegment[] => {
  return mapCold(scoring, (one) => {
    const { keys, isCold } = segments[one.number];
    const { ranks } = keys;
    return {
      ...one,
      ranks,
      ...(isCold || ranks === null ? {} : { byRank: () => docsByRank(keys) }),
    };
  });
};

/** The best documents without the order of keys; null: it is here, or it decides. */
function* searchUntied(
  segments: readonly SegmentReader[],
  search: Kernel,
  plan: RaisedPlan,
): Generator<void, Execution | null> {
  if (!canSettle(segments, plan)) return null;
  const most = plan.limit + SPARE;
  const top = new TopDocs(most, numberKey, null, plan.added);
  const total = yield* search.search(top, plan.total);
  const found = top.harvest().map((doc): RankedDoc => {
    return { ...doc, values: [doc.score], key: numberKey(doc.segment, doc.doc) };
  });
  const docs = settled(segments, found, most, plan);
  if (docs === null) return null;
  const skipped = Math.min(plan.skip ?? 0, docs.length);
  return { docs: docs.slice(skipped), total, skipped };
}

function* searchTop(
  segments: readonly SegmentReader[],
  scoring: readonly ScoringSegment[],
  { kernel, isApart }: { kernel(own: readonly ScoringSegment[]): Kernel; isApart: boolean },
  plan: RaisedPlan,
): Generator<void, Execution> {
  const keyOf = (segment: number, doc: number) => segments[segment].keys.key(doc);
  const after: TopAfter | null = plan.after
    ? { score: plan.after.values[0] as number, key: plan.after.key }
    : null;
  const parts = isApart ? scoring.map((one) => [one]) : [scoring];
  const tops = parts.map(() => new TopDocs(plan.limit, keyOf, after, plan.added));
  let total = 0;
  if (isApart) {
    yield* eachCold(parts, (own, i) => {
      total += inOneTurn(kernel(own).search(tops[i], plan.total));
    });
  } else total = yield* kernel(scoring).search(tops[0], plan.total);
  const docsOf = (top: TopDocs, from: number) =>
    top.harvest(from).map(({ segment, doc, score }): RankedDoc => {
      return new SegmentDoc(segments[segment].keys, { segment, doc, score, values: [score] });
    });
  const skipped = Math.min(plan.skip ?? 0, isApart ? 0 : tops[0].kept);
  const found = tops.flatMap((top) => docsOf(top, skipped));
  return { docs: isApart ? firstByKeys(found, plan) : found, total, skipped };
}

/** What limits a search in its segments: clauses of the query, filters of the request. */
interface Limits {
  readonly own: Weight | null;
  readonly outer: Narrowing | null;
  readonly deadline: Deadline;
}

/** The segments that have the field; a step of each whose matches are limited. */
function* scoringSegments(
  segments: readonly SegmentReader[],
  reachable: readonly boolean[],
  { field, mustNot, before, after, ...shape }: KernelShape,
  { outer, deadline }: Omit<Limits, 'own'>,
  taken: Blocked[],
): Generator<void, readonly ScoringSegment[]> {
  const filter = [...before, ...after, ...shape.filter];
  const clause: Clause = { kind: 'bool', must: [], should: [], mustNot, filter, minimum: 0 };
  const own = filter.length + mustNot.length > 0 ? createWeight(clause, null, deadline) : null;
  const readers = segments.map((one, at) => (reachable[at] ? one.inverted(field.id) : null));
  const scoring: ScoringSegment[] = [];
  const limits = own === null && outer === null ? null : { own, outer, deadline };
  const add = (segment: SegmentReader, number: number): void => {
    const reader = readers[number];
    if (reader === null) return;
    const blocked =
      limits === null
        ? { blocked: segment.deleted, living: livingOf(segment, field) }
        : { blocked: blockedBy(limits, segment, taken), living: null };
    scoring.push({ number, reader, ranks: null, ...blocked });
  };
  if (limits === null) segments.forEach(add);
  else yield* eachCold(segments, add);
  return scoring;
}

/** Documents of a segment that are deleted or outside the limits. */
function blockedBy(
  { own, outer, deadline }: Limits,
  segment: SegmentReader,
  taken: Blocked[],
): Int32Array {
  const scratch = scratchOf(segment, deadline);
  const { bitmaps } = scratch;
  const held: Int32Array[] = [];
  const allowed = outer === null ? [] : [...outer.bitmaps(segment, scratch, held)];
  if (own !== null) {
    held.push(own.node(segment, false).matches(scratch));
    allowed.push(held[held.length - 1]);
  }
  const isCached = allowed.length === 1 && held.length === 0;
  if (isCached && segment.deleted === null) return outside(allowed[0], segment);
  const bits = outsideAny(allowed, segment.deleted, bitmaps);
  for (const one of held) bitmaps.give(one);
  taken.push({ bitmaps, bits });
  return bits;
}

/**
 * Complements of cached filter bitmaps, kept as long as the bitmaps. They double the memory of a
 * cache entry.
 */
const complements = new WeakMap<Int32Array, Int32Array>();

function outside(allowed: Int32Array, { arena }: SegmentReader): Int32Array {
  let bits = complements.get(allowed);
  if (bits === undefined) {
    bits = copyBitmap(arena, allowed);
    for (let i = 0; i < bits.length; i++) bits[i] = ~bits[i];
    complements.set(allowed, bits);
  }
  return bits;
}

/** Documents that are deleted or outside one of the allowed sets, of which there are some. */
function outsideAny(
  [first, ...others]: readonly Int32Array[],
  deleted: Int32Array | null,
  bitmaps: Bitmaps,
): Int32Array {
  const inside = bitmaps.takeDirty();
  inside.set(first);
  for (const allowed of others) bitmaps.and(inside, allowed);
  const bits = bitmaps.takeDirty().fill(-1);
  bitmaps.andNot(bits, inside);
  bitmaps.give(inside);
  if (deleted !== null) bitmaps.or(bits, deleted);
  return bits;
}

/** Living documents by term of each field, kept as long as a segment's deletes stay. */
const living = new WeakMap<SegmentReader, Map<number, Map<number, number>>>();

function livingOf(segment: SegmentReader, field: FieldPlan): Map<number, number> {
  let fields = living.get(segment);
  if (fields === undefined) living.set(segment, (fields = new Map()));
  let terms = fields.get(field.id);
  if (terms === undefined) fields.set(field.id, (terms = new Map()));
  return terms;
}
