/** What a backend keeps for its users beside the indexes: points in time, aliases, saved queries. */
import type { SearchRequest } from './backend.ts';

/** `POST /v1/pit:open`. `keep_alive`: `"30s"`, `"5m"` (default), `"1h"` (the longest), `"90000ms"`. */
export interface OpenPitRequest {
  readonly index?: string;
  readonly keep_alive?: string;
}
/** A point in time: an index as it is now, for as long as it is used. */
export interface PointInTime {
  /** Not to be guessed, and of this index alone. */
  readonly pit_id: string;
  /** ISO-8601, UTC. Each use moves it on. */
  readonly expires_at: string;
  /** The table's snapshot that it shows. */
  readonly snapshot: string | null;
  readonly index_generation: number;
}
/** `POST /v1/pit:close`. */
export interface ClosePitRequest {
  readonly index?: string;
  readonly pit_id: string;
}

/** Another name of an index. */
export interface Alias {
  readonly alias: string;
  readonly index: string;
}

/** The alias to take out; its index stays. */
export interface DropAliasRequest {
  readonly alias: string;
}

/** What a user may say about a saved query; `request.index` may be an alias, or absent. */
export interface SavedQueryDraft {
  /** Unique among the user's. */
  readonly name: string;
  readonly description?: string;
  /** Without `pit_id` and `search_after`, which do not last. */
  readonly request: SearchRequest;
}
/** A search kept under a name. Times: ISO-8601, UTC. */
export interface SavedQuery extends SavedQueryDraft {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
}
/** A draft that takes the place of a saved query. */
export interface ReplaceSavedQueryRequest extends SavedQueryDraft {
  readonly id: string;
}
/** The saved query to forget. */
export interface DeleteSavedQueryRequest {
  readonly id: string;
}
