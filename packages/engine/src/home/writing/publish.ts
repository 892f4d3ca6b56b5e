/**
 * An index whose commits are in an object store, while its lock is held here. The store decides:
 * commit n + 1 is written there, if it is absent, before it is in force here. Who loses brings the
 * newest commit here (bring-commit.ts) and does its work again. Files that are there are not sent
 * again.
 */
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { CallContext, LhsError } from '@lakehouse-search/contract';
import {
  COMMIT_FILE,
  type Commit,
  type CommittedUnder,
  type PublishCommit,
} from '../../index/commits/commit.ts';
import {
  currentGeneration,
  generationsAmong,
  promoteGeneration,
  sweepGenerations,
} from '../../open/index-folder.ts';
import type { FindStored } from '../../segment/cool.ts';
import { refuseAborted } from '../../source/source-errors.ts';
import { inStore } from '../../source/store-errors.ts';
import type { IndexToBackUp } from '../backup-index.ts';
import { bringCommit } from '../bring-commit.ts';
import type { BundleRef } from '../bundle.ts';
import {
  appendCommit,
  bundleKey,
  bundleName,
  goneFrom,
  type PublishedCommit,
  readHead,
  type StoredHead,
  writeHead,
} from '../chain.ts';
import { type BundleInput, commitInputs, makeBundle } from '../make-bundle.ts';
import { type CommitToCopy, pinForCopy } from '../pinned-commit.ts';
import { branchPinName, type CommitPin, pinIfNewest } from '../pins.ts';
import { markHome, tryWrite } from '../repository.ts';
import type { Home } from '../stored-json.ts';
import { isSweepDue, sweepFamily } from '../sweep.ts';
import { tiersHere } from '../windows/tier-policy.ts';
import { findFiles, heldBundles, takeOver } from './cold-files.ts';
import { cachedFields, commitOf, firstOfBranch, knownFiles } from './compose-commit.ts';
import { findNewest } from './find-newest.ts';
import { type Examination, lostObjects } from './lost-objects.ts';
import { moveHead } from './move-head.ts';
import { committedElsewhere, isOvertaken, overtaken, takenThere } from './overtaken.ts';
import { type Publication, readPublication, writePublication } from './publication.ts';
import { isSmall, restoreSmall } from './small-objects.ts';

/** So often a commit of another process may come first. */
const ATTEMPTS = 8;
const DAY_MS = 86_400_000;
const NOTHING: ReadonlySet<string> = new Set();

/** How commits are published. */
export interface PublishOptions extends CallContext {
  /** Upload every file again and delete the previous objects at once: they contain erased rows. */
  readonly afresh?: boolean;
  /** Look for objects that the store has lost, and send them again. Default: by sizes, once a day. */
  readonly examine?: Examination;
}

/** An index as publishing takes it. */
export interface IndexAtHome extends IndexToBackUp {
  /** So many of its newest windows are hot where it is brought to; undefined: all. */
  readonly hot?: number | undefined;
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
  #head: StoredHead | null = null;
  #newest: PublishedCommit | null = null;
  /** A commit was sent afresh. */
  #isFresh = false;
  /** Bundles of tasks with files of the generation that is published next, by name of a file. */
  #uploaded: ReadonlyMap<string, BundleRef> = new Map();
  /** Keys of objects of the newest commit that the store has lost; null: it was not examined. */
  #lost: ReadonlySet<string> | null = null;

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

