import { mkdir, stat, writeFile } from 'node:fs/promises';
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

/** Writes a file that is not there yet. Throws permission_denied, disk_full, internal. */
export async function writeNewFile(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(path, bytes, { flag: 'wx' });
  } catch (error) {
    throw writeFault(path, error);
  }
}
