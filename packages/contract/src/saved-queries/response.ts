import type { SavedQueryDraft } from './request.ts';

/** A search with a name. Times: ISO-8601, UTC. */
export interface SavedQuery extends SavedQueryDraft {
  readonly id: string;
  readonly created_at: string;
  readonly updated_at: string;
}
