/**
 * `knn` nodes of a request, resolved before it is bound. What narrows a node: the tenant's guard,
 * its own filter, and for nodes of the query the request's filter too, so that k documents come
 * back wherever so many are left.
 */
import type { SearchRequest } from '@lakehouse-search/contract';
import { nearestOfNode } from '@lakehouse-search/contract';
import { bindQuery } from '../../query/bind/bind.ts';
import type { Clause } from '../../query/bind/clause.ts';
import type { GivenDocs } from '../../query/bind/given.ts';
import { nearestField, nearestName, nearestNodes } from '../../query/bind/nearest.ts';
import type { Query } from '../../query/query.ts';
import { readTree } from '../../query/tree/read.ts';
import type { SearchContext } from '../context.ts';
import { bindFilter, type GivenByNode, queryFields } from '../request/plan.ts';
import { findNear, nearGiven } from './find-nearest.ts';
import { withVector } from './query-vector.ts';

/**
 * The documents of every `knn` node of a request's trees. Throws as binding and `queryVector` do.
 */
export async function givenByNode(
  context: SearchContext,
  request: Pick<SearchRequest, 'ast' | 'filter' | 'syntax' | 'default_operator'>,
): Promise<GivenByNode> {
  const { ast, filter } = request;
  const filterTree = typeof filter === 'object' ? readTree(filter) : null;
  const queryTree = ast === undefined ? null : readTree(ast);
  const guards = context.guard ? [context.guard] : [];
  const inFilter = await resolveTree(context, filterTree, guards);
  if (queryTree === null || nearestNodes(queryTree).next().done === true) {
    return { filter: inFilter };
  }
  const narrowing = bindFilter(request, context.mapping, inFilter);
  const all = narrowing === null ? guards : [...guards, narrowing];
  return { filter: inFilter, query: await resolveTree(context, queryTree, all) };
}

async function resolveTree(
  context: SearchContext,
  tree: Query | null,
  narrowing: readonly Clause[],
): Promise<ReadonlyMap<string, GivenDocs>> {
  const given = new Map<string, GivenDocs>();
  if (tree === null) return given;
  const fields = queryFields(context.mapping);
  for (const node of nearestNodes(tree)) {
    const name = nearestName(node);
    if (given.has(name)) continue;
    const field = withVector(nearestField(node, fields));
    const inner =
      node.filter === undefined ? null : await ownFilter(context, node.filter, narrowing);
    const nearest = nearestOfNode(node);
    const all = inner === null ? narrowing : [...narrowing, inner];
    const near = await findNear(context, field, nearest, all);
    given.set(name, nearGiven(context, near, field, nearest, fields));
  }
  return given;
}

async function ownFilter(
  context: SearchContext,
  filter: Query,
  narrowing: readonly Clause[],
): Promise<Clause> {
  const given = await resolveTree(context, filter, narrowing);
  return bindQuery(filter, queryFields(context.mapping, given));
}
