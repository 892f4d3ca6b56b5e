import type {
  AggregateRequest,
  AggregateResponse,
  CallContext,
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

/** Aggregations of an index. */
export async function aggregateLocal(
  indexes: LocalIndexes,
  request: AggregateRequest,
  call: CallContext = {},
): Promise<AggregateResponse> {
  const { aggregateIndex } = await loadAggregate();
  const checked = checkAggregateRequest(request);
  const { index, pit_id } = request;
  return answerOnceReached(indexes, request, () =>
    readIndex(indexes, { index, pit_id, call }, (context) => aggregateIndex(context, checked)),
  );
}

/** The same for facets. */
export async function facetsLocal(
  indexes: LocalIndexes,
  request: FacetsRequest,
  call: CallContext = {},
): Promise<FacetsResponse> {
  const { facetIndex } = await loadFacets();
  const checked = checkFacetsRequest(request);
  const { index, pit_id } = request;
  return answerOnceReached(indexes, request, () =>
    readIndex(indexes, { index, pit_id, call }, (context) => facetIndex(context, checked)),
  );
}
