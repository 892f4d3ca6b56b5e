/**
 * A clone of an index:
 *
 * 1. Pin the newest commit. Sync and merges go on.
 * 2. Link the files that the commit names, which never change, into the folder of a new index, or
 *    copy those that the system does not link. Files of cold windows are read from their store.
 * 3. Copy the embedding caches, which grow.
 * 4. Add the index to the registry, as a restore does.
 */
import { linkSync } from 'node:fs';
import { join } from 'node:path';
import { COMMIT_FILE, type Commit, liveDocs } from '../index/commits/commit.ts';
import { generationAt } from '../open/index-folder.ts';
import { withSetting } from '../schema/rename-definition.ts';
import { refuseAborted } from '../source/source-errors.ts';
import { ioError, systemCode } from '../storage/io-errors.ts';
import { makeFolder, syncFolder } from '../storage/make-folder.ts';
import type { IndexToBackUp } from './backup-index.ts';
import { cachesOf, coldSource, localSource, sealedPieces } from './file-source.ts';
import { type CommitToCopy, hotForm, pinForCopy, sealedFiles } from './pinned-commit.ts';
import { makeIndex, type RestoreOptions } from './restore-index.ts';
import { coldObjects } from './windows/cold-objects.ts';
import { writePieces } from './write-pieces.ts';

/** An index that was cloned. */
export interface ClonedIndex {
  readonly commit: Commit;
  readonly generation: number;
  readonly docs: number;
  readonly bytes: number;
  /** Of these, bytes that no link could share. */
  readonly copied: number;
}

/** Another file system, too many links, or a file of another user, which Linux may not link. */
const NO_LINK: ReadonlySet<string> = new Set(['EXDEV', 'EMLINK', 'EPERM']);

/**
 * Makes a second index of the newest commit of an index; `ref`: the branch or tag of the table that
 * it follows. Throws index_exists, index_not_built,
 * index_busy, corrupt_index, disk_full, io_error, interrupted.
 */
export async function cloneIndex(
  index: IndexToBackUp,
  { ref, ...options }: Omit<RestoreOptions, 'names' | 'baseDir'> & { readonly ref?: string },
): Promise<ClonedIndex> {
  const pinned = pinForCopy(index);
  try {
    const { commit, generation } = pinned;
    const parts = index.registered(commit.definition_version);
    const origin = {
      definition:
        ref === undefined
          ? parts.definition
          : withSetting(parts.definition, ['source', 'ref'], ref),
      definition_version: parts.definitionVersion,
      base_dir: parts.baseDir,
      index_generation: generation,
      ...{ aliases: [], saved_queries: [] },
    };
    const files = new CloneFiles(index, pinned, options);
    const own = { ...options, baseDir: undefined, names: 'none' } as const;
    const { bytes } = await makeIndex(origin, own, (folder) => files.write(folder));
    return { commit, generation, docs: liveDocs(commit), bytes, copied: files.copied };
  } finally {
    pinned.release();
  }
}

/** The files of a clone. */
class CloneFiles {
  readonly #index: IndexToBackUp;
  readonly #pinned: CommitToCopy;
  readonly #options: Pick<RestoreOptions, 'openDirectory' | 'signal'>;
  /** Bytes that were written. */
  copied = 0;

  constructor(
    index: IndexToBackUp,
    pinned: CommitToCopy,
    options: Pick<RestoreOptions, 'openDirectory' | 'signal'>,
  ) {
    this.#index = index;
    this.#pinned = pinned;
    this.#options = options;
  }

  /** Fills the folder of a new index. Returns its commit, without cold windows. */
  async write(folder: string): Promise<Commit> {
    const { generation, folder: own } = this.#pinned;
    const { path } = generationAt(folder, generation);
    makeFolder(path);
    const { openDirectory } = this.#options;
    const { commit, bytes } = hotForm(this.#pinned);
    const cold = coldObjects(openDirectory(own), this.#pinned.commit.segments);
    for (const [name, seal] of sealedFiles(commit)) {
      const object = cold.get(name);
      if (object === undefined && this.#linked(name, path)) continue;
      const source = object === undefined ? localSource(own, name) : coldSource(object);
      await this.#copy(join(path, name), sealedPieces(source, seal));
    }
    for await (const { name, pieces } of cachesOf(this.#index.folder)) {
      await this.#copy(join(folder, name), pieces);
    }
    await this.#copy(join(path, COMMIT_FILE), [bytes]);
    for (const each of [path, folder]) syncFolder(each);
    return commit;
  }

  /** False if the system does not link the file. Throws io_error. */
  #linked(name: string, folder: string): boolean {
    refuseAborted(this.#options.signal);
    try {
      linkSync(join(this.#pinned.folder, name), join(folder, name));
      return true;
    } catch (error) {
      if (NO_LINK.has(systemCode(error))) return false;
      throw ioError(error, 'link', join(folder, name));
    }
  }

  #copy(path: string, pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): Promise<void> {
    return writePieces(path, pieces, (bytes) => {
      refuseAborted(this.#options.signal);
      this.copied += bytes;
      this.#pinned.renew();
    });
  }
}
