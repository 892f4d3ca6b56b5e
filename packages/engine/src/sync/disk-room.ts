import { LhsError } from '@lakehouse-search/contract';
import type { FileSet } from '@lakehouse-search/lake';

/** Room that a merge needs beside the finished segments, and what a first build may grow by. */
const MERGE_FACTOR = 2.2;

/**
 * Throws disk_short (412) when a reindex will not fit beside the live generation. What it needs is
 * guessed: of a former generation its size times `MERGE_FACTOR`; of a first one the data files'
 * size and `rowBytes`, that of its vectors and of their cache, a row.
 */
export function requireRoom(
  set: FileSet,
  formerBytes: number,
  freeBytes: number,
  folder: string,
  rowBytes = 0,
): void {
  const data = set.files.reduce((sum, { data }) => {
    return sum + data.fileSize + rowBytes * data.recordCount;
  }, 0);
  const needed = Math.ceil(formerBytes > 0 ? formerBytes * MERGE_FACTOR : data);
  requireFree(needed, freeBytes, folder, 'reindex');
}

/** Throws disk_short when merges of so many bytes will not fit beside what they read. */
export function requireMergeRoom(bytes: number, freeBytes: number, folder: string): void {
  requireFree(bytes, freeBytes, folder, 'compact');
}

function requireFree(needed: number, free: number, folder: string, what: string): void {
  if (free >= needed) return;
  const short = `about ${megabytes(needed)} are needed, ${megabytes(free)} are free`;
  throw new LhsError('disk_short', `the disk of "${folder}" is too full to ${what}: ${short}`, {
    hint: 'free space, or choose another data folder; the live generation is untouched',
    next: [{ step: 'choose_data_folder' }],
    details: { path: folder, needed_bytes: needed, free_bytes: free },
  });
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
