/**
 * Binding: a query tree becomes a tree of clauses over one index. Steps, top down and back up:
 *
 * 1. Every field is resolved against the mapping (fields.ts), values are coerced to its type
 *    (bounds.ts).
 * 2. TEXT values are analysed: one token is a term, several are a phrase, none makes the clause
 *    vanish from its group. Patterns are folded by the analyzer's `normalize`, then compiled
 *    (patterns.ts).
 * 3. Boosts multiply on the way down and end in the leaves.
 * 4. A bool loses the clauses that vanished, and vanishes with the last of them; at the top that
 *    matches nothing.
 * 5. The tree is rewritten into fewer nodes (clauses/).
 */
import { LIMITS } from '../../base/limits.ts';
import { keyOfCoordinates } from '../../schema/keys/key.ts';
import { rewrite } from '../clauses/registry.ts';
import { requiredOf } from '../minimum.ts';
import type { Query } from '../query.ts';
import { type Clause, constant, NONE, sortedTerms } from './clause.ts';
import type { QueryFields } from './fields.ts';
import { bindLeaf } from './leaf.ts';
import { bindLike, bindNearest } from './nearest.ts';
import { noteCorrections, withCorrections } from './remarks.ts';
import { type BindScope, countLeaf, nodeError, type QueryText } from './scope.ts';

/**
 * Binds `query` to an index; `text` is the query string that it was parsed from, for messages.
 * `notes` gets sentences about what is odd in it.
 * Throws invalid_query (unknown field, value of another type, range without a column …) and
 * limit_exceeded.
 */
export function bindQuery(
  query: Query,
  fields: QueryFields,
  text: QueryText = null,
  notes: string[] = [],
): Clause {
  const scope: BindScope = { fields, text, notes, leaves: 0 };
  noteCorrections(query, scope);
  try {
    return rewrite(bindNode(query, 1, 0, scope) ?? NONE);
  } catch (error) {
    throw withCorrections(error, query, scope);
  }
}

/**
 * One node under a boost, not rewritten; null: it vanishes from its group. Throws as `bindQuery`.
 */
export function bindNode(
  node: Query,
  boost: number,
  depth: number,
  scope: BindScope,
): Clause | null {
  switch (node.kind) {
    case 'bool':
      return bindBool(node, boost, depth + 1, scope);
    case 'boost':
      checkFactor(node, node.factor, scope);
      return bindNode(node.query, boost * node.factor, depth, scope);
    case 'match_all':
      countLeaf(node, scope);
      return { kind: 'all', boost };
    case 'match_none':
      return NONE;
    case 'dis_max':
      return bindMax(node, boost, depth + 1, scope);
    case 'constant_score': {
      const filter = bindNode(node.filter, 1, enter(node, depth + 1, scope), scope);
      return filter && constant(filter, boost);
    }
    case 'boosting':
      return bindBoosting(node, boost, depth + 1, scope);
    case 'ids':
      countLeaf(node, scope);
      return bindIds(node, boost, scope);
    case 'more_like_this':
      return bindLike(node, boost, scope);
    case 'knn':
      countLeaf(node, scope);
      return bindNearest(node, boost, scope);
    default:
      countLeaf(node, scope);
      return bindLeaf(node, boost, scope);
  }
}

function checkFactor(node: Query, factor: number, scope: BindScope): void {
  if (factor >= 0 && factor <= LIMITS.boostFactor) return;
  const message = `boost ${factor} is not a number from 0 to ${LIMITS.boostFactor}`;
  throw nodeError(scope.text, node.span, message, 'write a factor such as ^2 or ^0.5');
}

/** The depth of a node's parts. Throws limit_exceeded past LIMITS.queryDepth. */
function enter(node: Query, depth: number, scope: BindScope): number {
  if (depth <= LIMITS.queryDepth) return depth;
  const message = `the query is nested deeper than ${LIMITS.queryDepth} levels`;
  throw nodeError(scope.text, node.span, message, 'write it flatter', 'limit_exceeded');
}

/** Vanishes with the last of its parts. */
function bindMax(
  node: Query & { readonly kind: 'dis_max' },
  boost: number,
  depth: number,
  scope: BindScope,
): Clause | null {
  enter(node, depth, scope);
  const bound = node.queries.map((part) => bindNode(part, boost, depth, scope));
  const parts = bound.filter((part) => part !== null);
  if (parts.length === 0) return bound.length === 0 ? NONE : null;
  const tie = node.tie_breaker;
  if (tie >= 0 && tie <= 1) return { kind: 'max', parts, tie };
  throw nodeError(scope.text, node.span, `tie_breaker ${tie} is not a number from 0 to 1`);
}

/** Vanishes with `positive`. */
function bindBoosting(
  node: Query & { readonly kind: 'boosting' },
  boost: number,
  depth: number,
  scope: BindScope,
): Clause | null {
  enter(node, depth, scope);
  checkFactor(node, node.negative_boost, scope);
  const part = bindNode(node.positive, boost, depth, scope);
  const negative = bindNode(node.negative, 1, depth, scope) ?? NONE;
  return part && { kind: 'demoted', part, negative, factor: node.negative_boost };
}

function bindIds(
  node: Query & { readonly kind: 'ids' },
  boost: number,
  { fields: { key }, text }: BindScope,
): Clause {
  if (key === undefined) {
    throw nodeError(text, node.span, 'an ids clause is not accepted here', {}, 'unsupported');
  }
  const keys = node.keys.map((coordinates) => keyOfCoordinates(key, coordinates));
  return { kind: 'keys', boost, keys: sortedTerms(keys) };
}

function bindBool(
  node: Query & { readonly kind: 'bool' },
  boost: number,
  depth: number,
  scope: BindScope,
): Clause | null {
  enter(node, depth, scope);
  const bind = (parts: readonly Query[], factor: number) =>
    parts.map((part) => bindNode(part, factor, depth, scope)).filter((part) => part !== null);
  const must = bind(node.must, boost);
  const should = bind(node.should, boost);
  const mustNot = bind(node.must_not, 1);
  const filter = bind(node.filter, 1);
  const clauses = node.must.length + node.should.length + node.must_not.length + node.filter.length;
  if (clauses > 0 && must.length + should.length + mustNot.length + filter.length === 0)
    return null;
  const minimum = neededShould(node, must.length + filter.length, should.length, scope);
  if (minimum < 0) return NONE;
  return { kind: 'bool', must, should, mustNot, filter, minimum };
}

/** How many of the `left` optional clauses must match; -1: more than the query ever had. */
export function neededShould(
  node: Query & { readonly kind: 'bool' },
  required: number,
  left: number,
  scope: BindScope,
): number {
  const { minimum_should_match } = node;
  if (minimum_should_match === undefined) return required === 0 && left > 0 ? 1 : 0;
  const wanted =
    typeof minimum_should_match === 'string'
      ? requiredOf(minimum_should_match, node.should.length)
      : minimum_should_match;
  if (!Number.isInteger(wanted) || wanted < 0) {
    const message = `minimum_should_match ${wanted} is not a whole number from 0 on`;
    throw nodeError(scope.text, node.span, message);
  }
  return wanted > node.should.length ? -1 : Math.min(wanted, left);
}
