import { randomUUID } from 'node:crypto';
import { link, open, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from './sync-folder.ts';
import { writeFault } from './write-fault.ts';

/**
 * Writes of metadata files that are whole or not there: bytes go to a hidden file, are synced, and
 * get their name by `link` (fails if the name is taken) or `rename` (replaces).
 */

async function writeSynced(path: string, text: string | Uint8Array): Promise<void> {
  await using handle = await open(path, 'wx');
  await handle.writeFile(text);
  await handle.sync();
}

/** Creates `path` with `text`; false if it exists already. Throws as `writeFault`. */
export async function createExclusive(path: string, text: string | Uint8Array): Promise<boolean> {
  const hidden = join(dirname(path), `.${randomUUID()}.tmp`);
  try {
    await writeSynced(hidden, text);
    if (!(await linkFirst(hidden, path))) return false;
    await syncFolder(dirname(path));
    return true;
  } catch (error) {
    throw writeFault(path, error);
  } finally {
    await unlink(hidden).catch(() => undefined);
  }
}

/**
 * Gives a file a name more; false if the name is taken. A network file system whose answer was lost
 * repeats the call and finds its own link. Throws the system's other errors.
 */
export async function linkFirst(file: string, path: string): Promise<boolean> {
  try {
    await link(file, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const [a, b] = await Promise.all([file, path].map((name) => stat(name, { bigint: true })));
    return a.ino === b.ino && a.dev === b.dev;
  }
}

/** Moves a Hadoop table's version hint. A failure is no fault: readers look past a stale hint. */
export async function writeVersionHint(metadataFolder: string, version: number): Promise<void> {
  const hidden = join(metadataFolder, `.${randomUUID()}.tmp`);
  try {
    await writeSynced(hidden, String(version));
    await rename(hidden, join(metadataFolder, 'version-hint.text'));
  } catch {
    await unlink(hidden).catch(() => undefined);
  }
}
