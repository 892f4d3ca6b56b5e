/**
 * A backup of an index is a pinned commit of a repository (docs/adr/backups.md):
 *
 * 1. Pin the newest commit on this disk. Sync and merges go on.
 * 2. Send the files that the newest commit in the repository lacks, a bundle for each new segment
 *    and for each piece of an embedding cache. Of a file in a cold window all bytes are copied,
 *    from its store.
 * 3. Write the pin, then the commit: once it is there, the backup is.
 *
 * If another process has written that commit, the backup begins again. If it is stopped before, the
 * next one finds the bundles that were sent.
 */
import { hash, type KeyObject, randomBytes, randomUUID } from 'node:crypto';
import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { COMMIT_FILE, liveDocs } from '../index/commits/commit.ts';
import type { OwnedQuery } from '../registry/saved-queries.ts';
import { refuseAborted } from '../source/source-errors.ts';
import { inStore } from '../source/store-errors.ts';
import type { FileSeal } from '../storage/frame.ts';
import {
  type BackupContents,
  bundledName,
  bundleSizes,
  commitContents,
  pieceName,
} from './backup-contents.ts';
import { backupKey, digestOf, writeBackupPin } from './backups.ts';
import type { BundleRef } from './bundle.ts';
import { hasOpening } from './bundle-files.ts';
import {
  appendCommit,
  attemptPrefix,
  bundleKey,
  bundleName,
  bundlePrefix,
  lastCommit,
  type PublishedCommit,
} from './chain.ts';
import { cachesOf } from './file-source.ts';
import { type BundleInput, bytesInput, commitInputs, makeBundle } from './make-bundle.ts';
import type { BackupHead, BackupManifest } from './manifest.ts';
import { type CommitToCopy, type IndexFiles, pinForCopy } from './pinned-commit.ts';
import { markHome } from './repository.ts';
import type { Home } from './stored-json.ts';
import { commitOf } from './writing/compose-commit.ts';

const ATTEMPTS = 5;

/** What the registry says of an index. */
export interface RegisteredParts {
  readonly definition: string;
  readonly definitionVersion: number;
  readonly baseDir: string;
  readonly aliases: readonly string[];
  readonly savedQueries: readonly OwnedQuery[];
}

/** An index and its rows in the registry. */
export interface IndexToBackUp extends IndexFiles {
  readonly uuid: string;
  /**
   * The rows, with the definition under which a commit was written, by the version that the commit
   * names. It is read while the commit is pinned: the index may have been altered before.
   */
  readonly registered: (definitionVersion: number) => RegisteredParts;
}

/** A finished backup. */
export interface FinishedBackup {
  readonly manifest: BackupManifest;
  readonly filesCopied: number;
  readonly bytesCopied: number;
}

/** How a backup is made. */
export interface BackupOptions extends CallContext {
  /** Reads all files again before the backup becomes visible. */
  readonly verify?: boolean;
  /** Signs the manifest. */
  readonly key?: KeyObject;
  /** Sends every file again: those that are there contain erased rows. */
  readonly afresh?: boolean;
}

/**
 * Backs up an index. Throws index_not_built, corrupt_index (a file is damaged), index_busy,
 * interrupted, and as `inStore`.
 */
export async function backupIndex(
  index: IndexToBackUp,
  home: Home,
  options: BackupOptions,
): Promise<FinishedBackup> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const pinned = pinForCopy(index);
    try {
      const done = await new Backup(index, home, pinned, options).run();
      if (done !== null) return done;
    } finally {
      pinned.release();
    }
  }
  throw busy(index, home);
}

const busy = ({ index }: IndexToBackUp, { place }: Home): LhsError =>
  new LhsError('index_busy', `others write to the backups of "${index}" in "${place}"`, {
    hint: 'try again',
  });

/** The published index that backups of an index are commits of: a UUID of version 8. */
export const backupFamily = (uuid: string): string =>
  hash('sha256', `backups of ${uuid}`).replace(
    /^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/,
    '$1-$2-8$3-8$4-$5',
  );

/** Whether commits of a published index are backups. */
export const isBackupFamily = (uuid: string): boolean => uuid[14] === '8';

/** A file that was sent, or was there. */
interface SentFile {
  readonly ref: BundleRef;
  readonly seal: FileSeal;
}

