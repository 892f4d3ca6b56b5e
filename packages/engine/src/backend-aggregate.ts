/** The part of the contract about aggregations and facets (backend.ts names all of it). */
import type { Json, JsonObject, TableLag } from './backend.ts';

/**
 * Aggregations by name: `{name: {kind: {options}, aggs?}}`, kinds terms, stats, date_histogram,
 * range, filter, missing, cardinality, percentiles (docs/aggregations.md).
 */
export type AggSpecs = JsonObject;

/** A bucket of an answer. `aggs`: what was asked of its documents. */
export interface AggBucket {
  /** A value, the first microsecond of an interval since 1970, or a range's name. */
  readonly key: Json;
  readonly from?: Json;
  readonly to?: Json;
  readonly doc_count: number;
  readonly aggs?: AggResults;
}
/** The answer of one aggregation; which of the shapes follows from its kind. */
export type AggResult =
  | {
      readonly buckets: readonly AggBucket[];
      readonly sum_other_doc_count: number;
      readonly doc_count_error_upper_bound: number;
    }
  | { readonly buckets: readonly AggBucket[] }
  | { readonly doc_count: number; readonly aggs?: AggResults }
  | {
      readonly count: number;
      readonly min: Json;
      readonly max: Json;
      readonly sum: Json;
      readonly avg: Json;
    }
  | { readonly value: number; readonly exact: boolean; readonly standard_error?: number }
  | {
      readonly values: readonly { readonly percent: number; readonly value: Json }[];
      readonly exact: boolean;
      readonly nan_count?: number;
    };
export type AggResults = { readonly [name: string]: AggResult };

/** What aggregations and facets are made of: the documents of a query, as in a search. */
interface MatchRequest {
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
/** What was matched, and at which state of the index. */
interface MatchResponse extends TableLag {
  /** Matching documents. */
  readonly total: number;
  readonly snapshot: string | null;
  readonly index_generation: number;
  readonly took_ms: number;
}
/** `failed_shards` above 0: counts lack the documents of so many shards. */
export interface AggregateResponse extends MatchResponse {
  readonly results: AggResults;
  readonly failed_shards: number;
}
/** Up to 12 fields; `size` values of each (10, at most 100). */
export interface FacetSpec {
  readonly fields: readonly string[];
  readonly size?: number;
}
/** `POST /v1/facets`. */
export interface FacetsRequest extends MatchRequest, FacetSpec {}
/** The most frequent values of a field; `other_count`: documents in all further values together. */
export interface Facet {
  readonly field: string;
  readonly buckets: readonly { readonly value: string; readonly count: number }[];
  readonly other_count: number;
}
/** A field that cannot be aggregated, and the reason as a sentence. */
export interface SkippedFacet {
  readonly field: string;
  readonly reason: string;
}
/** What facets found. */
export interface FacetsResponse extends MatchResponse {
  readonly facets: readonly Facet[];
  /** Fields that cannot be aggregated; absent where all can. */
  readonly skipped_facets?: readonly SkippedFacet[];
  readonly partial?: true;
}
