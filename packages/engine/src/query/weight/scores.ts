import { Pool } from '../../base/pool.ts';
import { anyInRange } from '../../bitmap/bitmap.ts';
import type { SegmentLeaf } from './leaf.ts';
import { RANGE_DOCS } from './leaf.ts';
import { type MatchScope, matchesOf, type SegmentNode } from './matches.ts';

/**
 * What of a node scores: a sum over leaves, the best of some parts, or a part whose scores are
 * multiplied where `negative` matches. In a sum, a bool inside a bool counts only for documents
 * that match it (`matches`; null at the root, whose matches its user knows).
 */
export type ScoreNode =
  | { readonly kind: 'leaf'; readonly leaf: SegmentLeaf }
  | {
      readonly kind: 'sum';
      readonly parts: readonly ScoreNode[];
      readonly matches: Int32Array | null;
    }
  | { readonly kind: 'max'; readonly parts: readonly ScoreNode[]; readonly tie: number }
  | {
      readonly kind: 'demoted';
      readonly part: ScoreNode;
      /** Documents whose scores are multiplied by `factor`. */
      readonly negative: Int32Array;
      readonly factor: number;
    };

/**
 * The scoring part of a node. Bitmaps of inner bools are taken from the pool and added to `held`.
 */
export function scoreNode(
  node: SegmentNode,
  scope: MatchScope,
  borrowed: Int32Array[],
  root = true,
): ScoreNode {
  if (node.kind === 'leaf') return node;
  if (node.kind === 'none') return { kind: 'sum', parts: [], matches: null };
  if (node.kind === 'max') {
    const best = node.parts.map((part) => scoreNode(part, scope, borrowed, false));
    return { kind: 'max', parts: best, tie: node.tie };
  }
  if (node.kind === 'demoted') {
    const part = scoreNode(node.part, scope, borrowed, root);
    const negative = matchesOf(node.negative, scope);
    borrowed.push(negative);
    return { kind: 'demoted', part, negative, factor: node.factor };
  }
  const scoring = [...node.must, ...node.should];
  const parts = scoring.map((part) => scoreNode(part, scope, borrowed, false));
  if (root || parts.length === 0) return { kind: 'sum', parts, matches: null };
  const matches = matchesOf(node, scope);
  borrowed.push(matches);
  return { kind: 'sum', parts, matches };
}

/**
 * The score of every matching document, where it is one and the same: a single constant leaf, or
 * nothing that scores; undefined otherwise. Known before any leaf is looked at.
 */
export function constantScore(node: SegmentNode): number | undefined {
  if (node.kind === 'leaf') return node.leaf.constant;
  if (node.kind !== 'bool' || node.should.length > 0) return undefined;
  if (node.must.length === 0) return 0;
  const parts = node.must.map(constantScore);
  if (parts.includes(undefined)) return undefined;
  return parts.reduce((sum: number, part) => sum + part!, 0);
}

/** Adds to each range a bound that none of its documents' scores exceeds. */
export function addBounds(node: ScoreNode, into: Float64Array): void {
  if (node.kind === 'leaf') node.leaf.addBounds(into);
  else if (node.kind === 'max') addMaxBounds(node.parts, node.tie, into);
  else if (node.kind === 'demoted') addDemotedBounds(node.part, node.factor, into);
  else for (const part of node.parts) addBounds(part, into);
}

/** Adds the node's scores of a range's wanted documents to scores[d & 255]. */
export function addScores(
  node: ScoreNode,
  range: number,
  wanted: Int32Array,
  scores: Float64Array,
): void {
  if (node.kind === 'leaf') node.leaf.add(range, wanted, scores);
  else if (node.kind === 'max') addMax(node.parts, node.tie, range, wanted, scores);
  else if (node.kind === 'demoted') addDemoted(node, range, wanted, scores);
  else if (node.matches !== null) addMatching(node.parts, node.matches, range, wanted, scores);
  else for (const part of node.parts) addScores(part, range, wanted, scores);
}

function addMatching(
  parts: readonly ScoreNode[],
  matches: Int32Array,
  range: number,
  wanted: Int32Array,
  scores: Float64Array,
): void {
  if (!anyInRange(matches, range)) return;
  const own = rooms.take().fill(0);
  for (const part of parts) addScores(part, range, wanted, own);
  for (let i = 0; i < 8; i++) {
    for (let word = matches[8 * range + i]; word !== 0; word &= word - 1) {
      const at = 32 * i + 31 - Math.clz32(word & -word);
      scores[at] += own[at];
    }
  }
  rooms.give(own);
}

/** The best of the parts' bounds, and the others times `tie`: that grows with each of them. */
function addMaxBounds(parts: readonly ScoreNode[], tie: number, into: Float64Array): void {
  const best = new Float64Array(into.length);
  const sum = new Float64Array(into.length);
  for (const part of parts) {
    const own = new Float64Array(into.length);
    addBounds(part, own);
    raise(best, sum, own);
  }
  for (let range = 0; range < into.length; range++) {
    into[range] += best[range] + tie * (sum[range] - best[range]);
  }
}

function addDemotedBounds(part: ScoreNode, factor: number, into: Float64Array): void {
  const own = new Float64Array(into.length);
  addBounds(part, own);
  const most = Math.max(1, factor);
  for (let range = 0; range < into.length; range++) into[range] += most * own[range];
}

function raise(best: Float64Array, sum: Float64Array, own: Float64Array): void {
  for (let i = 0; i < own.length; i++) {
    const score = own[i];
    sum[i] += score;
    if (score > best[i]) best[i] = score;
  }
}

function addMax(
  parts: readonly ScoreNode[],
  tie: number,
  range: number,
  wanted: Int32Array,
  scores: Float64Array,
): void {
  const best = rooms.take().fill(0);
  const sum = rooms.take().fill(0);
  for (const part of parts) {
    const own = rooms.take().fill(0);
    addScores(part, range, wanted, own);
    raise(best, sum, own);
    rooms.give(own);
  }
  for (let i = 0; i < RANGE_DOCS; i++) scores[i] += best[i] + tie * (sum[i] - best[i]);
  rooms.give(best);
  rooms.give(sum);
}

function addDemoted(
  { part, negative, factor }: ScoreNode & { readonly kind: 'demoted' },
  range: number,
  wanted: Int32Array,
  scores: Float64Array,
): void {
  const own = rooms.take().fill(0);
  addScores(part, range, wanted, own);
  for (let i = 0; i < 8; i++) {
    for (let word = negative[8 * range + i]; word !== 0; word &= word - 1) {
      own[32 * i + 31 - Math.clz32(word & -word)] *= factor;
    }
  }
  for (let i = 0; i < RANGE_DOCS; i++) scores[i] += own[i];
  rooms.give(own);
}

/** Scores of a range: one for each level of bools. */
const rooms = new Pool(() => new Float64Array(RANGE_DOCS));
