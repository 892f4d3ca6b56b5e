import type { Coordinates } from '../coordinates.ts';
import type { HybridRequest, NearestSpec, SearchMode, SearchRequest } from '../search/request.ts';

/** `POST /v1/explain`: a search of any mode, and the key of a row. */
export interface ExplainRequest
  extends Pick<
      SearchRequest,
      | 'index'
      | 'query'
      | 'ast'
      | 'syntax'
      | 'default_operator'
      | 'filter'
      | 'now'
      | 'optional_fields'
      | 'sort'
      | 'pit_id'
    >,
    NearestSpec,
    Pick<HybridRequest, 'fusion' | 'rrf_k' | 'weights' | 'lexical_fields'> {
  readonly coordinates: Coordinates;
  /** Which search is explained: by default lexical, which takes `query` or `ast`. */
  readonly mode?: SearchMode | undefined;
  /** The page that the row is looked for on, as in a search. */
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}
