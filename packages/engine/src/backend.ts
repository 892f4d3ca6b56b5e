import type {
  AggResults,
  AggregateRequest,
  AggregateResponse,
  AggSpecs,
  Facet,
  FacetSpec,
  FacetsRequest,
  FacetsResponse,
  SkippedFacet,
} from './backend-aggregate.ts';
import type {
  ExplainRequest,
  ExplainResponse,
  SuggestRequest,
  SuggestResponse,
} from './backend-ask.ts';
import type {
  ApplyBatchRequest,
  ApplyResponse,
  CheckpointState,
  CompactRequest,
  CompactResponse,
  FollowEvent,
  FollowOptions,
  IndexStatus,
  ReindexRequest,
  ReindexResponse,
  SyncRequest,
  SyncResponse,
  VerifyRequest,
  VerifyResponse,
  WorkOptions,
} from './backend-in-step.ts';
import type {
  AnalyzeRequest,
  CreateIndexRequest,
  DropIndexRequest,
  ExportRequest,
  IndexDescription,
  IndexRequest,
  IndexSummary,
  ValidateDefinitionRequest,
} from './backend-indexes.ts';
import type {
  Alias,
  ClosePitRequest,
  DeleteSavedQueryRequest,
  DropAliasRequest,
  OpenPitRequest,
  PointInTime,
  ReplaceSavedQueryRequest,
  SavedQuery,
  SavedQueryDraft,
} from './backend-kept.ts';
import type { FailedArm, HitArms, HybridRequest, SemanticRequest } from './backend-meaning.ts';
import type { Query } from './query/query.ts';
import type { Coordinates, KeyPart } from './schema/coordinates.ts';
import type { DefinitionIssue } from './schema/definition.ts';

export type * from './backend-aggregate.ts';
export type * from './backend-ask.ts';
export type * from './backend-in-step.ts';
export type * from './backend-indexes.ts';
export type * from './backend-kept.ts';
export type * from './backend-meaning.ts';
export type { Coordinates, DefinitionIssue, KeyPart };

/** JSON as it goes over the wire. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [k: string]: Json };
export type JsonObject = { readonly [k: string]: Json };

/** The part of an answer that says how far the index is behind its table. */
export interface TableLag {
  /** Snapshots that a sync would apply: 0 at the head; null: not known. */
  readonly lag_snapshots: number | null;
  /** Age in milliseconds of the look at the table that says so; absent: there was none yet. */
  readonly lag_checked_ms?: number;
}

