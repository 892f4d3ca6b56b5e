import type {
  HybridRequest,
  SearchMode,
  SearchRequest,
  SemanticRequest,
} from '../search/request.ts';

/** What a user may say about a saved query; `request.index` may be an alias, or absent. */
export interface SavedQueryDraft {
  /** Unique among the user's. */
  readonly name: string;
  readonly description?: string | undefined;
  /** Default: lexical. */
  readonly mode?: SearchMode | undefined;
  /** The request of that mode, without `pit_id` and `search_after`, which do not last. */
  readonly request: SearchRequest | SemanticRequest | HybridRequest;
}

/** A draft that replaces a saved query. */
export interface ReplaceSavedQueryRequest extends SavedQueryDraft {
  readonly id: string;
}

/** The saved query to forget. */
export interface DeleteSavedQueryRequest {
  readonly id: string;
}
