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
import { ANALYZER_CATALOG } from './analysis/registry.ts';
import { analyzeToTokens } from './analysis/tokens.ts';
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
import { LhsError } from './base/errors.ts';
import { aggregateLocal, facetsLocal } from './local/aggregate.ts';
import { checkDraft, LOCAL_OWNER, setAlias } from './local/kept.ts';
import { LocalIndexes, type LocalOptions } from './local/local-indexes.ts';
import { hybridLocal, semanticLocal } from './local/meaning.ts';
import { closePit, openPit } from './local/point-in-time.ts';
import { readIndex } from './local/read-index.ts';
import { searchLocal } from './local/search.ts';
import { type TenantReads, tenantReads } from './local/tenant-reads.ts';
import { lockedGeneration, lockForWriting, unlock, writeIndex } from './local/write-index.ts';
import type { Query } from './query/query.ts';
import { analyzersOf, fieldAnalyzer } from './registry/definition-analyzers.ts';
import { describeIndex } from './registry/describe-index.ts';
import {
  currentGeneration,
  dropFolder,
  indexFolder,
  sweepDropped,
} from './registry/index-folder.ts';
import { notBuilt, tableName } from './registry/open-index.ts';
import { checkAgainstTable } from './schema/mapping.ts';
import {
  invalidDefinition,
  parseDefinition,
  requireDefinition,
} from './schema/parse-definition.ts';
import { storeParsed } from './schema/parsed-definition.ts';
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

  async createIndex(request: { definition: string; baseDir?: string }): Promise<IndexDescription> {
    const baseDir = request.baseDir ?? process.cwd();
    const issues = await this.validateDefinition({ ...request, baseDir, against_source: true });
    if (issues.some((issue) => issue.severity === 'error')) throw invalidDefinition(issues);
    const definition = requireDefinition(request.definition, ANALYZER_CATALOG);
    sweepDropped(this.dataDir);
    this.#indexes.registry.add(
      definition.index,
      request.definition,
      baseDir,
      storeParsed(definition),
    );
    return describeIndex(definition, null);
  }

  async listIndexes(): Promise<readonly IndexSummary[]> {
    return this.#indexes.registry.list().map(({ name }) => {
      try {
        const { status, num_docs, bytes, snapshot } = this.#indexes.describe(
          this.#indexes.known(name),
        );
        return { name, status, num_docs, bytes, snapshot };
      } catch (error) {
        if (!(error instanceof LhsError)) throw error;
        const nothing = { num_docs: 0, bytes: 0, snapshot: null };
        return { name, status: 'live', ...nothing, error: error.message };
      }
    });
  }

  async describeIndex(request: { index?: string }): Promise<IndexDescription> {
    return this.#indexes.describe(this.#indexes.resolve(request.index));
  }

  async dropIndex(request: { index: string }): Promise<void> {
    const registered = this.#indexes.registry.named(request.index);
    const lock = await lockForWriting(this.#indexes, registered, 'drop');
    try {
      this.#indexes.forget(registered.uuid);
      dropFolder(indexFolder(this.dataDir, registered.uuid));
      this.#indexes.registry.remove(registered.uuid);
      sweepDropped(this.dataDir);
    } finally {
      unlock(this.#indexes, registered, lock);
    }
  }

  async reindex(
    request: { index?: string; as_of?: string },
    work: WorkOptions = {},
  ): Promise<ReindexResponse> {
    const { buildGeneration } = await import('./ingest/build-generation.ts');
    return writeIndex(this.#indexes, request.index, 'reindex', async (locked, known) => {
      const answer = await buildGeneration(locked, request.as_of, this.#indexes.bytes(known), work);
      this.#indexes.forget(known.registered.uuid);
      return answer;
    });
  }

  async sync(
    request: { index?: string; until?: string },
    work: WorkOptions = {},
  ): Promise<SyncResponse> {
    const { followTable } = await import('./ingest/follow-table.ts');
    const known = this.#indexes.resolve(request.index);
    if (currentGeneration(known.folder) === null) throw notBuilt(known.definition.index);
    return writeIndex(this.#indexes, request.index, 'sync', (locked) =>
      followTable(locked, request.until, work),
    );
  }

  async applyBatch(
    request: { index?: string; batch: ChangeBatch },
    work: WorkOptions = {},
  ): Promise<ApplyResponse> {
    const { applyToLive } = await import('./ingest/follow-table.ts');
    const known = this.#indexes.resolve(request.index);
    const lock = await lockForWriting(this.#indexes, known.registered, 'write');
    try {
      return await applyToLive(lockedGeneration(this.#indexes, known, lock), request.batch, work);
    } finally {
      unlock(this.#indexes, known.registered, lock);
    }
  }

  async getCheckpoint(request: { index?: string }): Promise<CheckpointState> {
    const { checkpointState } = await import('./ingest/checkpoint-state.ts');
    const open = this.#indexes.hold(this.#indexes.resolve(request.index));
    try {
      return checkpointState(open);
    } finally {
      open.snapshot.release();
    }
  }

  async verify(request: VerifyRequest, work: WorkOptions = {}): Promise<VerifyResponse> {
    const { verifyLocal } = await import('./local/verify.ts');
    return verifyLocal(this.#indexes, request, work);
  }

  async *follow(request: { index?: string }, options?: FollowOptions): AsyncGenerator<FollowEvent> {
    const { followLocal } = await import('./local/follow.ts');
    yield* followLocal(this.#indexes, request.index, options);
  }

  async status(request: { index?: string }): Promise<IndexStatus> {
    const { statusOf } = await import('./local/status.ts');
    return statusOf(this.#indexes, request.index);
  }

  async compact(
    request: { index?: string; segments?: number },
    work: WorkOptions = {},
  ): Promise<CompactResponse> {
    const { compactLocal } = await import('./local/compact.ts');
    return compactLocal(this.#indexes, request, work);
  }

  async search(request: SearchRequest): Promise<SearchResponse> {
    return searchLocal(this.#indexes, request);
  }

  async semantic(request: SemanticRequest): Promise<SearchResponse> {
    return semanticLocal(this.#indexes, request);
  }

  async hybrid(request: HybridRequest): Promise<SearchResponse> {
    return hybridLocal(this.#indexes, request);
  }

  async aggregate(request: AggregateRequest): Promise<AggregateResponse> {
    return aggregateLocal(this.#indexes, request);
  }

  async facets(request: FacetsRequest): Promise<FacetsResponse> {
    return facetsLocal(this.#indexes, request);
  }

  async clauseCounts(request: SearchRequest): Promise<readonly ClauseCount[]> {
    const { clauseCounts } = await import('./search/clause-counts.ts');
    return readIndex(this.#indexes, request, async (context) => clauseCounts(context, request));
  }

  async suggest(request: SuggestRequest): Promise<SuggestResponse> {
    const { suggestTerms } = await import('./search/suggest/suggest.ts');
    return readIndex(this.#indexes, request, (context) => suggestTerms(context, request));
  }

  async explain(request: ExplainRequest): Promise<ExplainResponse> {
    const { explainKey } = await import('./search/explain/explain.ts');
    return readIndex(this.#indexes, request, (context) => explainKey(context, request));
  }

  async openPit(request: OpenPitRequest): Promise<PointInTime> {
    return openPit(this.#indexes, request);
  }

  async closePit(request: ClosePitRequest): Promise<{ closed: boolean }> {
    return closePit(this.#indexes, request);
  }

  async getKeys(request: KeysRequest): Promise<KeysResponse> {
    const { getKeys } = await import('./search/get-keys.ts');
    return readIndex(this.#indexes, request, (context) => getKeys(context, request));
  }

  async bench(request: BenchRequest): Promise<BenchResponse> {
    const { benchIndex } = await import('./search/bench.ts');
    return readIndex(this.#indexes, request, async (context) => benchIndex(context, request));
  }

  async *exportDocuments(request: {
    index?: string;
    query?: string;
  }): AsyncGenerator<ExportedDocument> {
    const { exportLocal } = await import('./local/export.ts');
    yield* exportLocal(this.#indexes, request);
  }

  /**
   * What callers of one tenant may do: nothing that they ask shows documents or rows of another.
   * An index without a `tenant_field` is everybody's.
   */
  forTenant(tenant: string): TenantReads {
    return tenantReads(this.#indexes, tenant);
  }

  async listAliases(): Promise<readonly Alias[]> {
    return this.#indexes.registry.aliases.list();
  }

  async setAlias(request: Alias): Promise<Alias> {
    return setAlias(this.#indexes, request);
  }

  async dropAlias({ alias }: { readonly alias: string }): Promise<void> {
    this.#indexes.registry.aliases.drop(alias);
  }

  async listSavedQueries(): Promise<readonly SavedQuery[]> {
    return this.#indexes.registry.queries.list(LOCAL_OWNER);
  }

  async createSavedQuery(draft: SavedQueryDraft): Promise<SavedQuery> {
    return this.#indexes.registry.queries.create(LOCAL_OWNER, checkDraft(draft));
  }

  async replaceSavedQuery(request: SavedQueryDraft & { readonly id: string }): Promise<SavedQuery> {
    const { id, ...draft } = request;
    return this.#indexes.registry.queries.replace(LOCAL_OWNER, id, checkDraft(draft));
  }

  async deleteSavedQuery({ id }: { readonly id: string }): Promise<void> {
    this.#indexes.registry.queries.delete(LOCAL_OWNER, id);
  }

  async analyze(request: {
    index?: string;
    field?: string;
    analyzer?: string;
    text: string;
  }): Promise<{ tokens: readonly TokenInfo[] }> {
    const { index, field, analyzer, text } = request;
    if ((field === undefined) === (analyzer === undefined)) {
      throw new LhsError('invalid_argument', 'name a field or an analyzer, one of the two');
    }
    const definition =
      field === undefined && index === undefined ? null : this.#indexes.resolve(index).definition;
    const name = field === undefined ? analyzer! : fieldAnalyzer(definition!, field);
    const analyzerOf = analyzersOf(definition?.analyzers ?? []);
    return { tokens: analyzeToTokens(analyzerOf(name), text) };
  }

  async parseQuery(request: ParseQueryRequest): Promise<{ ast: Json; query: Query }> {
    const { parseText } = await import('./local/query-text.ts');
    return parseText(this.#indexes, request);
  }

  async printQuery(request: PrintQueryRequest): Promise<{ query: string }> {
    const { printTree } = await import('./local/query-text.ts');
    return printTree(this.#indexes, request);
  }

  async validateDefinition(
    request: Parameters<Backend['validateDefinition']>[0],
  ): Promise<readonly DefinitionIssue[]> {
    const { definition: text, baseDir = process.cwd(), against_source, source } = request;
    const parsed = parseDefinition(text, ANALYZER_CATALOG);
    const { draft } = parsed;
    if (draft === null || !against_source) return parsed.issues;
    const { openSource, sourceInstead } = await import('./ingest/source-table.ts');
    const place = sourceInstead(draft.source, source);
    const table = await openSource(place, baseDir).catch((error: unknown) => {
      if (parsed.definition === null) return null;
      throw error;
    });
    if (table === null) return parsed.issues;
    try {
      const issues = checkAgainstTable(parsed, text, table.schema, tableName(draft));
      const { withModelIssues } = await import('./local/model-issues.ts');
      return withModelIssues(issues, parsed, text, baseDir);
    } finally {
      await table.close();
    }
  }

  async close(): Promise<void> {
    await this.#indexes.close();
  }
}
