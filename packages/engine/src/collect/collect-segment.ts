import { lowerBoundBy } from '../base/arrays/lower-bound.ts';
import type { Deadline } from '../base/time/deadline.ts';
import { anyInRange, forEachBit, hasBit } from '../bitmap/bitmap.ts';
import type { Bitmaps } from '../bitmap/bitmaps.ts';
import type { RangeScores } from '../query/weight/leaf.ts';
import type { SortKey } from './order.ts';
import type { KeyOrder, RankedDocs } from './ranked-docs.ts';
import { docsByRank, rankOfKey, type SegmentSortKey } from './segment-order.ts';

/** Bounds are widened by this against rounding: scores are sums in another order than bounds. */
const ROUNDING = 1 + 1e-9;
const RANGES_A_ZONE = 4;
const WORDS_A_RANGE = 8;
/** What scoring a range counts as, in steps of a deadline. */
const RANGE_STEPS = 512;
const BOUND_CLASSES = 256;
/** What offering the matches of a zone counts as. */
const ZONE_STEPS = 128;
/** After so many zones the rest is looked up by the last collected document. */
const FIRST_ZONES = 8;
/** Words of matches between two looks at the clock. */
const WORDS_A_CHECK = 1024;
/** So few matches are all offered. */
const FEW_MATCHES = 4096;
/** Documents that are tested one by one, where all matches could be looked up instead. */
const MOST_VISITS = 1024;
/** Give up after this many times the documents that evenly spread matches need. */
const PATIENCE = 4;

/** The matches of a segment that a collector goes through, and their scores. */
export interface SegmentMatches {
  /** Live matching documents; bits of those that were offered may be cleared. */
  readonly matches: Int32Array;
  /** Their number; with `test` at least that. */
  readonly count: number;
  /** Tests a single document, if `matches` looks documents up only when it is read. */
  readonly test?: (doc: number) => boolean;
  readonly order: readonly SortKey[];
  readonly keys: readonly SegmentSortKey[];
  readonly segmentKeys: KeyOrder;
  /**
   * Scores the matches; null if all have the score `constant`, or if the order does not need
   * scores.
   */
  readonly score: RangeScores | null;
  readonly constant: number;
  /** Room for the scores of a range. */
  readonly scores: Float64Array;
  readonly bitmaps: Bitmaps;
  readonly deadline: Deadline;
}

/**
 * Offers the matches that may be among the first; zones and ranges that hold none are skipped by
 * their bounds.
 */
export function collectFirst(segment: SegmentMatches, top: RankedDocs): void {
  const { score } = segment;
  const [first] = segment.order;
  if (score === null) collectUnscored(segment, top);
  else if (first?.kind === 'score' && first.desc) collectByScore(segment, score, top);
  else collectScored(segment, score, (doc, value) => top.offer(doc, value), top);
}

/** Calls `visit` with every match and its score (0 if the order does not need scores). */
export function collectEvery(
  segment: SegmentMatches,
  visit: (doc: number, score: number) => void,
): void {
  const { matches, constant, score, deadline } = segment;
  if (score !== null) {
    collectScored(segment, score, visit, null);
    return;
  }
  for (let from = 0; from < matches.length; from += WORDS_A_CHECK) {
    deadline.check();
    const end = Math.min(from + WORDS_A_CHECK, matches.length);
    for (let i = from; i < end; i++) {
      for (let word = matches[i]; word !== 0; word &= word - 1) {
        visit((i << 5) + 31 - Math.clz32(word & -word), constant);
      }
    }
  }
}

/** Scores are equal or not needed: a column decides, or the keys alone. */
function collectUnscored(segment: SegmentMatches, top: RankedDocs): void {
  const decisive = segment.order.find((key) => key.kind !== 'score');
  if (decisive === undefined || decisive.kind === 'key') {
    collectByKey(segment, decisive?.desc ?? false, top);
  } else collectByColumn(segment, top);
}

/** If many documents match, takes them in the order of their keys until there are enough. */
function collectByKey(segment: SegmentMatches, desc: boolean, top: RankedDocs): void {
  const { matches, count, constant, segmentKeys } = segment;
  if (segmentKeys.isCold || count * count < segmentKeys.docs * top.limit) {
    forEachBit(matches, (doc) => top.offer(doc, constant));
    return;
  }
  const docs = docsByRank(segmentKeys);
  const start = firstRank(segment, desc, top);
  const step = desc ? -1 : 1;
  for (let rank = start; rank >= 0 && rank < docs.length && !top.full; rank += step) {
    segment.deadline.spend(1);
    if (hasBit(matches, docs[rank])) top.offer(docs[rank], constant);
  }
}

