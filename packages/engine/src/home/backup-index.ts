/**
 * A backup of an index:
 *
 * 1. Write a lease, wait for a prune, then list the chunks of the repository.
 * 2. Pin the newest commit. Sync and merges go on.
 * 3. Copy the files that the commit names and the embedding caches: chunks that are missing. Of a
 *    file in a cold window all bytes are copied, from its store.
 * 4. Write the manifest, whose name is taken if this process was taken for dead meanwhile.
 *
 * If it is stopped or killed before step 4, the next backup finds the chunks that were copied.
 */
import { randomBytes } from 'node:crypto';
import type { CallContext } from '@lakehouse-search/contract';
import type { Commit } from '../index/commits/commit.ts';
import type { OwnedQuery } from '../registry/saved-queries.ts';
import { refuseAborted } from '../source/source-errors.ts';
import { coldObjects } from '../tier/cold-objects.ts';
import type { StoredObject } from '../tier/fetch-blocks.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { coldSource, copyBytes, copyCaches, copyComponent, localSource } from './copy-files.ts';
import { Lease, waitForPrunes } from './lease.ts';
import { type BackupFile, type BackupManifest, manifestBytes } from './manifest.ts';
import { type CommitToCopy, type IndexFiles, pinForCopy, sealedFiles } from './pinned-commit.ts';
import {
  listChunks,
  listManifests,
  manifestKey,
  type Repository,
  readChunk,
  readManifest,
  writeManifest,
} from './repository.ts';

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

/**
 * Backs up an index. `verify`: reads every chunk again before the backup becomes visible. Throws
 * index_not_built, corrupt_index (a file is damaged), index_busy, interrupted, and as `inStore`.
 */
export async function backupIndex(
  index: IndexToBackUp,
  repository: Repository,
  options: BackupOptions,
): Promise<FinishedBackup> {
  return underLease(index, repository, options, async (work) => {
    const pinned = pinForCopy(index);
    try {
      const parts = index.registered(pinned.commit.definition_version);
      const copy = new Copy(pinned, { ...work, options });
      const files = await copy.run(index.folder);
      const manifest = manifestOf(index, work, parts, pinned, files);
      return { manifest, filesCopied: copy.filesCopied, bytesCopied: work.writer.copied };
    } finally {
      pinned.release();
    }
  });
}

/** How a backup is made. */
export type BackupOptions = CallContext & { readonly verify?: boolean | undefined };

/** What the chunks of a backup are written with. */
export interface BackupWork {
  readonly writer: ChunkWriter;
  readonly lease: Lease;
  /** The newest backup of the same index that can be read. */
  readonly former: BackupManifest | null;
  readonly id: string;
  readonly created_ms: number;
}

/** Makes the backup of `copy` visible, whose chunks no prune deletes meanwhile. */
export async function underLease<T extends Pick<FinishedBackup, 'manifest'>>(
  index: Pick<IndexToBackUp, 'index' | 'uuid' | 'clock'>,
  repository: Repository,
  options: BackupOptions,
  copy: (work: BackupWork) => Promise<T>,
): Promise<T> {
  const { signal } = options;
  const created_ms = index.clock.now();
  const id = backupId(created_ms);
  const key = manifestKey({ index: index.index, id });
  const lease = new Lease(repository, 'backup', index.clock, key);
  let mayAppear = false;
  try {
    await lease.renew(signal);
    await waitForPrunes(repository, index.clock, signal);
    const former = await formerManifest(index, repository, signal);
    const writer = new ChunkWriter(repository, await listChunks(repository, signal), signal);
    const done = await copy({ writer, lease, former, id, created_ms });
    if (options.verify) await verifyChunks(repository, done.manifest, lease, options);
    refuseAborted(signal);
    await lease.assertHeld(signal);
    // from here on the work is done: a signal stops it no longer
    mayAppear = true;
    if (!(await writeManifest(repository, done.manifest))) throw lease.lost();
    mayAppear = false;
    return done;
  } finally {
    // a manifest without an answer may appear until a prune ends this backup
    if (!mayAppear) await lease.release();
  }
}

async function formerManifest(
  { index, uuid }: Pick<IndexToBackUp, 'index' | 'uuid'>,
  repository: Repository,
  signal: AbortSignal | undefined,
): Promise<BackupManifest | null> {
  for (const name of await listManifests(repository, index, signal)) {
    const manifest = await readManifest(repository, name, signal).catch(() => null);
    refuseAborted(signal);
    if (manifest?.uuid === uuid) return manifest;
  }
  return null;
}

/** Copying the files of one commit. */
class Copy {
  readonly #pinned: CommitToCopy;
  readonly #writer: ChunkWriter;
  readonly #lease: Lease;
  readonly #options: CallContext;
  /** Files of the former backup by component, length and checksum. */
  readonly #former: ReadonlyMap<string, BackupFile>;
  /** The objects of cold windows by the names of their local files. */
  readonly #cold: ReadonlyMap<string, StoredObject>;
  readonly #total: number;
  #done = 0;
  /** Files of which a chunk was missing. */
  filesCopied = 0;

