import { join } from 'node:path';
import type { IndexDescription, TableLag } from '@lakehouse-search/contract';
import { LhsError } from '@lakehouse-search/contract';
import type { SourceTable } from '@lakehouse-search/lake';
import { ANALYZER_CATALOG } from '../analysis/registry.ts';
import { type Clock, SYSTEM_CLOCK } from '../base/clock.ts';
import { engineClosed } from '../base/engine-closed.ts';
import { lazily } from '../base/lazily.ts';
import { LIMITS } from '../base/limits.ts';
import type { OpenEmbedder } from '../embed/embedder.ts';
import { describeIndex } from '../open/describe-index.ts';
import { sweepFolders } from '../open/dropped-folders.ts';
import { indexFolder } from '../open/index-folder.ts';
import { commitVersion, type OpenDirectory, type OpenIndex } from '../open/open-index.ts';
import { type KnownIndex, OpenIndexes } from '../open/open-indexes.ts';
import type { PinName, PinnedIndex } from '../open/pinned-index.ts';
import { type RegisteredIndex, Registry, wasDropped } from '../registry/registry.ts';
import { requireDefinition } from '../schema/parse-definition.ts';
import { readParsed } from '../schema/parsed-definition.ts';
import { type SearchContext, UNKNOWN_LAG } from '../search/context.ts';
import { FilterCache } from '../shard/execute/filter-cache.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import type { KeptTables } from '../sync/kept-tables.ts';
import type { SearchThreads } from '../workers/search-threads.ts';
import { EngineLife } from './engine-life.ts';
import { OpenModels } from './open-models.ts';

/** So long a closing engine waits for calls that do not end, as for a table that hangs. */
const PATIENCE_MS = 5000;

/** The surroundings of a local engine; tests replace the disk and the clock. */
export interface LocalOptions {
  /** Opens the folder of a generation. Default: files of this machine, mapped. */
  readonly openDirectory?: OpenDirectory;
  /** Default: this machine's. */
  readonly clock?: Clock;
  /** Opens the models of VECTOR fields. Default: the static ones, and transformers on disk. */
  readonly openEmbedder?: OpenEmbedder;
  /**
   * Age in milliseconds from which the last look at a table is renewed, in the background; 0: every
   * answer waits for a look of its own. Default: the definition's `freshness_ms`, then 1,000.
   */
  readonly freshnessMs?: number;
  /**
   * Bytes that documents may take in memory before they are flushed as a segment. Default: 512 MiB
   * for a reindex, twice that with vectors; 256 MiB for a sync.
   */
  readonly memoryBytes?: number;
  /**
   * Threads that run searches, so that a heavy query never blocks this thread. 0 (the default):
   * searches run in this thread. Needs files of this machine (no `openDirectory`).
   */
  readonly threads?: number;
  /** Where backups are stored: a folder, or `s3://bucket/prefix`. Requests may name another. */
  readonly backupTarget?: string;
}

const FRESHNESS_MS = 1000;

/**
 * What a local engine keeps between two operations: the registry, which indexes are open at which
 * commit, which of them it writes itself, and the tables of its searches.
 */
export class LocalIndexes {
  readonly dataDir: string;
  readonly registry: Registry;
  readonly openDirectory: OpenDirectory;
  readonly clock: Clock;
  readonly openEmbedder: OpenEmbedder;
  readonly #freshnessMs: number | undefined;
  readonly memoryBytes: number | undefined;
  /** The calls that go on, and whether there may be more. */
  readonly life = new EngineLife();
  /** Uuids of the indexes that this engine writes now. */
  readonly writing = new Set<string>();
  /** Cached matches of filters. */
  readonly filters = new FilterCache();
  /** Open models. */
  readonly models: OpenModels;
  /** Where backups are stored unless a request says it. */
  readonly backupTarget: string | undefined;
  /** The threads that run searches; null: this thread does. */
  readonly searchThreads: (() => Promise<SearchThreads>) | null;
  readonly #open: OpenIndexes;
  readonly #definitions = new Map<string, KnownIndex>();
  #tables: KeptTables | undefined;
  #swept = false;
  #released = false;