/** One attempt at a backup. */
class Backup {
  readonly #index: IndexToBackUp;
  readonly #home: Home;
  readonly #pinned: CommitToCopy;
  readonly #options: BackupOptions;
  readonly #family: string;
  readonly #files = new Map<string, SentFile>();
  /** Files of the newest commit by the names that they have in bundles. */
  #known: ReadonlyMap<string, SentFile> = new Map();
  #number = 1;
  /** Sizes of bundles that others have sent for this commit, by key. */
  readonly #left = new Map<string, number>();
  #done = 0;
  #total = 0;
  #filesCopied = 0;
  #bytesCopied = 0;

  constructor(index: IndexToBackUp, home: Home, pinned: CommitToCopy, options: BackupOptions) {
    this.#index = index;
    this.#home = home;
    this.#pinned = pinned;
    this.#options = options;
    this.#family = backupFamily(index.uuid);
  }

  /** Null if another process has written the commit. */
  async run(): Promise<FinishedBackup | null> {
    const { signal } = this.#options;
    await inStore(() => this.#look());
    const inputs = commitInputs(this.#pinned, this.#index.openDirectory);
    this.#total = bytesOf(inputs);
    for (const group of groupsOf(inputs.filter((input) => !this.#has(input)))) {
      await this.#send(group);
    }
    for await (const { name, pieces } of cachesOf(this.#index.folder)) {
      let piece = 0;
      for await (const bytes of pieces) {
        const input = bytesInput(pieceName(name, piece++), bytes);
        if (!this.#has(input)) await this.#send([input]);
      }
    }
    const { manifest, commit } = this.#made();
    if (this.#options.verify) {
      const { bytes } = manifest;
      await readAgain(await commitContents(this.#home, commit, signal), bytes, this.#options);
    }
    refuseAborted(signal);
    // from here on the work is done: a signal stops it no longer
    await writeBackupPin(this.#home, manifest, this.#options.key);
    if (!(await inStore(() => appendCommit(this.#home, commit)))) {
      await inStore(() => this.#home.store.delete([backupKey(manifest)]));
      return null;
    }
    if (this.#number === 1) await inStore(() => markHome(this.#home));
    return { manifest, filesCopied: this.#filesCopied, bytesCopied: this.#bytesCopied };
  }

  /** Finds what the repository has. */
  async #look(): Promise<void> {
    const { signal, afresh } = this.#options;
    const newest = await lastCommit(this.#home, this.#family, signal);
    this.#number = (newest?.number ?? 0) + 1;
    if (afresh) return;
    const sizes = await bundleSizes(this.#home, this.#family, signal);
    const started = bundlePrefix(this.#family) + attemptPrefix(this.#number);
    for (const [key, size] of sizes) if (key.startsWith(started)) this.#left.set(key, size);
    if (newest?.generation !== this.#pinned.generation) return;
    const known = Object.entries(newest.seals ?? {}).flatMap(([name, [length, crc]]) => {
      const ref = newest.bundles[newest.files[name]!]!;
      const isThere = sizes.get(bundleKey(this.#family, ref)) === ref.size;
      return isThere ? [[bundledName(name), { ref, seal: { length, crc } }] as const] : [];
    });
    this.#known = new Map(known);
  }

  /** Whether the newest commit has the very file. */
  #has({ name, seal }: BundleInput): boolean {
    const known = this.#known.get(bundledName(name));
    if (known?.seal.length !== seal.length || known.seal.crc !== seal.crc) return false;
    this.#files.set(name, known);
    this.#step(seal.length);
    return true;
  }

  /** Sends files as one bundle, unless an attempt that failed has sent it. */
  async #send(inputs: readonly BundleInput[]): Promise<void> {
    const named = inputs.map((input) => ({ ...input, name: bundledName(input.name) }));
    const { ref, parts } = await makeBundle(named, () => this.#step(0));
    const before = this.#done;
    const end = before + bytesOf(inputs);
    const read = async (offset: number, length: number) => {
      const bytes = await parts.read(offset, length);
      this.#done = Math.min(end, before + offset);
      this.#step(0);
      return bytes;
    };
    const object = await inStore(() => this.#put(ref, { size: parts.size, read }));
    this.#done = end;
    this.#step(0);
    for (const { name, seal } of inputs) {
      this.#files.set(name, { ref: { ...ref, object: object.name }, seal });
    }
    if (!object.isNew) return;
    this.#filesCopied += inputs.length;
    this.#bytesCopied += end - before;
  }

  async #put(ref: Omit<BundleRef, 'object'>, body: { size: number; read: ReadPart }) {
    const prefix = bundlePrefix(this.#family);
    for (const [key, size] of this.#left) {
      if (size === ref.size && (await hasOpening(this.#home, key, ref))) {
        return { name: key.slice(prefix.length), isNew: false };
      }
    }
    const name = bundleName(this.#number, randomUUID());
    const { signal } = this.#options;
    await this.#home.store.put(prefix + name, body, { condition: 'absent', signal });
    return { name, isNew: true };
  }

  #step(bytes: number): void {
    refuseAborted(this.#options.signal);
    this.#done += bytes;
    this.#options.progress?.(copying(this.#done, Math.max(this.#total, this.#done)));
    this.#pinned.renew();
  }

  #made(): { readonly manifest: BackupManifest; readonly commit: PublishedCommit } {
    const files = [...this.#files];
    const { index, registered, clock } = this.#index;
    const parts = registered(this.#pinned.commit.definition_version);
    const family = this.#family;
    const place = { number: this.#number, attempt: randomUUID() };
    const refs = new Map(files.map(([name, { ref }]) => [name, ref]));
    const former = { newest: null, isHeld: () => false, now: clock.now(), afresh: true };
    const made = commitOf(this.#pinned, { ...parts, ...place, index, uuid: family }, refs, former);
    const seals = files.map(([name, { seal }]) => [name, [seal.length, seal.crc]]);
    const commit = { ...made, seals: Object.fromEntries(seals) };
    const manifest = manifestOf(this.#index, this.#pinned, {
      ...{ file_count: files.length, bytes: files.reduce((sum, [, f]) => sum + f.seal.length, 0) },
      ...{ family, ...place, sha256: digestOf(commit) },
    });
    return { manifest, commit };
  }
}

/** Reads all files of a backup. Throws corrupt_index. */
export async function readAgain(
  contents: BackupContents,
  bytes: number,
  { signal, progress }: CallContext,
): Promise<void> {
  let done = 0;
  for (const path of contents.lengths.keys()) {
    for await (const { length } of contents.read(path)) {
      refuseAborted(signal);
      done += length;
      progress?.({ ...copying(done, Math.max(bytes, done)), phase: 'checking' });
    }
  }
}

type ReadPart = (offset: number, length: number) => Promise<Uint8Array>;

const bytesOf = (inputs: readonly BundleInput[]): number =>
  inputs.reduce((sum, { seal }) => sum + seal.length, 0);

/** The files of each segment of which nothing is there, then all others. */
function groupsOf(inputs: readonly BundleInput[]): readonly (readonly BundleInput[])[] {
  const bySegment = Map.groupBy(inputs, ({ name }) => /^(s\d+)\./.exec(name)?.[1] ?? COMMIT_FILE);
  const isWhole = (group: readonly BundleInput[]) =>
    group.some(({ name }) => /\.(keys|core)$/.test(name));
  const whole = [...bySegment.values()].filter(isWhole);
  const others = [...bySegment.values()].filter((group) => !isWhole(group)).flat();
  return others.length === 0 ? whole : [...whole, others];
}

/** The manifest of a commit of an index, which is a commit of a repository. */
export function manifestOf(
  { index, uuid, clock, registered }: IndexToBackUp,
  { commit, generation }: CommitToCopy,
  stored: Omit<BackupManifest, keyof BackupHead>,
): BackupManifest {
  const created_ms = clock.now();
  const parts = registered(commit.definition_version);
  return {
    ...{ id: backupId(created_ms), index, uuid, created_ms, definition: parts.definition },
    ...{ definition_version: parts.definitionVersion, base_dir: parts.baseDir },
    table_uuid: commit.checkpoint?.table_uuid ?? null,
    snapshot: commit.checkpoint?.snapshot_id ?? null,
    ...{ index_generation: generation, num_docs: liveDocs(commit) },
    ...{ aliases: parts.aliases, saved_queries: parts.savedQueries, ...stored },
  };
}

/** Progress of copying, in bytes. */
export const copying = (bytes_done: number, bytes_total: number) =>
  ({ phase: 'copying', docs_done: 0, docs_total: 0, bytes_done, bytes_total }) as const;

/** `20261122T184012345Z-1a2b3c4d`: ids sort by time. */
export function backupId(created_ms: number): string {
  const time = new Date(created_ms).toISOString().replaceAll(/[-:.]/g, '');
  return `${time}-${randomBytes(4).toString('hex')}`;
}
