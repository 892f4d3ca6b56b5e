/**
 * What searches by meaning take and give: the nearest documents of a VECTOR field (`semantic`), and
 * those fused with the words of the text (`hybrid`). Everything that narrows, orders, pages and
 * summarises a lexical search does so here, and means the same.
 */
import type { SearchRequest } from './backend.ts';

/** How a search finds documents. */
export type SearchMode = 'lexical' | 'semantic' | 'hybrid';

/** What is near, and how much of it. Fields that are not named here are refused. */
export interface NearestSpec {
  /** A VECTOR field; the index's only one unless told. */
  readonly vector_field?: string;
  /** Text that the field's model turns into a vector. */
  readonly query_text?: string;
  /** The vector itself: `dims` finite numbers. It goes before `query_text`. */
  readonly query_vector?: readonly number[];
  /**
   * Documents that are taken, of those that filter and tenant leave. Unless told 100, of each arm of
   * a hybrid search 10, or `limit` where that is more: who scrolls through pages names it.
   */
  readonly k?: number;
  /** true: every vector is compared, also where a graph would do. */
  readonly exact?: boolean;
  /** Candidates that a graph keeps while it is searched; more find more. */
  readonly ef?: number;
  /** Documents whose similarity scores less are left out. */
  readonly min_score?: number;
}

/**
 * `POST /v1/search:semantic`: the `k` nearest documents, scored by similarity. `syntax` and
 * `default_operator` are those of a `filter` that is a query string. `limit`: without it, all of a
 * `k` that is given, else 10.
 */
export interface SemanticRequest extends NearestSpec, Omit<SearchRequest, 'query' | 'ast'> {}

/** What each arm's ranks weigh: numbers from 0 to 1,000 with at most three decimals. 1 unless told. */
export interface ArmWeights {
  readonly lexical?: number;
  readonly semantic?: number;
}

/**
 * `POST /v1/search:hybrid`: the `k` best documents of the words of `query_text` and the `k` nearest
 * of its meaning, fused by reciprocal rank: score = sum of weight / (rrf_k + rank).
 */
export interface HybridRequest extends SemanticRequest {
  /** A whole number: 60 unless told. */
  readonly rrf_k?: number;
  readonly weights?: ArmWeights;
  /** TEXT fields that the words are looked for in; all of the definition unless told. */
  readonly lexical_fields?: readonly string[];
}

/** Where an arm has a document: from 1, equal scores share a rank. */
export interface ArmRank {
  readonly rank: number;
  readonly score: number;
}
/** What each arm of a hybrid search says of a hit; an arm that does not have it is absent. */
export interface HitArms {
  readonly lexical?: ArmRank;
  readonly semantic?: ArmRank;
}
/** An arm that could not answer: the hits are the other's alone. */
export interface FailedArm {
  readonly arm: 'lexical' | 'semantic';
  /** The code and the words of the error that the arm alone would have ended in. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string;
}
