import type { SearchRequest } from '../search/request.ts';

/** What a user may say about a saved query; `request.index` may be an alias, or absent. */
export interface SavedQueryDraft {
  /** Unique among the user's. */
  readonly name: string;
  readonly description?: string;
  /** Without `pit_id` and `search_after`, which do not last. */
  readonly request: SearchRequest;
}

/** A draft that replaces a saved query. */
export interface ReplaceSavedQueryRequest extends SavedQueryDraft {
  readonly id: string;
}

/** The saved query to forget. */
export interface DeleteSavedQueryRequest {
  readonly id: string;
}