/**
 * The first key rank to offer. If all sort values of the segment equal those of `after`, documents
 * before the start of the page need not be offered.
 */
function firstRank(segment: SegmentMatches, desc: boolean, top: RankedDocs): number {
  const { order, constant, segmentKeys } = segment;
  const { after } = top;
  const equal =
    after !== null && order.every((key, i) => key.kind === 'key' || after.values[i] === constant);
  if (!equal) return desc ? segmentKeys.docs - 1 : 0;
  const rank = rankOfKey(segmentKeys, after.key);
  return desc ? Math.floor(rank) : Math.ceil(rank);
}

function collectByColumn(segment: SegmentMatches, top: RankedDocs): void {
  const { count, keys, constant } = segment;
  const first = keys[0];
  if (count === 0 || collectInOrder(segment, top)) return;
  if (top.empty && collectTies(segment, top)) return;
  const { matches } = segment;
  if (count < FEW_MATCHES && offerFew(segment, top)) return;
  const { zones, ranks } = zonesByRank(first, Math.ceil(matches.length / (8 * RANGES_A_ZONE)));
  for (let i = 0; i < zones.length; i++) {
    if (ranks[i] > top.worst) break;
    if (i >= FIRST_ZONES && (i & (i - 1)) === 0 && top.full) {
      if (offerRest(segment, zones.subarray(0, i), top)) return;
    }
    segment.deadline.spend(ZONE_STEPS);
    const zone = zones[i];
    if (first.zoneEnd !== undefined && first.zoneEnd(zone) < top.begin) continue;
    const end = Math.min((zone + 1) * RANGES_A_ZONE * WORDS_A_RANGE, matches.length);
    top.offerBits(matches, zone * RANGES_A_ZONE * WORDS_A_RANGE, end, constant);
  }
}

/**
 * Offers the matches outside of the first zones that the column does not rule out by the last
 * collected document. False if they are too many to list.
 */
function offerRest(segment: SegmentMatches, offered: Int32Array, top: RankedDocs): boolean {
  const { keys, matches, bitmaps } = segment;
  if (keys[0].fillUpTo === undefined || !Number.isFinite(top.worst)) return false;
  const near = bitmaps.take();
  keys[0].fillUpTo(top.worst, near);
  bitmaps.and(matches, near);
  bitmaps.give(near);
  const words = RANGES_A_ZONE * WORDS_A_RANGE;
  for (const zone of offered) matches.fill(0, zone * words, (zone + 1) * words);
  return offerFew(segment, top);
}

/**
 * A page that begins after a hit first takes the documents with the same value, in the order of
 * their keys. True if they fill the page.
 */
function collectTies(segment: SegmentMatches, top: RankedDocs): boolean {
  const { keys, constant, bitmaps } = segment;
  const value = top.after?.values[0] ?? null;
  const fill = keys[0].fillEqual;
  if (value === null || fill === undefined) return false;
  const ties = bitmaps.take();
  fill(value, ties);
  bitmaps.and(ties, segment.matches);
  top.offerTies(ties, constant);
  if (!top.full) bitmaps.andNot(segment.matches, ties);
  bitmaps.give(ties);
  return top.full;
}

/** Offers all of a few matches. False if they are too many to list. */
function offerFew({ matches, constant, bitmaps }: SegmentMatches, top: RankedDocs): boolean {
  const found = bitmaps.documents(matches);
  if (found === null) return false;
  top.offerDocs(found.docs, found.count, constant);
  bitmaps.give(found.docs);
  return true;
}

/**
 * Takes documents in the order of the first key's values until there are enough. False if that
 * order is not built yet, or if matches are so rare that a scan by zone finds the rest sooner.
 */
function collectInOrder(segment: SegmentMatches, top: RankedDocs): boolean {
  const { keys, count, constant, segmentKeys } = segment;
  const first = keys[0];
  const expected = (top.limit * segmentKeys.docs) / count;
  if (count < FEW_MATCHES || expected > MOST_VISITS) return false;
  const docs = first.byValue?.() ?? null;
  if (docs === null) return false;
  const test = segment.test ?? ((doc) => hasBit(segment.matches, doc));
  const begin = lowerBoundBy(0, docs.length, (at) => !top.precedes(docs[at], constant));
  const end = Math.min(docs.length, begin + Math.ceil(PATIENCE * (expected + top.limit)));
  for (let i = begin; i < end; i++) {
    const doc = docs[i];
    if (!test(doc)) continue;
    if (first.rank(doc, constant) > top.worst) return true;
    top.offer(doc, constant);
    if (keys.length === 1 && top.full) return true;
  }
  if (end === docs.length) return true;
  const { matches } = segment;
  for (let i = begin; i < end; i++) matches[docs[i] >> 5] &= ~(1 << docs[i]);
  return false;
}

