import type { CheckedRequest, SearchRequest } from '@lakehouse-search/contract';
import { LhsError } from '@lakehouse-search/contract';
import type { SearchAfter } from '../collect/order.ts';
import { type BoundRequest, bindRequest } from '../shard/request/bind-request.ts';
import { readSearchAfter } from '../shard/request/sort-values.ts';
import type { ShardQuery } from '../shard/shard.ts';
import type { SearchContext } from './context.ts';
import type { FanOut } from './fan-out.ts';
import type { Near } from './hybrid/find-nearest.ts';

/** A search that is ready to run on the shards. */
export interface PreparedSearch {
  /** The request of each shard; they differ in the documents that were found before. */
  readonly queries: readonly ShardQuery[];
  /** The request as the coordinator binds it: without the precomputed documents. */
  readonly bound: BoundRequest;
  /** Where the page begins; null: at the first hit. */
  readonly after: SearchAfter | null;
  /** What was found for `knn` clauses, by `NearVector.id`. */
  readonly near?: ReadonlyMap<string, Near>;
}

/** Binds a search and finds the documents of its `knn` clauses. Throws what refuses the request. */
export async function prepareSearch(
  context: SearchContext,
  fan: FanOut,
  checked: CheckedRequest,
): Promise<PreparedSearch> {
  const { mapping, tenant } = context;
  const query: ShardQuery =
    tenant === undefined ? { search: checked } : { search: checked, tenant };
  const near = await nearClausesOf(context, fan, checked.request);
  const queries = context.shards.map((_, shard) => {
    return near === null ? query : { ...query, precomputed: near.precomputed[shard] };
  });
  const bound = bindRequest(mapping, queries[0]);
  return { queries, bound, after: readAfter(context, bound), near: near?.found };
}

/**
 * The documents of `knn` clauses by shard. Only trees have them: the first tree loads their code.
 */
async function nearClausesOf(context: SearchContext, fan: FanOut, request: SearchRequest) {
  if (request.ast === undefined && typeof request.filter !== 'object') return null;
  const { findNearClauses } = await import('./hybrid/near-clauses.ts');
  return findNearClauses(context, fan, request);
}

function readAfter({ mapping }: SearchContext, { checked, order }: BoundRequest) {
  const { search_after } = checked.request;
  return search_after === undefined ? null : readSearchAfter(search_after, order, mapping.key);
}

/** Throws snapshot_not_reached where the index does not hold all of a snapshot. */
export async function requireSnapshot(
  context: SearchContext,
  required: string | undefined,
): Promise<void> {
  if (required === undefined) return;
  const own = context.snapshot.checkpoint?.snapshot_id ?? null;
  if (own === required || (await context.hasReached(required))) return;
  const { index } = context.mapping.definition;
  const message = `index "${index}" is at snapshot ${own ?? 'none'}, not yet at ${required}`;
  throw new LhsError('snapshot_not_reached', message, {
    next: [{ step: 'sync', index }],
    details: { snapshot: own },
  });
}
