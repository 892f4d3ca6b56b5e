import type { Coordinates } from '../coordinates.ts';
import type { Json, JsonObject } from '../json.ts';
import type { TableLag } from '../lag.ts';
import type { NextStep } from '../next-step.ts';
import type { ClauseCount } from './clause-count.ts';

/** A run of a fragment; `marked` if it matched. Plain text, no markup. */
export interface Segment {
  readonly text: string;
  readonly marked: boolean;
}

/** Fragments by field, each as runs of text. */
export type Highlight = { readonly [field: string]: readonly (readonly Segment[])[] };

/** One document of a page. */
export interface Hit {
  readonly coordinates: Coordinates;
  /** The key as one text, as commands take it: `repo=git,sha=1a3e`. */
  readonly key: string;
  /** The value of a key of one column. */
  readonly id?: string;
  readonly score: number;
  readonly sort?: readonly Json[];
  readonly fields?: JsonObject;
  readonly collapse?: { readonly value: Json; readonly count: number };
  readonly highlight?: Highlight;
  readonly row?: JsonObject;
  /** A snapshot after `snapshot` has written the row: it may differ from `fields` and the query. */
  readonly row_newer?: true;
  readonly hydrate_error?: string;
  /** Only of a hybrid search. */
  readonly arms?: HitArms;
}

/**
 * The answer to a search. `total` is exact (of a semantic or hybrid search: the documents that its
 * `k` took); `took_ms` is the time inside the engine.
 */
export interface SearchResponse extends TableLag {
  readonly hits: readonly Hit[];
  readonly total: number;
  readonly shards_scanned: number;
  readonly shards_total: number;
  /** Only if a shard or an arm did not answer. */
  readonly partial?: true;
  readonly snapshot: string | null;
  readonly index_generation: number;
  readonly took_ms: number;
  /**
   * Bytes that hydration read from data files. Only with `hydrate`, and for no caller of a tenant.
   */
  readonly hydrate_bytes?: number;
  /** Only with `facets`. */
  readonly facets?: readonly Facet[];
  /** Fields of `facets` that cannot be aggregated; absent if all can. */
  readonly skipped_facets?: readonly SkippedFacet[];
  /** Only with `aggs`. */
  readonly aggs?: AggResults;
  /** Arms of a hybrid search that could not answer; `partial` is true then. */
  readonly failed_arms?: readonly FailedArm[];
  /**
   * Remarks on the query and on a semantic response, as sentences; with `suggest` and without hits
   * the reasons, as far as they are known.
   */
  readonly notes?: readonly string[];
  /** Only with `suggest` and without hits: what each clause finds alone. */
  readonly clauses?: readonly ClauseCount[];
  /** Only with `suggest`: the query as it was probably meant, which has hits. */
  readonly suggested_query?: string;
  /** Hits of `suggested_query`. */
  readonly suggested_total?: number;
}

/** A hit of a hybrid search. */
export interface HybridHit extends Hit {
  readonly arms: HitArms;
}

/** The answer to a hybrid search. */
export interface HybridResponse extends SearchResponse {
  readonly hits: readonly HybridHit[];
}

/** Where an arm has a document: from 1, equal scores share a rank. */
export interface ArmRank {
  readonly rank: number;
  readonly score: number;
}

/** Rank and score of a hit in each arm of a hybrid search; an arm without the hit is absent. */
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
  /** Operations that are the way out. */
  readonly next?: readonly NextStep[];
}

/** A field that cannot be aggregated, and the reason as a sentence. */
export interface SkippedFacet {
  readonly field: string;
  readonly reason: string;
}

/** A bucket of an answer. `aggs`: the aggregations of its documents. */
export interface AggBucket {
  /** A value, the first microsecond of an interval since 1970, a number, or a range's name. */
  readonly key: Json;
  readonly from?: Json;
  readonly to?: Json;
  readonly doc_count: number;
  /** Only of significant terms: how significant a value is, and its documents of the background. */
  readonly score?: number;
  readonly bg_count?: number;
  readonly aggs?: AggResults;
}

/** All figures of a field; min, max and avg are null without values, sum of dates as texts. */
export interface StatsResult {
  readonly count: number;
  readonly min: number | string | null;
  readonly max: number | string | null;
  readonly sum: number | string | null;
  readonly avg: number | string | null;
}

/** The answer of one aggregation; which of the shapes follows from its kind. */
export type AggResult =
  | {
      readonly buckets: readonly AggBucket[];
      readonly sum_other_doc_count: number;
      readonly doc_count_error_upper_bound: number;
    }
  /** `total_buckets`: of a kind whose `size` left buckets out. */
  | { readonly buckets: readonly AggBucket[]; readonly total_buckets?: number }
  /** Documents, and those of the background. */
  | {
      readonly doc_count: number;
      readonly bg_count: number;
      readonly buckets: readonly AggBucket[];
      readonly total_buckets?: number;
    }
  | { readonly doc_count: number; readonly aggs?: AggResults }
  | StatsResult
  /** One figure of stats. */
  | { readonly value: number | string | null }
  | { readonly value: number; readonly exact: boolean; readonly standard_error?: number }
  | {
      readonly values: readonly {
        readonly percent: number;
        readonly value: number | string | null;
      }[];
      readonly exact: boolean;
      readonly nan_count?: number;
    };

/** Results of aggregations by their names. */
export type AggResults = { readonly [name: string]: AggResult };

/** The most frequent values of a field; `other_count`: documents in all further values together. */
export interface Facet {
  readonly field: string;
  readonly buckets: readonly { readonly value: string; readonly count: number }[];
  readonly other_count: number;
}
