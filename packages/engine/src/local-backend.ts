/**
 * The embedded engine: a `Backend` over a data folder of this machine.
 *
 *     <data folder>/registry.db          which indexes there are (registry/registry.ts)
 *     <data folder>/indexes/<uuid>/      one index: CURRENT, generations, lock (registry/index-folder.ts)
 *
 * Indexes are opened when they are first asked for and again when somebody, in this process or another, has committed. What
 * needs the table (building, syncing, hydrating) loads its code when it is first used: a search that needs none starts fast.
 */
import { rmSync } from 'node:fs';
import type { SourceTable } from '@lakehouse-search/lake';
import { ANALYZER_CATALOG } from './analysis/registry.ts';
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
import type { Query } from './query/query.ts';
import { analyzeText } from './registry/analyze-text.ts';
import { analyzersOf } from './registry/definition-analyzers.ts';
import { describeIndex } from './registry/describe-index.ts';
import {
  currentGeneration,
  discardGeneration,
  freeBytes,
  type Generation,
  type IndexLock,
  indexFolder,
  promoteGeneration,
  stageGeneration,
  sweepGenerations,
  takeLock,
} from './registry/index-folder.ts';
import {
  commitVersion,
  notBuilt,
  type OpenIndex,
  openIndex,
  sweepIndex,
  tableName,
} from './registry/open-index.ts';
import { type RegisteredIndex, Registry } from './registry/registry.ts';
import type { Definition } from './schema/definition.ts';
import { checkAgainstTable, createMapping, type Mapping } from './schema/mapping.ts';
import {
  invalidDefinition,
  parseDefinition,
  requireDefinition,
} from './schema/parse-definition.ts';
import type { SearchContext } from './search/context.ts';
import { mapFile } from './storage/arena.ts';
import type { Directory } from './storage/directory.ts';
import { LocalDirectory } from './storage/local-directory.ts';

/** Opens a data folder, making it where it is missing. Throws io_error, corrupt_index, unsupported. */
export async function openLocal(dataDir: string): Promise<LocalBackend> {
  return new LocalBackend(dataDir);
}

const openDirectory = (path: string): Directory => new LocalDirectory(path, mapFile);

/** An index of the registry with its parsed definition. */
interface KnownIndex {
  readonly registered: RegisteredIndex;
  readonly folder: string;
  readonly definition: Definition;
}

/** The local `Backend`. Close it when done: it holds mapped files and the registry. */
export class LocalBackend implements Backend {
  readonly dataDir: string;
  readonly #registry: Registry;
  readonly #open = new Map<string, OpenIndex>();
  readonly #definitions = new Map<string, KnownIndex>();
  readonly #writing = new Set<string>();
  readonly #swept = new Set<string>();

  constructor(dataDir: string) {
    this.dataDir = dataDir;
    this.#registry = new Registry(dataDir);
  }

  async createIndex(request: { definition: string; baseDir?: string }): Promise<IndexDescription> {
    const baseDir = request.baseDir ?? process.cwd();
    const issues = await this.validateDefinition({ ...request, baseDir, against_source: true });
    if (issues.some((issue) => issue.severity === 'error')) throw invalidDefinition(issues);
    const definition = requireDefinition(request.definition, ANALYZER_CATALOG);
    this.#registry.add(definition.index, request.definition, baseDir);
    return describeIndex(definition, null);
  }

