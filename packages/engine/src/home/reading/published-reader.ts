/**
 * Published indexes in a data folder of the cache, which processes share. A look brings the newest
 * commits there: it fetches the files that are new, puts the commit in force as a writer does, and
 * removes the files that neither it nor a point in time needs.
 */
import { rmSync } from 'node:fs';
import { basename } from 'node:path';
import type { CallContext, LhsError } from '@lakehouse-search/contract';
import { eachOf } from '@lakehouse-search/lake/internal';
import type { Clock } from '../../base/time/clock.ts';
import { type Commit, requireCommit } from '../../index/commits/commit.ts';
import {
  currentGeneration,
  type IndexLock,
  indexFolder,
  isPinnedAnywhere,
  promoteGeneration,
  tryLock,
} from '../../open/index-folder.ts';
import { type OpenDirectory, requireReadable, sweepIndex } from '../../open/open-index.ts';
import { type RegisteredIndex, Registry } from '../../registry/registry.ts';
import { storedDefinition } from '../../schema/parse/parsed-definition.ts';
import { definitionAt } from '../../schema/parse/resolve-definition.ts';
import { refuseAborted } from '../../source/source-errors.ts';
import { inStore } from '../../source/store-errors.ts';
import { cacheLimit, trimCache } from '../../storage/cache-folder.ts';
import { bringCommit, type FilledFolder } from '../bring-commit.ts';
import {
  goneFrom,
  type Head,
  headsIn,
  newestCommit,
  type PublishedCommit,
  readHead,
  whereMoved,
} from '../chain.ts';
import { BUNDLE_FORM } from '../make-bundle.ts';
import { keptFiles, sealedFiles } from '../pinned-commit.ts';
import { definitionNamed, makeIndex } from '../restore-index.ts';
import type { Home } from '../stored-json.ts';
import { requireTrusted } from '../trusted-location.ts';
import { lastPublication, type Publication, writePublication } from '../writing/publication.ts';
import { movedTo, type NamedHead, notThere } from './find-published.ts';
import {
  cacheError,
  markCommit,
  type OpenedFolder,
  openFolder,
  unmarkFormer,
} from './opened-folder.ts';

/** Indexes that are brought up at a time. */
const AT_ONCE = 4;
/** Milliseconds between two looks at the lock of another process. */
const LOCK_MS = 20;

/** A reader has the first bytes of all files that are read in blocks. */
const formOf: FilledFolder['formOf'] = () => () => BUNDLE_FORM;

/** What a reader is made from. */
interface ReaderParts {
  readonly home: Home;
  /** The name of the index; null: all indexes of the place. */
  readonly name: string | null;
  /** Of a place: the names of the indexes that are read. Default: all. */
  readonly only?: (() => readonly string[]) | undefined;
  readonly location: string;
  readonly opened: OpenedFolder;
  readonly openDirectory: OpenDirectory;
  readonly clock: Clock;
}

/** What a look has found. */
export interface PublishedNews {
  /** Whether anything changed. */
  readonly isChanged: boolean;
  /** UUIDs of the indexes here that were dropped. */
  readonly dropped: readonly string[];
  /** Why indexes stay at the commit that they have. */
  readonly faults: readonly LhsError[];
}

/** Published indexes that are opened by location. */
export class PublishedReader {
  readonly location: string;
  readonly folder: string;
  readonly #parts: ReaderParts;
  readonly #registry: Registry;
  #opened: OpenedFolder;
  /** Versions of the heads that were brought here. */
  readonly #etags = new Map<string, string>();
  /** Where indexes are that were moved, by name. */
  readonly #moved = new Map<string, string>();
  /** Whether it has fetched files. */
  #isFilled = false;
  /** Warnings that hold since they were given. */
  #warned: ReadonlySet<string> = new Set();

  constructor(parts: ReaderParts) {
    this.location = parts.location;
    this.folder = parts.opened.folder;
    this.#parts = parts;
    this.#opened = parts.opened;
    this.#registry = new Registry(this.folder);
  }

  get isPlace(): boolean {
    return this.#parts.name === null;
  }

  /** Whether there is no index. */
  isEmpty(): boolean {
    return this.#registry.list().length === 0;
  }

