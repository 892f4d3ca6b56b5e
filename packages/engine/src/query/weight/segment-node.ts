import type { Deadline } from '../../base/time/deadline.ts';
import { hasBit } from '../../bitmap/bitmap.ts';
import type { Bitmaps } from '../../bitmap/bitmaps.ts';
import type { SegmentLeaf } from './leaf.ts';

/** Where bitmaps of a segment come from. */
export interface MatchScope {
  readonly docs: number;
  readonly bitmaps: Bitmaps;
  /** When the query has to be done. */
  readonly deadline: Deadline;
}

/** True when a document matches, deleted or not. */
export type DocTest = (doc: number) => boolean;

/** The scores of a node: by range of 256 documents, with a bound of each. */
export type RangeScores = Pick<SegmentLeaf, 'add' | 'addBounds'>;

/** A clause over one segment. Its matches include deleted documents. */
export interface SegmentNode {
  /**
   * The score of every match, where it is one and the same: known before any leaf is read.
   * undefined: it differs.
   */
  readonly constant: number | undefined;
  /** No more documents than these match, as far as that is known without reading. */
  readonly most: number;
  /** Testing one document costs as much as finding all matches. */
  readonly isTestedWhole: boolean;
  /** Sets the bits of the matches. Other bits stay. */
  fill(bits: Int32Array, scope: MatchScope): void;
  /** The matches as a bitmap of the pool, which the caller gives back. */
  matches(scope: MatchScope): Int32Array;
  /**
   * The test of single documents. Bitmaps that it takes from the pool are added to `held`: the
   * caller gives them back when all documents have been tested.
   */
  test(scope: MatchScope, held: Int32Array[]): DocTest;
  /**
   * What scores. Bitmaps taken from the pool are added to `held`. In a sum, an inner bool counts
   * only for documents that match it; the caller knows the matches of the root.
   */
  scores(scope: MatchScope, held: Int32Array[], isRoot: boolean): RangeScores;
}

/** The matches that `fill` sets. */
export function filled(fill: SegmentNode['fill'], scope: MatchScope): Int32Array {
  const bits = scope.bitmaps.take();
  fill(bits, scope);
  return bits;
}

/** A leaf over a segment of `docs` documents. */
export function leafNode(leaf: SegmentLeaf, docs: number): SegmentNode {
  const { constant, most = docs, has, hasUpTo = Number.POSITIVE_INFINITY } = leaf;
  const fill: SegmentNode['fill'] = (bits, { deadline }) => {
    deadline.check();
    leaf.fill(bits);
  };
  const matches = (scope: MatchScope) => filled(fill, scope);
  return {
    ...{ constant, most, isTestedWhole: has === undefined, fill, matches },
    test(scope, held) {
      if (has !== undefined && hasUpTo === Number.POSITIVE_INFINITY) return has;
      const whole = wholeTest(() => matches(scope), held);
      if (has === undefined) return whole;
      let left = hasUpTo;
      return (doc) => (left-- > 0 ? has(doc) : whole(doc));
    },
    scores: () => leaf,
  };
}

/** Finds all matches when the first document is tested. */
export function wholeTest(matches: () => Int32Array, held: Int32Array[]): DocTest {
  let whole: Int32Array | null = null;
  return (doc) => {
    if (whole === null) held.push((whole = matches()));
    return hasBit(whole, doc);
  };
}

/** No more documents than these match any of the parts. */
export const mostOfAny = (parts: readonly SegmentNode[], docs: number): number =>
  Math.min(
    docs,
    parts.reduce((sum, part) => sum + part.most, 0),
  );

/** Sets the bits of the documents that any of the parts matches. */
export function fillAny(parts: readonly SegmentNode[], bits: Int32Array, scope: MatchScope): void {
  for (const part of parts) part.fill(bits, scope);
}

/** Any of the parts: those that are tested whole share a bitmap. */
export function anyTest(
  parts: readonly SegmentNode[],
  scope: MatchScope,
  held: Int32Array[],
): DocTest {
  const together = parts.filter((part) => part.isTestedWhole);
  const apart = parts.filter((part) => !part.isTestedWhole);
  const tests = apart.map((part) => part.test(scope, held));
  if (together.length > 0) {
    const all = () => filled((bits) => fillAny(together, bits, scope), scope);
    tests.push(wholeTest(all, held));
  }
  const [first, second] = tests;
  if (tests.length === 1) return first;
  if (tests.length === 2) return (doc) => first(doc) || second(doc);
  return (doc) => {
    for (let i = 0; i < tests.length; i++) if (tests[i](doc)) return true;
    return false;
  };
}
