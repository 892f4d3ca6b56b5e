import { LhsError } from '@lakehouse-search/contract';
import type { FileSet } from '@lakehouse-search/lake';
import type { CommittedField } from '../../index/commits/commit.ts';

/** Room that a merge needs beside the finished segments, and what a first build may grow by. */
const MERGE_FACTOR = 2.2;

/** Bytes that vectors take per row: in a segment, and in the cache of their model. */
export interface VectorBytes {
  readonly segment: number;
  readonly cache: number;
}

/**
 * Throws disk_short (412) when a reindex will not fit beside the live generation. What it needs is
 * estimated: of a former generation its size, and the size of the vectors that it does not have,
 * times `MERGE_FACTOR`; of a first one the size of the data files and of its vectors.
 */
export function requireRoom(
  set: FileSet,
  formerBytes: number,
  freeBytes: number,
  folder: string,
  fresh: VectorBytes,
): void {
  requireFree(roomOfRebuild(set, formerBytes, fresh), freeBytes, folder, 'reindex');
}

/** Bytes that a reindex needs beside the live generation, as `requireRoom` estimates them. */
export function roomOfRebuild(set: FileSet, formerBytes: number, fresh: VectorBytes): number {
  const rows = set.files.reduce((sum, { data }) => sum + data.recordCount, 0);
  const data = set.files.reduce((sum, { data }) => sum + data.fileSize, 0);
  const rebuilt = MERGE_FACTOR * (formerBytes + rows * fresh.segment);
  const segments = formerBytes > 0 ? rebuilt : data + rows * fresh.segment;
  return Math.ceil(segments + rows * fresh.cache);
}

/** Bytes per row of the vectors of `fields` that an index with the fields `former` lacks. */
export function freshVectorBytes(
  fields: readonly CommittedField[],
  former: readonly CommittedField[],
): VectorBytes {
  const had = new Map(former.map(({ name, vector }) => [name, vector]));
  let segment = 0;
  let cache = 0;
  for (const { name, vector } of fields) {
    if (vector === undefined) continue;
    const before = had.get(name);
    if (before?.dims !== vector.dims) segment += 2 * vector.dims;
    const known = before !== undefined && before.model?.name === vector.model?.name;
    if (vector.model !== null && !known) cache += 2 * vector.dims;
  }
  return { segment, cache };
}

/** Throws disk_short when merges of so many bytes will not fit beside what they read. */
export function requireMergeRoom(bytes: number, freeBytes: number, folder: string): void {
  requireFree(bytes, freeBytes, folder, 'compact');
}

/** Throws disk_short when the files of a rewritten segment will not fit beside the former ones. */
export function requireUpgradeRoom(bytes: number, freeBytes: number, folder: string): void {
  requireFree(bytes, freeBytes, folder, 'upgrade');
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
