import { type IndexDescription, LhsError } from '@lakehouse-search/contract';
import { onlyIndex } from '@lakehouse-search/contract/internal';
import { engineClosed } from '../base/engine-closed.ts';
import { LIMITS } from '../base/limits.ts';
import { Looks } from '../base/looks.ts';
import { type Clock, SYSTEM_CLOCK } from '../base/time/clock.ts';
import type { OpenEmbedder } from '../embed/embedder.ts';
import { endDeadJobs } from '../open/dead-jobs.ts';
import { describeIndex } from '../open/describe-index.ts';
import { sweepFolders } from '../open/dropped-folders.ts';
import { indexFolder } from '../open/index-folder.ts';
import {
  commitVersion,
  type KnownIndex,
  type OpenDirectory,
  type OpenIndex,
  openIndex,
  sweepIndex,
} from '../open/open-index.ts';
import { OpenPins } from '../open/open-pins.ts';
import type { PinName, PinnedIndex } from '../open/pinned-index.ts';
import { readDefinition } from '../open/stored-definition.ts';
import { wasDropped } from '../registry/changed-meanwhile.ts';
import { type RegisteredIndex, Registry, type StoredDefinition } from '../registry/registry.ts';
import type { Definition } from '../schema/definition.ts';
import { FilterCache } from '../shard/execute/filter-cache.ts';
import {
  COLD_MEMORY_BYTES,
  type FetchBlocks,
  limitColdBytes,
  useColdStore,
} from '../storage/cold-cache.ts';
import { requireUtf8Name } from '../storage/data-folder-name.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import type { SharedFollow } from '../sync/follow/shared-follow.ts';
import type { SearchThreads } from '../workers/search-threads.ts';
import type { EngineMemory } from './cache/engine-memory.ts';
import { KeptWriters } from './cache/kept-writers.ts';
import { MemoryRoom, rowMemory } from './cache/memory-room.ts';
import { OpenModels } from './cache/open-models.ts';
import { ResultCache } from './cache/result-cache.ts';
import { EngineLife } from './engine-life.ts';
import { type EngineOptions, localModels, searchThreads } from './local-options.ts';
import { LocalTables } from './local-tables.ts';
import { notPublished, type PublishedLooks, publishedLooks } from './published-looks.ts';

/** Cold windows are read by code that is loaded with the first of them. */
const fetchColdBlocks: FetchBlocks = async (demands) =>
  (await import('../home/windows/fetch-blocks.ts')).fetchColdBlocks(demands);

/** Bytes of cold blocks in this thread. The search threads share as much. */
const coldBytesHere = ({ memory = {}, threads = 0 }: EngineOptions): number =>
  Math.floor((memory.coldBlocks ?? COLD_MEMORY_BYTES) / (threads === 0 ? 1 : 2));

/** So long a closing engine waits for calls that do not end, as for a table that hangs. */
const PATIENCE_MS = 5000;