/** One key of a sort order; missing values stand last in both directions. */
export interface SortSpec {
  /** A fast field, or `_score`, or `_key`. */
  readonly field: string;
  readonly desc?: boolean;
}
/** What to highlight. `{}`: all cached TEXT fields. */
export interface HighlightSpec {
  readonly fields?: readonly string[];
  readonly max_fragments?: number;
  readonly fragment_size?: number;
}
/** `POST /v1/search`. Fields that are not named here are refused. */
export interface SearchRequest {
  readonly index?: string;
  readonly query?: string;
  /** The JSON query tree, instead of `query`. */
  readonly ast?: Json;
  readonly syntax?: 'default' | 'kql';
  readonly default_operator?: 'or' | 'and';
  readonly filter?: string | JsonObject;
  readonly limit?: number;
  readonly offset?: number;
  readonly sort?: readonly SortSpec[];
  readonly search_after?: readonly Json[];
  /** A point in time of the index, which answers instead of its newest commit. */
  readonly pit_id?: string;
  readonly collapse?: string;
  readonly highlight?: HighlightSpec;
  /** Cached fields to return; default all cached ones. */
  readonly fields?: readonly string[];
  readonly hydrate?: boolean;
  readonly hydrate_columns?: readonly string[];
  readonly min_snapshot?: string;
  readonly wait_ms?: number;
  /** Counts of values over all matching documents, whatever page is asked for. */
  readonly facets?: FacetSpec;
  /** Aggregations over all matching documents. */
  readonly aggs?: AggSpecs;
}
/** A run of a fragment; `marked` where it matched. Plain text, no markup. */
export interface Segment {
  readonly text: string;
  readonly marked: boolean;
}
export type Highlight = { readonly [field: string]: readonly (readonly Segment[])[] };
/** One document of a page. */
export interface Hit {
  readonly coordinates: Coordinates;
  readonly score: number;
  readonly sort?: readonly Json[];
  readonly fields?: JsonObject;
  readonly collapse?: { readonly value: Json; readonly count: number };
  readonly highlight?: Highlight;
  readonly row?: JsonObject;
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
  readonly partial?: true;
  readonly snapshot: string | null;
  readonly index_generation: number;
  readonly took_ms: number;
  /** Bytes that hydration read from data files. Only with `hydrate`, and for no caller of a tenant. */
  readonly hydrate_bytes?: number;
  /** Only with `facets`. */
  readonly facets?: readonly Facet[];
  /** Fields of `facets` that cannot be aggregated; absent where all can. */
  readonly skipped_facets?: readonly SkippedFacet[];
  /** Only with `aggs`. */
  readonly aggs?: AggResults;
  /** Arms of a hybrid search that could not answer; `partial` is true then. */
  readonly failed_arms?: readonly FailedArm[];
  /** What a caller should know of an answer by meaning, as sentences. */
  readonly notes?: readonly string[];
}
/** A query string to be read. */
export interface ParseQueryRequest {
  readonly index?: string;
  readonly query: string;
  readonly syntax?: 'default' | 'kql';
  readonly default_operator?: 'or' | 'and';
}
/** A tree to be written as a query string, whose default operator is `or`. */
export interface PrintQueryRequest {
  readonly index?: string;
  readonly ast: Json;
  readonly syntax?: 'default' | 'kql';
}
/** `POST /v1/keys:get`. */
export interface KeysRequest {
  readonly index?: string;
  readonly keys: readonly Coordinates[];
  readonly columns?: readonly string[];
}
/** Rows of the table by key. */
export interface KeysResponse extends TableLag {
  /** One an asked key that exists, in the order asked; absent keys are left out. */
  readonly rows: readonly { readonly key: Coordinates; readonly fields: JsonObject }[];
  readonly missing: readonly Coordinates[];
  /** The table's, at which the rows were read. */
  readonly snapshot: string | null;
  readonly index_generation: number;
  readonly took_ms: number;
  /** Bytes of data files that were read for it. Absent for the callers of a tenant. */
  readonly bytes_read?: number;
}
/**
 * How many documents one clause of a query finds alone: what to look at when the whole query finds
 * nothing.
 */
