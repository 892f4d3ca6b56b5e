/**
 * `knn` and `more_like_this` in a query: their documents, or words, are found before the query is
 * bound (search/hybrid/near-clauses.ts), as they depend on a whole snapshot; binding puts them
 * where the node stands.
 */
import type { LhsError } from '@lakehouse-search/contract';
import type { FieldPlan } from '../../schema/field-plan.ts';
import { keyOfCoordinates } from '../../schema/keys/key.ts';
import { requiredOf } from '../minimum.ts';
import { innerQueries, type Query } from '../query.ts';
import { writeTree } from '../tree/write.ts';
import { type Clause, NONE, sortedTerms } from './clause.ts';
import { findField, type QueryFields, resolveField, unknownFieldHint } from './fields.ts';
import { type BindScope, countLeaf, fieldSpan, nodeError } from './scope.ts';

export type NearestNode = Query & { readonly kind: 'knn' };
export type LikeNode = Query & { readonly kind: 'more_like_this' };

/** A node that is bound to what was found for it. */
export type PrecomputedNode = NearestNode | LikeNode;

/** A text that two nodes share only when they ask for the same. */
export const precomputedName = (node: PrecomputedNode): string => JSON.stringify(writeTree(node));

/** The nodes of a query for which something is found before, those inside of a filter of them not. */
export function* precomputedNodes(query: Query): Generator<PrecomputedNode> {
  if (query.kind === 'knn' || query.kind === 'more_like_this') yield query;
  else for (const part of innerQueries(query)) yield* precomputedNodes(part);
}

/** Whether a query has such nodes. */
export const hasPrecomputed = (query: Query): boolean =>
  precomputedNodes(query).next().done !== true;

/** The VECTOR field of a node. Throws invalid_query for another, or none. */
export function nearestField(node: NearestNode, fields: QueryFields): FieldPlan {
  const target = resolveField(fields, node, null);
  if (target.kind === 'field' && target.plan.vector !== undefined) return target.plan;
  const type = target.kind === 'field' ? target.plan.type : 'a path';
  const message = `a knn clause needs a VECTOR field: "${node.field}" is ${type}`;
  throw nodeError(null, fieldSpan(node), message, vectorFieldsHint(fields));
}

/** Which VECTOR fields there are, for messages. */
export function vectorFieldsHint(fields: QueryFields): string {
  const names = vectorFields(fields).map(({ name }) => name);
  if (names.length > 0) return `VECTOR fields: ${names.join(', ')}`;
  return 'add one to the definition, then reindex';
}

/** The VECTOR fields of an index, in its definition's order. */
export function vectorFields(fields: QueryFields): readonly FieldPlan[] {
  return [...fields.plans.values()].filter(({ vector }) => vector !== undefined);
}

/**
 * The VECTOR field of a name. Throws invalid_argument with the nearest name, or what it is instead.
 */
export function namedVectorField(fields: QueryFields, name: string): FieldPlan {
  const found = findField(fields, name);
  if (found === undefined) {
    const message = `field "${name}" is not in index "${fields.index}"`;
    throw nodeError(null, undefined, message, unknownFieldHint(fields, name), 'invalid_argument');
  }
  if (found.kind === 'field' && found.plan.vector !== undefined) return found.plan;
  const type = found.kind === 'field' ? found.plan.type : 'a path of a variant';
  const message = `"vector_field" needs a VECTOR field: "${name}" is ${type}`;
  throw nodeError(null, undefined, message, vectorFieldsHint(fields), 'invalid_argument');
}

/** The clause of a node: its documents, as they were found. */
export function bindNearest(node: NearestNode, boost: number, scope: BindScope): Clause {
  nearestField(node, scope.fields);
  const found = scope.fields.precomputed?.get(precomputedName(node));
  if (found === undefined || 'liked' in found) throw notTaken(node, scope);
  return { kind: 'precomputed', boost, precomputed: found };
}

/** The clause of a node: the words that were found, without the rows that they are of. */
export function bindLike(node: LikeNode, boost: number, scope: BindScope): Clause {
  const found = scope.fields.precomputed?.get(precomputedName(node));
  if (found === undefined || !('liked' in found)) throw notTaken(node, scope);
  const should = found.liked.flatMap(({ field: name, term }): readonly Clause[] => {
    const field = scope.fields.plans.get(name);
    countLeaf(node, scope);
    return field === undefined ? [] : [{ kind: 'term', boost, field, term }];
  });
  if (should.length === 0) return NONE;
  const minimum = Math.max(1, requiredOf(String(node.minimum_should_match), should.length));
  const { key } = scope.fields;
  const own = key === undefined ? [] : (node.keys ?? []).map((one) => keyOfCoordinates(key, one));
  const mustNot: readonly Clause[] =
    own.length === 0 ? [] : [{ kind: 'keys', boost: 1, keys: sortedTerms(own) }];
  return { kind: 'bool', must: [], should, mustNot, filter: [], minimum };
}

function notTaken(node: PrecomputedNode, { text }: BindScope): LhsError {
  const message = `a ${node.kind} clause is not taken here`;
  const hint = 'send it in the "ast", the "filter" or the "aggs" of a search';
  return nodeError(text, node.span, message, hint, 'unsupported');
}
