import type { CheckedFacets, FacetsResponse } from '@lakehouse-search/contract';
import type { SearchContext } from './context.ts';
import { planSearch } from './request/plan.ts';
import { givenOf, lagOf, requireSnapshot } from './search.ts';
import { facetsOf } from './summarize.ts';

/**
 * Answers facets over one snapshot of an index. Fields that cannot be aggregated are
 * in `skipped_facets`; throws invalid_argument for unknown ones, and what a search throws.
 */
export async function facetIndex(
  context: SearchContext,
  checked: CheckedFacets,
): Promise<FacetsResponse> {
  const started = performance.now();
  const lag = lagOf(context);
  const { request } = checked.match;
  const plan = planSearch(checked.match, context.mapping, await givenOf(context, request));
  await requireSnapshot(context, request.min_snapshot);
  const { answer, total } = facetsOf(context, plan, checked.facets);
  return {
    ...answer,
    total,
    snapshot: context.snapshot.checkpoint?.snapshot_id ?? null,
    index_generation: context.snapshot.generation,
    took_ms: Math.round((performance.now() - started) * 1000) / 1000,
    ...(await lag),
  };
}