  constructor(dataDir: string, options: LocalOptions = {}) {
    const { openDirectory = openLocalDirectory, clock = SYSTEM_CLOCK } = options;
    this.openEmbedder = options.openEmbedder ?? localModels(dataDir);
    this.memoryBytes = options.memoryBytes;
    this.dataDir = dataDir;
    this.clock = clock;
    this.#freshnessMs = options.freshnessMs;
    this.openDirectory = openDirectory;
    this.backupTarget = options.backupTarget;
    this.searchThreads = searchThreads(options, this.life.closing);
    this.registry = new Registry(dataDir);
    this.models = new OpenModels(this.openEmbedder);
    this.#open = new OpenIndexes(openDirectory, (former, now) => {
      this.filters.replaced(former.segments, now?.segments ?? []);
    });
  }

  /**
   * The index that a request names. The name may be missing if there is only one.
   * Throws index_not_found, invalid_argument.
   */
  resolve(name: string | undefined): KnownIndex {
    if (name !== undefined && name !== '') return this.known(name);
    const all = this.registry.list();
    if (all.length === 1) return this.known(all[0].name);
    throw new LhsError(
      'invalid_argument',
      `index required; endpoint serves ${all.length} indexes`,
      { next: [{ step: all.length === 0 ? 'create_index' : 'list_indexes' }] },
    );
  }

  /** An index by its name, with the newest version of its definition. Throws index_not_found. */
  known(name: string): KnownIndex {
    const registered = this.registry.get(name);
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

  /** The newest commit of an index; the caller releases its snapshot. Throws index_not_built, … */
  hold(known: KnownIndex): OpenIndex {
    const { registered } = known;
    return this.during(registered, () => {
      this.#sweepOnce();
      return this.#open.hold(known, !this.writing.has(registered.uuid));
    });
  }

  /** Pins the newest commit of an index for `ttlMs`. Throws index_not_built, limit_exceeded, … */
  pin(known: KnownIndex, ttlMs: number): PinnedIndex {
    return this.during(known.registered, () => this.#open.pin(known, ttlMs, this.clock.now()));
  }

  /**
   * A pinned commit, pinned for `ttlMs` from now on; the caller releases it. Throws not_found, …
   */
  holdPinned(known: KnownIndex, pinned: PinName, ttlMs: number): OpenIndex {
    const now = this.clock.now();
    return this.during(known.registered, () => this.#open.holdPinned(known, pinned, ttlMs, now));
  }

  /** Releases a pin; false where there is none. */
  unpin(known: KnownIndex, pinned: PinName): boolean {
    return this.#open.unpin(known, pinned);
  }

  /** Runs `work` on an index; its errors through `explained`. */
  during<T>(registered: RegisteredIndex, work: () => T): T {
    if (this.#released) throw engineClosed();
    try {
      return work();
    } catch (error) {
      throw this.explained(registered, error);
    }
  }

  /**
   * An error of work on an index: index_not_found if the index was dropped meanwhile, else as it
   * is.
   */
  explained({ uuid, name }: RegisteredIndex, error: unknown): unknown {
    if (!(error instanceof LhsError)) return error;
    return this.registry.has(uuid) ? error : wasDropped(name);
  }

  /** Removes the folders that belong to no index. Throws io_error. */
  sweep(): void {
    const { registry } = this;
    sweepFolders(
      this.dataDir,
      () => registry.uuids(),
      () => registry.settledUuids(),
    );
    this.#swept = true;
  }

  /** Lets go of an index whose files are about to go, or went. */
  forget(uuid: string): void {
    this.#open.forget(uuid);
  }

  /** What an index is now. Throws corrupt_index, io_error. */
  describe(known: KnownIndex): IndexDescription {
    if (commitVersion(known.folder) === null) return describeIndex(known.definition, null);
    const open = this.hold(known);
    try {
      return describeIndex(known.definition, open);
    } finally {
      open.snapshot.release();
    }
  }

  /** Bytes of the live generation; 0 where there is none that can be opened. */
  bytes(known: KnownIndex): number {
    try {
      if (commitVersion(known.folder) === null) return 0;
      const { snapshot } = this.hold(known);
      snapshot.release();
      return snapshot.bytes;
    } catch (error) {
      if (error instanceof LhsError) return 0;
      throw error;
    }
  }

  /** The table of an index at its newest version; it stays open. Throws as `openSource`. */
  async newestTable(known: KnownIndex): Promise<SourceTable> {
    return (await this.#keptTables()).newest(known);
  }

  /** The same, or null where the table does not answer within `ms`. */
  async tableSoon(known: KnownIndex, ms: number): Promise<SourceTable | null> {
    return (await this.#keptTables()).soon(known, ms);
  }

  /**
   * How far an index is behind its table by the last look at it. A look that is older than
   * `freshMs` is renewed in the background; 0: by a look that begins now, which is waited for.
   */
  async lag(
    known: KnownIndex,
    read: Pick<SearchContext, 'snapshot' | 'mapping'>,
    freshMs = this.#freshnessMs ?? known.definition.freshnessMs ?? FRESHNESS_MS,
  ): Promise<TableLag> {
    if (freshMs === 0) return (await this.#keptTables()).lag(known, read, 0);
    if (this.#tables !== undefined) return this.#tables.lag(known, read, freshMs);
    this.#lookAtTable(known, freshMs);
    return UNKNOWN_LAG;
  }

  /** The first look at a table: its code is loaded behind the answer. */
  #lookAtTable(known: KnownIndex, freshMs: number): void {
    const begin = (tables: KeptTables) => {
      if (!this.life.closed) tables.lastLook(known, freshMs);
    };
    this.#keptTables().then(begin, () => {});
  }

  /** Ends the calls that go on, then closes all that is open. */
  close(): Promise<void> {
    const patience = (signal: AbortSignal) => this.clock.sleep(PATIENCE_MS, signal);
    this.#tables?.stop();
    return this.life.close(patience, () => this.#release());
  }

  async #release(): Promise<void> {
    this.#released = true;
    this.#open.close();
    await (await this.searchThreads?.())?.close();
    await this.#tables?.close();
    await this.models.close();
    this.registry.close();
  }

  /** The first read of an engine sweeps, unless the data folder cannot be written. */
  #sweepOnce(): void {
    if (this.#swept) return;
    this.#swept = true;
    try {
      this.sweep();
    } catch (error) {
      if (!(error instanceof LhsError) || error.code !== 'io_error') throw error;
    }
  }

  async #keptTables(): Promise<KeptTables> {
    const { KeptTables } = await import('../sync/kept-tables.ts');
    this.#tables ??= new KeptTables(this.clock);
    return this.#tables;
  }
}

/** Throws invalid_argument for a number of threads that cannot be. */
function searchThreads({ threads = 0, openDirectory }: LocalOptions, closing: AbortSignal) {
  if (!Number.isInteger(threads) || threads < 0 || threads > LIMITS.threads) {
    const message = `threads must be a whole number from 0 to ${LIMITS.threads}, not ${threads}`;
    throw new LhsError('invalid_argument', message);
  }
  if (threads === 0) return null;
  if (openDirectory !== undefined) {
    const message = `${threads} threads cannot share a directory that only this thread can open`;
    throw new LhsError('invalid_argument', message, { hint: 'leave "openDirectory" away' });
  }
  return lazily(async () => {
    const { SearchThreads } = await import('../workers/search-threads.ts');
    return new SearchThreads(threads, closing);
  });
}

/** Models of this machine; the data folder remembers which of their files were found whole. */
function localModels(dataDir: string): OpenEmbedder {
  return async (model, from) => {
    const { openEmbedder } = await import('../embed/open-embedder.ts');
    return openEmbedder(model, { from, remembered: join(dataDir, 'models.verified') });
  };
}
