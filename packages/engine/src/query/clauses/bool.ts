import { fillAll, forEachBit, setBit } from '../../bitmap/bitmap.ts';
import { type BoolClause, type Clause, NONE } from '../bind/clause.ts';
import { constantDetail, sumDetail } from '../explain/detail.ts';
import {
  anyTest,
  type DocTest,
  fillAny,
  type MatchScope,
  mostOfAny,
  type SegmentNode,
  wholeTest,
} from '../weight/segment-node.ts';
import { sumScores } from '../weight/sum.ts';
import type { CompoundModule, ExplainPart } from './module.ts';

/** Parts that must match, may match, must not match, or only restrict. */
export const boolModule: CompoundModule<BoolClause> = {
  parts: ({ must, should, filter, mustNot }) => ({
    scoring: [...must, ...should],
    silent: filter,
    negative: mustNot,
  }),
  key({ must, should, mustNot, filter, minimum }, keyOf) {
    const lists = [must, should, mustNot, filter];
    return `${minimum}${lists.map((list) => `[${list.map(keyOf).join(',')}]`).join('')}`;
  },
  rewrite: rewriteBool,
  node(clause, open, { reader }) {
    const parts = (list: readonly Clause[], scored: boolean) =>
      list.map((part) => open(part, scored));
    const segment = {
      must: parts(clause.must, true),
      should: parts(clause.should, true),
      mustNot: parts(clause.mustNot, false),
      filter: parts(clause.filter, false),
      minimum: clause.minimum,
    };
    return boolNode(segment, reader.docs);
  },
  explain(clause, name, explain) {
    const details = matchingParts(clause, explain);
    if (details === null) return null;
    const [only] = clause.must;
    if (clause.must.length === 1 && clause.should.length === 0 && only?.kind === 'all') {
      return constantDetail(name, only.boost);
    }
    return details.length === 1 ? details[0] : sumDetail(name, details);
  },
};

/** The explanations of what scores; null: the bool does not match. */
function matchingParts(clause: BoolClause, explain: ExplainPart) {
  const must = clause.must.map(explain);
  const filter = clause.filter.map(explain);
  if (must.includes(null) || filter.includes(null)) return null;
  const should = clause.should.map(explain).filter((part) => part !== null);
  if (should.length < clause.minimum) return null;
  if (clause.mustNot.map(explain).some((part) => part !== null)) return null;
  return [...must.filter((part) => part !== null), ...should];
}

/**
 * Steps after the rewrite of the parts:
 *
 * 1. `none` below must or filter makes the bool `none`; below should or must_not it goes away;
 *    `all` below filter goes away.
 * 2. `must` of a part that is a pure conjunction, and `should` of a part that is a pure
 *    disjunction, take its parts in its place.
 * 3. More required optional parts than there are: `none`. As many as there are: they become `must`.
 * 4. A single must, or a single needed should, alone: that part itself.
 */
function rewriteBool(clause: BoolClause, rewrite: (part: Clause) => Clause): Clause {
  const must = clause.must.map(rewrite);
  const filter = clause.filter.map(rewrite).filter((part) => part.kind !== 'all');
  if ([...must, ...filter].some((part) => part.kind === 'none')) return NONE;
  const mustNot = clause.mustNot.map(rewrite).filter((part) => part.kind !== 'none');
  if (mustNot.some((part) => part.kind === 'all')) return NONE;
  const should = clause.should.map(rewrite).filter((part) => part.kind !== 'none');
  return simplify({ kind: 'bool', must, should, mustNot, filter, minimum: clause.minimum });
}

function simplify(clause: BoolClause): Clause {
  let { must, should, filter, minimum } = clause;
  let mustNot = clause.mustNot;
  if (minimum > should.length) return NONE;
  if (minimum === should.length && minimum > 0) {
    must = [...must, ...should];
    should = [];
    minimum = 0;
  }
  const conjunctions = must.filter(isConjunction);
  if (conjunctions.length > 0) {
    filter = [...filter, ...conjunctions.flatMap((part) => part.filter)];
    mustNot = [...mustNot, ...conjunctions.flatMap((part) => part.mustNot)];
    must = must.flatMap((part) => (isConjunction(part) ? part.must : [part]));
  }
  if (minimum <= 1) {
    should = should.flatMap((part) =>
      minimum === 1 && isDisjunction(part) ? part.should : [part],
    );
  }
  const plain = filter.length === 0 && mustNot.length === 0;
  if (plain && must.length === 1 && should.length === 0) return must[0];
  if (plain && must.length === 0 && should.length === 1 && minimum === 1) return should[0];
  return Object.freeze({ kind: 'bool', must, should, mustNot, filter, minimum });
}

