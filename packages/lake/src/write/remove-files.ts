import { rm, rmdir } from 'node:fs/promises';
import { dirname } from 'node:path';

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
