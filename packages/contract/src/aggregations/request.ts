import type { AggSpecs } from '../search/agg-spec.ts';
import type { FacetSpec, MatchRequest } from '../search/request.ts';

/** `POST /v1/aggregate`. `aggs` may be a text that holds the JSON object. */
export interface AggregateRequest extends MatchRequest {
  readonly aggs: AggSpecs | string;
}

/** `POST /v1/facets`. */
export interface FacetsRequest extends MatchRequest, FacetSpec {}
