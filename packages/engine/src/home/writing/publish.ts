/**
 * An index whose commits are in an object store, while its lock is held here. The store decides:
 * commit n + 1 is written there, if it is absent, before it is in force here. Who loses brings the
 * newest commit here (bring-here.ts) and does its work again. Files that are there already are not
 * sent again.
 */
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import { type CallContext, LhsError } from '@lakehouse-search/contract';
import {
  COMMIT_FILE,
  type Commit,
  type CommittedUnder,
  type PublishCommit,
} from '../../index/commits/commit.ts';
import { currentGeneration, generationsAmong } from '../../open/index-folder.ts';
import type { FindStored } from '../../segment/cool.ts';
import { refuseAborted } from '../../source/source-errors.ts';
import { inStore } from '../../source/store-errors.ts';
import type { IndexToBackUp } from '../backup-index.ts';
import {
  appendCommit,
  bundleKey,
  bundleName,
  goneFrom,
  type Head,
  isDropped,
  isOver,
  lastCommit,
  newestCommit,
  type PublishedCommit,
  readHead,
  removeHead,
  writeHead,
} from '../chain.ts';
import { type BundleInput, commitInputs, makeBundle } from '../make-bundle.ts';
import { type CommitToCopy, pinForCopy } from '../pinned-commit.ts';
import { branchPinName, type CommitPin, pinNewest } from '../pins.ts';
import { markHome, tryWrite } from '../repository.ts';
import type { Home } from '../stored-json.ts';
import { isSweepDue, removePin, sweepFamily } from '../sweep.ts';
import { bringHere } from './bring-here.ts';
import { findFiles, heldBundles, takeOver } from './cold-files.ts';
import { commitOf, firstOfBranch, knownFiles } from './compose-commit.ts';
import { type Examination, lostObjects } from './lost-objects.ts';
import { isNextOf, nextUuid } from './next-family.ts';
import { committedElsewhere, isOvertaken, overtaken } from './overtaken.ts';
import { type Publication, readPublication, writePublication } from './publication.ts';

/** So often a commit of another process may come first. */
const ATTEMPTS = 8;
const DAY_MS = 86_400_000;

/** How commits are published. */
export interface PublishOptions extends CallContext {
  /** Upload every file again and delete the previous objects at once: they contain erased rows. */
  readonly afresh?: boolean;
  /** Look for objects that the store has lost, and send them again. Default: by sizes, once a day. */
  readonly examine?: Examination;
}

/** An index as publishing takes it. */
export interface IndexAtHome extends IndexToBackUp {
  /** Whether a commit has the definition of this index. */
  readonly isSame: (commit: PublishedCommit) => boolean;
  /** Numbers of the generations that jobs of this data folder build or keep. */
  readonly named: () => ReadonlySet<number>;
}

/** The index in its store, as long as its lock is held. */
export class HomeIndex {
  readonly #index: IndexAtHome;
  readonly #home: Home;
  readonly #options: PublishOptions;
  #published: Publication;
  #head: (Head & { readonly etag: string }) | null = null;
  #newest: PublishedCommit | null = null;
  /** A commit was sent afresh. */
  #isFresh = false;
  /** Keys of objects of the newest commit that the store has lost. */
  #lost: ReadonlySet<string> = new Set();

  constructor(index: IndexAtHome, home: Home, options: PublishOptions = {}) {
    this.#index = index;
    this.#home = home;
    this.#options = options;
    this.#published = readPublication(index, home.place);
  }

  get place(): string {
    return this.#home.place;
  }

  /** Its place and the name that it has there. */
  get at(): string {
    return `${this.#home.place}/${this.#index.index}`;
  }

