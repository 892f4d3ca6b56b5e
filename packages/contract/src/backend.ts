import type { AggregateRequest, FacetsRequest } from './aggregations/request.ts';
import type { AggregateResponse, FacetsResponse } from './aggregations/response.ts';
import type { Alias, DropAliasRequest } from './aliases/request.ts';
import type { FollowOptions, WorkOptions } from './call.ts';
import type { ExplainRequest } from './explain/request.ts';
import type { ExplainResponse } from './explain/response.ts';
import type { IndexRequest } from './index-request.ts';
import type {
  CreateIndexRequest,
  DropIndexRequest,
  ExportRequest,
  ValidateDefinitionRequest,
} from './indexes/request.ts';
import type {
  DefinitionIssue,
  ExportedDocument,
  IndexDescription,
  IndexSummary,
} from './indexes/response.ts';
import type { CheckpointState } from './ingest/change-batch.ts';
import type {
  ApplyBatchRequest,
  CompactRequest,
  ReindexRequest,
  SyncRequest,
  VerifyRequest,
} from './ingest/request.ts';
import type {
  ApplyResponse,
  CompactResponse,
  FollowEvent,
  IndexStatus,
  ReindexResponse,
  SyncResponse,
  VerifyResponse,
} from './ingest/response.ts';
import type { Json } from './json.ts';
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
import type {
  BenchResponse,
  ClauseCount,
  SuggestResponse,
  TokenInfo,
} from './query-text/response.ts';
import type {
  DeleteSavedQueryRequest,
  ReplaceSavedQueryRequest,
  SavedQueryDraft,
} from './saved-queries/request.ts';
import type { SavedQuery } from './saved-queries/response.ts';
import type { HybridRequest, SearchRequest, SemanticRequest } from './search/request.ts';
import type { SearchResponse } from './search/response.ts';

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
  parseQuery(request: ParseQueryRequest): Promise<{ readonly ast: Json }>;
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
