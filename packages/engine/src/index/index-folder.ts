/**
 * An index on disk:
 *
 *   current       which generation is live: a framed file whose payload is JSON {"generation": n}, replaced by rename
 *   g000001/      a generation: one commit and its component files
 *   writer.lock   who writes (writer-lock.ts)
 *
 * A rebuild makes a new generation beside the live one; `publish` swaps the pointer, then removes
 * the old folder (open readers keep their mapped files). Everything that neither the pointer nor
 * a commit names is an orphan of a crash: opening removes it when no writer lives.
 */
import { existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { LhsError } from '../base/errors.ts';
import type { Directory } from '../storage/directory.ts';
import { corrupt, readFramed, writeFramed } from '../storage/frame.ts';
import { ioError } from '../storage/io-errors.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import { VERIFIED_FILE } from '../storage/verification.ts';
import { filesOf, readCommit } from './commit.ts';
import { type IndexSnapshot, openSnapshot } from './index-snapshot.ts';
import { LOCK_FILE, lockIndex, type WriterLock } from './writer-lock.ts';

const POINTER_FILE = 'current';
const POINTER_DRAFT = 'current.tmp';
const GENERATION = /^g(\d{6,})$/;
const OPEN_ATTEMPTS = 5;

/** Name of a generation's folder. */
const folderName = (generation: number): string => `g${String(generation).padStart(6, '0')}`;

/**
 * The live generation of an index folder, or null before the first `publish`. Throws
 * corrupt_index.
 */
export function liveGeneration(folder: string): number | null {
  if (!existsSync(join(folder, POINTER_FILE))) return null;
  const root = openLocalDirectory(folder);
  const payload = Buffer.from(readFramed(root, POINTER_FILE, 'pointer')).toString();
  const { generation } = JSON.parse(payload) as { generation: unknown };
  if (typeof generation === 'number' && Number.isSafeInteger(generation)) return generation;
  throw corrupt(join(folder, POINTER_FILE), 'it names no generation');
}

/**
 * Opens the live generation for reading and removes what a crash left behind. Throws
 * index_not_built, corrupt_index.
 */
export function openIndex(folder: string): IndexSnapshot {
  removeOrphans(folder);
  for (let attempt = 1; ; attempt++) {
    const generation = liveGeneration(folder);
    if (generation === null) throw notBuilt(folder);
    try {
      return openSnapshot(openLocalDirectory(join(folder, folderName(generation))), { generation });
    } catch (error) {
      // The generation may have been replaced and removed while it was being opened.
      if (attempt === OPEN_ATTEMPTS || liveGeneration(folder) === generation) throw error;
    }
  }
}

/**
 * The right to write an index: its lock, and the directory of a generation. `close` in any case.
 */
export interface IndexSession {
  readonly generation: number;
  /**
   * Where the generation's writer works. It refuses to replace a file once the lock has gone to
   * another process.
   */
  readonly directory: Directory;
  /** Makes a new generation, which must have a commit, the live one, and removes the old one. */
  publish(): void;
  /** Gives the lock back. A new generation that was not published is removed. Idempotent. */
  close(): void;
}

/**
 * Locks an index folder (made where it is missing), removes what a crash left behind, and opens
 * its live generation or a new, empty one beside it. Throws index_busy while another writer
 * lives, index_not_built when there is no live one.
 */
export function openIndexSession(folder: string, which: 'live' | 'new'): IndexSession {
  makeFolder(folder);
  const lock = lockIndex(folder);
  try {
    const live = liveGeneration(folder);
    sweepFolder(folder, live);
    const generation = which === 'new' ? (live ?? 0) + 1 : live;
    if (generation === null) throw notBuilt(folder);
    const path = join(folder, folderName(generation));
    if (which === 'new') makeFolder(path);
    const directory = openLocalDirectory(path, () => lock.assertHeld());
    return new LocalSession(folder, lock, generation, directory);
  } catch (error) {
    lock.release();
    throw error;
  }
}

class LocalSession implements IndexSession {
  readonly generation: number;
  readonly directory: Directory;
  readonly #folder: string;
  readonly #lock: WriterLock;
  #open = true;

  constructor(folder: string, lock: WriterLock, generation: number, directory: Directory) {
    this.#folder = folder;
    this.#lock = lock;
    this.generation = generation;
    this.directory = directory;
  }

  publish(): void {
    if (readCommit(this.directory) === null) {
      throw new LhsError('internal', 'a generation without a commit cannot be published');
    }
    const root = openLocalDirectory(this.#folder, () => this.#lock.assertHeld());
    root.sync();
    if (root.list().includes(POINTER_DRAFT)) root.remove(POINTER_DRAFT);
    const pointer = Buffer.from(JSON.stringify({ generation: this.generation }));
    writeFramed(root, POINTER_DRAFT, 'pointer', [pointer]);
    root.rename(POINTER_DRAFT, POINTER_FILE);
    sweepFolder(this.#folder, this.generation);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    try {
      sweepFolder(this.#folder, liveGeneration(this.#folder));
    } finally {
      this.#lock.release();
    }
  }
}

const notBuilt = (folder: string): LhsError =>
  new LhsError('index_not_built', `"${folder}" holds no index yet`, {
    hint: 'run lhs index reindex to build it',
  });

/**
 * Removes what a crash left behind, when there is something and no writer lives. A folder that
 * cannot be changed or is being written to stays as it is. Returns the names that were removed.
 */
export function removeOrphans(folder: string): readonly string[] {
  if (!existsSync(folder) || orphansOf(folder, liveGeneration(folder)).length === 0) return [];
  try {
    const lock = lockIndex(folder);
    try {
      return sweepFolder(folder, liveGeneration(folder));
    } finally {
      lock.release();
    }
  } catch (error) {
    if (error instanceof LhsError && (error.code === 'index_busy' || error.code === 'io_error')) {
      return [];
    }
    throw error;
  }
}

function sweepFolder(folder: string, live: number | null): readonly string[] {
  const names = orphansOf(folder, live).filter((name) => name !== LOCK_FILE);
  for (const name of names) {
    try {
      rmSync(join(folder, name), { recursive: true, force: true });
    } catch (error) {
      throw ioError(error, 'remove', join(folder, name));
    }
  }
  return names;
}

/**
 * Names in an index folder, and in its live generation, that nothing refers to; a lock that is
 * there among them.
 */
function orphansOf(folder: string, live: number | null): readonly string[] {
  const kept = live === null ? '' : folderName(live);
  const orphans = readdirSync(folder).filter((name) => {
    if (GENERATION.test(name)) return name !== kept;
    return name === POINTER_DRAFT || name.startsWith(LOCK_FILE);
  });
  if (live === null || !existsSync(join(folder, kept))) return orphans;
  const directory = openLocalDirectory(join(folder, kept));
  const commit = readCommit(directory);
  if (commit === null) return orphans;
  const named = filesOf(commit);
  for (const name of directory.list()) {
    if (!named.has(name) && name !== VERIFIED_FILE) orphans.push(join(kept, name));
  }
  return orphans;
}

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { recursive: true });
  } catch (error) {
    throw ioError(error, 'make', path);
  }
}
