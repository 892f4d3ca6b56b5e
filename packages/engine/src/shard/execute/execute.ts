/**
 * A bound query over a snapshot. Steps:
 *
 * 1. Queries that are words of one TEXT field, ordered by relevance, go to the postings' own
 *    kernels (kernel-search.ts): top documents with pruning, the exact total by counting;
 *    filters, required values and deletes are a bitmap of blocked documents.
 * 2. All else, segment by segment: the matches of every clause as bitmaps, their algebra on words,
 *    the total a popcount.
 * 3. Of the matches the first in the order are kept (collect/): ranges that cannot hold one are
 *    skipped by their bound.
 * 4. The lists of the segments are merged.
 */

import type { Deadline } from '../../base/time/deadline.ts';
import { inOneTurn } from '../../base/turns.ts';
import { setBit } from '../../bitmap/bitmap.ts';
import { firstGroups, groupName, SegmentGroups } from '../../collect/collapse.ts';
import { collectEvery, collectFirst, type SegmentMatches } from '../../collect/collect-segment.ts';
import { mergeRanked, type RankedDoc } from '../../collect/order.ts';
import { type KeyOrder, RankedDocs, SegmentDoc } from '../../collect/ranked-docs.ts';
import { segmentOrder } from '../../collect/segment-order.ts';
import { hasCold } from '../../index/cold-segments.ts';
import { countDocs } from '../../query/bind/precomputed.ts';
import type { RangeScores } from '../../query/weight/leaf.ts';
import type { SegmentNode } from '../../query/weight/segment-node.ts';
import { SnapshotStatistics } from '../../query/weight/statistics.ts';
import { createWeight, type Weight } from '../../query/weight/weight.ts';
import type { SegmentReader } from '../../segment/segment-reader.ts';
import { eachCold } from '../../storage/cold-file.ts';
import type { Execution, ExecutionPlan } from './execution-plan.ts';
import { inGroups } from './in-groups.ts';
import { kernelSearch } from './kernel-search.ts';
import { kernelShape } from './kernel-shape.ts';
import { leadingGroups } from './leading-groups.ts';
import { Narrowing, narrowingClauses } from './narrowing.ts';
import { type Reachable, reachableSegments } from './reachable.ts';
import { type SegmentScratch, scratchOf } from './scratch.ts';
import { collectTested, stopsEarly } from './tested-matches.ts';
import { canSettle, firstByKeys, numberedKeys, SPARE, settled } from './untied.ts';

/** Runs a bound query. Throws as `executing`. */
export const execute = (segments: readonly SegmentReader[], plan: ExecutionPlan): Execution =>
  inOneTurn(executing(segments, plan));

/**
 * Runs a bound query, mostly in steps of a segment each: other searches may run between them.
 * Throws what patterns throw that grow past their limits (limit_exceeded).
 */
export function* executing(
  segments: readonly SegmentReader[],
  plan: ExecutionPlan,
): Generator<void, Execution> {
  if ([plan.clause, ...narrowingClauses(plan)].some(({ kind }) => kind === 'none')) {
    return { docs: [], total: 0 };
  }
  const { collapse } = plan;
  const groups = collapse && (yield* leadingGroups(segments, plan, collapse, executing));
  if (groups !== null) return groups;
  const shape = kernelShape(plan);
  if (shape !== null) return yield* kernelSearch(segments, plan, shape);
  return (
    (yield* searchUntied(segments, plan)) ?? (yield* new Search(segments, plan, keysOf).running())
  );
}

const keysOf = (_: number, { keys }: SegmentReader): KeyOrder => keys;

/** The first documents without the order of keys; null: it is here, or decides. */
function* searchUntied(
  segments: readonly SegmentReader[],
  plan: ExecutionPlan,
): Generator<void, Execution | null> {
  const most = collectedUntied(plan);
  if (most === 0 || !canSettle(segments, plan)) return null;
  const more = { ...plan, limit: most };
  const { total, docs: found } = yield* new Search(segments, more, numberedKeys).running();
  const docs = settled(segments, found as readonly RankedDoc[], most, plan);
  return docs === null ? null : { docs, total };
}

/** How many documents are found without the order of keys; 0: it decides. */
function collectedUntied({ clause, order, collapse, limit }: ExecutionPlan): number {
  if (collapse !== null || order.some(({ kind }) => kind === 'key')) return 0;
  if (clause.kind === 'precomputed') return 1 + Math.max(limit, countDocs(clause.precomputed));
  return order[0]?.kind === 'field' ? limit + SPARE : 0;
}

