import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type CallContext, LhsError } from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';
import { COMMIT_FILE, type Commit, readCommit, writeCommit } from '../index/commits/commit.ts';
import { freeBytes, generationAt } from '../open/index-folder.ts';
import type { OpenDirectory } from '../open/open-index.ts';
import { hotEntry } from '../segment/cool.ts';
import { refuseAborted } from '../source/source-errors.ts';
import { damaged } from '../source/store-errors.ts';
import type { Directory } from '../storage/directory.ts';
import { ioError } from '../storage/io-errors.ts';
import { makeFolder, syncFolder } from '../storage/make-folder.ts';
import { copying } from './backup-index.ts';
import { type BackupFile, type BackupManifest, manifestBytes } from './manifest.ts';
import { sealedFiles } from './pinned-commit.ts';
import { chunkKey, listChunks, type Repository, readChunk } from './repository.ts';

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
 * Writes the files of a backup into an empty index folder: the commit first, then exactly the files
 * that it names, then the embedding caches. Cold windows become hot. Returns the commit. Throws
 * corrupt_index, disk_short, disk_full, io_error, interrupted.
 */
export async function restoreFiles(
  repository: Repository,
  manifest: BackupManifest,
  { folder, openDirectory }: RestoreFolder,
  work: CallContext,
): Promise<Commit> {
  const place = `${repository.place}/${manifest.index}/${manifest.id}`;
  await requireChunks(repository, manifest, work.signal);
  const generation = generationAt(folder, manifest.index_generation).path;
  makeFolder(generation);
  const files = new Map(manifest.files.map((file) => [file.path, file]));
  const commitFile = files.get(COMMIT_PATH);
  if (commitFile === undefined) throw damaged(place, 'it has no commit');
  if (commitFile.length > COMMIT_BYTES) throw damaged(place, 'its commit is too large');
  const total = manifestBytes(manifest);
  let done = 0;
  const write = (file: BackupFile) => {
    const path = pathOf(file, folder, generation);
    return writePieces(path, chunksOf(repository, file, work.signal), (bytes) => {
      done += bytes;
      work.progress?.(copying(done, total));
    });
  };
  await write(commitFile);
  const commit = commitOf(openDirectory, generation, place);
  requireFiles(commit, manifest, place);
  requireRoom(manifest, folder);
  for (const file of manifest.files) if (file !== commitFile) await write(file);
  const hot = heat(openDirectory(generation), commit);
  for (const path of [generation, folder]) syncFolder(path);
  return hot;
}

/** The commit without cold windows, in a folder whose files have all bytes. */
export function heat(directory: Directory, commit: Commit): Commit {
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

/** Throws corrupt_index, before anything is written, if a chunk is missing or cut. */
async function requireChunks(
  repository: Repository,
  { files }: BackupManifest,
  signal: AbortSignal | undefined,
): Promise<void> {
  const lengths = await listChunks(repository, signal);
  for (const { path, chunks } of files) {
    for (const { sha256, length } of chunks) {
      const found = lengths.get(sha256);
      if (found === length) continue;
      const what = found === undefined ? 'is missing' : `has ${found} bytes, expected ${length}`;
      throw damaged(`${repository.place}/${chunkKey(sha256)}`, `it ${what} (a part of "${path}")`);
    }
  }
}

function requireRoom(manifest: BackupManifest, folder: string): void {
  const needed = manifestBytes(manifest);
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

/** Throws corrupt_index unless the manifest has just the files of the commit, and caches. */
function requireFiles(commit: Commit, { files }: BackupManifest, place: string): void {
  const seals = sealedFiles(commit);
  const found = new Map(files.map((file) => [file.path, file]));
  for (const [name, { length, crc }] of seals) {
    const file = found.get(`generation/${name}`);
    if (file === undefined) throw damaged(place, `it lacks "${name}", which its commit names`);
    if (file.length === length && file.crc === crc) continue;
    throw damaged(place, `"${name}" has another length or checksum than its commit says`);
  }
  for (const { path, length } of files) {
    const [kind, name] = path.split('/');
    if (kind === 'generation' && !seals.has(name) && path !== COMMIT_PATH) {
      throw damaged(place, `its commit does not name "${name}"`);
    }
    if (kind === 'embeddings' && length > LIMITS.embeddingCacheBytes) {
      throw damaged(place, `"${path}" has ${length} bytes: at most ${LIMITS.embeddingCacheBytes}`);
    }
  }
}

/** The manifest's check allows two forms of paths (manifest.ts). */
function pathOf({ path }: BackupFile, folder: string, generation: string): string {
  const [kind, ...names] = path.split('/');
  return kind === 'generation' ? join(generation, ...names) : join(folder, kind, ...names);
}

async function* chunksOf(
  repository: Repository,
  { chunks }: BackupFile,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) {
    refuseAborted(signal);
    yield await readChunk(repository, chunk, signal);
  }
}

/** Writes a new file, durably; `step` is called after each piece. Throws io_error, disk_full. */
export async function writePieces(
  path: string,
  pieces: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  step: (bytes: number) => void,
): Promise<void> {
  makeFolder(dirname(path));
  try {
    await using handle = await open(path, 'wx', 0o600);
    for await (const bytes of pieces) {
      await writeAll(handle, bytes);
      step(bytes.length);
    }
    await handle.sync();
  } catch (error) {
    throw ioError(error, 'write', path);
  }
}

async function writeAll(handle: FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; ) {
    at += (await handle.write(bytes, at, bytes.length - at)).bytesWritten;
  }
}