  /**
   * Looks for the newest commit and brings it here if another process has written it. Returns it if
   * so, else null. Throws already_exists (the place has another index of this name),
   * index_not_found (it was dropped there), index_busy (a generation of its number is built here),
   * and as `inStore`.
   */
  bringUp(): Promise<PublishedCommit | null> {
    return inStore(async () => {
      await this.#look();
      const newest = this.#newest;
      const live = currentGeneration(this.#index.folder)?.number;
      const isHere = newest?.attempt === this.#published.newest?.attempt && live !== undefined;
      if (newest === null || isHere) return null;
      if (newest.generation !== live && this.#index.named().has(newest.generation)) {
        const why = `generation ${newest.generation} is built or kept here, another there`;
        throw committedElsewhere(this.#index.index, this.place, why);
      }
      const commit = await this.#bring(newest);
      this.#note(newest, commit, false);
      return newest;
    });
  }

  /** Writes an object on trial, before long work whose commit goes there. Throws as `publish`. */
  tryWrite(): Promise<void> {
    return inStore(async () => {
      await markHome(this.#home, this.#options.signal);
      await tryWrite(this.#home, this.#options.signal);
    });
  }

  /** Throws corrupt_index for an object that is gone, index_busy if the commit was replaced. */
  async #bring(newest: PublishedCommit): Promise<Commit> {
    try {
      return await bringHere(this.#home, newest, this.#index, this.#options);
    } catch (error) {
      const { key } = (error as LhsError).details ?? {};
      if (key === undefined) throw error;
      const head = await readHead(this.#home, newest.index);
      const isNewest = head?.uuid === newest.uuid && head.number === newest.number;
      throw isNewest ? goneFrom(this.place, String(key), error) : error;
    }
  }

  /** Decides over a commit of this index. Throws index_busy (`isOvertaken`), and as `inStore`. */
  readonly publish: PublishCommit = (draft, under) =>
    inStore(async () => {
      const [generation] = generationsAmong(this.#index.folder, [basename(draft.folder)]);
      const idle = () => undefined;
      const pinned = { ...draft, generation: generation.number, renew: idle, release: idle };
      if (this.#newest === null) await markHome(this.#home, this.#options.signal);
      const commit = await this.#send(pinned, under);
      return () => this.#note(commit, draft.commit);
    });

  /**
   * Publishes what is in force here, unless that was done: the first commit, a new name or
   * definition, all files after an erasure. Throws as `bringUp`.
   */
  async settle(): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await inStore(() => this.#settle());
      } catch (error) {
        if (attempt === ATTEMPTS || !isOvertaken(error)) throw error;
        await this.bringUp();
      }
    }
  }

  /** Pins the newest commit, which is in force here, for a branch under a name that is free. */
  pinBranch(name: string, branch: string): Promise<CommitPin> {
    return inStore(async () => {
      const { family: uuid, newest } = this.#published;
      if (newest === null || (await readHead(this.#home, name)) !== null) throw this.#taken(name);
      const as = { name: branchPinName(branch), now: this.#index.clock.now() };
      const { pin } = await pinNewest(this.#home, { uuid, number: newest.number }, as);
      if (pin.attempt === newest.attempt) return pin;
      await removePin(this.#home, pin);
      throw this.#overtaken();
    });
  }

  /** Publishes a clone of what is in force here as a branch: it shares all bundles. */
  branch(clone: IndexAtHome, origin: CommitPin, version: number): Promise<void> {
    return inStore(async () => {
      const { newest } = this.#published;
      const { uuid, index } = clone;
      if (newest === null) throw this.#taken(index);
      const from = { uuid: origin.uuid, pin: origin.name };
      const first = firstOfBranch(newest, clone, from, version);
      // a sweep that has removed its pin refuses it: its next turn publishes it whole
      if (!(await appendCommit(this.#home, first))) return;
      const head = { uuid, number: 1 };
      if ((await writeHead(this.#home, index, head, null)) === null) throw this.#taken(index);
      const as = { place: this.place, family: uuid, name: index, isOwn: true };
      writePublication(clone, { ...as, newest: first, snapshot: this.#published.snapshot });
    });
  }

  async #settle(): Promise<void> {
    if (currentGeneration(this.#index.folder) === null) return;
    const commit = await this.#publishHere();
    if (await takeOver(this.#index, commit, this.#published, this.find)) await this.#publishHere();
    const { afresh, signal } = this.#options;
    if (afresh) await sweepFamily(this.#home, this.#published.family, this.#newest, signal);
  }

  /** Where the newest commit has files. */
  readonly find: FindStored = (names) =>
    inStore(() => findFiles(this.#home, this.#published, names));

  /** Returns the commit that is in force in the data folder. */
  async #publishHere(): Promise<Commit> {
    const pinned = pinForCopy(this.#index);
    try {
      const newest = this.#newest;
      const isThere =
        newest?.generation === pinned.generation &&
        newest.commit === pinned.commit.number &&
        newest.index === this.#index.index &&
        this.#index.isSame(newest);
      const isEnough = isThere && (this.#isFresh || this.#options.afresh !== true);
      if (isEnough && !(await this.#hasLost(newest))) return pinned.commit;
      if (newest === null) await markHome(this.#home, this.#options.signal);
      this.#note(await this.#send(pinned), pinned.commit);
      return pinned.commit;
    } finally {
      pinned.release();
    }
  }

  /** Whether the store has lost objects of a commit, if it is time to look for them. */
  async #hasLost(newest: PublishedCommit): Promise<boolean> {
    const { examine } = this.#options;
    const now = this.#index.clock.now();
    if (examine === undefined && now - (this.#published.examinedMs ?? 0) < DAY_MS) return false;
    this.#lost = await lostObjects(this.#home, newest, examine ?? 'sizes', this.#options);
    this.#published = { ...this.#published, examinedMs: now };
    for (const key of this.#lost) {
      const what = `the store has lost "${this.#home.place}/${key}": its files are sent again`;
      process.emitWarning(what, 'LhsWarning');
    }
    if (this.#lost.size === 0) writePublication(this.#index, this.#published);
    return this.#lost.size > 0;
  }

  /** Finds the newest commit. */
  async #look(): Promise<void> {
    const { signal } = this.#options;
    const { newest, name } = this.#published;
    const known = name ?? this.#index.index;
    this.#head = await readHead(this.#home, known, signal);
    if (this.#head === null) {
      this.#newest = newest === null ? null : await this.#findLost(newest, known);
      if (newest === null) await this.#begin();
      return;
    }
    const { uuid, number } = this.#head;
    if (newest?.number === number && uuid === this.#published.family) {
      this.#newest = newest;
      return;
    }
    const found = await newestCommit(this.#home, { uuid, number }, signal);
    if (uuid !== this.#published.family) this.#join(uuid, found);
    this.#newest = found;
  }

  /** An index that has left its place begins there under another UUID. */
  async #begin(): Promise<void> {
    let family = this.#index.uuid;
    while (await isOver(this.#home, family)) family = nextUuid(family);
    this.#published = { ...this.#published, family };
  }

  /** Takes an index that another data folder has built, if this one has not built its own. */
  #join(family: string, found: PublishedCommit | null): void {
    const isBuilt = currentGeneration(this.#index.folder) !== null;
    const isOwn = this.#published.newest === null && isNextOf(this.#index.uuid, family);
    const isFree = !isBuilt && found !== null && this.#index.isSame(found);
    if (!isOwn && !isFree) throw this.#taken();
    this.#published = { ...this.#published, family };
  }

  /**
   * The newest commit of an index whose name the store has lost: this folder sends the name again,
   * or all files if the commits are gone too. Throws if it was dropped or has another name.
   */
  async #findLost(newest: PublishedCommit, name: string): Promise<PublishedCommit> {
    const { place } = this.#home;
    const { family } = this.#published;
    await this.#refuseDropped(name);
    const last = await lastCommit(this.#home, family);
    if (last === null || last.number < newest.number) {
      return { ...newest, generation: 0, bundles: [], files: {}, former: [] };
    }
    if (last.index === name || last.index === this.#index.index) {
      await writeHead(this.#home, last.index, { uuid: family, number: last.number }, null);
      this.#head = await readHead(this.#home, last.index);
      return last;
    }
    const details = { place };
    const message = `"${name}" is "${last.index}" in "${place}": another process has renamed it`;
    throw new LhsError('index_busy', message, { hint: 'give it the same name here', details });
  }

  /** Throws for an index that was dropped from the store. */
  async #refuseDropped(name: string): Promise<void> {
    const { place } = this.#home;
    if (!(await isDropped(this.#home, this.#published.family))) return;
    throw new LhsError('index_not_found', `"${name}" was dropped from "${place}"`, {
      hint: 'drop it here too, or choose another storage',
      next: [{ step: 'drop_index', index: this.#index.index }],
      details: { place },
    });
  }

  /** Sends the files that are new and the commit. It is in the store when this returns. */
  async #send(pinned: CommitToCopy, under?: CommittedUnder): Promise<PublishedCommit> {
    const { afresh = false, signal } = this.#options;
    const index = this.#index;
    const home = this.#home;
    const uuid = this.#published.family;
    const newest = this.#newest;
    const now = index.clock.now();
    const attempt = randomUUID();
    const number = (newest?.number ?? 0) + 1;
    const isAfresh = afresh && !this.#isFresh;
    const known = isAfresh ? {} : knownFiles(newest, pinned, this.#lost);
    const isNew = ({ name }: BundleInput) => name === COMMIT_FILE || known[name] === undefined;
    const inputs = commitInputs(pinned, index.openDirectory);
    const bundle = await makeBundle(inputs.filter(isNew), () => {
      refuseAborted(signal);
      pinned.renew();
    });
    const object = bundleName(number, attempt);
    await home.store.put(bundleKey(uuid, { object }), bundle.parts, {
      condition: 'absent',
      signal,
    });
    const added = { ...bundle.ref, object, names: inputs.map(({ name }) => name) };
    const parts = under ?? index.registered(pinned.commit.definition_version);
    const origin = { ...parts, index: index.index };
    const held = heldBundles(index, pinned);
    const former = { newest, known, held, now, afresh };
    const commit = commitOf(pinned, { ...origin, uuid, number, attempt }, added, former);
    const isFirst = await appendCommit(home, commit);
    await this.#moveHead(number);
    if (!isFirst) throw this.#overtaken();
    this.#newest = commit;
    this.#isFresh ||= afresh;
    const isDue = newest !== null && isSweepDue(newest, now);
    if (isDue && !afresh) await sweepFamily(home, uuid, commit);
    return commit;
  }

  /** Leads the name to a commit; a name that the index had before is removed. */
  async #moveHead(number: number): Promise<void> {
    const { index } = this.#index;
    const { family: uuid, name: former } = this.#published;
    let head = former === null || former === index ? this.#head : await readHead(this.#home, index);
    for (;;) {
      if (head !== null && head.uuid !== uuid) throw this.#taken();
      // commits before a head may be gone: the one that was written now comes too late
      if (head !== null && head.number > number) throw this.#overtaken();
      if (head?.number === number) break;
      const etag = await writeHead(this.#home, index, { uuid, number }, head?.etag ?? null);
      if (etag !== null) {
        head = { uuid, number, etag };
        break;
      }
      head = await readHead(this.#home, index);
      if (head === null) await this.#refuseDropped(index);
    }
    this.#head = head;
    if (former === null || former === index) return;
    if ((await readHead(this.#home, former))?.uuid === uuid) await removeHead(this.#home, former);
  }

  /** The commit is in force here. */
  #note(newest: PublishedCommit, commit: Commit, isOwn = true): void {
    const { place, family, examinedMs = this.#index.clock.now() } = this.#published;
    const snapshot = commit.checkpoint?.snapshot_id ?? null;
    const own = { name: newest.index, newest, snapshot, isOwn };
    this.#published = { place, family, ...own, examinedMs };
    writePublication(this.#index, this.#published);
  }

  #taken(index = this.#index.index): LhsError {
    return new LhsError('already_exists', `"${this.#home.place}" has another index "${index}"`, {
      hint: 'to go on with it, use its definition; else choose another name or storage',
      details: { place: this.#home.place },
    });
  }

  #overtaken(): LhsError {
    return overtaken(this.#index.index, this.#home.place);
  }
}
