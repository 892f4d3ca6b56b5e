import { join } from 'node:path';
import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';
import { COMMIT_FILE, type Commit, readCommit, writeCommit } from '../index/commits/commit.ts';
import { freeBytes, generationAt } from '../open/index-folder.ts';
import type { OpenDirectory } from '../open/open-index.ts';
import { hotEntry } from '../segment/cool.ts';
import { refuseAborted } from '../source/source-errors.ts';
import { damaged } from '../source/store-errors.ts';
import type { Directory } from '../storage/directory.ts';
import type { FileSeal } from '../storage/frame.ts';
import { makeFolder, syncFolder } from '../storage/make-folder.ts';
import { type BackupContents, openContents } from './backup-contents.ts';
import { copying } from './backup-index.ts';
import type { Backup } from './backups.ts';
import { checkedPieces } from './file-source.ts';
import { sealedFiles } from './pinned-commit.ts';
import type { Home } from './stored-json.ts';
import { writePieces } from './write-pieces.ts';

const COMMIT_PATH = `generation/${COMMIT_FILE}`;
/** Bytes of a commit, at most. */
const COMMIT_BYTES = 2 ** 30;

/** Where files are restored to. */
export interface RestoreFolder {
  /** The folder of the index. */
  readonly folder: string;
  readonly openDirectory: OpenDirectory;
}

/**
 * Writes the files of a backup into an empty index folder: the commit first, then the files that it
 * names, then the embedding caches. Cold windows become hot. Returns the commit. Throws
 * corrupt_index, disk_short, disk_full, io_error, interrupted.
 */
export async function restoreFiles(
  home: Home,
  backup: Backup,
  { folder, openDirectory }: RestoreFolder,
  work: CallContext,
): Promise<Commit> {
  const { index, id, index_generation } = backup.head;
  const place = `${home.place}/${index}/${id}`;
  const contents = await openContents(home, backup, work.signal);
  const generation = generationAt(folder, index_generation).path;
  makeFolder(generation);
  let done = 0;
  const write = (path: string, pieces = contents.read(path)) =>
    writePieces(pathOf(path, folder, generation), pieces, (bytes) => {
      refuseAborted(work.signal);
      done += bytes;
      work.progress?.(copying(done, backup.head.bytes));
    });
  const commitBytes = contents.lengths.get(COMMIT_PATH);
  if (commitBytes === undefined) throw damaged(place, 'it has no commit');
  if (commitBytes > COMMIT_BYTES) throw damaged(place, 'its commit is too large');
  await write(COMMIT_PATH);
  const commit = commitOf(openDirectory, generation, place);
  const seals = sealedFiles(commit);
  const caches = requireFiles(seals, contents, place);
  const sizes = [...seals.values(), ...caches].map(({ length }) => length);
  requireRoom(
    sizes.reduce((a, b) => a + b, 0),
    folder,
  );
  for (const [name, seal] of seals) {
    const path = `generation/${name}`;
    const other = () => damaged(place, `"${name}" has other bytes than its commit says`);
    await write(path, checkedPieces(contents.read(path), seal, other));
  }
  for (const { path } of caches) await write(path);
  const hot = heat(openDirectory(generation), commit);
  for (const path of [generation, folder]) syncFolder(path);
  return hot;
}

/** The commit without cold windows, which former backups have. All bytes of files are here. */
function heat(directory: Directory, commit: Commit): Commit {
  const cold = commit.segments.filter((entry) => entry.cold !== undefined);
  if (cold.length === 0) return commit;
  const segments = commit.segments.map((entry) => hotEntry(entry, ({ file }) => file));
  const hot = writeCommit(directory, { ...commit, segments });
  const lists = cold
    .flatMap(({ components }) => components)
    .filter(({ kind }) => kind === 'blocks');
  for (const { file } of lists) directory.remove(file);
  return hot;
}

function requireRoom(needed: number, folder: string): void {
  const free = freeBytes(folder);
  if (free >= needed) return;
  const short = `${needed} bytes are needed, ${free} are free`;
  const message = `the disk of "${folder}" is too full: ${short}`;
  throw new LhsError('disk_short', message, {
    hint: 'free space, or choose another data folder',
    next: [{ step: 'choose_data_folder' }],
    details: { path: folder, needed_bytes: needed, free_bytes: free },
  });
}

function commitOf(openDirectory: OpenDirectory, generation: string, place: string): Commit {
  const commit = readCommit(openDirectory(generation));
  if (!Array.isArray(commit?.segments)) throw damaged(place, 'its commit names no segments');
  return commit;
}

/** Throws corrupt_index unless the files of the commit are there; returns the embedding caches. */
function requireFiles(
  seals: ReadonlyMap<string, FileSeal>,
  { lengths }: BackupContents,
  place: string,
): readonly { readonly path: string; readonly length: number }[] {
  for (const [name, { length }] of seals) {
    const found = lengths.get(`generation/${name}`);
    if (found === undefined) throw damaged(place, `it lacks "${name}", which its commit names`);
    if (found !== length) throw damaged(place, `"${name}" has another length than its commit says`);
  }
  const caches = [...lengths].filter(([path]) => path.startsWith('embeddings/'));
  for (const [path, length] of caches) {
    if (length <= LIMITS.embeddingCacheBytes) continue;
    throw damaged(place, `"${path}" has ${length} bytes: at most ${LIMITS.embeddingCacheBytes}`);
  }
  return caches.map(([path, length]) => ({ path, length }));
}

/** Paths have one of two forms (backup-contents.ts). */
function pathOf(path: string, folder: string, generation: string): string {
  const [kind = '', ...names] = path.split('/');
  return kind === 'generation' ? join(generation, ...names) : join(folder, kind, ...names);
}
