import { Pool } from '../../base/pool.ts';
import { anyInRange } from '../../bitmap/bitmap.ts';
import type { SegmentLeaf } from './leaf.ts';
import { RANGE_DOCS } from './leaf.ts';
import { type MatchScope, matchesOf, type SegmentNode } from './matches.ts';

/**
 * What of a node scores: a sum over leaves, where a bool inside a bool counts only for documents
 * that match it (`matches`; null at the root, whose matches its user knows).
 */
export type ScoreNode =
  | { readonly kind: 'leaf'; readonly leaf: SegmentLeaf }
  | {
      readonly kind: 'sum';
      readonly parts: readonly ScoreNode[];
      readonly matches: Int32Array | null;
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
  if (node.kind === 'none' || node.should.length > 0) return undefined;
  if (node.must.length === 0) return 0;
  const parts = node.must.map(constantScore);
  if (parts.includes(undefined)) return undefined;
  return parts.reduce((sum: number, part) => sum + part!, 0);
}

/** Adds to each range a bound that none of its documents' scores exceeds. */
export function addBounds(node: ScoreNode, into: Float64Array): void {
  if (node.kind === 'leaf') node.leaf.addBounds(into);
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

/** Scores of a range: one for each level of bools. */
const rooms = new Pool(() => new Float64Array(RANGE_DOCS));
