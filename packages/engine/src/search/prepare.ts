import type { CheckedRequest } from '@lakehouse-search/contract';
import { LhsError } from '@lakehouse-search/contract';
import { lazily } from '../base/lazily.ts';
import type { SearchAfter } from '../collect/order.ts';
import { type BoundRequest, bindRequest } from '../shard/request/bind-request.ts';
import { readSearchAfter } from '../shard/request/sort-values.ts';
import type { ShardQuery } from '../shard/shard.ts';
import type { SearchContext } from './context.ts';
import type { FanOut } from './fan-out.ts';
import type { Near } from './hybrid/find-nearest.ts';

const loadNear = lazily(() => import('./hybrid/near-clauses.ts'));

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
  const { ast, filter } = checked.request;
  // Only trees have `knn` clauses: the first tree loads their code.
  const trees = ast !== undefined || typeof filter === 'object';
  const near = trees
    ? await (await loadNear()).findNearClauses(context, fan, checked.request)
    : null;
  const queries = context.shards.map((_, shard) => {
    return near === null ? query : { ...query, precomputed: near.precomputed[shard] };
  });
  const bound = bindRequest(mapping, queries[0]);
  return { queries, bound, after: readAfter(context, bound), near: near?.found };
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