/** One search over segments, by bitmaps. */
class Search {
  readonly #segments: readonly SegmentReader[];
  readonly #plan: ExecutionPlan;
  readonly #keysOf: typeof keysOf;
  readonly #deadline: Deadline;
  readonly #query: Weight;
  readonly #narrowing: Narrowing;
  readonly #reachable: Reachable;
  readonly #scored: boolean;
  readonly #isCold: boolean;
  /** Groups of each segment with matches, when collapsed. */
  readonly #groups: SegmentGroups[] = [];
  /** Names of the only groups that are collected; null: all. */
  readonly #only: ReadonlySet<string> | null;
  /** Documents are tested in the order of a column until the page is full. */
  readonly #tested: boolean;
  /** The query in the segments that were tested, for their documents' scores. */
  readonly #nodes = new Map<number, SegmentNode>();
  #docs: readonly RankedDoc[] = [];
  #total = 0;

  constructor(segments: readonly SegmentReader[], plan: ExecutionPlan, keys: typeof keysOf) {
    this.#keysOf = keys;
    const { clause: documents, deadline, filters, collapse, groups } = plan;
    const restricted = collapse !== null && groups !== undefined;
    const clause = restricted ? inGroups(documents, collapse, groups) : documents;
    this.#only = restricted ? new Set(groups.map(groupName)) : null;
    this.#deadline = deadline;
    this.#segments = segments;
    this.#plan = plan;
    const statistics = new SnapshotStatistics(segments, plan.statistics);
    this.#query = createWeight(clause, statistics, deadline);
    const narrowing = narrowingClauses(plan);
    this.#narrowing = new Narrowing(narrowing, filters, deadline);
    this.#reachable = reachableSegments(plan.windows, [documents, ...narrowing]);
    this.#scored = plan.order.some((key) => key.kind === 'score');
    this.#isCold = hasCold(segments);
    this.#tested = stopsEarly(plan);
  }

