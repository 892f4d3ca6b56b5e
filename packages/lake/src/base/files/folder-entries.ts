import { readdir, stat } from 'node:fs/promises';
import { fileFault } from './local-file.ts';

/**
 * Names in a folder. On a local disk `files` names folders too: a folder in the place of a file
 * must be refused by name.
 */
export interface FolderEntries {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

const NOTHING: FolderEntries = Object.freeze({ files: [], folders: [] });

/** The entries of a local folder; none if it is not there. Throws permission_denied. */
export async function localEntries(folder: string): Promise<FolderEntries> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    const folders = entries.filter((entry) => entry.isDirectory());
    return { files: entries.map(({ name }) => name), folders: folders.map(({ name }) => name) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return NOTHING;
    throw fileFault(error, folder, 'table_not_found');
  }
}

/**
 * Device, inode, size and time of a local file: equal stamps mean the same bytes. null: no file.
 */
export async function localStamp(path: string): Promise<string | null> {
  const info = await stat(path, { bigint: true }).catch(() => null);
  return info === null ? null : [info.dev, info.ino, info.size, info.mtimeNs].join(':');
}