/** Zones by rising lowest rank: once one is too late, all after it are. */
interface ZoneOrder {
  readonly zones: Int32Array;
  /** The lowest rank of each zone of `zones`. */
  readonly ranks: Float64Array;
}

/** The zones of columns, rising and falling, cached while the columns are open. */
const zoneOrders = new WeakMap<object, { rising?: ZoneOrder; falling?: ZoneOrder }>();

function zonesByRank(key: SegmentSortKey, zones: number): ZoneOrder {
  if (key.column === undefined) return sortZones(key, zones);
  let orders = zoneOrders.get(key.column);
  if (orders === undefined) zoneOrders.set(key.column, (orders = {}));
  const direction = key.desc ? 'falling' : 'rising';
  orders[direction] ??= sortZones(key, zones);
  return orders[direction];
}

function sortZones(key: SegmentSortKey, zones: number): ZoneOrder {
  const order = Int32Array.from({ length: zones }, (_, zone) => zone);
  const ranks = Float64Array.from(order, (zone) => key.zoneStart(zone));
  order.sort((a, b) => (ranks[a] === ranks[b] ? a - b : ranks[a] - ranks[b]));
  return { zones: order, ranks: Float64Array.from(order, (zone) => ranks[zone]) };
}

/**
 * Relevance: takes ranges by falling bound. A range is scored only if its bound reaches the score
 * of the last collected document.
 */
function collectByScore(segment: SegmentMatches, score: RangeScores, top: RankedDocs): void {
  const { matches, scores } = segment;
  const ranges = matches.length / WORDS_A_RANGE;
  const bounds = new Float64Array(ranges);
  score.addBounds(bounds);
  const offer = (doc: number, value: number) => {
    if (-value <= top.worst) top.offer(doc, value);
  };
  for (const range of rangesByBound(matches, bounds)) {
    if (-(bounds[range] * ROUNDING) > top.worst) continue;
    segment.deadline.spend(RANGE_STEPS);
    scores.fill(0);
    score.add(range, matches, scores);
    visitRange(matches, range, scores, offer);
  }
}

/**
 * The ranges with a match, the highest bounds first: sorted into as many classes as a counting sort
 * is cheap for.
 */
function rangesByBound(matches: Int32Array, bounds: Float64Array): Int32Array {
  const highest = bounds.reduce((a, b) => Math.max(a, b), 0);
  const step = highest === 0 ? 0 : (BOUND_CLASSES - 1) / highest;
  const starts = new Int32Array(BOUND_CLASSES + 1);
  const classOf = (range: number) => BOUND_CLASSES - 1 - Math.floor(bounds[range] * step);
  for (let range = 0; range < bounds.length; range++) {
    if (anyInRange(matches, range)) starts[classOf(range) + 1]++;
  }
  for (let i = 1; i <= BOUND_CLASSES; i++) starts[i] += starts[i - 1];
  const order = new Int32Array(starts[BOUND_CLASSES]);
  for (let range = 0; range < bounds.length; range++) {
    if (anyInRange(matches, range)) order[starts[classOf(range)]++] = range;
  }
  return order;
}

/** Scores are needed but do not decide first: zones are skipped by the first key's column. */
function collectScored(
  segment: SegmentMatches,
  score: RangeScores,
  visit: (doc: number, score: number) => void,
  top: RankedDocs | null,
): void {
  const { matches, scores, keys } = segment;
  const ranges = matches.length / WORDS_A_RANGE;
  for (let range = 0; range < ranges; range++) {
    if (!anyInRange(matches, range)) continue;
    if (top !== null && keys[0].zoneStart(Math.floor(range / RANGES_A_ZONE)) > top.worst) continue;
    segment.deadline.spend(RANGE_STEPS);
    scores.fill(0);
    score.add(range, matches, scores);
    visitRange(matches, range, scores, visit);
  }
}

function visitRange(
  matches: Int32Array,
  range: number,
  scores: Float64Array,
  visit: (doc: number, score: number) => void,
): void {
  for (let i = WORDS_A_RANGE * range; i < WORDS_A_RANGE * (range + 1); i++) {
    for (let word = matches[i]; word !== 0; word &= word - 1) {
      const doc = (i << 5) + 31 - Math.clz32(word & -word);
      visit(doc, scores[doc & 255]);
    }
  }
}
