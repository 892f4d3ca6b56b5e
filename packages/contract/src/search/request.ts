import type { Json } from '../json.ts';
import type { AggSpecs } from './agg-spec.ts';
import type { QueryTree } from './query-tree.ts';

/** One key of a sort order. */
export interface SortSpec {
  /** A fast field, or `_score`, or `_key`. */
  readonly field: string;
  readonly desc?: boolean | undefined;
  /**
   * Where documents without a value of the field are: `_last` (default) or `_first` in both
   * directions, or a value of the field that they are ordered by.
   */
  readonly missing?: Json | undefined;
}

/** What to highlight. `{}`: all cached TEXT fields. */
export interface HighlightSpec {
  readonly fields?: readonly string[] | undefined;
  /**
   * In place of `fields`: all fields and paths that the query searches; of numbers and dates the
   * values that match. Texts that the index has no copy of are marked only in hits without other
   * marked texts.
   */
  readonly matched?: boolean | undefined;
  readonly max_fragments?: number | undefined;
  readonly fragment_size?: number | undefined;
}

/**
 * The documents of a query at one state of an index: what searches, facets and aggregations share.
 */
export interface MatchRequest {
  readonly index?: string | undefined;
  readonly query?: string | undefined;
  /** The JSON query tree, instead of `query`. */
  readonly ast?: QueryTree | undefined;
  readonly syntax?: 'default' | 'kql' | undefined;
  readonly default_operator?: 'or' | 'and' | undefined;
  /** Side-by-side clauses of a text are joined with AND unless `default_operator` says `or`. */
  readonly filter?: string | QueryTree | undefined;
  /**
   * What `now` means in dates of the query, the filter and the aggregations: milliseconds since
   * 1970. Default: the time of the request.
   */
  readonly now?: number | undefined;
  /** Fields that the index may lack: their clauses match nothing there, and a note says so. */
  readonly optional_fields?: readonly string[] | undefined;
  /** A point in time of the index, which answers instead of its newest commit. */
  readonly pit_id?: string | undefined;
  readonly min_snapshot?: string | undefined;
  readonly wait_ms?: number | undefined;
  /** true: a response has `suggested_query`, and `clauses` if no document matches. */
  readonly suggest?: boolean | undefined;
}

/** `POST /v1/search`. Fields that are not named here are refused. */
export interface SearchRequest extends MatchRequest {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
  readonly sort?: readonly SortSpec[] | undefined;
  readonly search_after?: readonly Json[] | undefined;
  readonly collapse?: string | undefined;
  readonly highlight?: HighlightSpec | undefined;
  /** Cached fields to return; default all cached ones. */
  readonly fields?: readonly string[] | undefined;
  readonly hydrate?: boolean | undefined;
  readonly hydrate_columns?: readonly string[] | undefined;
  /** Counts of values over all matching documents, whatever page is requested. */
  readonly facets?: FacetSpec | undefined;
  /** Aggregations over all matching documents. */
  readonly aggs?: AggSpecs | undefined;
}

/** A search whose hits are read one after another. `limit`: at most so many hits; default all. */
export type HitsRequest = Omit<SearchRequest, 'search_after' | 'facets' | 'aggs' | 'suggest'>;

/** How a search finds documents. */
export type SearchMode = 'lexical' | 'semantic' | 'hybrid';

/** What is near, and how much of it. Fields that are not named here are refused. */
export interface NearestSpec {
  /** A VECTOR field. Default: the index's only one. */
  readonly vector_field?: string | undefined;
  /** Text that the field's model turns into a vector. */
  readonly query_text?: string | undefined;
  /** The vector itself: `dims` finite numbers. It takes precedence over `query_text`. */
  readonly query_vector?: readonly number[] | undefined;
  /**
   * Number of nearest documents among those that pass filter and tenant; in a hybrid search the
   * documents of each arm. Default: 100, or `limit` if that is larger. Set it to scroll through
   * pages.
   */
  readonly k?: number | undefined;
  /** true: every vector is compared, even if a segment has a graph. */
  readonly exact?: boolean | undefined;
  /** Candidates while a graph is searched: more candidates find more documents. */
  readonly ef?: number | undefined;
  /** Documents whose similarity scores less are left out. */
  readonly min_score?: number | undefined;
}

/**
 * `POST /v1/search:semantic`: the `k` nearest documents, scored by similarity. `syntax` and
 * `default_operator` are those of a `filter` that is a query string. `limit`: without it, all of a
 * `k` if the request has one, else 10.
 */
export interface SemanticRequest
  extends NearestSpec,
    Omit<SearchRequest, 'query' | 'ast' | 'suggest'> {}

/**
 * How the arms of a hybrid search are fused. `rrf`: reciprocal rank fusion, a score is the sum of
 * weight / (rrf_k + rank). `scores`: the weighted mean of the arms' scores, which are scaled to
 * 0 … 1 between the last and the first document of the arm.
 */
export type FusionMethod = 'rrf' | 'scores';

/**
 * The weight of each arm: numbers from 0 to 1,000 with at most three decimals; 0 skips the arm.
 * Default: 1 of an arm that is not named; without `weights`, those of the definition.
 */
export interface ArmWeights {
  readonly lexical?: number | undefined;
  readonly semantic?: number | undefined;
}

/**
 * `POST /v1/search:hybrid`: the `k` best documents of the words of `query_text` and the `k` nearest
 * of its meaning, fused.
 */
export interface HybridRequest extends SemanticRequest {
  /** Default: `rrf` if the request has `rrf_k`, else that of the definition, else `scores`. */
  readonly fusion?: FusionMethod | undefined;
  /** The constant of `rrf`, a whole number. Default: 60. */
  readonly rrf_k?: number | undefined;
  readonly weights?: ArmWeights | undefined;
  /** TEXT fields that the words are looked for in; by default all of the definition. */
  readonly lexical_fields?: readonly string[] | undefined;
}

/** Up to 12 fields; `size` values of each (10, at most 100). */
export interface FacetSpec {
  readonly fields: readonly string[];
  readonly size?: number | undefined;
}

/** A search of one of the modes. */
export type ModeRequest =
  | { readonly mode: 'lexical'; readonly request: SearchRequest }
  | { readonly mode: 'semantic'; readonly request: SemanticRequest }
  | { readonly mode: 'hybrid'; readonly request: HybridRequest };
