import type { TableLag } from '../lag.ts';

/** The numbers that a term's or phrase's score is made of: boost × idf × tf. */
export interface ScoreFactors {
  readonly boost: number;
  /** Of a phrase: the sum over its words. */
  readonly idf: number;
  /** frequency / (frequency + k1 (1 - b + b length / average_length)); KEYWORD: 1 / (1 + k1). */
  readonly tf: number;
  /** Documents with the field, and of those with the term (each word of a phrase). */
  readonly docs: number;
  readonly df: readonly number[];
  /** Times that the document has it; tokens of the document; tokens of a document on average. */
  readonly frequency?: number;
  readonly length?: number;
  readonly average_length?: number;
}

/** A clause that matched: its score is the sum of its details' scores, if it has any. */
export interface ExplainDetail {
  /** The clause, a colon, and what its score is made of. */
  readonly description: string;
  readonly score: number;
  readonly details: readonly ExplainDetail[];
  /** The clause as the user wrote it. */
  readonly clause: string;
  readonly factors?: ScoreFactors;
}

/** Why a row is not among the hits of a page. */
export type WhyNotReason =
  /** A clause that has to match does not. */
  | 'clause'
  /** Too few of the optional clauses match. */
  | 'none_of'
  /** A clause under must_not matches. */
  | 'excluded'
  /** The request's filter does not match. */
  | 'filter'
  /** Nothing of the query is left after analysis (stop words only), or it can match nothing. */
  | 'nothing_left'
  /** It is not among the `k` nearest, or has no vector. */
  | 'not_near'
  /** It matches and ranks behind the page. */
  | 'below_page'
  /** Neither the index nor the table has the key. */
  | 'absent'
  /** The table has it, and the index lags behind. */
  | 'newer_than_index'
  /**
   * The table has the row; the index is at the head and does not. `lhs index verify` finds out
   * more.
   */
  | 'not_indexed'
  /** The index has it still, the table no more. */
  | 'removed'
  /** The index does not have it, and the table is out of reach. */
  | 'table_unreachable';

/** The first reason why a row is not on the page. */
export interface WhyNot {
  readonly reason: WhyNotReason;
  readonly message: string;
  /** The clause as the user wrote it, and its field. */
  readonly clause?: string;
  readonly field?: string;
  /** What the document has in the field: tokens of a TEXT field in order, values of others. */
  readonly tokens?: readonly string[];
  /** Tokens in all, if `tokens` is a part of them. */
  readonly tokens_total?: number;
  /** A clause near the user's that matches this document, and what was changed for it. */
  readonly would_match?: string;
  readonly change?: string;
  /** The term of the field nearest to a word that no document has. */
  readonly nearest_term?: string;
  /** With `none_of`: why each optional clause does not match (the first 8). */
  readonly others?: readonly WhyNot[];
  /** With `newer_than_index`: snapshots that a sync would apply; null: not known. */
  readonly missing_snapshots?: number | null;
}

/** One arm of an explanation: the tree of its score, or the reason why it lacks the row. */
export interface ExplainArm {
  readonly rank?: number;
  readonly score?: number;
  /** cosine, dot product or distance as the field compares; only of the semantic arm. */
  readonly similarity?: number;
  readonly detail?: ExplainDetail;
  readonly why_not?: string;
}

/** The two ways to score. */
export type ScoredBy = 'kernel' | 'bitmaps';

/** Whether a row matches, with what score and rank, and why not. */
export interface ExplainResponse extends TableLag {
  /** The index has the key. */
  readonly found: boolean;
  readonly matched: boolean;
  readonly score?: number;
  /**
   * Place among all hits in the request's order, from 1. Only when matched, and when it is reached
   * in the time that one query may take.
   */
  readonly rank?: number;
  /** Hits in all. Only when found. */
  readonly total?: number;
  readonly detail?: ExplainDetail;
  /** Hybrid searches only: the explanation of each arm. */
  readonly arms?: { readonly lexical?: ExplainArm; readonly semantic?: ExplainArm };
  /** What the words and patterns of the query became, by field. */
  readonly analyzed: readonly { readonly field: string; readonly terms: readonly string[] }[];
  /**
   * What scores the words in each segment: a kernel over the lists of one field's terms, or bitmaps
   * of all clauses. Absent in a semantic search.
   */
  readonly scored_by?: ScoredBy;
  /** Absent when the row is on the page. */
  readonly why_not?: WhyNot;
  /** Inside the index, at the table (looking the key up there), and in all. */
  readonly timings: {
    readonly index_ms: number;
    readonly hydration_ms: number;
    readonly total_ms: number;
  };
  readonly shards_scanned: number;
  readonly shards_total: number;
  readonly snapshot: string | null;
  readonly index_generation: number;
}
