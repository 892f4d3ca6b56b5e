/**
 * The embedded engine: a `Backend` over a data folder of this machine.
 *
 *     <data folder>/registry.db          which indexes there are (registry/registry.ts)
 *     <data folder>/indexes/<uuid>/ one index: CURRENT, generations, lock (open/index-folder.ts)
 *
 * Indexes are opened when they are first asked for and again when somebody, in this process or
 * another, has committed. What needs the table (building, syncing, hydrating) loads its code when
 * it is first used: a search that needs none starts fast.
 */
import type {
  AggregateRequest,
  AggregateResponse,
  Alias,
  AnalyzeRequest,
  ApplyBatchRequest,
  ApplyResponse,
  Backend,
  BenchRequest,
  BenchResponse,
  CallContext,
  CheckpointState,
  ClauseCount,
  ClosePitRequest,
  CompactRequest,
  CompactResponse,
  CreateIndexRequest,
  DefinitionIssue,
  DefinitionText,
  DeleteSavedQueryRequest,
  DescribeSourceRequest,
  DropAliasRequest,
  DropIndexRequest,
  ExplainRequest,
  ExplainResponse,
  ExportedDocument,
  ExportRequest,
  FacetsRequest,
  FacetsResponse,
  FollowEvent,
  FollowRequest,
  HybridRequest,
  IndexDescription,
  IndexRequest,
  IndexStatus,
  IndexSummary,
  InitDefinitionRequest,
  Job,
  JobRequest,
  Json,
  KeysRequest,
  KeysResponse,
  ListJobsRequest,
  ListRequest,
  ListTablesRequest,
  OpenPitRequest,
  ParseQueryRequest,
  PointInTime,
  PrintQueryRequest,
  ReindexRequest,
  ReindexResponse,
  ReplaceSavedQueryRequest,
  SavedQuery,
  SavedQueryDraft,
  SearchRequest,
  SearchResponse,
  SemanticRequest,
  SourceApi,
  SourceDescription,
  StartJobRequest,
  SuggestRequest,
  SuggestResponse,
  SyncRequest,
  SyncResponse,
  TableList,
  TokenInfo,
  ValidateDefinitionRequest,
  VerifyRequest,
  VerifyResponse,
} from '@lakehouse-search/contract';
import { checkCall } from '@lakehouse-search/contract';
import { lazily } from './base/lazily.ts';
import { aggregateLocal, facetsLocal } from './local/aggregate.ts';
import { analyzeLocal } from './local/analyze.ts';
import {
  benchLocal,
  clauseCountsLocal,
  explainLocal,
  keysLocal,
  suggestLocal,
} from './local/ask.ts';
import { refuseTenants, requireWanted } from './local/caller.ts';
import { createLocal, describeLocal, listLocal, validateLocal } from './local/define.ts';
import { dropLocal } from './local/drop-index.ts';
import { exportLocal } from './local/export.ts';
import {
  createSavedQuery,
  deleteSavedQuery,
  dropAlias,
  listAliases,
  listSavedQueries,
  replaceSavedQuery,
  setAlias,
} from './local/kept.ts';
import type { SourceLayout } from './local/layout.ts';
import { LocalIndexes, type LocalOptions } from './local/local-indexes.ts';
import { hybridLocal, semanticLocal } from './local/meaning.ts';
import { closePit, openPit } from './local/point-in-time.ts';
import { searchLocal } from './local/search.ts';
import type { FilterCache } from './search/execute/filter-cache.ts';

/**
 * Opens a data folder, making it where it is missing. Throws io_error, corrupt_index, unsupported.
 */
export async function openLocal(dataDir: string, options?: LocalOptions): Promise<LocalBackend> {
  return new LocalBackend(dataDir, options);
}

