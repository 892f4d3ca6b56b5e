import type { TableLag } from '../lag.ts';
import type { AggResults, Facet, SearchResponse, SkippedFacet } from '../search/response.ts';

/** The number of matches, the state of the index, and with `suggest` why nothing matched. */
export interface MatchResponse
  extends TableLag,
    Pick<SearchResponse, 'clauses' | 'suggested_query' | 'suggested_total'> {
  /** Matching documents. */
  readonly total: number;
  readonly snapshot: string | null;
  readonly index_generation: number;
  readonly took_ms: number;
  /** Remarks on the query, as sentences. */
  readonly notes?: readonly string[];
}

/** `failed_shards` above 0: counts lack the documents of so many shards. */
export interface AggregateResponse extends MatchResponse {
  readonly results: AggResults;
  readonly failed_shards: number;
}

/** What facets found. */
export interface FacetsResponse extends MatchResponse {
  readonly facets: readonly Facet[];
  /** Fields that cannot be aggregated; absent if all can. */
  readonly skipped_facets?: readonly SkippedFacet[];
  readonly partial?: true;
}
