import type { Json, JsonObject } from '../json.ts';
import type { AggSpecs, FacetSpec } from '../search/request.ts';

/** What aggregations and facets are made of: the documents of a query, as in a search. */
export interface MatchRequest {
  readonly index?: string;
  readonly query?: string;
  readonly ast?: Json;
  readonly syntax?: 'default' | 'kql';
  readonly default_operator?: 'or' | 'and';
  readonly filter?: string | JsonObject;
  readonly pit_id?: string;
  readonly min_snapshot?: string;
  readonly wait_ms?: number;
}

/** `POST /v1/aggregate`. `aggs` may be a text that holds the JSON object. */
export interface AggregateRequest extends MatchRequest {
  readonly aggs: AggSpecs | string;
}

/** `POST /v1/facets`. */
export interface FacetsRequest extends MatchRequest, FacetSpec {}
