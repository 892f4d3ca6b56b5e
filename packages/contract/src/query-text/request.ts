import type { IndexRequest } from '../index-request.ts';
import type { QueryTree } from '../search/query-tree.ts';

/** A text to be analysed as a field's, or by an analyzer: one of the two is named. */
export interface AnalyzeRequest extends IndexRequest {
  readonly field?: string | undefined;
  readonly analyzer?: string | undefined;
  readonly text: string;
}

/** A query string to be read. */
export interface ParseQueryRequest {
  readonly index?: string | undefined;
  readonly query: string;
  readonly syntax?: 'default' | 'kql' | undefined;
  readonly default_operator?: 'or' | 'and' | undefined;
}

/** A tree to be written as a query string, whose default operator is `or`. */
export interface PrintQueryRequest {
  readonly index?: string | undefined;
  readonly ast: QueryTree;
  readonly syntax?: 'default' | 'kql' | undefined;
}

/** `POST /v1/suggest`. Fields that are not named here are refused. */
export interface SuggestRequest {
  readonly index?: string | undefined;
  /** A TEXT field (its words are suggested), a KEYWORD field or a path of a variant (values). */
  readonly field: string;
  /** What has been typed. Without it: the most frequent terms. */
  readonly text?: string | undefined;
  /** Suggestions at most; 10 by default, 1,000 at most. */
  readonly limit?: number | undefined;
  /** Terms near the text (whole terms, up to `max_edits` away) instead of what begins with it. */
  readonly fuzzy?: boolean | undefined;
  /** 0 to 2; with `fuzzy` 1 for texts of up to 5 characters, else 2, by default. */
  readonly max_edits?: number | undefined;
}

/** Queries to measure; `operator` joins the words of a query (default: as written). */
export interface BenchRequest {
  readonly index: string;
  readonly queries: readonly string[];
  readonly operator?: 'or' | 'and' | 'phrase' | 'query' | undefined;
  readonly limit?: number | undefined;
  readonly warm?: number | undefined;
  readonly repeat?: number | undefined;
}
