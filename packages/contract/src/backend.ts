/** The operations of a backend by theme. */
import type { AggregateRequest, FacetsRequest } from './aggregations/request.ts';
import type { AggregateResponse, FacetsResponse } from './aggregations/response.ts';
import type { Alias, DropAliasRequest } from './aliases/request.ts';
import type {
  BackupRequest,
  BackupStatusRequest,
  ListBackupsRequest,
  PruneBackupsRequest,
  RestoreRequest,
} from './backups/request.ts';
import type {
  BackupResponse,
  BackupStatus,
  BackupSummary,
  PruneResponse,
  RestoreResponse,
} from './backups/response.ts';
import type { CallContext } from './call.ts';
import type { DiffRequest } from './diff/request.ts';
import type { DiffResponse } from './diff/response.ts';
import type {
  ErasureCheckRequest,
  ErasureRunRequest,
  VerifyReceiptRequest,
} from './erasure/request.ts';
import type {
  ErasureKey,
  ErasureReport,
  ErasureResponse,
  ReceiptVerdict,
} from './erasure/response.ts';
import type { ExplainRequest } from './explain/request.ts';
import type { ExplainResponse } from './explain/response.ts';
import type { IndexRequest, ListRequest } from './index-request.ts';
import type {
  AlterIndexRequest,
  CloneIndexRequest,
  CreateIndexRequest,
  DropIndexRequest,
  ExportRequest,
  MoveBucketRequest,
  MoveIndexRequest,
  RehearseAlterRequest,
  RenameIndexRequest,
  ReshardRequest,
  RollbackIndexRequest,
  ValidateDefinitionRequest,
} from './indexes/request.ts';
import type {
  AlterPlan,
  CloneResponse,
  DefinitionIssue,
  DropResponse,
  ExportedDocument,
  IndexDefinition,
  IndexDescription,
  IndexSummary,
  MoveIndexResponse,
  Rehearsal,
  RenameResponse,
  ReshardPlan,
  RollbackResponse,
} from './indexes/response.ts';
import type { CheckpointState } from './ingest/change-batch.ts';
import type {
  ApplyBatchRequest,
  CompactRequest,
  FollowRequest,
  ReindexRequest,
  SyncRequest,
  UpgradeRequest,
  VerifyRequest,
} from './ingest/request.ts';
import type {
  ApplyResponse,
  CompactResponse,
  FollowEvent,
  IndexStatus,
  ReindexResponse,
  SyncResponse,
  UpgradeResponse,
  VerifyResponse,
} from './ingest/response.ts';
import type { JobRequest, ListJobsRequest, StartJobRequest } from './jobs/request.ts';
import type { Job } from './jobs/response.ts';
import type { KeysRequest } from './keys/request.ts';
import type { KeysResponse } from './keys/response.ts';
import type { ClosePitRequest, OpenPitRequest } from './points-in-time/request.ts';
import type { PointInTime } from './points-in-time/response.ts';
import type {
  AnalyzeRequest,
  BenchRequest,
  ParseQueryRequest,
  PrintQueryRequest,
  SuggestRequest,
} from './query-text/request.ts';
import type { BenchResponse, SuggestResponse, TokenInfo } from './query-text/response.ts';
import type {
  DeleteSavedQueryRequest,
  ReplaceSavedQueryRequest,
  SavedQueryDraft,
} from './saved-queries/request.ts';
import type { SavedQuery } from './saved-queries/response.ts';
import type { ClauseCount } from './search/clause-count.ts';
import type { QueryTree } from './search/query-tree.ts';
import type { HybridRequest, SearchRequest, SemanticRequest } from './search/request.ts';
import type { SearchResponse } from './search/response.ts';
import type {
  DescribeSourceRequest,
  InitDefinitionRequest,
  ListTablesRequest,
} from './source/request.ts';
import type { DefinitionText, SourceDescription, TableList } from './source/response.ts';
import type { MoveWindowsRequest, ReindexWindowRequest } from './windows/request.ts';
import type {
  MoveWindowsResponse,
  ReindexWindowResponse,
  WindowStatus,
} from './windows/response.ts';

/** Windows of an index whose definition has them. Throws not_found for any other index. */
export interface WindowApi {
  /** The windows of an index. */
  windowStatus(request: IndexRequest, call?: CallContext): Promise<WindowStatus>;
  /**
   * Builds one window again from the rows of the checkpoint's snapshot, and replaces it with one
   * commit. The index stays at its snapshot and in its generation.
   */
  reindexWindow(request: ReindexWindowRequest, call?: CallContext): Promise<ReindexWindowResponse>;
  /**
   * Moves windows to the object store of the definition (`storage`) and back, one commit per
   * window. Results of searches stay the same. Repeat it to resume an interrupted one.
   */
  moveWindows(request: MoveWindowsRequest, call?: CallContext): Promise<MoveWindowsResponse>;
}

