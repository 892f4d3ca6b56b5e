/**
 * Whether single documents match a node: leaves that can tell by looking at one document do so, the
 * matches of the others are looked up whole when first asked.
 */
import { hasBit } from '../../bitmap/bitmap.ts';
import { type MatchScope, matchesOf, type SegmentBool, type SegmentNode } from './matches.ts';

/** True when a document matches, deleted or not. */
export type DocTest = (doc: number) => boolean;

/**
 * The test of a node. Bitmaps that it takes from the pool are added to `held`: the caller gives
 * them back when all documents have been tested.
 */
export function docTest(node: SegmentNode, scope: MatchScope, held: Int32Array[]): DocTest {
  if (node.kind === 'none') return () => false;
  if (node.kind === 'leaf') return leafTest(node, scope, held);
  if (node.kind === 'demoted') return docTest(node.part, scope, held);
  if (node.kind === 'max') {
    const parts = { must: [], should: node.parts, mustNot: [], filter: [], minimum: 1 };
    return anyTest({ kind: 'bool', ...parts }, scope, held);
  }
  if (node.minimum > 1) return wholeTest(node, scope, held);
  const tests = (parts: readonly SegmentNode[]) => parts.map((part) => docTest(part, scope, held));
  const all = tests([...node.must, ...node.filter]);
  if (node.minimum === 1) all.unshift(anyTest(node, scope, held));
  const none = tests(node.mustNot);
  const [only] = all;
  if (all.length === 1 && none.length === 0) return only;
  return (doc) => {
    for (let i = 0; i < all.length; i++) if (!all[i](doc)) return false;
    for (let i = 0; i < none.length; i++) if (none[i](doc)) return false;
    return true;
  };
}

function leafTest(
  node: SegmentNode & { readonly kind: 'leaf' },
  scope: MatchScope,
  held: Int32Array[],
): DocTest {
  const { has, hasUpTo = Number.POSITIVE_INFINITY } = node.leaf;
  if (has === undefined) return wholeTest(node, scope, held);
  if (hasUpTo === Number.POSITIVE_INFINITY) return has;
  const whole = wholeTest(node, scope, held);
  let left = hasUpTo;
  return (doc) => (left-- > 0 ? has(doc) : whole(doc));
}

/** One of the optional parts: those that have to be looked up whole share a bitmap. */
function anyTest({ should }: SegmentBool, scope: MatchScope, held: Int32Array[]): DocTest {
  const apart = should.filter((part) => part.kind !== 'leaf' || part.leaf.has !== undefined);
  const together = should.filter((part) => !apart.includes(part));
  const tests = apart.map((part) => docTest(part, scope, held));
  if (together.length > 0) {
    const parts = { must: [], should: together, mustNot: [], filter: [], minimum: 1 };
    tests.push(wholeTest({ kind: 'bool', ...parts }, scope, held));
  }
  const [first, second] = tests;
  if (tests.length === 1) return first;
  if (tests.length === 2) return (doc) => first(doc) || second(doc);
  return (doc) => {
    for (let i = 0; i < tests.length; i++) if (tests[i](doc)) return true;
    return false;
  };
}

function wholeTest(node: SegmentNode, scope: MatchScope, held: Int32Array[]): DocTest {
  let whole: Int32Array | null = null;
  return (doc) => {
    if (whole === null) {
      whole = matchesOf(node, scope);
      held.push(whole);
    }
    return hasBit(whole, doc);
  };
}