  async listIndexes(): Promise<readonly IndexSummary[]> {
    return this.#registry.list().map((registered) => {
      const known = this.#known(registered.name);
      const { status, num_docs, bytes, snapshot } = this.#describe(known);
      return { name: registered.name, status, num_docs, bytes, snapshot };
    });
  }

  async describeIndex(request: { index?: string }): Promise<IndexDescription> {
    return this.#describe(this.#resolve(request.index));
  }

  async dropIndex(request: { index: string }): Promise<void> {
    const known = this.#resolve(request.index);
    const lock = this.#lock(known, 'drop');
    try {
      this.#forget(known);
      this.#registry.remove(known.registered.uuid);
      rmSync(known.folder, { recursive: true, force: true });
    } finally {
      this.#unlock(known, lock);
    }
  }

  async reindex(
    request: { index?: string; as_of?: string },
    work: WorkOptions = {},
  ): Promise<ReindexResponse> {
    const started = performance.now();
    const known = this.#resolve(request.index);
    const lock = this.#lock(known, 'reindex');
    let table: SourceTable | undefined;
    try {
      table = await this.#source(known);
      const answer = await this.#build(known, table, request.as_of, work);
      return { ...answer, took_ms: Math.round(performance.now() - started) };
    } finally {
      this.#unlock(known, lock);
      await table?.close();
    }
  }

  async sync(
    request: { index?: string; until?: string },
    work: WorkOptions = {},
  ): Promise<SyncResponse> {
    const started = performance.now();
    const known = this.#resolve(request.index);
    if (currentGeneration(known.folder) === null) throw notBuilt(known.definition.index);
    const lock = this.#lock(known, 'sync');
    let table: SourceTable | undefined;
    try {
      table = await this.#source(known);
      const answer = await this.#follow(known, table, request.until, work);
      return { ...answer, took_ms: Math.round(performance.now() - started) };
    } finally {
      this.#unlock(known, lock);
      await table?.close();
    }
  }

  async search(request: SearchRequest): Promise<SearchResponse> {
    const { searchIndex } = await import('./search/search.ts');
    return this.#with(request.index, async (context, table) => {
      const lagSnapshots = await this.#lag(context, table);
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
    return { tokens: analyzeText(analyzerOf(name), text) };
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
    if (parsed.definition === null || !against_source) return parsed.issues;
    const { openSource } = await import('./ingest/source-table.ts');
    const own = parsed.definition.source;
    const where = source === undefined ? own : { ...own, ...source };
    const table = await openSource(where as Definition['source'], baseDir);
    try {
      return checkAgainstTable(parsed, text, table.schema, tableName(parsed.definition));
    } finally {
      await table.close();
    }
  }

  async close(): Promise<void> {
    for (const open of this.#open.values()) open.snapshot.release();
    this.#open.clear();
    this.#registry.close();
  }

  /** The index that a request names. One served index needs no name (interface.md, index naming rule). */
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
      const definition = requireDefinition(registered.definition, ANALYZER_CATALOG);
      known = { registered, definition, folder: indexFolder(this.dataDir, registered.uuid) };
      this.#definitions.set(key, known);
    }
    return known;
  }

  /** The newest commit, held once more for the caller, who releases it. Throws index_not_built. */
  #hold(known: KnownIndex): OpenIndex {
    const { folder, definition } = known;
    const { uuid } = known.registered;
    if (!this.#swept.has(uuid) && !this.#writing.has(uuid)) {
      sweepIndex(folder, openDirectory);
      this.#swept.add(uuid);
    }
    const current = this.#open.get(uuid);
    if (current === undefined || current.version !== commitVersion(folder)) {
      const analyzerOf = analyzersOf(definition.analyzers);
      const next = openIndex(folder, definition, analyzerOf, openDirectory);
      current?.snapshot.release();
      this.#open.set(uuid, next);
    }
    const open = this.#open.get(uuid)!;
    open.snapshot.retain();
    return open;
  }

  /** Runs `work` on the newest commit of an index; its table is opened when it is first asked for. */
  async #with<T>(
    name: string | undefined,
    work: (context: SearchContext, table: () => Promise<SourceTable>) => Promise<T>,
  ): Promise<T> {
    const known = this.#resolve(name);
    const { snapshot, mapping } = this.#hold(known);
    let opened: Promise<SourceTable> | undefined;
    const table = () => {
      opened ??= this.#source(known);
      return opened;
    };
    const hasReached = async (id: string) => reaches(await table(), snapshot.checkpoint, id);
    try {
      return await work({ snapshot, mapping, openTable: table, hasReached }, table);
    } finally {
      snapshot.release();
      opened?.then((one) => one.close()).catch(() => {});
    }
  }

  /** How many snapshots the table is ahead; undefined where that cannot be told (table gone, history expired). */
  async #lag(
    { snapshot, mapping }: SearchContext,
    open: () => Promise<SourceTable>,
  ): Promise<number | undefined> {
    try {
      const { followedSnapshot } = await import('./ingest/source-table.ts');
      const { missingSnapshots } = await import('./ingest/sync.ts');
      const table = await open();
      const head = followedSnapshot(table, mapping.definition.source.ref);
      return missingSnapshots(snapshot.commit, table, head, mapping).length;
    } catch (error) {
      if (error instanceof LhsError) return undefined;
      throw error;
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

  async #source({ definition, registered }: KnownIndex): Promise<SourceTable> {
    const { openSource } = await import('./ingest/source-table.ts');
    return openSource(definition.source, registered.baseDir);
  }

  /** Builds a staged generation and makes it the live one; whatever fails before leaves the live one untouched. */
  async #build(
    known: KnownIndex,
    table: SourceTable,
    asOf: string | undefined,
    work: WorkOptions,
  ): Promise<Omit<ReindexResponse, 'took_ms'>> {
    const { rebuildIndex } = await import('./ingest/rebuild.ts');
    const { requireRoom } = await import('./ingest/disk-room.ts');
    const { followedSnapshot, namedSnapshot } = await import('./ingest/source-table.ts');
    const { folder, definition, registered } = known;
    sweepGenerations(folder);
    const snapshotId =
      asOf === undefined
        ? followedSnapshot(table, definition.source.ref)
        : namedSnapshot(table, asOf, '--as-of');
    const mapping = mappingFor(definition, table);
    const former = this.#describe(known).bytes;
    requireRoom(await table.files(snapshotId), former, freeBytes(folder), folder);
    const staged = stageGeneration(folder);
    try {
      const { version: definitionVersion } = registered;
      const directory = openDirectory(staged.path);
      const options = { table, mapping, directory, snapshotId, definitionVersion, ...work };
      const built = await rebuildIndex(options);
      promoteGeneration(folder, staged);
      this.#forget(known);
      sweepGenerations(folder);
      return reindexResponse(built, staged);
    } catch (error) {
      if (currentGeneration(folder)?.number !== staged.number) discardGeneration(staged);
      throw error;
    }
  }

  async #follow(
    known: KnownIndex,
    table: SourceTable,
    until: string | undefined,
    work: WorkOptions,
  ): Promise<Omit<SyncResponse, 'took_ms'>> {
    const { syncIndex } = await import('./ingest/sync.ts');
    const { followedSnapshot, namedSnapshot } = await import('./ingest/source-table.ts');
    const { definition, registered, folder } = known;
    const live = currentGeneration(folder);
    if (live === null) throw notBuilt(definition.index);
    const target =
      until === undefined
        ? followedSnapshot(table, definition.source.ref)
        : namedSnapshot(table, until, '--until');
    const mapping = mappingFor(definition, table);
    const directory = openDirectory(live.path);
    const { version: definitionVersion } = registered;
    const options = { table, mapping, directory, target, definitionVersion, ...work };
    const done = await syncIndex(options);
    return {
      doc_count: done.docs,
      snapshot: done.commit.checkpoint?.snapshot_id ?? null,
      index_generation: live.number,
      snapshots_applied: done.snapshotsApplied,
      inserted: done.inserted,
      updated: done.updated,
      deleted: done.deleted,
      skipped_replace: done.skippedReplace,
    };
  }

  /** The write lock of an index, in this process and among processes. Throws index_busy. */
  #lock(known: KnownIndex, what: string): IndexLock {
    const { uuid } = known.registered;
    if (this.#writing.has(uuid)) {
      const message = `cannot ${what} "${known.definition.index}": another reindex or sync of it is running`;
      throw new LhsError('index_busy', message, { hint: 'wait for it to end, then try again' });
    }
    const lock = takeLock(known.folder, known.definition.index, what);
    this.#writing.add(uuid);
    return lock;
  }

  #unlock(known: KnownIndex, lock: IndexLock): void {
    this.#writing.delete(known.registered.uuid);
    lock.release();
  }

  #forget({ registered }: KnownIndex): void {
    this.#open.get(registered.uuid)?.snapshot.release();
    this.#open.delete(registered.uuid);
  }
}

