/**
 * A clone of an index:
 *
 * 1. Pin the newest commit. Sync and merges go on.
 * 2. Link the files that the commit names, which never change, into the folder of a new index, or
 *    copy those that the system does not link. Files of cold windows are read from their store.
 * 3. Copy the embedding caches, which grow.
 * 4. Add the index to the registry, as a restore does.
 */
import { join } from 'node:path';
import { type Commit, liveDocs } from '../index/commits/commit.ts';
import { generationAt } from '../open/index-folder.ts';
import { withSetting } from '../schema/rename-definition.ts';
import { refuseAborted } from '../source/source-errors.ts';
import { makeFolder, syncFolder } from '../storage/make-folder.ts';
import { linkFile } from '../storage/share-file.ts';
import type { IndexToBackUp } from './backup-index.ts';
import { cachesOf, type FileSource, sealedPieces } from './file-source.ts';
import { commitInputs } from './make-bundle.ts';
import { type CommitToCopy, hotForm, pinForCopy } from './pinned-commit.ts';
import { makeIndex, type RestoreOptions } from './restore-index.ts';
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

/**
 * Makes a second index of the newest commit of an index; `ref`: the branch or tag of the table that
 * it follows. Throws index_exists, index_not_built, index_busy, corrupt_index, disk_full, io_error,
 * interrupted.
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
    let copied = 0;
    const { signal } = options;
    const step = (size: number) => {
      refuseAborted(signal);
      copied += size;
      pinned.renew();
    };
    const own = { ...options, baseDir: undefined, names: 'none' } as const;
    const { bytes } = await makeIndex(origin, own, (folder) =>
      fillClone(index, pinned, folder, { signal, step }),
    );
    return { commit, generation, docs: liveDocs(commit), bytes, copied };
  } finally {
    pinned.release();
  }
}

/**
 * Fills the folder of a new index; `step` is called after bytes that no link shares. Returns its
 * commit, without cold windows.
 */
async function fillClone(
  { folder: own, openDirectory }: IndexToBackUp,
  pinned: CommitToCopy,
  folder: string,
  { signal, step }: Pick<RestoreOptions, 'signal'> & { readonly step: (bytes: number) => void },
): Promise<Commit> {
  const { path } = generationAt(folder, pinned.generation);
  makeFolder(path);
  for (const { name, source, seal } of commitInputs(pinned, openDirectory)) {
    refuseAborted(signal);
    const to = join(path, name);
    if (source instanceof Uint8Array) await writePieces(to, [source], step);
    else if (!isLinked(source, to)) await writePieces(to, sealedPieces(source, seal), step);
  }
  for await (const { name, pieces } of cachesOf(own)) {
    await writePieces(join(folder, name), pieces, step);
  }
  for (const each of [path, folder]) syncFolder(each);
  return hotForm(pinned).commit;
}

const isLinked = ({ path, isLocal }: FileSource, to: string): boolean =>
  isLocal && linkFile(path, to) === 'linked';