/** must, filter and must_not only: the parts may stand in a must of the parent. */
function isConjunction(clause: Clause): clause is BoolClause {
  return clause.kind === 'bool' && clause.should.length === 0;
}

/** A plain `a OR b`. */
function isDisjunction(clause: Clause): clause is BoolClause {
  return (
    clause.kind === 'bool' &&
    clause.minimum === 1 &&
    clause.must.length + clause.filter.length + clause.mustNot.length === 0
  );
}

/** A bool over one segment. */
interface SegmentBool {
  readonly must: readonly SegmentNode[];
  readonly should: readonly SegmentNode[];
  readonly mustNot: readonly SegmentNode[];
  readonly filter: readonly SegmentNode[];
  readonly minimum: number;
}

function boolNode(bool: SegmentBool, docs: number): SegmentNode {
  const matches = (scope: MatchScope) => boolMatches(bool, scope);
  return {
    constant: constantOf(bool),
    most: mostOf(bool, docs),
    isTestedWhole: bool.minimum > 1,
    matches,
    fill(bits, scope) {
      const own = matches(scope);
      scope.bitmaps.or(bits, own);
      scope.bitmaps.give(own);
    },
    test: (scope, held) =>
      bool.minimum > 1 ? wholeTest(() => matches(scope), held) : boolTest(bool, scope, held),
    scores(scope, held, isRoot) {
      const scoring = [...bool.must, ...bool.should];
      const parts = scoring.map((part) => part.scores(scope, held, false));
      if (isRoot || parts.length === 0) return sumScores(parts, null);
      const own = matches(scope);
      held.push(own);
      return sumScores(parts, own);
    },
  };
}

function constantOf({ must, should }: SegmentBool): number | undefined {
  if (should.length > 0) return undefined;
  const add = (sum: number | undefined, { constant }: SegmentNode) =>
    sum === undefined || constant === undefined ? undefined : sum + constant;
  return must.reduce(add, 0);
}

function mostOf({ must, filter, should, minimum }: SegmentBool, docs: number): number {
  const most = Math.min(docs, ...[...must, ...filter].map((part) => part.most));
  return minimum === 0 ? most : Math.min(most, mostOfAny(should, docs));
}

function boolMatches(bool: SegmentBool, scope: MatchScope): Int32Array {
  let result: Int32Array | null = null;
  const keep = (bits: Int32Array) => {
    if (result === null) {
      result = bits;
      return;
    }
    scope.bitmaps.and(result, bits);
    scope.bitmaps.give(bits);
  };
  for (const part of bool.must) keep(part.matches(scope));
  for (const part of bool.filter) keep(part.matches(scope));
  if (bool.minimum > 0) keep(shouldMatches(bool.should, bool.minimum, scope));
  const matches = result ?? allDocs(scope);
  for (const part of bool.mustNot) {
    const out = part.matches(scope);
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
    fillAny(parts, result, scope);
    return result;
  }
  const counts = new Uint16Array(scope.docs);
  for (const part of parts) {
    const bits = part.matches(scope);
    forEachBit(bits, (doc) => {
      counts[doc]++;
    });
    scope.bitmaps.give(bits);
  }
  for (let doc = 0; doc < counts.length; doc++) if (counts[doc] >= minimum) setBit(result, doc);
  return result;
}

function boolTest(bool: SegmentBool, scope: MatchScope, held: Int32Array[]): DocTest {
  const tests = (parts: readonly SegmentNode[]) => parts.map((part) => part.test(scope, held));
  const all = tests([...bool.must, ...bool.filter]);
  if (bool.minimum === 1) all.unshift(anyTest(bool.should, scope, held));
  const none = tests(bool.mustNot);
  const [only] = all;
  if (all.length === 1 && none.length === 0) return only;
  return (doc) => {
    for (let i = 0; i < all.length; i++) if (!all[i](doc)) return false;
    for (let i = 0; i < none.length; i++) if (none[i](doc)) return false;
    return true;
  };
}