function mappingFor(definition: Definition, table: SourceTable): Mapping {
  const analyzerOf = analyzersOf(definition.analyzers);
  return createMapping(definition, table.schema, tableName(definition), analyzerOf);
}

function reindexResponse(
  built: Awaited<ReturnType<typeof import('./ingest/rebuild.ts').rebuildIndex>>,
  { number }: Generation,
): Omit<ReindexResponse, 'took_ms'> {
  const { commit, docs, droppedDuplicates, leftOut } = built;
  return {
    doc_count: docs,
    snapshot: commit.checkpoint?.snapshot_id ?? null,
    index_generation: number,
    bytes: built.bytes,
    ...(droppedDuplicates > 0 ? { dropped_duplicates: droppedDuplicates } : {}),
    ...(leftOut.size > 0 ? { untyped_values: Object.fromEntries(leftOut) } : {}),
  };
}

function fieldAnalyzer(definition: Definition, name: string): string {
  const field = definition.fields.find((candidate) => candidate.name === name);
  if (field?.analyzer !== undefined) return field.analyzer;
  if (definition.variants.some(({ column, flatten }) => flatten && column === name)) {
    return 'standard';
  }
  const texts = definition.fields.filter((candidate) => candidate.analyzer !== undefined);
  const what = field === undefined ? `is not in index "${definition.index}"` : `is ${field.type}`;
  throw new LhsError('invalid_argument', `field "${name}" ${what}, not a TEXT field of it`, {
    hint: `TEXT fields: ${texts.map((candidate) => candidate.name).join(', ')}`,
  });
}

/** Whether snapshot `id` is the index's own or one of its ancestors. */
function reaches(
  table: SourceTable,
  checkpoint: { readonly snapshot_id: string | null } | null,
  id: string,
): boolean {
  if (checkpoint?.snapshot_id == null) return false;
  if (checkpoint.snapshot_id === id) return true;
  const own = BigInt(checkpoint.snapshot_id);
  if (!table.snapshots.some((snapshot) => snapshot.id === own)) return false;
  return table.ancestry(own).some((snapshot) => String(snapshot.id) === id);
}

async function noTable(): Promise<SourceTable> {
  throw new LhsError('internal', 'an export reads no table');
}