/** The local `Backend`. Close it when done: it holds mapped files and the registry. */
export class LocalBackend implements Backend {
  readonly dataDir: string;
  readonly #indexes: LocalIndexes;
  readonly #jobs = lazily(async () => {
    const { LocalJobs } = await import('./local/jobs.ts');
    return new LocalJobs(this.#indexes);
  });

  constructor(dataDir: string, options?: LocalOptions) {
    this.dataDir = dataDir;
    this.#indexes = new LocalIndexes(dataDir, options);
  }

  /** Matches of filters that searches have asked for. */
  get filters(): FilterCache {
    return this.#indexes.filters;
  }

  createIndex(request: CreateIndexRequest, call?: CallContext): Promise<IndexDescription> {
    return this.#own('createIndex', call, (own) => createLocal(this.#indexes, request, own));
  }

  listIndexes(request?: ListRequest, call?: CallContext): Promise<readonly IndexSummary[]> {
    return this.#own('listIndexes', call, async (own) => listLocal(this.#indexes, request, own));
  }

  describeIndex(request: IndexRequest, call?: CallContext): Promise<IndexDescription> {
    return this.#read(call, (read) => describeLocal(this.#indexes, request, read));
  }

  describeSource(request: DescribeSourceRequest, call?: CallContext): Promise<SourceDescription> {
    return this.#source('describeSource', call, (source, own) =>
      source.describeSource(request, own),
    );
  }

  listTables(request: ListTablesRequest, call?: CallContext): Promise<TableList> {
    return this.#source('listTables', call, (source, own) => source.listTables(request, own));
  }

  initDefinition(request: InitDefinitionRequest, call?: CallContext): Promise<DefinitionText> {
    return this.#source('initDefinition', call, (source, own) =>
      source.initDefinition(request, own),
    );
  }

  dropIndex(request: DropIndexRequest, call?: CallContext): Promise<void> {
    return this.#own('dropIndex', call, (own) => dropLocal(this.#indexes, request, own));
  }

  reindex(request: ReindexRequest, call?: CallContext): Promise<ReindexResponse> {
    return this.#write('reindex', call, async (write) => {
      return (await this.#jobs()).reindex(request, write);
    });
  }

  startJob(request: StartJobRequest, call?: CallContext): Promise<Job> {
    return this.#own('startJob', call, async (own) => (await this.#jobs()).start(request, own));
  }

  getJob(request: JobRequest, call?: CallContext): Promise<Job> {
    return this.#own('getJob', call, async (own) => (await this.#jobs()).get(request, own));
  }

  listJobs(request?: ListJobsRequest, call?: CallContext): Promise<readonly Job[]> {
    return this.#own('listJobs', call, async (own) => (await this.#jobs()).list(request, own));
  }

  cancelJob(request: JobRequest, call?: CallContext): Promise<Job> {
    return this.#own('cancelJob', call, async (own) => (await this.#jobs()).cancel(request, own));
  }

  /** Throws interrupted when the call is aborted, closed when the engine is closed. */
  watchJob(request: JobRequest, call?: CallContext): AsyncGenerator<Job> {
    const jobs = this.#jobs;
    const records = async function* (own: CallContext) {
      yield* (await jobs()).watch(request, own);
    };
    return this.#stream('watchJob', call, records, true);
  }

  sync(request: SyncRequest, call?: CallContext): Promise<SyncResponse> {
    return this.#write('sync', call, async (write) => {
      const { syncLocal } = await import('./local/in-step.ts');
      return syncLocal(this.#indexes, request, write);
    });
  }

  applyBatch(request: ApplyBatchRequest, call?: CallContext): Promise<ApplyResponse> {
    return this.#write('applyBatch', call, async (write) => {
      const { applyLocal } = await import('./local/in-step.ts');
      return applyLocal(this.#indexes, request, write);
    });
  }

  getCheckpoint(request: IndexRequest, call?: CallContext): Promise<CheckpointState> {
    return this.#own('getCheckpoint', call, async (own) => {
      const { checkpointLocal } = await import('./local/in-step.ts');
      return checkpointLocal(this.#indexes, request, own);
    });
  }

  verify(request: VerifyRequest, call?: CallContext): Promise<VerifyResponse> {
    return this.#write('verify', call, async (write) => {
      const { verifyLocal } = await import('./local/verify.ts');
      return verifyLocal(this.#indexes, request, write);
    });
  }

  /** Ends when the engine is closed, as when the call is aborted. */
  follow(request: FollowRequest, call?: CallContext): AsyncGenerator<FollowEvent> {
    const indexes = this.#indexes;
    const events = async function* (own: CallContext) {
      const { followLocal } = await import('./local/follow.ts');
      yield* followLocal(indexes, request, own);
    };
    return this.#stream('follow', call, events, false);
  }

  status(request: IndexRequest, call?: CallContext): Promise<IndexStatus> {
    return this.#own('status', call, async (own) => {
      const { statusOf } = await import('./local/status.ts');
      return statusOf(this.#indexes, request, own);
    });
  }

  compact(request: CompactRequest, call?: CallContext): Promise<CompactResponse> {
    return this.#write('compact', call, async (write) => {
      const { compactLocal } = await import('./local/compact.ts');
      return compactLocal(this.#indexes, request, write);
    });
  }

  /**
   * How the data files of an index's table are laid out, of at most `mostFiles` of them. Not an
   * operation of a Backend: files are at hand only where the engine runs. Throws index_not_found,
   * source_not_found, source_invalid, source_unreachable.
   */
  sourceLayout(request: IndexRequest, mostFiles: number): Promise<SourceLayout> {
    return this.#indexes.life.call(async () => {
      const { layoutLocal } = await import('./local/layout.ts');
      return layoutLocal(this.#indexes, request, mostFiles);
    });
  }

  search(request: SearchRequest, call?: CallContext): Promise<SearchResponse> {
    return this.#read(call, (read) => searchLocal(this.#indexes, request, read));
  }

  semantic(request: SemanticRequest, call?: CallContext): Promise<SearchResponse> {
    return this.#read(call, (read) => semanticLocal(this.#indexes, request, read));
  }

  hybrid(request: HybridRequest, call?: CallContext): Promise<SearchResponse> {
    return this.#read(call, (read) => hybridLocal(this.#indexes, request, read));
  }

  aggregate(request: AggregateRequest, call?: CallContext): Promise<AggregateResponse> {
    return this.#read(call, (read) => aggregateLocal(this.#indexes, request, read));
  }

  facets(request: FacetsRequest, call?: CallContext): Promise<FacetsResponse> {
    return this.#read(call, (read) => facetsLocal(this.#indexes, request, read));
  }

  clauseCounts(request: SearchRequest, call?: CallContext): Promise<readonly ClauseCount[]> {
    return this.#read(call, (read) => clauseCountsLocal(this.#indexes, request, read));
  }

  suggest(request: SuggestRequest, call?: CallContext): Promise<SuggestResponse> {
    return this.#read(call, (read) => suggestLocal(this.#indexes, request, read));
  }

  explain(request: ExplainRequest, call?: CallContext): Promise<ExplainResponse> {
    return this.#read(call, (read) => explainLocal(this.#indexes, request, read));
  }

  openPit(request: OpenPitRequest, call?: CallContext): Promise<PointInTime> {
    return this.#read(call, async (read) => openPit(this.#indexes, request, read));
  }

  closePit(request: ClosePitRequest, call?: CallContext): Promise<{ closed: boolean }> {
    return this.#read(call, async (read) => closePit(this.#indexes, request, read));
  }

  getKeys(request: KeysRequest, call?: CallContext): Promise<KeysResponse> {
    return this.#read(call, (read) => keysLocal(this.#indexes, request, read));
  }

  bench(request: BenchRequest, call?: CallContext): Promise<BenchResponse> {
    return this.#own('bench', call, (own) => benchLocal(this.#indexes, request, own));
  }

  /** Throws closed when the engine is closed before the last document. */
  exportDocuments(request: ExportRequest, call?: CallContext): AsyncGenerator<ExportedDocument> {
    return exportLocal(this.#indexes, request, call);
  }

  listAliases(request?: ListRequest, call?: CallContext): Promise<readonly Alias[]> {
    return this.#own('listAliases', call, async (own) => listAliases(this.#indexes, request, own));
  }

  setAlias(request: Alias, call?: CallContext): Promise<Alias> {
    return this.#own('setAlias', call, async (own) => setAlias(this.#indexes, request, own));
  }

  dropAlias(request: DropAliasRequest, call?: CallContext): Promise<void> {
    return this.#own('dropAlias', call, async (own) => dropAlias(this.#indexes, request, own));
  }

  listSavedQueries(request?: ListRequest, call?: CallContext): Promise<readonly SavedQuery[]> {
    return this.#read(call, async (read) => listSavedQueries(this.#indexes, request, read));
  }

  createSavedQuery(draft: SavedQueryDraft, call?: CallContext): Promise<SavedQuery> {
    return this.#read(call, (read) => createSavedQuery(this.#indexes, draft, read));
  }

  replaceSavedQuery(request: ReplaceSavedQueryRequest, call?: CallContext): Promise<SavedQuery> {
    return this.#read(call, (read) => replaceSavedQuery(this.#indexes, request, read));
  }

  deleteSavedQuery(request: DeleteSavedQueryRequest, call?: CallContext): Promise<void> {
    return this.#read(call, async (read) => deleteSavedQuery(this.#indexes, request, read));
  }

  analyze(request: AnalyzeRequest, call?: CallContext): Promise<{ tokens: readonly TokenInfo[] }> {
    return this.#read(call, async (read) => analyzeLocal(this.#indexes, request, read));
  }

  parseQuery(request: ParseQueryRequest, call?: CallContext): Promise<{ readonly ast: Json }> {
    return this.#read(call, async (read) => {
      const { parseText } = await import('./local/query-text.ts');
      return parseText(this.#indexes, request, read);
    });
  }

  printQuery(request: PrintQueryRequest, call?: CallContext): Promise<{ query: string }> {
    return this.#read(call, async (read) => {
      const { printTree } = await import('./local/query-text.ts');
      return printTree(this.#indexes, request, read);
    });
  }

  validateDefinition(
    request: ValidateDefinitionRequest,
    call?: CallContext,
  ): Promise<readonly DefinitionIssue[]> {
    return this.#own('validateDefinition', call, () => validateLocal(request));
  }

  /**
   * Refuses new calls, ends followers and long work (code `closed`), waits for what goes on, and
   * releases files and registry. Idempotent.
   */
  close(): Promise<void> {
    return this.#indexes.close();
  }

  /** A call that tenants may make: each operation restricts itself to the caller's rows. */
  #read<T>(call: unknown, work: (call: CallContext) => Promise<T>): Promise<T> {
    const { life, clock } = this.#indexes;
    return life.call(async () => {
      const checked = checkCall(call);
      requireWanted(checked, clock);
      return work(checked);
    });
  }

  /** A call that concerns all rows of an index. */
  #own<T>(name: string, call: unknown, work: (call: CallContext) => Promise<T>): Promise<T> {
    return this.#read(call, async (checked) => {
      refuseTenants(checked, name);
      return work(checked);
    });
  }

  /** Such a call whose work `close` stops. */
  #write<T>(name: string, call: unknown, work: (call: CallContext) => Promise<T>): Promise<T> {
    return this.#own(name, call, (checked) => work(this.#indexes.life.stoppable(checked)));
  }

  /** A call about tables, which needs no index. */
  #source<T>(
    name: string,
    call: unknown,
    work: (source: SourceApi, call: CallContext) => Promise<T>,
  ): Promise<T> {
    return this.#write(name, call, async (own) => {
      const { LOCAL_SOURCE } = await import('./source/local-source.ts');
      return work(LOCAL_SOURCE, own);
    });
  }

  /**
   * The items of a call that concerns all rows; `close` ends it. `whole`: as for
   * `EngineLife.stream`.
   */
  #stream<T>(
    name: string,
    call: unknown,
    items: (call: CallContext) => AsyncGenerator<T>,
    whole: boolean,
  ): AsyncGenerator<T> {
    const { life } = this.#indexes;
    const begin = async function* () {
      const checked = checkCall(call);
      refuseTenants(checked, name);
      yield* items(life.stoppable(checked));
    };
    return life.stream(begin, whole);
  }
}
