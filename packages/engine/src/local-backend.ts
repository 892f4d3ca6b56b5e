/**
 * The embedded engine: a `Backend` over a data folder of this machine.
 *
 *     <data folder>/registry.db          which indexes there are (registry/registry.ts)
 *     <data folder>/indexes/<uuid>/      one index: CURRENT, generations, lock (registry/index-folder.ts)
 *
 * Indexes are opened when they are first asked for and again when somebody, in this process or
 * another, has committed. What needs the table (building, syncing, hydrating) loads its code when
 * it is first used: a search that needs none starts fast.
 */
import type {
  AggregateRequest,
  AggregateResponse,
  Alias,
  ApplyResponse,
  Backend,
  BenchRequest,
  BenchResponse,
  ChangeBatch,
  CheckpointState,
  ClauseCount,
  ClosePitRequest,
  CompactResponse,
  DefinitionIssue,
  ExplainRequest,
  ExplainResponse,
  ExportedDocument,
  FacetsRequest,
  FacetsResponse,
  FollowEvent,
  FollowOptions,
  HybridRequest,
  IndexDescription,
  IndexStatus,
  IndexSummary,
  Json,
  KeysRequest,
  KeysResponse,
  OpenPitRequest,
  ParseQueryRequest,
  PointInTime,
  PrintQueryRequest,
  ReindexResponse,
  SavedQuery,
  SavedQueryDraft,
  SearchRequest,
  SearchResponse,
  SemanticRequest,
  SuggestRequest,
  SuggestResponse,
  SyncResponse,
  TokenInfo,
  VerifyRequest,
  VerifyResponse,
  WorkOptions,
} from './backend.ts';
import { aggregateLocal, facetsLocal } from './local/aggregate.ts';
import { analyzeLocal } from './local/analyze.ts';
import { createLocal, listLocal, validateLocal } from './local/define.ts';
import { dropLocal } from './local/drop-index.ts';
import { exportLocal } from './local/export.ts';
import { checkDraft, LOCAL_OWNER, setAlias } from './local/kept.ts';
import { LocalIndexes, type LocalOptions } from './local/local-indexes.ts';
import { hybridLocal, semanticLocal } from './local/meaning.ts';
import { closePit, openPit } from './local/point-in-time.ts';
import { readIndex } from './local/read-index.ts';
import { searchLocal } from './local/search.ts';
import { type TenantReads, tenantReads } from './local/tenant-reads.ts';
import type { Query } from './query/query.ts';
import type { FilterCache } from './search/filter-cache.ts';

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

  createIndex(request: { definition: string; baseDir?: string }): Promise<IndexDescription> {
    return this.#call(() => createLocal(this.#indexes, request));
  }

  listIndexes(): Promise<readonly IndexSummary[]> {
    return this.#call(async () => listLocal(this.#indexes));
  }

  describeIndex(request: { index?: string }): Promise<IndexDescription> {
    return this.#call(async () => this.#indexes.describe(this.#indexes.resolve(request.index)));
  }

  dropIndex(request: { index: string }): Promise<void> {
    return this.#call(() => dropLocal(this.#indexes, request.index));
  }

  reindex(
    request: { index?: string; as_of?: string },
    work: WorkOptions = {},
  ): Promise<ReindexResponse> {
    return this.#write(work, async (stoppable) => {
      const { reindexLocal } = await import('./local/in-step.ts');
      return reindexLocal(this.#indexes, request, stoppable);
    });
  }

  sync(request: { index?: string; until?: string }, work: WorkOptions = {}): Promise<SyncResponse> {
    return this.#write(work, async (stoppable) => {
      const { syncLocal } = await import('./local/in-step.ts');
      return syncLocal(this.#indexes, request, stoppable);
    });
  }

  applyBatch(
    request: { index?: string; batch: ChangeBatch },
    work: WorkOptions = {},
  ): Promise<ApplyResponse> {
    return this.#write(work, async (stoppable) => {
      const { applyLocal } = await import('./local/in-step.ts');
      return applyLocal(this.#indexes, request, stoppable);
    });
  }

  getCheckpoint(request: { index?: string }): Promise<CheckpointState> {
    return this.#call(async () => {
      const { checkpointLocal } = await import('./local/in-step.ts');
      return checkpointLocal(this.#indexes, request.index);
    });
  }

  verify(request: VerifyRequest, work: WorkOptions = {}): Promise<VerifyResponse> {
    return this.#write(work, async (stoppable) => {
      const { verifyLocal } = await import('./local/verify.ts');
      return verifyLocal(this.#indexes, request, stoppable);
    });
  }

  /** Ends when the engine is closed, as when `options.signal` aborts. */
  follow(request: { index?: string }, options: FollowOptions = {}): AsyncGenerator<FollowEvent> {
    const { life } = this.#indexes;
    const events = async function* (indexes: LocalIndexes) {
      const { followLocal } = await import('./local/follow.ts');
      yield* followLocal(indexes, request.index, life.stoppable(options));
    };
    return life.stream(() => events(this.#indexes), false);
  }

  status(request: { index?: string }): Promise<IndexStatus> {
    return this.#call(async () => {
      const { statusOf } = await import('./local/status.ts');
      return statusOf(this.#indexes, request.index);
    });
  }

  compact(
    request: { index?: string; segments?: number },
    work: WorkOptions = {},
  ): Promise<CompactResponse> {
    return this.#write(work, async (stoppable) => {
      const { compactLocal } = await import('./local/compact.ts');
      return compactLocal(this.#indexes, request, stoppable);
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
    return this.#call(async () => {
      const { clauseCounts } = await import('./search/clause-counts.ts');
      return readIndex(this.#indexes, request, async (context) => clauseCounts(context, request));
    });
  }

  suggest(request: SuggestRequest): Promise<SuggestResponse> {
    return this.#call(async () => {
      const { suggestTerms } = await import('./search/suggest/suggest.ts');
      return readIndex(this.#indexes, request, (context) => suggestTerms(context, request));
    });
  }

  explain(request: ExplainRequest): Promise<ExplainResponse> {
    return this.#call(async () => {
      const { explainKey } = await import('./search/explain/explain.ts');
      return readIndex(this.#indexes, request, (context) => explainKey(context, request));
    });
  }

  openPit(request: OpenPitRequest): Promise<PointInTime> {
    return this.#call(async () => openPit(this.#indexes, request));
  }

  closePit(request: ClosePitRequest): Promise<{ closed: boolean }> {
    return this.#call(async () => closePit(this.#indexes, request));
  }

  getKeys(request: KeysRequest): Promise<KeysResponse> {
    return this.#call(async () => {
      const { getKeys } = await import('./search/get-keys.ts');
      return readIndex(this.#indexes, request, (context) => getKeys(context, request));
    });
  }

  bench(request: BenchRequest): Promise<BenchResponse> {
    return this.#call(async () => {
      const { benchIndex } = await import('./search/bench.ts');
      return readIndex(this.#indexes, request, async (context) => benchIndex(context, request));
    });
  }

  /** Throws closed when the engine is closed before the last document. */
  exportDocuments(request: { index?: string; query?: string }): AsyncGenerator<ExportedDocument> {
    return exportLocal(this.#indexes, request);
  }

  /**
   * What callers of one tenant may do: nothing that they ask shows documents or rows of another.
   * An index without a `tenant_field` is everybody's.
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

  dropAlias(request: { readonly alias: string }): Promise<void> {
    return this.#call(async () => this.#indexes.registry.aliases.drop(request.alias));
  }

  listSavedQueries(): Promise<readonly SavedQuery[]> {
    return this.#call(async () => this.#indexes.registry.queries.list(LOCAL_OWNER));
  }

  createSavedQuery(draft: SavedQueryDraft): Promise<SavedQuery> {
    const { queries } = this.#indexes.registry;
    return this.#call(async () => queries.create(LOCAL_OWNER, checkDraft(draft)));
  }

  replaceSavedQuery(request: SavedQueryDraft & { readonly id: string }): Promise<SavedQuery> {
    const { queries } = this.#indexes.registry;
    return this.#call(async () => {
      const { id, ...draft } = request;
      return queries.replace(LOCAL_OWNER, id, checkDraft(draft));
    });
  }

  deleteSavedQuery(request: { readonly id: string }): Promise<void> {
    return this.#call(async () => this.#indexes.registry.queries.delete(LOCAL_OWNER, request.id));
  }

  analyze(request: Parameters<Backend['analyze']>[0]): Promise<{ tokens: readonly TokenInfo[] }> {
    return this.#call(async () => analyzeLocal(this.#indexes, request));
  }

  parseQuery(request: ParseQueryRequest): Promise<{ ast: Json; query: Query }> {
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

  validateDefinition(
    request: Parameters<Backend['validateDefinition']>[0],
  ): Promise<readonly DefinitionIssue[]> {
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
    return life.call(() => work(life.stoppable(options)));
  }
}
