import type { Deadline } from '../../base/time/deadline.ts';
import { hasBit } from '../../bitmap/bitmap.ts';
import type { Bitmaps } from '../../bitmap/bitmaps.ts';
import { type ConstantLeaf, constantScores, type RangeScores, type SegmentLeaf } from './leaf.ts';

/** Where bitmaps of a segment come from. */
export interface MatchScope {
  readonly docs: number;
  readonly bitmaps: Bitmaps;
  /** When the query has to be done. */
  readonly deadline: Deadline;
}

/** True when a document matches, deleted or not. */
export type DocTest = (doc: number) => boolean;

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

/** A leaf over a segment of `docs` documents; `scored`: it will be asked for scores. */
export function leafNode(leaf: SegmentLeaf, docs: number, scored: boolean): SegmentNode {
  const { constant, most = docs, has, hasUpTo = Number.POSITIVE_INFINITY } = leaf;
  const found = constant !== undefined && scored ? new FoundOnce(leaf) : null;
  const fill: SegmentNode['fill'] = (bits, scope) => {
    scope.deadline.check();
    if (found === null) leaf.fill(bits);
    else scope.bitmaps.or(bits, found.matches(scope));
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
    scores: (scope, held) => (leaf.constant === undefined ? leaf : found!.scores(scope, held)),
  };
}

/** The matches of a leaf with one score, which scoring asks for again. */
class FoundOnce {
  readonly #leaf: ConstantLeaf;
  #bits: Int32Array | null = null;

  constructor(leaf: ConstantLeaf) {
    this.#leaf = leaf;
  }

  /** Nobody may change them. */
  matches({ bitmaps }: MatchScope): Int32Array {
    if (this.#bits === null) this.#leaf.fill((this.#bits = bitmaps.take()));
    return this.#bits;
  }

  /** The scores; the bitmap becomes one of `held`. */
  scores(scope: MatchScope, held: Int32Array[]): RangeScores {
    let own: Int32Array | null = null;
    return constantScores(() => {
      if (own === null) {
        held.push((own = this.matches(scope)));
        this.#bits = null;
      }
      return own;
    }, this.#leaf.constant);
  }
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
