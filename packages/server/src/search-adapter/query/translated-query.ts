import type { HybridRequest } from '@lakehouse-search/contract';
import type { Tree } from './scope.ts';

/** A query of the adapter in our own terms. */
export interface TranslatedQuery {
  /** The query tree for `SearchRequest.ast`. */
  readonly ast: Tree;
  /** Fused lists (`rrf`): the request is a hybrid search with these fields, without `ast`. */
  readonly nearest?: HybridPart;
}

/** What a fused search adds to a hybrid request. */
export type HybridPart = Pick<
  HybridRequest,
  | 'filter'
  | 'vector_field'
  | 'query_text'
  | 'query_vector'
  | 'k'
  | 'ef'
  | 'min_score'
  | 'fusion'
  | 'rrf_k'
  | 'lexical_fields'
>;
