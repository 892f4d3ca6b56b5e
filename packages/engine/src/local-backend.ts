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
import { rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { SourceTable } from '@lakehouse-search/lake';
import { ANALYZER_CATALOG } from './analysis/registry.ts';
import { analyzeToTokens } from './analysis/tokens.ts';
import type {
  Backend,
  BenchRequest,
  BenchResponse,
  ClauseCount,
  DefinitionIssue,
  ExportedDocument,
  IndexDescription,
  IndexSummary,
  Json,
  KeysRequest,
  KeysResponse,
  ReindexResponse,
  SearchRequest,
  SearchResponse,
  SyncResponse,
  TokenInfo,
  WorkOptions,
} from './backend.ts';
import { LhsError } from './base/errors.ts';
import type { LockedIndex } from './ingest/build-generation.ts';
import type { KeptTables } from './ingest/kept-tables.ts';
import type { Query } from './query/query.ts';
import { analyzersOf, fieldAnalyzer } from './registry/definition-analyzers.ts';
import { describeIndex } from './registry/describe-index.ts';
import {
  currentGeneration,
  type IndexLock,
  indexFolder,
  takeLock,
} from './registry/index-folder.ts';
import { commitVersion, notBuilt, type OpenIndex, tableName } from './registry/open-index.ts';
import { type KnownIndex, OpenIndexes } from './registry/open-indexes.ts';
import { type RegisteredIndex, Registry } from './registry/registry.ts';
import { checkAgainstTable } from './schema/mapping.ts';
import {
  invalidDefinition,
  parseDefinition,
  requireDefinition,
} from './schema/parse-definition.ts';
import { readParsed, storeParsed } from './schema/parsed-definition.ts';
import type { SearchContext } from './search/context.ts';
import { openLocalDirectory } from './storage/local-directory.ts';

/**
 * Opens a data folder, making it where it is missing. Throws io_error, corrupt_index, unsupported.
 */
export async function openLocal(dataDir: string): Promise<LocalBackend> {
  return new LocalBackend(dataDir);
}

const LOCK_ATTEMPTS = 10;
const LOCK_WAIT_MS = 50;

/** The local `Backend`. Close it when done: it holds mapped files and the registry. */
export class LocalBackend implements Backend {
  readonly dataDir: string;
  readonly #registry: Registry;
  readonly #open = new OpenIndexes(openLocalDirectory);
  readonly #definitions = new Map<string, KnownIndex>();
  readonly #writing = new Set<string>();
  #tables: KeptTables | undefined;

  constructor(dataDir: string) {
    this.dataDir = dataDir;
    this.#registry = new Registry(dataDir);
  }

  async createIndex(request: { definition: string; baseDir?: string }): Promise<IndexDescription> {
    const baseDir = request.baseDir ?? process.cwd();
    const issues = await this.validateDefinition({ ...request, baseDir, against_source: true });
    if (issues.some((issue) => issue.severity === 'error')) throw invalidDefinition(issues);
    const definition = requireDefinition(request.definition, ANALYZER_CATALOG);
    this.#registry.add(definition.index, request.definition, baseDir, storeParsed(definition));
    return describeIndex(definition, null);
  }

  async listIndexes(): Promise<readonly IndexSummary[]> {
    return this.#registry.list().map(({ name }) => {
      try {
        const { status, num_docs, bytes, snapshot } = this.#describe(this.#known(name));
        return { name, status, num_docs, bytes, snapshot };
      } catch (error) {
        if (!(error instanceof LhsError)) throw error;
        const nothing = { num_docs: 0, bytes: 0, snapshot: null };
        return { name, status: 'live', ...nothing, error: error.message };
      }
    });
  }

  async describeIndex(request: { index?: string }): Promise<IndexDescription> {
    return this.#describe(this.#resolve(request.index));
  }

  async dropIndex(request: { index: string }): Promise<void> {
    const registered = this.#registry.get(request.index);
    const lock = await this.#lock(registered, 'drop');
    try {
      this.#open.forget(registered.uuid);
      this.#registry.remove(registered.uuid);
      rmSync(indexFolder(this.dataDir, registered.uuid), { recursive: true, force: true });
    } finally {
      this.#unlock(registered, lock);
    }
  }

  async reindex(
    request: { index?: string; as_of?: string },
    work: WorkOptions = {},
  ): Promise<ReindexResponse> {
    const { buildGeneration } = await import('./ingest/build-generation.ts');
    return this.#write(request.index, 'reindex', async (locked, known) => {
      const answer = await buildGeneration(locked, request.as_of, this.#bytes(known), work);
      this.#open.forget(known.registered.uuid);
      return answer;
    });
  }

  async sync(
    request: { index?: string; until?: string },
    work: WorkOptions = {},
  ): Promise<SyncResponse> {
    const { followTable } = await import('./ingest/follow-table.ts');
    const known = this.#resolve(request.index);
    if (currentGeneration(known.folder) === null) throw notBuilt(known.definition.index);
    return this.#write(request.index, 'sync', (locked) => followTable(locked, request.until, work));
  }

  async search(request: SearchRequest): Promise<SearchResponse> {
    const { searchIndex } = await import('./search/search.ts');
    const { snapshotsBehind } = await import('./ingest/missing-snapshots.ts');
    return this.#with(request.index, async (context) => {
      const lagSnapshots = await snapshotsBehind(context, context.openTable);
      return searchIndex({ ...context, lagSnapshots }, request);
    });
  }

  async clauseCounts(request: SearchRequest): Promise<readonly ClauseCount[]> {
    const { clauseCounts } = await import('./search/clause-counts.ts');
    return this.#with(request.index, async (context) => clauseCounts(context, request));
  }

  async getKeys(request: KeysRequest): Promise<KeysResponse> {
    const { getKeys } = await import('./search/get-keys.ts');
    return this.#with(request.index, (context) => getKeys(context, request));
  }

  async bench(request: BenchRequest): Promise<BenchResponse> {
    const { benchIndex } = await import('./search/bench.ts');
    return this.#with(request.index, async (context) => benchIndex(context, request));
  }

  async *exportDocuments(request: {
    index?: string;
    query?: string;
  }): AsyncGenerator<ExportedDocument> {
    const { exportAll, exportMatches } = await import('./registry/export-documents.ts');
    const open = this.#hold(this.#resolve(request.index));
    try {
      if (request.query === undefined) yield* exportAll(open);
      else {
        const { searchIndex } = await import('./search/search.ts');
        const context = { ...open, openTable: noTable };
        yield* exportMatches(open, request.query, (page) => searchIndex(context, page));
      }
    } finally {
      open.snapshot.release();
    }
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
      field === undefined && index === undefined ? null : this.#resolve(index).definition;
    const name = field === undefined ? analyzer! : fieldAnalyzer(definition!, field);
    const analyzerOf = analyzersOf(definition?.analyzers ?? []);
    return { tokens: analyzeToTokens(analyzerOf(name), text) };
  }

  async parseQuery(request: {
    index?: string;
    query: string;
    syntax?: 'default' | 'kql';
    default_operator?: 'or' | 'and';
  }): Promise<{ ast: Json; query: Query }> {
    const { parseQuery } = await import('./query/syntax/parse.ts');
    const { writeTree } = await import('./query/tree/write.ts');
    const { syntax, default_operator: defaultOperator } = request;
    const parse = (defaultField: string) =>
      parseQuery(request.query, { syntax, defaultOperator, defaultField });
    if (request.index === undefined) {
      const query = parse('text');
      return { ast: writeTree(query), query };
    }
    const { queryFields } = await import('./search/plan.ts');
    const { bindQuery } = await import('./query/bind/bind.ts');
    return this.#with(request.index, async ({ mapping }) => {
      const query = parse(mapping.defaultField ?? 'text');
      bindQuery(query, queryFields(mapping), request.query);
      return { ast: writeTree(query), query };
    });
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
      return checkAgainstTable(parsed, text, table.schema, tableName(draft));
    } finally {
      await table.close();
    }
  }

  async close(): Promise<void> {
    this.#open.close();
    await this.#tables?.close();
    this.#registry.close();
  }

  /**
   * The index that a request names. One served index needs no name (interface.md, index naming
   * rule).
   */
  #resolve(name: string | undefined): KnownIndex {
    if (name !== undefined && name !== '') return this.#known(name);
    const all = this.#registry.list();
    if (all.length === 1) return this.#known(all[0].name);
    throw new LhsError(
      'invalid_argument',
      `index required; endpoint serves ${all.length} indexes`,
      { hint: all.length === 0 ? 'lhs index create -f FILE makes one' : 'lhs index list' },
    );
  }

  #known(name: string): KnownIndex {
    const registered = this.#registry.get(name);
    const key = `${registered.uuid}:${registered.version}`;
    let known = this.#definitions.get(key);
    if (known === undefined) {
      const { definition: text, parsed } = registered;
      const definition = readParsed(parsed, text) ?? requireDefinition(text, ANALYZER_CATALOG);
      known = { registered, definition, folder: indexFolder(this.dataDir, registered.uuid) };
      this.#definitions.set(key, known);
    }
    return known;
  }

  #hold(known: KnownIndex): OpenIndex {
    return this.#open.hold(known, !this.#writing.has(known.registered.uuid));
  }

  /**
   * Runs `work` on the newest commit of an index; its table is opened when it is first asked for.
   */
  async #with<T>(
    name: string | undefined,
    work: (context: SearchContext) => Promise<T>,
  ): Promise<T> {
    const known = this.#resolve(name);
    const { snapshot, mapping } = this.#hold(known);
    let opened: Promise<SourceTable> | undefined;
    const table = () => {
      opened ??= this.#newestTable(known);
      return opened;
    };
    const hasReached = async (id: string) => {
      const { reaches } = await import('./ingest/missing-snapshots.ts');
      return reaches(await table(), snapshot.checkpoint, id);
    };
    try {
      return await work({ snapshot, mapping, openTable: table, hasReached });
    } finally {
      snapshot.release();
    }
  }

  #describe(known: KnownIndex): IndexDescription {
    if (commitVersion(known.folder) === null) return describeIndex(known.definition, null);
    const open = this.#hold(known);
    try {
      return describeIndex(known.definition, open);
    } finally {
      open.snapshot.release();
    }
  }

  /** Bytes of the live generation; 0 where there is none that can be opened. */
  #bytes(known: KnownIndex): number {
    try {
      return this.#describe(known).bytes;
    } catch (error) {
      if (error instanceof LhsError) return 0;
      throw error;
    }
  }

  async #newestTable(known: KnownIndex): Promise<SourceTable> {
    const { KeptTables } = await import('./ingest/kept-tables.ts');
    this.#tables ??= new KeptTables();
    return this.#tables.newest(known);
  }

  async #source({ definition, registered }: KnownIndex): Promise<SourceTable> {
    const { openSource } = await import('./ingest/source-table.ts');
    return openSource(definition.source, registered.baseDir);
  }

  /** Runs `work` with the index locked and its table open; adds the time it took. */
  async #write<T>(
    name: string | undefined,
    what: string,
    work: (locked: LockedIndex, known: KnownIndex) => Promise<T>,
  ): Promise<T & { took_ms: number }> {
    const started = performance.now();
    const known = this.#resolve(name);
    const { folder, definition } = known;
    const definitionVersion = known.registered.version;
    const lock = await this.#lock(known.registered, what);
    let table: SourceTable | undefined;
    try {
      table = await this.#source(known);
      const locked = {
        folder,
        definition,
        definitionVersion,
        table,
        lock,
        openDirectory: openLocalDirectory,
      };
      const answer = await work(locked, known);
      return { ...answer, took_ms: Math.round(performance.now() - started) };
    } finally {
      this.#unlock(known.registered, lock);
      await table?.close();
    }
  }

  /**
   * The write lock of an index. A reader that sweeps holds it for a moment: that is waited for.
   * Throws index_busy while somebody builds or syncs.
   */
  async #lock({ uuid, name }: RegisteredIndex, what: string): Promise<IndexLock> {
    for (let attempt = 1; !this.#writing.has(uuid); attempt++) {
      try {
        const lock = takeLock(indexFolder(this.dataDir, uuid), name, what);
        this.#writing.add(uuid);
        return lock;
      } catch (error) {
        const busy = error instanceof LhsError && error.code === 'index_busy';
        if (!busy || attempt === LOCK_ATTEMPTS) throw error;
        await setTimeout(LOCK_WAIT_MS);
      }
    }
    const message = `cannot ${what} "${name}": another reindex or sync of it is running`;
    throw new LhsError('index_busy', message, { hint: 'wait for it to end, then try again' });
  }

  #unlock({ uuid }: RegisteredIndex, lock: IndexLock): void {
    this.#writing.delete(uuid);
    lock.release();
  }
}

const noTable = (): Promise<SourceTable> =>
  Promise.reject(new LhsError('internal', 'an export reads no table'));