  /**
   * Looks for the index and writes an object on trial, before work whose commit goes there. Throws
   * as `bringUp`.
   */
  tryWrite(): Promise<void> {
    return inStore(async () => {
      await this.#look();
      await markHome(this.#home, this.#options.signal);
      await tryWrite(this.#home, this.#options.signal);
    });
  }

  /** The UUID of the index there, for tasks that upload segments. Throws as `publish`. */
  beginTasks(): Promise<string> {
    return inStore(async () => {
      if (this.#head === null) await this.#begin();
      return this.#published.family;
    });
  }

  /** The next commit names these bundles of tasks, and does not send their files again. */
  takeUploads(uploaded: ReadonlyMap<string, BundleRef>): void {
    this.#uploaded = uploaded;
  }

  /** Throws corrupt_index for an object that is gone, index_busy if the commit was replaced. */
  async #bring(newest: PublishedCommit): Promise<Commit> {
    const { folder, openDirectory, clock, hot, named } = this.#index;
    const now = clock.now();
    try {
      const to = { folder, openDirectory, formOf: tiersHere(hot, now) };
      const commit = await bringCommit(this.#home, newest, to, this.#options);
      if (currentGeneration(folder)?.number !== newest.generation) {
        promoteGeneration(folder, { number: newest.generation, path: '' });
        sweepGenerations(folder, now, named);
      }
      return commit;
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
      if (this.#head === null) await this.#begin();
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
      const { newest } = this.#published;
      if (newest === null || (await readHead(this.#home, name)) !== null)
        throw takenThere(name, this.place);
      const as = { name: branchPinName(branch), now: this.#index.clock.now() };
      const pin = await pinIfNewest(this.#home, newest, as);
      if (pin === null) throw this.#overtaken();
      return pin;
    });
  }

  /** Publishes a clone of what is in force here as a branch: it shares all bundles. */
  branch(clone: IndexAtHome, origin: CommitPin, version: number): Promise<void> {
    return inStore(async () => {
      const { newest } = this.#published;
      const { uuid, index } = clone;
      if (newest === null) throw takenThere(index, this.place);
      const from = { uuid: origin.uuid, pin: origin.name };
      const first = firstOfBranch(newest, clone, from, version);
      // a sweep that has removed its pin refuses it: its next turn publishes it whole
      if (!(await appendCommit(this.#home, first))) return;
      const head = { uuid, number: 1 };
      if ((await writeHead(this.#home, index, head, null)) === null)
        throw takenThere(index, this.place);
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
      if (isEnough && !(await this.#hasLost(pinned.commit))) return pinned.commit;
      if (this.#head === null) await this.#begin();
      this.#note(await this.#send(pinned), pinned.commit);
      return pinned.commit;
    } finally {
      pinned.release();
    }
  }

  /** Keys of objects of the newest commit that the store has lost; a turn looks once. */
  readonly lost = async (): Promise<ReadonlySet<string>> => {
    const { examine = 'sizes' } = this.#options;
    if (this.#newest === null) return NOTHING;
    this.#lost ??= await inStore(() =>
      lostObjects(this.#home, this.#newest!, examine, this.#options),
    );
    return this.#lost;
  };

  /** Notes a place before the first write there, so that an index that leaves it can clean up. */
  async #begin(): Promise<void> {
    await markHome(this.#home, this.#options.signal);
    this.#published = { ...this.#published, name: this.#index.index, isOwn: true };
    writePublication(this.#index, this.#published);
  }

  /** Whether the store has lost objects that can be sent again, if it is time to look for them. */
  async #hasLost(commit: Commit): Promise<boolean> {
    const { examine } = this.#options;
    const now = this.#index.clock.now();
    if (examine === undefined && now - (this.#published.examinedMs ?? 0) < DAY_MS) return false;
    const lost = await this.lost();
    this.#published = { ...this.#published, examinedMs: now };
    const cold = new Set(commit.segments.flatMap((entry) => entry.cold?.objects ?? []));
    const isSent = (key: string) => !cold.has(key) && !isSmall(key);
    this.#lost = new Set([...lost].filter(isSent));
    if (lost.size > 0) await this.#restoreSmall();
    for (const key of lost) {
      const how = cold.has(key) ? 'a repair builds cold windows' : 'its files are sent';
      process.emitWarning(`the store has lost "${this.place}/${key}": ${how} again`, 'LhsWarning');
    }
    if (this.#lost.size === 0) writePublication(this.#index, this.#published);
    return this.#lost.size > 0;
  }

  async #restoreSmall(): Promise<void> {
    const { newest } = this.#published;
    if (newest === null) return;
    await restoreSmall(this.#home, newest, this.#index.clock.now(), this.#options.signal);
  }

  /** Finds the newest commit. */
  async #look(): Promise<void> {
    if (this.#options.examine === 'bytes') await this.#restoreSmall();
    const found = await findNewest(this.#home, this.#index, this.#published, this.#options.signal);
    this.#head = found.head;
    this.#newest = found.newest;
    this.#published = { ...this.#published, family: found.family };
  }

  /** Sends the files that are new and the commit. It is in the store when this returns. */
  async #send(pinned: CommitToCopy, under?: CommittedUnder): Promise<PublishedCommit> {
    const { afresh = false, signal } = this.#options;
    const lost = this.#lost ?? NOTHING;
    const index = this.#index;
    const home = this.#home;
    const uuid = this.#published.family;
    const newest = this.#newest;
    const now = index.clock.now();
    const attempt = randomUUID();
    const number = (newest?.number ?? 0) + 1;
    const isAfresh = afresh && !this.#isFresh;
    const there = new Map([...this.#uploaded, ...knownFiles(newest, pinned, lost)]);
    const known = isAfresh ? new Map() : there;
    const isNew = ({ name }: BundleInput) => name === COMMIT_FILE || !known.has(name);
    const parts = under ?? index.registered(pinned.commit.definition_version);
    const cached = await cachedFields(parts.definition, pinned.commit);
    const inputs = commitInputs(pinned, index.openDirectory, cached);
    const bundle = await makeBundle(inputs.filter(isNew), () => {
      refuseAborted(signal);
      pinned.renew();
    });
    const object = bundleName(number, attempt);
    await home.store.put(bundleKey(uuid, { object }), bundle.parts, {
      condition: 'absent',
      signal,
    });
    const added = { ...bundle.ref, object };
    const files = new Map<string, BundleRef>(
      inputs.map((input) => [input.name, isNew(input) ? added : known.get(input.name)]),
    );
    const origin = { ...parts, index: index.index };
    const held = heldBundles(index, pinned);
    const isHeld = (key: string) => !lost.has(key) && held.has(key);
    const former = { newest, isHeld, now, afresh };
    const commit = commitOf(pinned, { ...origin, uuid, number, attempt }, files, former);
    const isFirst = await appendCommit(home, commit);
    this.#head = await moveHead(home, index.index, this.#published, { known: this.#head, number });
    if (!isFirst) throw this.#overtaken();
    if (newest === null) await markHome(home);
    this.#newest = commit;
    this.#isFresh ||= afresh;
    const isDue = newest !== null && isSweepDue(newest, now);
    if (isDue && !afresh) await sweepFamily(home, uuid, commit);
    return commit;
  }

  /** The commit is in force here. */
  #note(newest: PublishedCommit, commit: Commit, isOwn = true): void {
    const { place, family, examinedMs = this.#index.clock.now() } = this.#published;
    const snapshot = commit.checkpoint?.snapshot_id ?? null;
    const own = { name: newest.index, newest, snapshot, isOwn };
    this.#published = { place, family, ...own, examinedMs };
    writePublication(this.#index, this.#published);
  }

  #overtaken(): LhsError {
    return overtaken(this.#index.index, this.#home.place);
  }
}