  *running(): Generator<void, Execution> {
    const { order, limit, after } = this.#plan;
    if (this.#tested) this.#total = yield* this.#countedApart();
    yield* eachCold(this.#segments, (_, number) => this.#segment(number));
    const docs = this.#plan.collapse
      ? firstGroups(this.#groups, order, {
          limit,
          after,
          only: this.#only,
          deadline: this.#deadline,
        })
      : this.#first();
    return { docs: this.#scored ? docs : this.#withScores(docs), total: this.#total };
  }

  #segment(number: number): void {
    const reader = this.#segments[number];
    if (!this.#reachable(reader)) return;
    const scratch = scratchOf(reader, this.#deadline);
    const { limit } = this.#plan;
    if (this.#tested) {
      this.#collectTested(number, scratch);
      return;
    }
    const node = this.#query.node(reader, this.#scored && limit > 0);
    const matches = this.#matches(reader, node, scratch);
    const count = scratch.bitmaps.count(matches);
    this.#total += count;
    if (count > 0 && limit > 0) this.#collect(number, node, { matches, count }, scratch);
    scratch.bitmaps.give(matches);
  }

  /** The total; 0 if it is not needed. */
  *#countedApart(): Generator<void, number> {
    if (this.#plan.total === false) return 0;
    return (yield* executing(this.#segments, { ...this.#plan, limit: 0 })).total;
  }

  #collectTested(number: number, scratch: SegmentScratch): void {
    const { order, limit, after } = this.#plan;
    const reader = this.#segments[number];
    const last = this.#docs.length === limit ? this.#docs[limit - 1] : null;
    const keys = segmentOrder(reader, order);
    const segmentKeys = this.#keysOf(number, reader);
    const top = new RankedDocs(keys, segmentKeys, limit, after, last);
    const node = this.#query.node(reader, true);
    this.#nodes.set(number, node);
    const own = { reader, scratch, node, narrowing: this.#narrowing, order, keys, segmentKeys };
    collectTested(own, top);
    this.#merge(top.harvest(number));
  }

  #matches(reader: SegmentReader, node: SegmentNode, scratch: SegmentScratch): Int32Array {
    const matches = node.matches(scratch);
    this.#narrowing.apply(matches, reader, scratch);
    if (reader.deleted !== null) scratch.bitmaps.andNot(matches, reader.deleted);
    return matches;
  }

  #collect(
    number: number,
    node: SegmentNode,
    found: { readonly matches: Int32Array; readonly count: number },
    scratch: SegmentScratch,
  ): void {
    const { order, limit, after, collapse } = this.#plan;
    const reader = this.#segments[number];
    const keys = segmentOrder(reader, order);
    const segmentKeys = this.#keysOf(number, reader);
    const held: Int32Array[] = [];
    const constant = this.#scored ? node.constant : 0;
    const score = constant === undefined ? node.scores(scratch, held, true) : null;
    const segment: SegmentMatches = {
      ...found,
      order,
      keys,
      segmentKeys,
      score,
      constant: constant ?? 0,
      scores: scratch.scores,
      bitmaps: scratch.bitmaps,
      deadline: this.#deadline,
    };
    if (collapse) {
      const same = score === null ? segment.constant : null;
      const { matches } = found;
      const own = { segment: number, reader, field: collapse, matches, keys, score: same };
      const groups = new SegmentGroups(own);
      collectEvery(segment, (doc, value) => groups.offer(doc, value));
      this.#groups.push(groups);
    } else {
      const last = this.#last;
      const top = new RankedDocs(keys, segmentKeys, limit, after, last);
      collectFirst(segment, top);
      this.#merge(top.harvest(number));
    }
    for (const bits of held) scratch.bitmaps.give(bits);
  }

  /** The last document of the page so far; null: there are fewer. */
  get #last(): RankedDoc | null {
    const { limit } = this.#plan;
    return !this.#isCold && this.#docs.length === limit ? this.#docs[limit - 1] : null;
  }

  /** Documents of cold segments are merged at the end, so that their keys are demanded together. */
  #merge(found: readonly RankedDoc[]): void {
    const { order, limit } = this.#plan;
    this.#docs = this.#isCold
      ? [...this.#docs, ...found]
      : mergeRanked(this.#docs, found, order, limit);
  }

  #first(): readonly RankedDoc[] {
    return this.#isCold ? firstByKeys(this.#docs, this.#plan) : this.#docs;
  }

  /**
   * Hits say their score whatever they are ordered by: only the page's own documents are scored.
   */
  #withScores<T extends RankedDoc>(docs: readonly T[]): readonly T[] {
    const scores = new Map<T, number>();
    for (const [number, found] of Map.groupBy(docs, (doc) => doc.segment)) {
      this.#scoreDocs(number, found, scores);
    }
    return docs.map((doc) => {
      const score = scores.get(doc) ?? 0;
      return doc instanceof SegmentDoc
        ? (doc.withScore(score) as T & SegmentDoc)
        : { ...doc, score };
    });
  }

  #scoreDocs<T extends RankedDoc>(number: number, docs: readonly T[], scores: Map<T, number>) {
    const reader = this.#segments[number];
    const scratch = scratchOf(reader, this.#deadline);
    const node = this.#nodes.get(number) ?? this.#query.node(reader, true);
    const { constant } = node;
    if (constant !== undefined) {
      for (const doc of docs) scores.set(doc, constant);
      return;
    }
    const held: Int32Array[] = [];
    const score = node.scores(scratch, held, true);
    const wanted = scratch.bitmaps.takeDirty();
    // Scores are asked for by range: others' words may hold anything.
    for (const { doc } of docs) wanted.fill(0, 8 * (doc >> 8), 8 * (doc >> 8) + 8);
    for (const { doc } of docs) setBit(wanted, doc);
    const rising = docs.toSorted((a, b) => a.doc - b.doc);
    scoreDocuments(score, rising, wanted, scratch.scores, (doc, value) => scores.set(doc, value));
    for (const bits of [wanted, ...held]) scratch.bitmaps.give(bits);
  }
}

/** Scores some documents, given in rising order. */
function scoreDocuments<T extends RankedDoc>(
  score: RangeScores,
  docs: readonly T[],
  wanted: Int32Array,
  scores: Float64Array,
  visit: (doc: T, score: number) => void,
): void {
  let range = -1;
  for (const doc of docs) {
    if (doc.doc >> 8 !== range) {
      range = doc.doc >> 8;
      scores.fill(0);
      score.add(range, wanted, scores);
    }
    visit(doc, scores[doc.doc & 255]);
  }
}