  /**
   * Fetches the newest commit. `known`: the head of the index, read just now. Throws interrupted,
   * and as `inStore`.
   */
  async look(call: CallContext, known: NamedHead | null = null): Promise<PublishedNews> {
    const isRemade = this.#registry.isGone();
    if (isRemade) this.#remake();
    const names = this.#parts.only?.();
    const heads = known === null ? await inStore(() => this.#heads(call.signal, names)) : [known];
    const faults: LhsError[] = [];
    // other processes may read other indexes of the place
    const gone = this.#registry
      .list()
      .filter(({ name }) => names?.includes(name) ?? true)
      .filter((index) => !heads.some(({ name }) => name === index.name));
    for (const { name } of gone) {
      const to = await inStore(() => whereMoved(this.#parts.home, name, call.signal));
      if (to === null) this.#moved.delete(name);
      else this.#moved.set(name, to);
    }
    const dropped = gone.map((index) => this.#drop(index));
    let isChanged = dropped.length > 0;
    await eachOf(heads, AT_ONCE, async (head) => {
      try {
        if (await this.#follow(head, call, dropped)) isChanged = true;
      } catch (error) {
        refuseAborted(call.signal);
        faults.push(cacheError(error) as LhsError);
      }
    });
    if (isRemade && !this.isEmpty()) isChanged = true;
    if (isChanged) await trimCache(cacheLimit());
    this.#isFilled ||= isChanged;
    return { isChanged, dropped, faults };
  }

  /** Makes the data folder again that was removed from the cache. */
  #remake(): void {
    this.#opened.close();
    this.#opened = openFolder(basename(this.folder));
    this.#registry.reopen();
    this.doubt();
  }

  /** The next look examines files of indexes that are at their newest commit, too. */
  doubt(): void {
    this.#etags.clear();
  }

  /** Warns of faults, of each of them once until it is over. */
  warn(faults: readonly Error[]): void {
    const messages = new Set(faults.map(({ message }) => message));
    for (const message of messages) {
      if (this.#warned.has(message)) continue;
      process.emitWarning(`no newer commit is read: ${message}`, 'LhsWarning');
    }
    this.#warned = messages;
  }

  /** Closes the data folder. What nobody has open leaves the cache if that has too much. */
  async close(): Promise<void> {
    this.#registry.close();
    this.#opened.close();
    if (this.#isFilled) await trimCache(cacheLimit());
  }

  async #heads(
    signal: AbortSignal | undefined,
    only: readonly string[] | undefined,
  ): Promise<readonly NamedHead[]> {
    const { home, name } = this.#parts;
    const names = name === null ? only : [name];
    if (names === undefined) return headsIn(home, signal);
    const heads: NamedHead[] = [];
    await eachOf(names, AT_ONCE, async (each) => {
      const head = await readHead(home, each, signal);
      if (head !== null) heads.push({ name: each, etag: head.etag, head });
    });
    return heads;
  }

  async #follow(found: NamedHead, call: CallContext, dropped: string[]): Promise<boolean> {
    const { name, etag } = found;
    if (this.#etags.get(name) === etag) return false;
    const { home } = this.#parts;
    let { head = null } = found;
    for (let last: Head | null = null; ; head = null) {
      head ??= await inStore(() => readHead(home, name, call.signal));
      if (head === null) throw await notThere(home, name);
      try {
        const isChanged = await this.#bring(name, head, call, dropped);
        this.#etags.set(name, etag);
        return isChanged;
      } catch (error) {
        const { code, details } = error as LhsError;
        if (code !== 'index_busy' || details.key === undefined) throw error;
        if (last?.uuid === head.uuid && last.number === head.number) {
          throw goneFrom(home.place, String(details.key), error);
        }
        last = head;
      }
    }
  }

  /** Throws index_busy if objects are gone: they were replaced, or lost. */
  async #bring(name: string, head: Head, call: CallContext, dropped: string[]): Promise<boolean> {
    const index = this.#registry.list().find((one) => one.name === name);
    if (index !== undefined && this.#publication(index)?.family === head.uuid) {
      return this.#bringUp(index, head, call);
    }
    if (index !== undefined) dropped.push(this.#drop(index));
    try {
      await this.#make(name, head, call);
      return true;
    } catch (error) {
      // another process was faster, perhaps with a former commit
      if ((error as LhsError).code !== 'index_exists') throw error;
      return this.#bring(name, head, call, dropped);
    }
  }

  async #make(name: string, head: Head, call: CallContext): Promise<void> {
    const { openDirectory, location, home } = this.#parts;
    const dataDir = this.folder;
    const commit = await this.#commitAt(name, head, call);
    const alias = this.#parts.name === null ? `${location}/${name}` : location;
    const origin = {
      ...{ definition: commit.definition, definition_version: commit.definition_version },
      ...{ base_dir: commit.base_dir, index_generation: commit.generation },
      ...{ aliases: [alias], saved_queries: [] },
    };
    const options = { ...call, dataDir, registry: this.#registry, openDirectory, name };
    const fill = async (folder: string) => {
      markCommit(dataDir, commit);
      const filled = await bringCommit(home, commit, { folder, openDirectory, formOf }, call);
      this.#note({ folder, openDirectory }, commit, filled);
      return filled;
    };
    await makeIndex(origin, { ...options, baseDir: undefined, names: 'all' }, fill);
  }

  async #bringUp(index: RegisteredIndex, head: Head, call: CallContext): Promise<boolean> {
    if (this.#isNewest(index, head)) return false;
    const { openDirectory, clock } = this.#parts;
    const folder = this.#folderOf(index);
    const lock = await this.#lock(folder, call.signal);
    try {
      if (this.#isNewest(index, head)) return true;
      await this.#replace(index, head, lock, call);
    } finally {
      lock.release();
    }
    sweepIndex(folder, openDirectory, clock.now());
    const newest = this.#publication(index)?.newest ?? null;
    if (!isPinnedAnywhere(folder, clock.now())) unmarkFormer(this.folder, head.uuid, newest);
    return true;
  }

  /** Puts the newest commit in force. */
  async #replace(index: RegisteredIndex, head: Head, lock: IndexLock, call: CallContext) {
    const folder = this.#folderOf(index);
    const openDirectory: OpenDirectory = (path) =>
      this.#parts.openDirectory(path, () => lock.assertHeld());
    const commit = await this.#commitAt(index.name, head, call);
    const accept = this.#accept(index, commit);
    markCommit(this.folder, commit);
    const to = { folder, openDirectory, formOf, accept };
    const filled = await bringCommit(this.#parts.home, commit, to, call);
    const number = commit.generation;
    if (liveNumber(folder) !== number) promoteGeneration(folder, { number, path: '' });
    this.#note(to, commit, filled);
  }

  /** Puts the definition of a commit in force, before the commit is. */
  #accept(index: RegisteredIndex, published: PublishedCommit): FilledFolder['accept'] {
    return (commit, directory) => {
      const definition = definitionNamed(published, index.name);
      requireReadable(directory, commit, definition);
      const { definition_version: version, base_dir: baseDir } = published;
      const isNewer = version > index.version;
      if (!isNewer && definition.text === index.definition) return;
      const isRebuilt = commit.definition_version > index.version;
      const next = storedDefinition(definition, baseDir);
      this.#registry.redefine(index, next, isRebuilt, isNewer ? version : index.version + 1);
    };
  }

  async #commitAt(name: string, head: Head, call: CallContext): Promise<PublishedCommit> {
    const { home, location } = this.#parts;
    const commit = await inStore(() => newestCommit(home, head, call.signal));
    if (commit === null) throw await notThere(home, name);
    requireTrusted(definitionAt(commit.definition, commit.base_dir), location);
    return commit;
  }

  #isNewest(index: RegisteredIndex, { number }: Head): boolean {
    const newest = this.#publication(index)?.newest?.number ?? 0;
    return newest >= number && isWhole(this.#folderOf(index), this.#parts.openDirectory);
  }

  async #lock(folder: string, signal: AbortSignal | undefined): Promise<IndexLock> {
    for (;;) {
      const lock = tryLock(folder);
      if (lock !== null) return lock;
      await this.#parts.clock.sleep(LOCK_MS, signal);
      refuseAborted(signal);
    }
  }

  /** The advice on an index that was moved from here; undefined: it was not. */
  adviceOn(name: string): { readonly hint: string } | undefined {
    const to = this.#moved.get(name);
    return to === undefined ? undefined : movedTo(to);
  }

  /** Removes an index; returns its UUID. */
  #drop(index: RegisteredIndex): string {
    const { uuid, name } = index;
    const family = this.#publication(index)?.family;
    this.#registry.remove(uuid);
    rmSync(this.#folderOf(index), { recursive: true, force: true });
    if (family !== undefined) unmarkFormer(this.folder, family, null);
    this.#etags.delete(name);
    return uuid;
  }

  #folderOf({ uuid }: RegisteredIndex): string {
    return indexFolder(this.folder, uuid);
  }

  /** Null if it is lost: then the index is made again. */
  #publication(index: RegisteredIndex): Publication | null {
    const { openDirectory } = this.#parts;
    try {
      return lastPublication({ folder: this.#folderOf(index), openDirectory });
    } catch {
      return null;
    }
  }

  #note(to: Parameters<typeof writePublication>[0], newest: PublishedCommit, commit: Commit): void {
    const { place } = this.#parts.home;
    const { uuid: family, index: name } = newest;
    const snapshot = commit.checkpoint?.snapshot_id ?? null;
    writePublication(to, { place, family, name, newest, snapshot, isOwn: false });
  }
}

/** The number of the live generation; null: none can be told. */
function liveNumber(folder: string): number | null {
  try {
    return currentGeneration(folder)?.number ?? null;
  } catch {
    return null;
  }
}

/** Whether all files of the commit in force are there, each with its length. */
function isWhole(folder: string, openDirectory: OpenDirectory): boolean {
  try {
    const live = currentGeneration(folder);
    if (live === null) return false;
    const directory = openDirectory(live.path);
    const commit = requireCommit(directory);
    const isKept = keptFiles(directory, commit);
    return [...sealedFiles(commit)].every(([name, seal]) => isKept(name, seal));
  } catch {
    return false;
  }
}
