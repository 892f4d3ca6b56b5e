import type { Deadline } from '../../base/deadline.ts';
import { fillAll, forEachBit, setBit } from '../../bitmap/bitmap.ts';
import type { Bitmaps } from '../../bitmap/bitmaps.ts';
import type { SegmentLeaf } from './leaf.ts';

/** A clause tree over one segment. */
export type SegmentNode =
  | { readonly kind: 'none' }
  | { readonly kind: 'leaf'; readonly leaf: SegmentLeaf }
  | {
      readonly kind: 'bool';
      readonly must: readonly SegmentNode[];
      readonly should: readonly SegmentNode[];
      readonly mustNot: readonly SegmentNode[];
      readonly filter: readonly SegmentNode[];
      readonly minimum: number;
    }
  | {
      readonly kind: 'max';
      readonly parts: readonly SegmentNode[];
      readonly tie: number;
    }
  | {
      readonly kind: 'demoted';
      readonly part: SegmentNode;
      readonly negative: SegmentNode;
      readonly factor: number;
    };
export type SegmentBool = SegmentNode & { readonly kind: 'bool' };

/** Where bitmaps of a segment come from. */
export interface MatchScope {
  readonly docs: number;
  readonly bitmaps: Bitmaps;
  /** When the query has to be done. */
  readonly deadline: Deadline;
}

/**
 * The matches of a node, deleted documents included, as a bitmap of the pool: leaves set bits, the
 * algebra is done on whole words. The caller gives it back.
 */
export function matchesOf(node: SegmentNode, scope: MatchScope): Int32Array {
  if (node.kind === 'bool') return boolMatches(node, scope);
  const bits = scope.bitmaps.take();
  addMatches(node, bits, scope);
  return bits;
}

/** No more documents than these match a node, as far as that is known without looking. */
export function mostMatches(node: SegmentNode, docs: number): number {
  if (node.kind === 'none') return 0;
  if (node.kind === 'leaf') return node.leaf.most ?? docs;
  if (node.kind === 'demoted') return mostMatches(node.part, docs);
  if (node.kind === 'max') return mostOfAny(node.parts, docs);
  let most = docs;
  for (const part of [...node.must, ...node.filter]) {
    most = Math.min(most, mostMatches(part, docs));
  }
  if (node.minimum === 0) return most;
  return Math.min(most, mostOfAny(node.should, docs));
}

const mostOfAny = (parts: readonly SegmentNode[], docs: number): number =>
  Math.min(
    docs,
    parts.reduce((sum, part) => sum + mostMatches(part, docs), 0),
  );

/** bits |= matches of the node. */
function addMatches(node: SegmentNode, bits: Int32Array, scope: MatchScope): void {
  if (node.kind === 'leaf') {
    scope.deadline.check();
    node.leaf.fill(bits);
  } else if (node.kind === 'bool') {
    const own = boolMatches(node, scope);
    scope.bitmaps.or(bits, own);
    scope.bitmaps.give(own);
  } else if (node.kind === 'max') {
    for (const part of node.parts) addMatches(part, bits, scope);
  } else if (node.kind === 'demoted') addMatches(node.part, bits, scope);
}

function boolMatches(node: SegmentBool, scope: MatchScope): Int32Array {
  let result: Int32Array | null = null;
  const keep = (bits: Int32Array) => {
    if (result === null) {
      result = bits;
      return;
    }
    scope.bitmaps.and(result, bits);
    scope.bitmaps.give(bits);
  };
  for (const part of node.must) keep(matchesOf(part, scope));
  for (const part of node.filter) keep(matchesOf(part, scope));
  if (node.minimum > 0) keep(shouldMatches(node.should, node.minimum, scope));
  const matches = result ?? allDocs(scope);
  for (const part of node.mustNot) {
    const out = matchesOf(part, scope);
    scope.bitmaps.andNot(matches, out);
    scope.bitmaps.give(out);
  }
  return matches;
}

function allDocs(scope: MatchScope): Int32Array {
  const bits = scope.bitmaps.takeDirty();
  fillAll(bits, scope.docs);
  return bits;
}

/** Documents that at least `minimum` of the parts match. */
function shouldMatches(
  parts: readonly SegmentNode[],
  minimum: number,
  scope: MatchScope,
): Int32Array {
  const result = scope.bitmaps.take();
  if (minimum === 1) {
    for (const part of parts) addMatches(part, result, scope);
    return result;
  }
  const counts = new Uint16Array(scope.docs);
  for (const part of parts) {
    const bits = matchesOf(part, scope);
    forEachBit(bits, (doc) => {
      counts[doc]++;
    });
    scope.bitmaps.give(bits);
  }
  for (let doc = 0; doc < counts.length; doc++) if (counts[doc] >= minimum) setBit(result, doc);
  return result;
}