/** Reads of an index. Each answer comes from one commit. */
export interface SearchApi {
  /** The best hits of a query, with highlights, facets and aggregations. */
  search(request: SearchRequest, call?: CallContext): Promise<SearchResponse>;
  /** The nearest documents of a text's meaning, or of a vector. */
  semantic(request: SemanticRequest, call?: CallContext): Promise<SearchResponse>;
  /** The documents of a text's words and of its meaning, fused. */
  hybrid(request: HybridRequest, call?: CallContext): Promise<SearchResponse>;
  /** Aggregations over the documents of a query. */
  aggregate(request: AggregateRequest, call?: CallContext): Promise<AggregateResponse>;
  /** The most frequent values of some fields among the documents of a query. */
  facets(request: FacetsRequest, call?: CallContext): Promise<FacetsResponse>;
  /** Terms of a field that begin with a text, or are a few edits away from it. */
  suggest(request: SuggestRequest, call?: CallContext): Promise<SuggestResponse>;
  /** Why the row of a key is, or is not, among the hits of a search. */
  explain(request: ExplainRequest, call?: CallContext): Promise<ExplainResponse>;
  /**
   * The hits of one search at two moments of an index, and why they differ. A moment that no commit
   * on disk shows is built from the table in a temporary folder.
   */
  diffHits(request: DiffRequest, call?: CallContext): Promise<DiffResponse>;
  /** Rows of the table by key. */
  getKeys(request: KeysRequest, call?: CallContext): Promise<KeysResponse>;
  /** The cached fields of all documents of a query. */
  exportDocuments(request: ExportRequest, call?: CallContext): AsyncIterable<ExportedDocument>;
}

/** Tools for query strings and texts. */
export interface QueryTextApi {
  /** The tokens that an analyzer or a field makes of a text. */
  analyze(request: AnalyzeRequest, call?: CallContext): Promise<{ tokens: readonly TokenInfo[] }>;
  /**
   * The tree of a query string. With `index` its fields are checked; without, the default field is
   * "text".
   */
  parseQuery(request: ParseQueryRequest, call?: CallContext): Promise<{ readonly ast: QueryTree }>;
  /** A query string that matches what a tree matches; with `index` the tree is checked. */
  printQuery(request: PrintQueryRequest, call?: CallContext): Promise<{ query: string }>;
  /** The scoring clauses of a query, each counted alone, in the query's order. */
  clauseCounts(request: SearchRequest, call?: CallContext): Promise<readonly ClauseCount[]>;
  /** Times queries inside the engine. */
  bench(request: BenchRequest, call?: CallContext): Promise<BenchResponse>;
}

