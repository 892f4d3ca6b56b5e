/**
 * How the folder of a dropped index goes. The registry's row is the truth: a folder is made only
 * while its row is there (`Registry.whileRegistered`), and its uuid is never given again. So a
 * folder without a row belongs to nobody, and any process may remove it at any time.
 *
 *     1. `Registry.remove`: the index is dropped, whatever happens next
 *     2. `dropFolder`: one rename to `<uuid>.dropped`
 *     3. `sweepFolders`: the files go; the next engine ends what a killed drop left at 1 or 2
 */
import { readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { heldPins } from '../base/pin-names.ts';
import { REGISTRY_FILE } from '../registry/registry-file.ts';
import { ioError, systemCode } from '../storage/io-errors.ts';
import { syncFolder } from '../storage/make-folder.ts';
import { generationsAmong } from './index-folder.ts';
import { sweepRestoring } from './restoring-folders.ts';

const DROPPED = '.dropped';
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * What an index's folder contains. What another process removes meanwhile counts nothing. Throws
 * io_error.
 */
export function folderSize(folder: string, now: number) {
  const generations = generationsAmong(folder, namesIn(folder));
  const pins = generations.flatMap(({ path }) => heldPins(namesIn(path), now));
  return {
    generations: generations.length,
    points_in_time: pins.length,
    bytes: bytesBelow(folder),
  };
}

/** The bytes of all files in a folder. */
function bytesBelow(folder: string): number {
  try {
    return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return sum + bytesBelow(path);
      return sum + (entry.isFile() ? (statSync(path, { throwIfNoEntry: false })?.size ?? 0) : 0);
    }, 0);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return 0;
    throw ioError(error, 'look at', folder);
  }
}

/** Puts the folder of a dropped index aside, durably, if it is there. Throws io_error. */
export function dropFolder(folder: string): void {
  try {
    renameSync(folder, folder + DROPPED);
    syncFolder(dirname(folder));
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw ioError(error, 'drop', folder);
  }
}

/**
 * Removes the folders of indexes that are not registered, and those that were put aside. Names are
 * read before `registered` is called: an index that is created meanwhile has its row before its
 * folder, so its folder is not removed. An index that is being restored gets its row and its folder
 * in one transaction, which `settled` waits for. A folder that is older than the registry's file is
 * left alone: the registry was lost or restored, and its rows say nothing about that folder. So are
 * all folders without such a file, and other names. Throws io_error.
 */
export function sweepFolders(
  dataDir: string,
  registered: () => ReadonlySet<string>,
  settled: () => ReadonlySet<string> = registered,
): void {
  const home = join(dataDir, 'indexes');
  const names = namesIn(home);
  const since = birth(join(dataDir, REGISTRY_FILE)) ?? Number.POSITIVE_INFINITY;
  const isNewer = (name: string) => (birth(join(home, name)) ?? 0) >= since;
  const folders = names.filter((name) => UUID.test(name) && isNewer(name));
  const known = folders.length === 0 ? new Set<string>() : registered();
  const unknown = folders.filter((name) => !known.has(name));
  const sure = unknown.length === 0 ? known : settled();
  const dead = unknown.filter((name) => !sure.has(name));
  for (const name of dead) dropFolder(join(home, name));
  const aside = names.filter((name) => name.endsWith(DROPPED));
  for (const name of [...aside, ...dead.map((uuid) => uuid + DROPPED)]) {
    removeFolder(join(home, name));
  }
  sweepRestoring(home, names);
}

/**
 * When a file was made, in milliseconds since 1970. Where a file system does not record it, Node
 * gives the time of the last change: for the registry that is late, so fewer folders are removed.
 * Undefined if there is no such file.
 */
function birth(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.birthtimeMs;
}

function namesIn(home: string): readonly string[] {
  try {
    return readdirSync(home);
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return [];
    throw ioError(error, 'list', home);
  }
}

/** Another process may be removing it too: what is gone is gone. */
function removeFolder(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  } catch (error) {
    if (systemCode(error) !== 'ENOENT') throw ioError(error, 'remove', path);
  }
}
