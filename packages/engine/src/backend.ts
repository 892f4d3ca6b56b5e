/**
 * The operations of the specification over plain values, and what goes in and comes out of them: the
 * one contract of all homes, types alone. Long on purpose: who implements or calls it reads one page.
 */
import type { Batch, CatalogConfig, TableConfig } from '@lakehouse-search/lake';
import type { DeleteRef } from './index/commit.ts';
import type { Query } from './query/query.ts';
import type { Coordinates, KeyPart } from './schema/coordinates.ts';
import type { DefinitionIssue } from './schema/definition.ts';

export type { Batch, Coordinates, DefinitionIssue, DeleteRef, KeyPart };

/** JSON as it goes over the wire. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [k: string]: Json };
export type JsonObject = { readonly [k: string]: Json };

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
  readonly collapse?: string;
  readonly highlight?: HighlightSpec;
  /** Cached fields to return; default all cached ones. */
  readonly fields?: readonly string[];
  readonly hydrate?: boolean;
  readonly hydrate_columns?: readonly string[];
  readonly min_snapshot?: string;
  readonly wait_ms?: number;
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
}
/** The answer to a search. `total` is exact; `took_ms` is the time inside the engine. */
export interface SearchResponse {
  readonly hits: readonly Hit[];
  readonly total: number;
  readonly shards_scanned: number;
  readonly shards_total: number;
  readonly partial?: true;
  readonly snapshot: string | null;
  readonly index_generation: number;
  readonly took_ms: number;
  /** Snapshots that a sync would apply now: 0 at the head, null where it cannot be told. */
  readonly lag_snapshots: number | null;
  /** Bytes that hydration read from data files. Only with `hydrate`. */
  readonly hydrate_bytes?: number;
}
/** `POST /v1/keys:get`. */
export interface KeysRequest {
  readonly index?: string;
  readonly keys: readonly Coordinates[];
  readonly columns?: readonly string[];
}
/** Rows of the table by key. `bytes_read`: bytes of data files that were read for it. */
export interface KeysResponse {
  /** One an asked key that exists, in the order asked; absent keys are left out. */
  readonly rows: readonly { readonly key: Coordinates; readonly fields: JsonObject }[];
  readonly missing: readonly Coordinates[];
  /** The table's, at which the rows were read. */
  readonly snapshot: string | null;
  readonly index_generation: number;
  /** Snapshots by which the index that located the rows is behind them; null: it cannot be told. */
  readonly lag_snapshots: number | null;
  readonly took_ms: number;
  readonly bytes_read: number;
}
/** A mapped field and what it can do. */
export interface FieldDescription {
  readonly name: string;
  readonly type: string;
  readonly indexed: boolean;
  readonly fast: boolean;
  readonly cached: boolean;
  readonly analyzer?: string;
  readonly sensitive?: boolean;
  /** A document may hold several values (the source column is a list). */
  readonly multi_valued?: boolean;
  readonly source: readonly string[];
}
/** `POST /v1/index:describe`. `bytes`: size on disk of the live generation. */
export interface IndexDescription {
  readonly index: string;
  readonly status: 'created' | 'live';
  readonly num_docs: number;
  readonly deleted_docs: number;
  readonly segments: number;
  readonly bytes: number;
  readonly snapshot: string | null;
  readonly checkpoint: JsonObject | null;
  readonly index_generation: number;
  readonly key: { readonly partition: readonly string[]; readonly identifier: readonly string[] };
  readonly source: JsonObject;
  readonly fields: readonly FieldDescription[];
  readonly time_fields: readonly string[];
  readonly sort_fields: readonly string[];
  readonly vector_fields: readonly string[];
}
/** An index in a list. */
export interface IndexSummary {
  readonly name: string;
  readonly status: 'created' | 'live';
  readonly num_docs: number;
  readonly bytes: number;
  readonly snapshot: string | null;
  /** Why the index cannot be opened, where it cannot. */
  readonly error?: string;
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
/** Told to the caller while long work goes on. */
export interface Progress {
  readonly phase: 'reading' | 'merging' | 'committing' | 'syncing' | 'checking' | 'comparing';
  readonly docs_done: number;
  readonly docs_total: number;
  readonly snapshot?: string;
  readonly operation?: string;
  readonly inserted?: number;
  readonly updated?: number;
  readonly deleted?: number;
}
/** For long work: who is told how it goes, and what stops it. */
export interface WorkOptions {
  readonly onProgress?: (progress: Progress) => void;
  readonly signal?: AbortSignal;
}
/** What a reindex made. */
export interface ReindexResponse {
  readonly doc_count: number;
  readonly snapshot: string | null;
  readonly index_generation: number;
  readonly bytes: number;
  readonly took_ms: number;
  /** Rows that lost to another row of their key (`on_duplicate_key: last`). */
  readonly dropped_duplicates?: number;
  /**
   * Variant values that fit no typed field of their shape, by field; they stay findable in the
   * flattened column.
   */
  readonly untyped_values?: Readonly<Record<string, number>>;
}
/** Why a sync went to the table's state in one step instead of snapshot by snapshot. */
export type HealReason =
  /** The checkpoint's snapshot is no longer in the table's metadata. */
  | 'snapshot_expired'
  /** The table stands at an ancestor of the checkpoint's snapshot. */
  | 'rolled_back'
  /** The definition follows another branch or tag than before. */
  | 'ref_changed'
  /** The checkpoint's snapshot is there, but on no way to the table's (cherry-pick, overwritten branch). */
  | 'diverged'
  /** Files of a snapshot on the way are gone. */
  | 'files_missing';

/** What was done to an index whose checkpoint is not on the way to the table's snapshot. */
export interface Healed {
  readonly reason: HealReason;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
}

/** What a sync applied; the counts are of all its steps, healing included. */
export interface SyncResponse {
  readonly doc_count: number;
  readonly snapshot: string | null;
  readonly index_generation: number;
  readonly snapshots_applied: number;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
  readonly skipped_replace: number;
  readonly took_ms: number;
  /** As for a reindex. */
  readonly dropped_duplicates?: number;
  readonly healed?: Healed;
}

/** A data file of a snapshot, and the deletes that apply to it. */
export interface SourceFile {
  /** As the table records it. */
  readonly path: string;
  readonly records: number;
  /** Data sequence number, decimal. */
  readonly sequence: string;
  readonly deletes: readonly DeleteRef[];
}

/** A state of the source table: what an index's checkpoint says once it has been reached. */
export interface SourceState {
  /** Snapshot id, decimal; null: the table has no snapshot. */
  readonly snapshot_id: string | null;
  /** Sequence number of the snapshot, decimal. */
  readonly sequence: string;
  /**
   * The columns that the definition uses, as Iceberg writes a schema: under the definition's names,
   * with the field ids that the index is bound to and the types under which rows are read.
   */
  readonly schema: Json;
  /** The branch or tag that is followed; absent: the table's current snapshot. */
  readonly ref?: string;
  readonly files: readonly SourceFile[];
}

/** What a change batch is made of: all removed places first, then the rows. */
export type BatchPart =
  /**
   * Rows of a data file that live there no more: all of them, or those at `positions` (ascending).
   * Positions at which the index has no row are ignored.
   */
  | {
      readonly kind: 'removed';
      readonly path: string;
      readonly positions: Int32Array | null;
    }
  /** Rows at places where the index has none: its columns are `CheckpointState.columns`. */
  | { readonly kind: 'rows'; readonly batch: Batch };

/**
 * One step `(from, to]` of a table. `from` is the checkpoint's snapshot: applied. `to` was reached
 * already: acknowledged, nothing is done. Anything else is refused (checkpoint_gap).
 */
export interface ChangeBatch {
  readonly table_uuid: string;
  readonly from: string | null;
  readonly to: SourceState;
  readonly parts: Iterable<BatchPart> | AsyncIterable<BatchPart>;
  /**
   * The rows hold also every row of `to` that has no document, having lost to another of its key
   * (`on_duplicate_key: last`). Needed where such rows exist and places are removed.
   */
  readonly with_dropped?: boolean;
}

/** What became of a change batch. A row that only lies elsewhere now is counted nowhere. */
export interface ApplyResponse {
  /** false: the batch was applied before; nothing was done. */
  readonly applied: boolean;
  /** Where the index stands now. */
  readonly snapshot: string | null;
  readonly doc_count: number;
  readonly inserted: number;
  readonly updated: number;
  readonly deleted: number;
}

/** Up to where an index has followed its table, and what a change batch must hold to go on. */
export interface CheckpointState extends SourceState {
  readonly table_uuid: string;
  /** Snapshots that were reached before, the latest first. */
  readonly applied: readonly string[];
  /** Columns of a batch's rows, in this order; the first `key_columns` are the key. */
  readonly columns: readonly string[];
  readonly key_columns: number;
  readonly index_generation: number;
}

/** What following says: an event for each commit, and for what keeps it from one. */
export type FollowEvent =
  | {
      readonly event: 'commit';
      /** ISO 8601, UTC. */
      readonly at: string;
      /** null: the table has no snapshot any more. */
      readonly snapshot: string | null;
      readonly operation: string | null;
      readonly inserted: number;
      readonly updated: number;
      readonly deleted: number;
      readonly took_ms: number;
      readonly healed?: Healed;
    }
  /** Segments were merged; nothing else changed. */
  | {
      readonly event: 'merge';
      readonly at: string;
      readonly segments_before: number;
      readonly segments_after: number;
      readonly took_ms: number;
    }
  /** At the head: it looks again every `every_ms`. Told once until the next commit. */
  | { readonly event: 'waiting'; readonly at: string; readonly every_ms: number }
  /** The table cannot be reached, or another process writes the index: it tries again. */
  | {
      readonly event: 'retry';
      readonly at: string;
      readonly code: string;
      readonly message: string;
      readonly in_ms: number;
    };

/** How the table is polled. */
export interface FollowOptions {
  readonly signal?: AbortSignal;
  /** Longest pause between two looks at the catalog while nothing happens. Default 5,000. */
  readonly pollMs?: number;
}

/** `lhs index status`, `GET /v1/ingestion/{name}`: how far the index is behind its table. */
export interface IndexStatus {
  readonly index: string;
  readonly status: 'created' | 'live';
  readonly index_generation: number;
  readonly num_docs: number;
  readonly deleted_docs: number;
  readonly segments: number;
  readonly bytes: number;
  /** Merges that the policy asks for now. */
  readonly pending_merges: number;
  readonly checkpoint: { readonly snapshot: string | null; readonly committed_at: string } | null;
  /** The process that writes the index now. */
  readonly writer?: { readonly pid: number; readonly host: string };
  /** Absent where the table cannot be reached; then `source_error` says why. */
  readonly head?: { readonly snapshot: string | null; readonly at: string | null };
  readonly source_error?: { readonly code: string; readonly message: string };
  /**
   * Absent where it cannot be told. `rows`: rows that the snapshots in between added, replaced and
   * deleted, as their summaries count them. `seconds`: age of the first snapshot that is missing.
   */
  readonly lag?: {
    readonly snapshots: number;
    readonly rows: { readonly added: number; readonly deleted: number } | null;
    readonly seconds: number;
  };
  /** What the next sync will do instead of stepping through snapshots. */
  readonly heals?: HealReason;
  /**
   * The table's policy for its history and when it may forget the checkpoint's snapshot; null: the
   * table says nothing, and never expires by itself.
   */
  readonly history?: {
    readonly max_age_ms: number;
    readonly min_snapshots: number;
    /** ISO 8601; null: not while it is among the newest. */
    readonly checkpoint_expires_at: string | null;
    readonly at_risk: boolean;
  };
}

/** `POST /v1/index:verify`. */
export interface VerifyRequest {
  readonly index?: string;
  /** Snapshot, branch or tag to compare with. Default: the checkpoint's. */
  readonly snapshot?: string;
  /** Compare this many documents, chosen evenly, instead of all. */
  readonly sample?: number;
  readonly repair?: boolean;
}

/** What verify found. `equal`: no drift and no fault. */
export interface VerifyResponse {
  readonly equal: boolean;
  readonly snapshot: string | null;
  readonly index_generation: number;
  /** Rows of the table that were compared. */
  readonly rows_compared: number;
  readonly doc_count: number;
  readonly missing: number;
  readonly extra: number;
  readonly stale: number;
  /** At most `LIMITS.driftedKeysShown` of each kind. */
  readonly keys: {
    readonly missing: readonly Coordinates[];
    readonly extra: readonly Coordinates[];
    readonly stale: readonly Coordinates[];
  };
  /** Content digests (hex) over all keys and row hashes, of both sides; equal when nothing drifted. */
  readonly digest: { readonly index: string; readonly table: string };
  /** Buckets (of `buckets`) whose digests differ. */
  readonly buckets: number;
  readonly buckets_drifted: number;
  /** What is wrong inside the index's own structures. */
  readonly faults: readonly string[];
  /** Only with `sample`. */
  readonly sampled?: true;
  readonly repaired?: {
    readonly added: number;
    readonly replaced: number;
    readonly deleted: number;
  };
  readonly took_ms: number;
}

/** `POST /v1/index:compact`. */
export interface CompactResponse {
  readonly segments_before: number;
  readonly segments_after: number;
  readonly bytes_before: number;
  readonly bytes_after: number;
  readonly took_ms: number;
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
  createIndex(request: { definition: string; baseDir?: string }): Promise<IndexDescription>;
  listIndexes(): Promise<readonly IndexSummary[]>;
  describeIndex(request: { index?: string }): Promise<IndexDescription>;
  dropIndex(request: { index: string }): Promise<void>;
  reindex(
    request: { index?: string; as_of?: string },
    work?: WorkOptions,
  ): Promise<ReindexResponse>;
  sync(request: { index?: string; until?: string }, work?: WorkOptions): Promise<SyncResponse>;
  /**
   * Applies one step of the table, made by whoever reads it: exactly once, whatever is repeated,
   * reordered or sent twice.
   */
  applyBatch(
    request: { index?: string; batch: ChangeBatch },
    work?: WorkOptions,
  ): Promise<ApplyResponse>;
  getCheckpoint(request: { index?: string }): Promise<CheckpointState>;
  /** Compares an index with its table and with itself; with `repair`, makes them equal. */
  verify(request: VerifyRequest, work?: WorkOptions): Promise<VerifyResponse>;
  /** Stays in step with the table until `signal` aborts, and says what it does. */
  follow(request: { index?: string }, options?: FollowOptions): AsyncIterable<FollowEvent>;
  status(request: { index?: string }): Promise<IndexStatus>;
  /** Merges segments down to `segments` (1) as far as limits allow, and leaves deleted ones out. */
  compact(
    request: { index?: string; segments?: number },
    work?: WorkOptions,
  ): Promise<CompactResponse>;
  search(request: SearchRequest): Promise<SearchResponse>;
  /** The scoring clauses of a query, each counted alone, in the query's order. */
  clauseCounts(request: SearchRequest): Promise<readonly ClauseCount[]>;
  getKeys(request: KeysRequest): Promise<KeysResponse>;
  analyze(request: {
    index?: string;
    field?: string;
    analyzer?: string;
    text: string;
  }): Promise<{ tokens: readonly TokenInfo[] }>;
  /**
   * The tree of a query string; with `index` its fields are checked, without the default field is
   * "text".
   */
  parseQuery(request: {
    index?: string;
    query: string;
    syntax?: 'default' | 'kql';
    default_operator?: 'or' | 'and';
  }): Promise<{ ast: Json; query: Query }>;
  /** Checks a definition; with `against_source` also against the table's schema. */
  validateDefinition(request: {
    definition: string;
    baseDir?: string;
    /** Also check against the table's schema. */
    against_source?: boolean;
    /** Where the table is, instead of what the definition says. */
    source?: TableConfig | { readonly catalog: CatalogConfig };
  }): Promise<readonly DefinitionIssue[]>;
  exportDocuments(request: { index?: string; query?: string }): AsyncIterable<ExportedDocument>;
  bench(request: BenchRequest): Promise<BenchResponse>;
  close(): Promise<void>;
}
