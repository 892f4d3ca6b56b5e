/**
 * `knn` in a query: the documents are found before the query is bound (search/meaning), as they
 * depend on a whole snapshot; binding puts them where the node stands.
 */
import type { FieldPlan } from '../../schema/field-plan.ts';
import { innerQueries, type Query } from '../query.ts';
import { writeTree } from '../tree/write.ts';
import type { Clause } from './clause.ts';
import { findField, type QueryFields, resolveField, unknownFieldHint } from './fields.ts';
import type { BindScope } from './scope.ts';
import { fieldSpan, nodeError } from './scope.ts';

export type NearestNode = Query & { readonly kind: 'knn' };

/** A text that two nodes share only when they ask for the same documents. */
export const nearestName = (node: NearestNode): string => JSON.stringify(writeTree(node));

/** The `knn` nodes of a query, those inside of another's filter not. */
export function* nearestNodes(query: Query): Generator<NearestNode> {
  if (query.kind === 'knn') yield query;
  else for (const part of innerQueries(query)) yield* nearestNodes(part);
}

/** Whether a query has `knn` nodes. */
export const hasNearest = (query: Query): boolean => nearestNodes(query).next().done !== true;

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
  const precomputed = scope.fields.precomputed?.get(nearestName(node));
  if (precomputed !== undefined) return { kind: 'precomputed', boost, precomputed };
  const message = 'a knn clause is not taken here';
  const hint = 'send it in the "ast", the "filter" or the "aggs" of a search';
  throw nodeError(scope.text, node.span, message, hint, 'unsupported');
}
