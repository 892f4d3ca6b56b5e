/**
 * `knn` and `more_like_this` clauses of a request: their documents and words are found before the
 * request is bound. The tenant filter and the clause's own filter restrict the documents, and for
 * clauses of the query the request's filter too, so that k documents come back wherever so many are
 * left.
 */
import { LhsError, type SearchRequest } from '@lakehouse-search/contract';
import { nearestOfNode } from '@lakehouse-search/contract/internal';
import { LIMITS } from '../../base/limits.ts';
import {
  hasPrecomputed,
  nearestField,
  precomputedName,
  precomputedNodes,
} from '../../query/bind/nearest.ts';
import type { Query } from '../../query/query.ts';
import { readTree } from '../../query/tree/read.ts';
import { writeTree } from '../../query/tree/write.ts';
import { withVector } from '../../shard/execute/nearest.ts';
import { bindFilter, filterParts } from '../../shard/request/bind-request.ts';
import { docsByName } from '../../shard/request/precomputed.ts';
import { queryFields } from '../../shard/request/query-fields.ts';
import type { NamedDocs, Precomputed, ShardFilter, ShardQuery } from '../../shard/shard.ts';
import type { SearchContext } from '../context.ts';
import type { FanOut } from '../fan-out.ts';
import { likedTerms } from '../liked-terms.ts';
import {
  type FiltersByShard,
  filtersOf,
  findNear,
  type Near,
  nearByShard,
} from './find-nearest.ts';

/**
 * The documents of `knn` clauses as each shard takes them, and what was found, by `NearVector.id`.
 */
export interface NearClauses {
  readonly precomputed: readonly Precomputed[];
  readonly found: ReadonlyMap<string, Near>;
}

/**
 * The documents of every `knn` clause of a request's trees; null where there is none. Throws as
 * binding and `queryVector` do.
 */
export async function findNearClauses(
  context: SearchContext,
  fan: FanOut,
  request: SearchRequest,
): Promise<NearClauses | null> {
  const { ast, filter, now } = request;
  const filterTree = typeof filter === 'object' ? readTree(filter) : null;
  const queryTree = ast === undefined ? null : readTree(ast);
  if (!hasNear(filterTree) && !hasNear(queryTree)) return null;
  const search = new NearSearch(context, fan, now);
  const none = fan.shards.map((): readonly ShardFilter[] => []);
  const inFilter = await search.resolve(filterTree, none);
  const filters = fan.shards.map((_, shard): readonly ShardFilter[] => {
    if (filter === undefined) return [];
    return [{ request: filterParts(request), precomputed: inFilter[shard] }];
  });
  if (hasNear(queryTree)) search.check(filters);
  const inQuery = await search.resolve(queryTree, filters);
  const precomputed = fan.shards.map((_, shard): Precomputed => {
    return { query: inQuery[shard], filter: inFilter[shard] };
  });
  return { precomputed, found: search.found };
}

/**
 * The queries of all shards with the documents of the `knn` clauses in filters of aggregations:
 * near among what the filter of the request and the tenant let pass. Throws as `findNearClauses`.
 */
export async function withNearAggregations(
  context: SearchContext,
  fan: FanOut,
  queries: readonly ShardQuery[],
  trees: readonly Query[],
): Promise<readonly ShardQuery[]> {
  const clauses = trees.reduce((sum, tree) => sum + nearestCount(tree), 0);
  if (clauses > LIMITS.nearestClauses) {
    const most = `at most ${LIMITS.nearestClauses} knn clauses are taken`;
    throw new LhsError('limit_exceeded', `"aggs" has ${clauses}: ${most} (nearestClauses)`);
  }
  const search = new NearSearch(context, fan, queries[0].search.request.now);
  const all = { kind: 'bool', must: [], should: [...trees], must_not: [], filter: [] } as const;
  const aggs = await search.resolve(all, filtersOf(queries));
  return queries.map((query, shard) => {
    return { ...query, precomputed: { ...query.precomputed, aggs: aggs[shard] } };
  });
}

const hasNear = (tree: Query | null): boolean => tree !== null && hasPrecomputed(tree);

const nearestCount = (tree: Query): number =>
  [...precomputedNodes(tree)].filter(({ kind }) => kind === 'knn').length;

class NearSearch {
  readonly #context: SearchContext;
  readonly #fan: FanOut;
  readonly #now: number | undefined;
  readonly found = new Map<string, Near>();

  constructor(context: SearchContext, fan: FanOut, now: number | undefined) {
    this.#context = context;
    this.#fan = fan;
    this.#now = now;
  }

  /** The documents of a tree's `knn` clauses, by shard. */
  async resolve(
    tree: Query | null,
    filters: FiltersByShard,
  ): Promise<readonly (readonly NamedDocs[])[]> {
    const { mapping } = this.#context;
    const shards = this.#fan.shards.length;
    const named = this.#fan.shards.map((): NamedDocs[] => []);
    if (tree === null) return named;
    const fields = queryFields(mapping);
    const seen = new Set<string>();
    for (const node of precomputedNodes(tree)) {
      const name = precomputedName(node);
      if (seen.has(name)) continue;
      seen.add(name);
      if (node.kind === 'more_like_this') {
        const found = { liked: await likedTerms(this.#context, this.#fan, node) };
        for (const list of named) list.push({ name, found });
        continue;
      }
      const field = withVector(nearestField(node, fields));
      const nearest = nearestOfNode(node);
      const all = node.filter === undefined ? filters : await this.#within(node.filter, filters);
      const near = await findNear(this.#context, this.#fan, field, nearest, all);
      // The same clause in the query and in the filter has other filters: its name is not enough.
      const id = String(this.found.size);
      this.found.set(id, near);
      nearByShard(shards, near, id).forEach((found, shard) => {
        named[shard].push({ name, found });
      });
    }
    return named;
  }

  /** Throws what binding throws, before a model is opened for a text. */
  check([filters]: FiltersByShard): void {
    const { mapping } = this.#context;
    for (const { request, precomputed } of filters) {
      bindFilter(request, mapping, docsByName(precomputed, mapping, null));
    }
  }

  /** The filters and a clause's own filter. */
  async #within(filter: Query, filters: FiltersByShard): Promise<FiltersByShard> {
    const precomputed = await this.resolve(filter, filters);
    const request = { filter: writeTree(filter), now: this.#now };
    const all = filters.map((list, shard) => [
      ...list,
      { request, precomputed: precomputed[shard] },
    ]);
    this.check(all);
    return all;
  }
}
