import { constants, copyFile, mkdir, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { writeFault } from './write-fault.ts';

/**
 * Makes a folder and those above it that are missing; returns the topmost that was missing. Throws
 * permission_denied, disk_full, internal.
 *
 * Node's recursive mkdir is not used: it never returns if a folder exists but cannot hold
 * another one, as /proc.
 */
export async function makeFolder(folder: string): Promise<string | undefined> {
  const missing: string[] = [];
  try {
    for (let next = resolve(folder); !(await isFolder(next)); next = dirname(next)) {
      missing.unshift(next);
      // a drive of Windows that is not there
      if (next === dirname(next)) break;
    }
    for (const next of missing) await makeOne(next);
    return missing[0];
  } catch (error) {
    throw writeFault(folder, error);
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return false;
    throw error;
  }
}

/** Makes a folder; another process may make it at the same time. */
async function makeOne(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' || !(await isFolder(path))) throw error;
  }
}

/** The content of a new file: bytes, or a local file that is moved. */
export type NewFile = Uint8Array | { readonly file: string };

/**
 * Writes a file that is not there yet, and the folders above it. Throws permission_denied,
 * disk_full, internal.
 */
export async function writeNewFile(path: string, content: NewFile): Promise<void> {
  await makeFolder(dirname(path));
  try {
    if (content instanceof Uint8Array) await writeFile(path, content, { flag: 'wx' });
    else await moveFile(content.file, path);
  } catch (error) {
    throw writeFault(path, error);
  }
}

/** Moves a file, to another disk too. */
async function moveFile(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error;
    await copyFile(from, to, constants.COPYFILE_EXCL);
  }
}

/**
 * Removes files that no snapshot names, and the folders (partitions) that are empty afterwards. A
 * file that is gone already is no error.
 */
export async function removeFiles(paths: readonly string[]): Promise<void> {
  await Promise.all(paths.map((path) => rm(path, { force: true })));
  let folders = [...new Set(paths.map((path) => dirname(path)))];
  while (folders.length > 0) {
    const gone = await Promise.all(folders.map(removeIfEmpty));
    folders = [...new Set(folders.filter((_, i) => gone[i]).map((path) => dirname(path)))];
  }
}

function removeIfEmpty(folder: string): Promise<boolean> {
  return rmdir(folder).then(
    () => true,
    () => false,
  );
}