/** Indexes and their definitions. */
export interface IndexApi {
  /** Registers an index. A reindex fills it. Throws index_exists, invalid_definition. */
  createIndex(request: CreateIndexRequest, call?: CallContext): Promise<IndexDescription>;
  /** The indexes that the caller may use, by name. */
  listIndexes(request?: ListRequest, call?: CallContext): Promise<readonly IndexSummary[]>;
  /** The definition, fields, generations and size of an index. */
  describeIndex(request: IndexRequest, call?: CallContext): Promise<IndexDescription>;
  /** The definition in force, as YAML. */
  getDefinition(request: IndexRequest, call?: CallContext): Promise<IndexDefinition>;
  /**
   * What a new definition changes, and what that costs; with `apply` it is put in force: at once,
   * or by a reindex that leaves the live generation in force until it ends. Throws
   * invalid_definition, index_exists, index_busy.
   */
  alterIndex(request: AlterIndexRequest, call?: CallContext): Promise<AlterPlan>;
  /**
   * Builds a sample of the table under both definitions, runs searches over both and compares their
   * first ten hits. Changes nothing.
   */
  rehearseAlter(request: RehearseAlterRequest, call?: CallContext): Promise<Rehearsal>;
  /**
   * Makes a kept generation the live one, with its definition; the one that was live is kept. Both
   * have been synced, so nothing is lost, and a second rollback goes forward again. Throws
   * not_found if there is no such generation, index_busy if a build runs.
   */
  rollbackIndex(request: RollbackIndexRequest, call?: CallContext): Promise<RollbackResponse>;
  /** Which buckets of keys would get other shards with another number of shards. Changes nothing. */
  planReshard(request: ReshardRequest, call?: CallContext): Promise<ReshardPlan>;
  /**
   * Gives an index another number of shards by one commit: they share files until merges divide
   * them. Throws index_busy, unreachable.
   */
  applyReshard(request: ReshardRequest, call?: CallContext): Promise<ReshardPlan>;
  /** Gives one bucket of keys another shard, in the same way. Throws invalid_argument, index_busy. */
  moveBucket(request: MoveBucketRequest, call?: CallContext): Promise<ReshardPlan>;
  /**
   * Drops an index with its generations, aliases, jobs, points in time, and the saved queries that
   * name it. Throws index_busy while a build runs.
   */
  dropIndex(request: DropIndexRequest, call?: CallContext): Promise<DropResponse>;
  /**
   * Gives an index another name, at once: its files, aliases, jobs and points in time stay, saved
   * queries and followers use the new name. The caller must be allowed to use both names. Throws
   * index_exists, invalid_argument for an alias, index_busy while a build runs.
   */
  renameIndex(request: RenameIndexRequest, call?: CallContext): Promise<RenameResponse>;
  /**
   * Moves an index to another store, or to the local disk, and removes it from the previous one.
   * Throws unsupported for an index with windows, already_exists if the store has another index of
   * its name, index_busy while a build runs, unreachable.
   */
  moveIndex(request: MoveIndexRequest, call?: CallContext): Promise<MoveIndexResponse>;
  /**
   * Makes a second index from the newest commit of an index: the new one shares its files by hard
   * links where the file system has them. From then on both are independent. Aliases, saved queries
   * and jobs stay with the first one. Throws index_exists, index_not_built.
   */
  cloneIndex(request: CloneIndexRequest, call?: CallContext): Promise<CloneResponse>;
  /** Checks a definition; with `against_source` also against the table's schema. */
  validateDefinition(
    request: ValidateDefinitionRequest,
    call?: CallContext,
  ): Promise<readonly DefinitionIssue[]>;
}

/** Tables of a lakehouse, before there is an index over them. */
export interface SourceApi {
  /** The schema of a table and its current state. Throws source_not_found, source_unreachable. */
  describeSource(request: DescribeSourceRequest, call?: CallContext): Promise<SourceDescription>;
  /** The tables of a catalog. */
  listTables(request: ListTablesRequest, call?: CallContext): Promise<TableList>;
  /** A first definition for a table, from its schema and a sample of its rows. */
  initDefinition(request: InitDefinitionRequest, call?: CallContext): Promise<DefinitionText>;
}

/** Building an index, keeping it in step with its table, proving it. */
export interface IngestApi {
  /**
   * A job of the kind `reindex` that is watched until it ends, as every other operation that has a
   * kind of job. Aborting the call cancels it.
   */
  reindex(request: ReindexRequest, call?: CallContext): Promise<ReindexResponse>;
  /** Applies what changed in the table since the last sync. */
  sync(request: SyncRequest, call?: CallContext): Promise<SyncResponse>;
  /** Stays in step with the table until the call is aborted, and reports each step. */
  follow(request: FollowRequest, call?: CallContext): AsyncIterable<FollowEvent>;
  /**
   * Applies one step of the table exactly once, even if it is repeated, reordered or sent twice.
   */
  applyBatch(request: ApplyBatchRequest, call?: CallContext): Promise<ApplyResponse>;
  /** The state of the table that an index shows. */
  getCheckpoint(request: IndexRequest, call?: CallContext): Promise<CheckpointState>;
  /** How far an index is behind its table, and what its last sync did. */
  status(request: IndexRequest, call?: CallContext): Promise<IndexStatus>;
  /** Compares an index with its table and with itself; with `repair`, makes them equal. */
  verify(request: VerifyRequest, call?: CallContext): Promise<VerifyResponse>;
  /** Merges segments down to `segments` (1) as far as limits allow, without deleted documents. */
  compact(request: CompactRequest, call?: CallContext): Promise<CompactResponse>;
  /**
   * Rewrites the segments of an index that have an older disk format, one after the other, each
   * with a commit of its own. Contents and row hashes stay.
   */
  upgrade(request: UpgradeRequest, call?: CallContext): Promise<UpgradeResponse>;
}

