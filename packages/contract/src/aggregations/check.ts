/** Requests for what summarises the documents of a query: aggregations and facets. */

import { type Check, type Fields, object, requestOf } from '../checks/values.ts';
import {
  type CheckedRequest,
  checkSearchRequest,
  FACET_FIELDS,
  MATCH_FIELDS,
} from '../search/check.ts';
import type { FacetSpec } from '../search/request.ts';
import type { AggregateRequest, FacetsRequest } from './request.ts';

/** The search whose documents are summarised, and what is made of them. */
export interface CheckedAggregate {
  readonly match: CheckedRequest;
  readonly aggs: AggregateRequest['aggs'];
}
/** The same for facets. */
export interface CheckedFacets {
  readonly match: CheckedRequest;
  readonly facets: FacetSpec;
}

/** A text is parsed later. The reader of the object checks which aggregations it holds. */
const aggs: Check = (value, name) => {
  if (typeof value !== 'string') object(value, name);
};
const AGGREGATE_FIELDS: Fields<AggregateRequest> = { ...MATCH_FIELDS, aggs };
const FACETS_FIELDS: Fields<FacetsRequest> = { ...MATCH_FIELDS, ...FACET_FIELDS };
const readAggregate = requestOf<AggregateRequest>(AGGREGATE_FIELDS, 'aggs');
const readFacets = requestOf<FacetsRequest>(FACETS_FIELDS, 'fields');

/** Checks a request for aggregations. Throws invalid_argument or limit_exceeded. */
export function checkAggregateRequest(request: unknown): CheckedAggregate {
  const { aggs: own, ...match } = readAggregate(request);
  return { match: checkSearchRequest(match), aggs: own };
}

/** Checks a request for facets. Throws invalid_argument or limit_exceeded. */
export function checkFacetsRequest(request: unknown): CheckedFacets {
  const { fields, size, ...match } = readFacets(request);
  return {
    match: checkSearchRequest(match),
    facets: { fields, ...(size === undefined ? {} : { size }) },
  };
}
