/**
 * Folders of indexes that are being restored, `<data folder>/indexes/<uuid>.restoring`. The lock of
 * the restoring process is in the folder, so that any other process can remove what a killed one
 * left. `publishRestored` gives the folder its name; the registry does that in the transaction that
 * adds the index.
 */
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ioError } from '../storage/io-errors.ts';
import { makeFolder, syncFolder } from '../storage/make-folder.ts';
import { type IndexLock, indexFolder, takeLock, tryLock } from './index-folder.ts';

const RESTORING = '.restoring';
const LOCK_FILE = 'writer.lock';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A folder without a lock may be the one that another process is about to lock. */
const YOUNG_MS = 60_000;

/** A folder that is being filled, and its lock. */
export interface RestoringFolder {
  readonly path: string;
  readonly lock: IndexLock;
}

/** Makes the folder of an index that is being restored. Throws io_error, disk_full. */
export function makeRestoring(dataDir: string, uuid: string, index: string): RestoringFolder {
  const path = indexFolder(dataDir, uuid) + RESTORING;
  makeFolder(path);
  return { path, lock: takeLock(path, index, 'restore') };
}

/** Gives the folder the name of its index, durably, and unlocks it. Throws io_error. */
export function publishRestored({ path }: RestoringFolder): void {
  const published = path.slice(0, -RESTORING.length);
  try {
    renameSync(path, published);
    rmSync(join(published, LOCK_FILE), { force: true });
    syncFolder(published);
    syncFolder(dirname(path));
  } catch (error) {
    throw ioError(error, 'rename', path);
  }
}

/** Removes a folder that is not wanted. What cannot be removed now, the next sweep removes. */
export function discardRestoring({ path, lock }: RestoringFolder): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    lock.release();
  }
}

/** Removes those of the names in `home` that ended processes left. Throws io_error. */
export function sweepRestoring(home: string, names: readonly string[], now = Date.now()): void {
  for (const name of names) {
    const [uuid, rest] = [name.slice(0, 36), name.slice(36)];
    if (!UUID.test(uuid) || rest !== RESTORING) continue;
    const path = join(home, name);
    const made = statSync(path, { throwIfNoEntry: false })?.birthtimeMs;
    const lock = statSync(join(path, LOCK_FILE), { throwIfNoEntry: false });
    if (made === undefined || (lock === undefined && now - made < YOUNG_MS)) continue;
    const held = lockLeft(path);
    if (held !== null) discardRestoring({ path, lock: held });
  }
}

/** Null if the process lives, or if it has just renamed or removed the folder. */
function lockLeft(path: string): IndexLock | null {
  try {
    return tryLock(path);
  } catch (error) {
    if (existsSync(path)) throw error;
    return null;
  }
}
