import type {
  AggregateRequest,
  AggregateResponse,
  FacetsRequest,
  FacetsResponse,
} from '@lakehouse-search/contract';
import { checkAggregateRequest, checkFacetsRequest } from '@lakehouse-search/contract';
import { lazily } from '../base/lazily.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { readIndex } from './read-index.ts';
import { answerOnceReached } from './wait-for-snapshot.ts';

const loadAggregate = lazily(() => import('../search/aggregate.ts'));
const loadFacets = lazily(() => import('../search/facets.ts'));

/** Aggregations of an index, of what a tenant sees of it where one is named. */
export async function aggregateLocal(
  indexes: LocalIndexes,
  request: AggregateRequest,
  tenant?: string,
): Promise<AggregateResponse> {
  const { aggregateIndex } = await loadAggregate();
  const checked = checkAggregateRequest(request);
  const { index, pit_id } = request;
  return answerOnceReached(indexes, request, () =>
    readIndex(indexes, { index, pit_id, tenant }, (context) => aggregateIndex(context, checked)),
  );
}

/** The same for facets. */
export async function facetsLocal(
  indexes: LocalIndexes,
  request: FacetsRequest,
  tenant?: string,
): Promise<FacetsResponse> {
  const { facetIndex } = await loadFacets();
  const checked = checkFacetsRequest(request);
  const { index, pit_id } = request;
  return answerOnceReached(indexes, request, () =>
    readIndex(indexes, { index, pit_id, tenant }, (context) => facetIndex(context, checked)),
  );
}
