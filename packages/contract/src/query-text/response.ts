import type { TableLag } from '../lag.ts';

/** One token: `start` and `end` are UTF-16 offsets in the text. */
export interface TokenInfo {
  readonly token: string;
  readonly position: number;
  readonly start: number;
  readonly end: number;
}

/** A term of the field. */
export interface Suggestion {
  readonly text: string;
  /** Live documents that hold it: never 0. */
  readonly doc_count: number;
  /** Edits between it and the text; 0 for what begins with the text. */
  readonly distance: number;
}

/** By rising distance, falling count, then text (by code point). */
export interface SuggestResponse extends TableLag {
  readonly suggestions: readonly Suggestion[];
  /** Shards that did not answer: the counts lack their documents. Absent on a complete answer. */
  readonly failed_shards?: number;
  readonly snapshot: string | null;
  readonly index_generation: number;
  readonly took_ms: number;
}

/** Medians by query and percentiles over them, in microseconds inside the engine. */
export interface BenchResponse {
  readonly engine: string;
  readonly index: string;
  readonly operator: string;
  readonly queries: readonly {
    readonly query: string;
    readonly median_us: number;
    readonly total: number;
  }[];
  readonly mean_us: number;
  readonly p50_us: number;
  readonly p90_us: number;
  readonly p99_us: number;
}