export interface ClauseCount {
  /** The clause as the user wrote it. */
  readonly clause: string;
  readonly total: number;
  /** The nearest term of the field, where the clause finds nothing. */
  readonly suggestion?: string;
}
/** One token: `start` and `end` are UTF-16 offsets in the text. */
export interface TokenInfo {
  readonly token: string;
  readonly position: number;
  readonly start: number;
  readonly end: number;
}
/** A live document: its key and all its cached and fast fields. */
export interface ExportedDocument {
  readonly coordinates: Coordinates;
  readonly fields: JsonObject;
}
/** Queries to measure; `operator` says how the words of a query are joined (default: as written). */
export interface BenchRequest {
  readonly index: string;
  readonly queries: readonly string[];
  readonly operator?: 'or' | 'and' | 'phrase' | 'query';
  readonly limit?: number;
  readonly warm?: number;
  readonly repeat?: number;
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

/**
 * The operations of the specification over plain values. Homes: the local engine (local-backend.ts)
 * now, the remote client and the gateway's router later. Every method throws `LhsError`.
 */
export interface Backend {
  createIndex(request: CreateIndexRequest): Promise<IndexDescription>;
  listIndexes(): Promise<readonly IndexSummary[]>;
  describeIndex(request: IndexRequest): Promise<IndexDescription>;
  dropIndex(request: DropIndexRequest): Promise<void>;
  reindex(request: ReindexRequest, work?: WorkOptions): Promise<ReindexResponse>;
  sync(request: SyncRequest, work?: WorkOptions): Promise<SyncResponse>;
  /**
   * Applies one step of the table, made by whoever reads it: exactly once, whatever is repeated,
   * reordered or sent twice.
   */
  applyBatch(request: ApplyBatchRequest, work?: WorkOptions): Promise<ApplyResponse>;
  getCheckpoint(request: IndexRequest): Promise<CheckpointState>;
  /** Compares an index with its table and with itself; with `repair`, makes them equal. */
  verify(request: VerifyRequest, work?: WorkOptions): Promise<VerifyResponse>;
  /** Stays in step with the table until `signal` aborts, and says what it does. */
  follow(request: IndexRequest, options?: FollowOptions): AsyncIterable<FollowEvent>;
  status(request: IndexRequest): Promise<IndexStatus>;
  /** Merges segments down to `segments` (1) as far as limits allow, and leaves deleted ones out. */
  compact(request: CompactRequest, work?: WorkOptions): Promise<CompactResponse>;
  search(request: SearchRequest): Promise<SearchResponse>;
  /** The nearest documents of a text's meaning, or of a vector. */
  semantic(request: SemanticRequest): Promise<SearchResponse>;
  /** The documents of a text's words and of its meaning, fused. */
  hybrid(request: HybridRequest): Promise<SearchResponse>;
  /** Aggregations over the documents of a query. */
  aggregate(request: AggregateRequest): Promise<AggregateResponse>;
  /** The most frequent values of some fields among the documents of a query. */
  facets(request: FacetsRequest): Promise<FacetsResponse>;
  /** An index as it is now, for searches with its `pit_id`: commits, merges and reindexes pass it by. */
  openPit(request: OpenPitRequest): Promise<PointInTime>;
  /** `closed` false: it had been closed, or had expired. */
  closePit(request: ClosePitRequest): Promise<{ readonly closed: boolean }>;
  /** The scoring clauses of a query, each counted alone, in the query's order. */
  clauseCounts(request: SearchRequest): Promise<readonly ClauseCount[]>;
  /** Terms of a field that begin with a text, or are a few edits away from it. */
  suggest(request: SuggestRequest): Promise<SuggestResponse>;
  /** Why the row of a key is, or is not, among the hits of a search. */
  explain(request: ExplainRequest): Promise<ExplainResponse>;
  getKeys(request: KeysRequest): Promise<KeysResponse>;
  analyze(request: AnalyzeRequest): Promise<{ tokens: readonly TokenInfo[] }>;
  /**
   * The tree of a query string; with `index` its fields are checked, without the default field is
   * "text".
   */
  parseQuery(request: ParseQueryRequest): Promise<{ ast: Json; query: Query }>;
  /** A query string that matches what a tree matches; with `index` the tree is checked. */
  printQuery(request: PrintQueryRequest): Promise<{ query: string }>;
  /** Checks a definition; with `against_source` also against the table's schema. */
  validateDefinition(request: ValidateDefinitionRequest): Promise<readonly DefinitionIssue[]>;
  exportDocuments(request: ExportRequest): AsyncIterable<ExportedDocument>;
  bench(request: BenchRequest): Promise<BenchResponse>;
  listAliases(): Promise<readonly Alias[]>;
  /** From now on the alias means this index, whatever it meant: in one step. */
  setAlias(request: Alias): Promise<Alias>;
  dropAlias(request: DropAliasRequest): Promise<void>;
  /** The caller's, by name. */
  listSavedQueries(): Promise<readonly SavedQuery[]>;
  createSavedQuery(draft: SavedQueryDraft): Promise<SavedQuery>;
  replaceSavedQuery(request: ReplaceSavedQueryRequest): Promise<SavedQuery>;
  deleteSavedQuery(request: DeleteSavedQueryRequest): Promise<void>;
  close(): Promise<void>;
}
