/**
 * The embedded engine: a `Backend` over a data folder of this machine.
 *
 *     <data folder>/registry.db          which indexes there are (registry/registry.ts)
 *     <data folder>/indexes/<uuid>/      one index: CURRENT, generations, lock (open/index-folder.ts)
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
  CheckpointState,
  ClauseCount,
  ClosePitRequest,
  CompactRequest,
  CompactResponse,
  CreateIndexRequest,
  DefinitionIssue,
  DeleteSavedQueryRequest,
  DropAliasRequest,
  DropIndexRequest,
  ExplainRequest,
  ExplainResponse,
  ExportedDocument,
  ExportRequest,
  FacetsRequest,
  FacetsResponse,
  FollowEvent,
  FollowOptions,
  HybridRequest,
  IndexDescription,
  IndexRequest,
  IndexStatus,
  IndexSummary,
  Json,
  KeysRequest,
  KeysResponse,
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
  SuggestRequest,
  SuggestResponse,
  SyncRequest,
  SyncResponse,
  TokenInfo,
  ValidateDefinitionRequest,
  VerifyRequest,
  VerifyResponse,
  WorkOptions,
} from '@lakehouse-search/contract';
import { checkFollowOptions, checkWorkOptions } from '@lakehouse-search/contract';
import { aggregateLocal, facetsLocal } from './local/aggregate.ts';
import { analyzeLocal } from './local/analyze.ts';
import {
  benchLocal,
  clauseCountsLocal,
  explainLocal,
  keysLocal,
  suggestLocal,
} from './local/ask.ts';
import { createLocal, describeLocal, listLocal, validateLocal } from './local/define.ts';
import { dropLocal } from './local/drop-index.ts';
import { exportLocal } from './local/export.ts';
import {
  createSavedQuery,
  deleteSavedQuery,
  dropAlias,
  LOCAL_OWNER,
  replaceSavedQuery,
  setAlias,
} from './local/kept.ts';
import type { SourceLayout } from './local/layout.ts';
import { LocalIndexes, type LocalOptions } from './local/local-indexes.ts';
import { hybridLocal, semanticLocal } from './local/meaning.ts';
import { closePit, openPit } from './local/point-in-time.ts';
import { searchLocal } from './local/search.ts';
import { type TenantReads, tenantReads } from './local/tenant-reads.ts';
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

  constructor(dataDir: string, options?: LocalOptions) {
    this.dataDir = dataDir;
    this.#indexes = new LocalIndexes(dataDir, options);
  }

  /** Matches of filters that searches have asked for. */
  get filters(): FilterCache {
    return this.#indexes.filters;
  }

  createIndex(request: CreateIndexRequest): Promise<IndexDescription> {
    return this.#call(() => createLocal(this.#indexes, request));
  }

  listIndexes(): Promise<readonly IndexSummary[]> {
    return this.#call(async () => listLocal(this.#indexes));
  }

  describeIndex(request: IndexRequest): Promise<IndexDescription> {
    return this.#call(async () => describeLocal(this.#indexes, request));
  }

  dropIndex(request: DropIndexRequest): Promise<void> {
    return this.#call(() => dropLocal(this.#indexes, request));
  }

  reindex(request: ReindexRequest, work: WorkOptions = {}): Promise<ReindexResponse> {
    return this.#write(work, async (stoppable) => {
      const { reindexLocal } = await import('./local/in-step.ts');
      return reindexLocal(this.#indexes, request, stoppable);
    });
  }

  sync(request: SyncRequest, work: WorkOptions = {}): Promise<SyncResponse> {
    return this.#write(work, async (stoppable) => {
      const { syncLocal } = await import('./local/in-step.ts');
      return syncLocal(this.#indexes, request, stoppable);
    });
  }

  applyBatch(request: ApplyBatchRequest, work: WorkOptions = {}): Promise<ApplyResponse> {
    return this.#write(work, async (stoppable) => {
      const { applyLocal } = await import('./local/in-step.ts');
      return applyLocal(this.#indexes, request, stoppable);
    });
  }

  getCheckpoint(request: IndexRequest): Promise<CheckpointState> {
    return this.#call(async () => {
      const { checkpointLocal } = await import('./local/in-step.ts');
      return checkpointLocal(this.#indexes, request);
    });
  }

  verify(request: VerifyRequest, work: WorkOptions = {}): Promise<VerifyResponse> {
    return this.#write(work, async (stoppable) => {
      const { verifyLocal } = await import('./local/verify.ts');
      return verifyLocal(this.#indexes, request, stoppable);
    });
  }

  /** Ends when the engine is closed, as when `options.signal` aborts. */
  follow(request: IndexRequest, options: FollowOptions = {}): AsyncGenerator<FollowEvent> {
    const { life } = this.#indexes;
    const events = async function* (indexes: LocalIndexes) {
      const { followLocal } = await import('./local/follow.ts');
      yield* followLocal(indexes, request, life.stoppable(checkFollowOptions(options)));
    };
    return life.stream(() => events(this.#indexes), false);
  }

  status(request: IndexRequest): Promise<IndexStatus> {
    return this.#call(async () => {
      const { statusOf } = await import('./local/status.ts');
      return statusOf(this.#indexes, request);
    });
  }

  compact(request: CompactRequest, work: WorkOptions = {}): Promise<CompactResponse> {
    return this.#write(work, async (stoppable) => {
      const { compactLocal } = await import('./local/compact.ts');
      return compactLocal(this.#indexes, request, stoppable);
    });
  }

  /**
   * How the data files of an index's table are laid out, of at most `mostFiles` of them. Not an
   * operation of a Backend: files are at hand only where the engine runs. Throws index_not_found,
   * source_not_found, source_invalid, source_unreachable.
   */
  sourceLayout(request: IndexRequest, mostFiles: number): Promise<SourceLayout> {
    return this.#call(async () => {
      const { layoutLocal } = await import('./local/layout.ts');
      return layoutLocal(this.#indexes, request, mostFiles);
    });
  }

  search(request: SearchRequest): Promise<SearchResponse> {
    return this.#call(() => searchLocal(this.#indexes, request));
  }

  semantic(request: SemanticRequest): Promise<SearchResponse> {
    return this.#call(() => semanticLocal(this.#indexes, request));
  }

  hybrid(request: HybridRequest): Promise<SearchResponse> {
    return this.#call(() => hybridLocal(this.#indexes, request));
  }

  aggregate(request: AggregateRequest): Promise<AggregateResponse> {
    return this.#call(() => aggregateLocal(this.#indexes, request));
  }

  facets(request: FacetsRequest): Promise<FacetsResponse> {
    return this.#call(() => facetsLocal(this.#indexes, request));
  }

  clauseCounts(request: SearchRequest): Promise<readonly ClauseCount[]> {
    return this.#call(() => clauseCountsLocal(this.#indexes, request));
  }

  suggest(request: SuggestRequest): Promise<SuggestResponse> {
    return this.#call(() => suggestLocal(this.#indexes, request));
  }

  explain(request: ExplainRequest): Promise<ExplainResponse> {
    return this.#call(() => explainLocal(this.#indexes, request));
  }

  openPit(request: OpenPitRequest): Promise<PointInTime> {
    return this.#call(async () => openPit(this.#indexes, request));
  }

  closePit(request: ClosePitRequest): Promise<{ closed: boolean }> {
    return this.#call(async () => closePit(this.#indexes, request));
  }

  getKeys(request: KeysRequest): Promise<KeysResponse> {
    return this.#call(() => keysLocal(this.#indexes, request));
  }

  bench(request: BenchRequest): Promise<BenchResponse> {
    return this.#call(() => benchLocal(this.#indexes, request));
  }

  /** Throws closed when the engine is closed before the last document. */
  exportDocuments(request: ExportRequest): AsyncGenerator<ExportedDocument> {
    return exportLocal(this.#indexes, request);
  }

  /**
   * What callers of one tenant may do: nothing that they ask shows documents or rows of another.
   * An index without a `tenant_field` is closed to them (permission_denied).
   */
  forTenant(tenant: string): TenantReads {
    return tenantReads(this.#indexes, tenant);
  }

  listAliases(): Promise<readonly Alias[]> {
    return this.#call(async () => this.#indexes.registry.aliases.list());
  }

  setAlias(request: Alias): Promise<Alias> {
    return this.#call(async () => setAlias(this.#indexes, request));
  }

  dropAlias(request: DropAliasRequest): Promise<void> {
    return this.#call(async () => dropAlias(this.#indexes, request));
  }

  listSavedQueries(): Promise<readonly SavedQuery[]> {
    return this.#call(async () => this.#indexes.registry.queries.list(LOCAL_OWNER));
  }

  createSavedQuery(draft: SavedQueryDraft): Promise<SavedQuery> {
    return this.#call(async () => createSavedQuery(this.#indexes, draft));
  }

  replaceSavedQuery(request: ReplaceSavedQueryRequest): Promise<SavedQuery> {
    return this.#call(async () => replaceSavedQuery(this.#indexes, request));
  }

  deleteSavedQuery(request: DeleteSavedQueryRequest): Promise<void> {
    return this.#call(async () => deleteSavedQuery(this.#indexes, request));
  }

  analyze(request: AnalyzeRequest): Promise<{ tokens: readonly TokenInfo[] }> {
    return this.#call(async () => analyzeLocal(this.#indexes, request));
  }

  parseQuery(request: ParseQueryRequest): Promise<{ readonly ast: Json }> {
    return this.#call(async () => {
      const { parseText } = await import('./local/query-text.ts');
      return parseText(this.#indexes, request);
    });
  }

  printQuery(request: PrintQueryRequest): Promise<{ query: string }> {
    return this.#call(async () => {
      const { printTree } = await import('./local/query-text.ts');
      return printTree(this.#indexes, request);
    });
  }

  validateDefinition(request: ValidateDefinitionRequest): Promise<readonly DefinitionIssue[]> {
    return this.#call(() => validateLocal(request));
  }

  /**
   * Refuses new calls, ends followers and long work (code `closed`), waits for what goes on, and
   * releases files and registry. Idempotent.
   */
  close(): Promise<void> {
    return this.#indexes.close();
  }

  #call<T>(work: () => Promise<T>): Promise<T> {
    return this.#indexes.life.call(work);
  }

  /** A call whose work `close` stops. */
  #write<T>(options: WorkOptions, work: (options: WorkOptions) => Promise<T>): Promise<T> {
    const { life } = this.#indexes;
    return life.call(async () => work(life.stoppable(checkWorkOptions(options))));
  }
}