/** An index at its newest commit, as of its last look at the files. */
interface LookedUp extends OpenIndex {
  readonly known: KnownIndex;
  /** The period (base/looks.ts) of that look. */
  period: number;
}

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
  readonly memoryBytes: number | undefined;
  readonly lockWaitMs: number;
  /** Looks for newer commits of the published indexes that are here to be read; null: none are. */
  readonly looks: PublishedLooks | null;
  readonly saveMs: number | undefined;
  /** The calls that go on, and whether there may be more. */
  readonly life = new EngineLife();
  /** Uuids of the indexes that this engine writes now. */
  readonly writing = new Set<string>();
  /** Writers that wait for the next change batch. */
  readonly writers: KeptWriters;
  /** What follows indexes now, by name. */
  readonly followed = new Map<string, SharedFollow>();
  /** How memory is divided. */
  readonly memory: EngineMemory;
  /** The memory of builds. */
  readonly buildRoom: MemoryRoom;
  /** The memory of verifies and look-ups of rows. */
  readonly rowRoom = new MemoryRoom(rowMemory());
  /** Cached matches of filters. */
  readonly filters: FilterCache;
  /** Answers of repeated reads; null: none is kept. */
  readonly results: ResultCache | null;
  /** The tables of the indexes. */
  readonly tables: LocalTables;
  /** Open models. */
  readonly models: OpenModels;
  /** Where backups are stored unless a request says it. */
  readonly backupTarget: string | undefined;
  /** Judges definitions of backups that this data folder has not signed. */
  readonly admit: EngineOptions['admit'];
  /** The threads that run searches; null: this thread does. */
  readonly searchThreads: (() => Promise<SearchThreads>) | null;
  /** Open indexes by uuid, each at its newest commit. */
  readonly #open = new Map<string, LookedUp>();
  /** Uuids of the indexes whose folders were swept. */
  readonly #sweptFolders = new Set<string>();
  readonly #folderLooks: Looks;
  readonly #pins: OpenPins;
  readonly #definitions = new Map<string, KnownIndex>();
  #swept = false;
  #released = false;

  constructor(dataDir: string, options: EngineOptions = {}) {
    requireUtf8Name(dataDir);
    const { openDirectory = openLocalDirectory, clock = SYSTEM_CLOCK } = options;
    this.openEmbedder = options.openEmbedder ?? localModels(dataDir);
    const { memory = {} } = options;
    this.memory = memory;
    this.buildRoom = new MemoryRoom(memory.build ?? Number.POSITIVE_INFINITY);
    this.filters = new FilterCache(memory.filters);
    this.results = memory.results ? new ResultCache(memory.results) : null;
    limitColdBytes(coldBytesHere(options));
    this.memoryBytes = options.memoryBytes;
    this.saveMs = options.saveMs;
    this.lockWaitMs = options.lockWaitMs ?? LIMITS.lockWaitMillis;
    this.dataDir = dataDir;
    this.clock = clock;
    this.writers = new KeptWriters(clock, options.keepWriterMs ?? 0);
    this.tables = new LocalTables(clock, this.life, options.freshnessMs);
    this.openDirectory = openDirectory;
    this.backupTarget = options.backupTarget;
    this.admit = options.admit;
    this.searchThreads = searchThreads(options, this.life.closing);
    useColdStore(fetchColdBlocks);
    this.#folderLooks = new Looks(options.lookMs);
    this.registry = new Registry(dataDir, this.#folderLooks, clock.ticks);
    this.models = new OpenModels(this.openEmbedder);
    this.#pins = new OpenPins(openDirectory);
    this.looks = publishedLooks(this, options);
  }

  /**
   * The index that a request names. The name may be missing if there is only one.
   * Throws index_not_found, invalid_argument.
   */
  resolve(name: string | undefined): KnownIndex {
    if (name !== undefined && name !== '') return this.known(name);
    const names = this.registry.list().map((index) => index.name);
    return this.known(onlyIndex(names, {}));
  }

  /** An index by its name, with the newest version of its definition. Throws index_not_found. */
  known(name: string): KnownIndex {
    const registered = this.#registered(name);
    const key = `${registered.uuid}:${registered.version}`;
    let known = this.#definitions.get(key);
    if (known === undefined) {
      const definition = readDefinition(registered);
      const folder = indexFolder(this.dataDir, registered.uuid);
      const definitionOf = (version: number) => this.#definitionOf(registered, definition, version);
      known = { registered, definition, folder, definitionOf };
      this.#definitions.set(key, known);
    }
    return known;
  }

  #registered(name: string): RegisteredIndex {
    try {
      return this.registry.get(name);
    } catch (error) {
      throw this.looks === null ? error : notPublished(this.looks, name, error);
    }
  }

  /**
   * The definition for commits of a version. A commit that is newer than what is registered comes
   * from an alteration that ends now, or was killed here: that is waited for, and ended.
   */
  #definitionOf(registered: RegisteredIndex, own: Definition, version: number): Definition {
    const { uuid, name } = registered;
    if (version > registered.version) {
      endDeadJobs(this, this.clock.now(), uuid);
      const now = this.registry.settled(uuid);
      if (now === undefined) throw wasDropped(name);
      if (version <= now.version) return readDefinition(now);
      const message = `"${name}" was built under version ${version} of its definition`;
      throw new LhsError('corrupt_index', `${message}; the registry has ${now.version}`, {
        hint: 'build the index again from its table',
        next: [{ step: 'reindex', index: name }],
      });
    }
    const former = this.registry.formerDefinition(uuid, version);
    return former === undefined ? own : readDefinition(former);
  }

  /** The definition of a version that is in force or was, and its base folder. */
  definitionAt(
    { uuid, definition: text, parsed, baseDir }: RegisteredIndex,
    version: number,
  ): { readonly definition: Definition; readonly baseDir: string } {
    const own: StoredDefinition = { definition: text, parsed, baseDir };
    const stored = this.registry.formerDefinition(uuid, version) ?? own;
    return { definition: readDefinition(stored), baseDir: stored.baseDir };
  }

  /**
   * The newest commit of an index; the caller releases its snapshot. The first use removes what
   * dead processes left in its folder. Throws index_not_built, corrupt_index.
   */
  hold(known: KnownIndex): OpenIndex {
    const { registered, folder } = known;
    return this.during(registered, () => {
      this.#sweepOnce();
      if (!this.#isWritten(registered.uuid)) this.#sweepFolder(known);
      const former = this.#open.get(registered.uuid);
      const { period } = this.#folderLooks;
      const isKnown = former?.known === known;
      if (isKnown && former.period !== period && former.version === commitVersion(folder)) {
        former.period = period;
      }
      const isNewest = isKnown && former.period === period;
      const open = isNewest ? former : this.#openNewest(known, period, former);
      open.snapshot.retain();
      return open;
    });
  }

  #isWritten(uuid: string): boolean {
    return this.writing.has(uuid) || this.writers.has(uuid);
  }

  #sweepFolder(known: KnownIndex): void {
    const { uuid } = known.registered;
    if (this.#sweptFolders.has(uuid)) return;
    this.sweepIndex(known);
    this.#sweptFolders.add(uuid);
  }

  #openNewest(known: KnownIndex, period: number, former?: OpenIndex): OpenIndex {
    const { registered, folder, definition, definitionOf } = known;
    this.#pins.sweep(Date.now());
    const next = openIndex(folder, definition, definitionOf, this.openDirectory, former?.snapshot);
    if (former !== undefined) this.#replaced(former, next);
    this.#open.set(registered.uuid, { ...next, known, period });
    return next;
  }

  /** Releases a commit; matches of its segments stay cached if the next one has them too. */
  #replaced({ snapshot }: OpenIndex, next: OpenIndex | null): void {
    this.filters.replaced(snapshot.segments, next?.snapshot.segments ?? []);
    snapshot.release();
  }

  /** Pins the newest commit of an index for `ttlMs`. Throws index_not_built, limit_exceeded, … */
  pin(known: KnownIndex, ttlMs: number, id: string): PinnedIndex {
    return this.during(known.registered, () => this.#pins.pin(known, ttlMs, this.clock.now(), id));
  }

  /**
   * A pinned commit, pinned for `ttlMs` from now on; the caller releases it. Throws not_found, …
   */
  holdPinned(known: KnownIndex, pinned: PinName, ttlMs: number): OpenIndex {
    return this.during(known.registered, () => {
      const former = this.#open.get(known.registered.uuid)?.snapshot;
      return this.#pins.hold(known, pinned, { ttlMs, now: this.clock.now(), former });
    });
  }

  /** Releases a pin; false where there is none. */
  unpin(known: KnownIndex, pinned: PinName): boolean {
    return this.#pins.release(known, pinned);
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

  /**
   * Removes what nobody needs in the folder of an index, unless it is being written or cannot be.
   */
  sweepIndex(known: KnownIndex): void {
    const { uuid } = known.registered;
    sweepIndex(known.folder, this.openDirectory, this.clock.now(), () => this.named(uuid));
  }

  /** Numbers of the generations of an index that stay besides the live one. Throws io_error. */
  named(uuid: string): ReadonlySet<number> {
    const now = this.clock.now();
    endDeadJobs(this, now, uuid);
    return new Set(this.registry.generations.named(uuid, now).map(({ number }) => number));
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
    const open = this.#open.get(uuid);
    if (open !== undefined) this.#replaced(open, null);
    this.#open.delete(uuid);
    this.#pins.forget(uuid);
  }

  /** Goes on with the data folder that was made again where this one was removed. */
  reopen(): void {
    if (!this.registry.isGone()) return;
    for (const uuid of [...this.#open.keys()]) this.forget(uuid);
    this.registry.reopen();
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

  /** Ends the calls that go on, then closes all that is open. */
  close(): Promise<void> {
    const patience = (signal: AbortSignal) => this.clock.sleep(PATIENCE_MS, signal);
    this.tables.stop();
    return this.life.close(patience, () => this.#release());
  }

  async #release(): Promise<void> {
    this.#released = true;
    await this.writers.close();
    for (const { snapshot } of this.#open.values()) snapshot.release();
    this.#open.clear();
    this.#pins.close();
    const threads = await this.searchThreads?.();
    await threads?.close();
    await this.tables.close();
    await this.models.close();
    this.registry.close();
    if (this.looks === null) return;
    const { noteReads } = await import('./diagnose/usage.ts');
    noteReads(this.dataDir, threads?.coldFigures);
    await this.looks.end();
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
}