  constructor(pinned: CommitToCopy, work: BackupWork & { readonly options: CallContext }) {
    this.#pinned = pinned;
    this.#writer = work.writer;
    this.#lease = work.lease;
    this.#options = work.options;
    this.#total = commitTotal(pinned);
    const same = work.former?.index_generation === pinned.generation ? work.former.files : [];
    this.#former = new Map(same.map((file) => [sealOf(file), file]));
    const { segments } = pinned.commit;
    this.#cold = new Map(segments.flatMap((entry) => [...coldObjects(entry)]));
  }

  /** The files, all of their chunks in the repository. */
  async run(indexFolder: string): Promise<readonly BackupFile[]> {
    const { commit, bytes, folder } = this.#pinned;
    const writer = this.#writer;
    const step = (bytes: number) => this.#step(bytes);
    const files = [await this.#counted(() => copyBytes('commit', bytes, writer))];
    for (const [name, seal] of sealedFiles(commit)) {
      const known = this.#former.get(sealOf({ path: `generation/${name}`, ...seal }));
      if (known !== undefined && writer.has(known.chunks)) {
        files.push({ ...known, path: `generation/${name}` });
        await step(seal.length);
      } else {
        const object = this.#cold.get(name);
        const source = object === undefined ? localSource(folder, name) : coldSource(object);
        files.push(await this.#counted(() => copyComponent(source, name, seal, writer, step)));
      }
    }
    const before = writer.copied;
    const caches = await copyCaches(indexFolder, writer, step);
    if (writer.copied > before) this.filesCopied += caches.length;
    await writer.end();
    return [...files, ...caches];
  }

  async #counted(copy: () => Promise<BackupFile>): Promise<BackupFile> {
    const before = this.#writer.copied;
    const file = await copy();
    if (this.#writer.copied > before) this.filesCopied++;
    return file;
  }

  async #step(bytes: number): Promise<void> {
    const { signal, progress } = this.#options;
    refuseAborted(signal);
    this.#done += bytes;
    progress?.(copying(this.#done, Math.max(this.#total, this.#done)));
    this.#pinned.renew();
    await this.#lease.renew(signal);
  }
}

/** A move between the tiers renames a field file and keeps its bytes. */
const REVISION = /(\.(?:stored|text|keyword|numeric|ordinal|vector|graph))(?:\.\d+)+$/;

const sealOf = ({ path, length, crc }: Pick<BackupFile, 'path' | 'length' | 'crc'>): string =>
  `${path.replace(REVISION, '$1')} ${length} ${crc}`;

function commitTotal({ commit, bytes }: CommitToCopy): number {
  let sum = bytes.length;
  for (const { length } of sealedFiles(commit).values()) sum += length;
  return sum;
}

/** Progress of copying, in bytes. */
export const copying = (bytes_done: number, bytes_total: number) =>
  ({ phase: 'copying', docs_done: 0, docs_total: 0, bytes_done, bytes_total }) as const;

/** Documents of a commit that are not deleted. */
export const liveDocs = ({ segments }: Commit): number =>
  segments.reduce((sum, { docs, deletedDocs }) => sum + docs - deletedDocs, 0);

function manifestOf(
  index: IndexToBackUp,
  { id, created_ms }: BackupWork,
  parts: RegisteredParts,
  { commit, generation }: CommitToCopy,
  files: readonly BackupFile[],
): BackupManifest {
  const { checkpoint } = commit;
  return {
    id,
    index: index.index,
    uuid: index.uuid,
    created_ms,
    definition: parts.definition,
    definition_version: parts.definitionVersion,
    base_dir: parts.baseDir,
    table_uuid: checkpoint?.table_uuid ?? null,
    snapshot: checkpoint?.snapshot_id ?? null,
    index_generation: generation,
    num_docs: liveDocs(commit),
    aliases: parts.aliases,
    saved_queries: parts.savedQueries,
    files,
  };
}

/** `20261122T184012345Z-1a2b3c4d`: ids sort by time. */
export function backupId(created_ms: number): string {
  const time = new Date(created_ms).toISOString().replaceAll(/[-:.]/g, '');
  return `${time}-${randomBytes(4).toString('hex')}`;
}

/** Reads all chunks of a manifest. Throws corrupt_index. */
async function verifyChunks(
  repository: Repository,
  manifest: BackupManifest,
  lease: Lease,
  { signal, progress }: CallContext,
): Promise<void> {
  const total = manifestBytes(manifest);
  let done = 0;
  const read = new Set<string>();
  for (const { chunks } of manifest.files) {
    for (const chunk of chunks) {
      refuseAborted(signal);
      if (!read.has(chunk.sha256)) await readChunk(repository, chunk, signal);
      read.add(chunk.sha256);
      done += chunk.length;
      progress?.({ ...copying(done, total), phase: 'checking' });
      await lease.renew(signal);
    }
  }
}