/** Long operations that run on while the caller does something else. */
export interface JobApi {
  /** Throws index_busy if a job of this kind already runs on the index. */
  startJob(request: StartJobRequest, call?: CallContext): Promise<Job>;
  /** A job as it is now. */
  getJob(request: JobRequest, call?: CallContext): Promise<Job>;
  /** Newest first. */
  listJobs(request?: ListJobsRequest, call?: CallContext): Promise<readonly Job[]>;
  /** Requests the cancellation; a job that has ended stays as it is. */
  cancelJob(request: JobRequest, call?: CallContext): Promise<Job>;
  /**
   * The job now, then after changes; the last one has ended. Aborting the call ends the watch
   * alone.
   */
  watchJob(request: JobRequest, call?: CallContext): AsyncIterable<Job>;
}

/** Copies of indexes in a folder or an object store. Throws unsupported without a target. */
export interface BackupApi {
  /**
   * Copies an index at its newest commit: only files that the target lacks are copied. A backup
   * becomes visible as a whole. Repeat it to resume an interrupted one.
   */
  backup(request: BackupRequest, call?: CallContext): Promise<BackupResponse>;
  /** The newest backup of an index. Without a target the response says `configured: false`. */
  backupStatus(request: BackupStatusRequest, call?: CallContext): Promise<BackupStatus>;
  /** Newest first. */
  listBackups(request: ListBackupsRequest, call?: CallContext): Promise<readonly BackupSummary[]>;
  /** Deletes all but the newest backups of each index, and the files that only they have. */
  pruneBackups(request: PruneBackupsRequest, call?: CallContext): Promise<PruneResponse>;
  /** Makes a new index from a backup. Throws index_exists, already_exists if a name is taken. */
  restore(request: RestoreRequest, call?: CallContext): Promise<RestoreResponse>;
}

/** Proof that rows which were deleted from the table are gone. */
export interface ErasureApi {
  /** Where data of rows remains, and when it goes. Changes nothing. */
  checkErasure(request: ErasureCheckRequest, call?: CallContext): Promise<ErasureReport>;
  /**
   * Removes what a check finds and signs a receipt. Repeat it to resume an interrupted one. Throws
   * already_exists if the table still has a row, snapshot_not_reached if the index has not applied
   * its deletion.
   */
  runErasure(request: ErasureRunRequest, call?: CallContext): Promise<ErasureResponse>;
  /** The public key of receipts. It is made at its first use. */
  erasureKey(request?: ListRequest, call?: CallContext): Promise<ErasureKey>;
  /** Whether a receipt is as it was signed. */
  verifyReceipt(request: VerifyReceiptRequest, call?: CallContext): Promise<ReceiptVerdict>;
}

/** Points in time: an index at one commit, for searches with its `pit_id`. */
export interface PitApi {
  /** Keeps the newest commit of an index for searches. */
  openPit(request: OpenPitRequest, call?: CallContext): Promise<PointInTime>;
  /** `closed` is false if it had been closed or had expired. */
  closePit(request: ClosePitRequest, call?: CallContext): Promise<{ readonly closed: boolean }>;
}

/** Other names of indexes, and the saved queries of the caller. */
export interface NamesApi {
  /** The aliases of all indexes, by name. */
  listAliases(request?: ListRequest, call?: CallContext): Promise<readonly Alias[]>;
  /** Points the alias to this index in one step, whatever it pointed to. */
  setAlias(request: Alias, call?: CallContext): Promise<Alias>;
  /** Drops an alias; its index stays. */
  dropAlias(request: DropAliasRequest, call?: CallContext): Promise<void>;
  /** The saved queries of the caller, by name. */
  listSavedQueries(request?: ListRequest, call?: CallContext): Promise<readonly SavedQuery[]>;
  /** Saves a query of the caller under a name. */
  createSavedQuery(draft: SavedQueryDraft, call?: CallContext): Promise<SavedQuery>;
  /** Replaces a saved query of the caller. */
  replaceSavedQuery(request: ReplaceSavedQueryRequest, call?: CallContext): Promise<SavedQuery>;
  /** Deletes a saved query of the caller. */
  deleteSavedQuery(request: DeleteSavedQueryRequest, call?: CallContext): Promise<void>;
}

/**
 * The operations over plain values, as the embedded engine, the remote client and the gateway have
 * them. Every method checks its request and its call, and throws `LhsError`.
 */
export interface BackendApi
  extends SearchApi,
    QueryTextApi,
    SourceApi,
    IndexApi,
    IngestApi,
    JobApi,
    BackupApi,
    WindowApi,
    ErasureApi,
    PitApi,
    NamesApi {
  /** Refuses new calls, ends followers, and waits for the others. */
  close(): Promise<void>;
}
