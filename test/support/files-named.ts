import { readCommit, writeCommit } from '../../packages/engine/src/index/commits/commit.ts';
import {
  type DataFiles,
  dataFiles,
  FREE_NUMBER,
} from '../../packages/engine/src/index/commits/data-files.ts';
import type { Directory } from '../../packages/engine/src/storage/directory.ts';

/** Writes the newest commit again with two pages more, of numbers that no document uses. */
export function addPages(directory: Directory): void {
  const commit = readCommit(directory)!;
  const free = Array.from({ length: 2000 }, () => FREE_NUMBER);
  const files = dataFiles([...commit.files.all(), ...free]);
  writeCommit(directory, { ...commit, number: commit.number + 1, files });
}

/** The data files of a commit that has followed no table: paths by number. */
export const filesNamed = (...paths: readonly string[]): DataFiles =>
  dataFiles(paths.map((path) => ({ ...FREE_NUMBER, path })));

/** Files before 1,000 others that are named after a commit: each commit writes a page. */
export const filesAndPage = (paths: readonly string[], commit: number | string): DataFiles =>
  filesNamed(...paths, ...Array.from({ length: 1000 }, (_, i) => `other ${i} of ${commit}`));
