/**
 * Which data files a compaction rewrites. Files of one partition are packed into bins of the target
 * size, in their order. A file is a candidate if it is small, or if deletes have taken a share of
 * it that is worth reading it again.
 */
import type { DeleteFile, FileScan } from '../../metadata/file-set.ts';
import { partitionKey } from '../../plan/delete-index.ts';

/** How files are chosen. */
export interface CompactionRule {
  /** Size of new files, bytes. */
  readonly targetBytes: number;
  /** Rewrite every data file, in one bin; each partition gets new files. */
  readonly all: boolean;
}

/** A file is small below this share of the target. */
const SMALL = 0.75;
/** Share of deleted rows from which a large file is rewritten. */
const DELETED = 0.1;

/** The bins: each becomes one new file, or none if all its rows are deleted. */
export function planCompaction(
  files: readonly FileScan[],
  { targetBytes, all }: CompactionRule,
): readonly (readonly FileScan[])[] {
  if (all) return files.length === 0 ? [] : [files];
  const bins: FileScan[][] = [];
  for (const group of byPartition(files).values()) {
    const candidates = group.filter((scan) => isCandidate(scan, targetBytes));
    for (const bin of packed(candidates, targetBytes)) {
      if (bin.length > 1 || bin.some(isThinned)) bins.push(bin);
    }
  }
  return bins;
}

function byPartition(files: readonly FileScan[]): ReadonlyMap<string, FileScan[]> {
  const groups = new Map<string, FileScan[]>();
  for (const scan of files) {
    const key = partitionKey(scan.data);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [scan]);
    else group.push(scan);
  }
  return groups;
}

const isCandidate = (scan: FileScan, targetBytes: number): boolean =>
  scan.data.fileSize < SMALL * targetBytes || isThinned(scan);

/** True if deletes apply to enough rows, or to an unknown number of them. */
function isThinned({ data, deletes }: FileScan): boolean {
  if (deletes.some(({ kind }) => kind === 'equality')) return true;
  const dead = deletes.reduce((sum, { recordCount }) => sum + recordCount, 0);
  return dead > 0 && dead >= DELETED * data.recordCount;
}

function packed(files: readonly FileScan[], targetBytes: number): readonly FileScan[][] {
  const bins: FileScan[][] = [];
  let size = Number.POSITIVE_INFINITY;
  for (const scan of files) {
    if (size + scan.data.fileSize > targetBytes) {
      bins.push([]);
      size = 0;
    }
    bins.at(-1)?.push(scan);
    size += scan.data.fileSize;
  }
  return bins;
}

/** What tells a delete file from others: vectors share files. */
export const deleteFileKey = (file: DeleteFile): string =>
  file.kind === 'vector' ? `${file.path} ${file.contentOffset}` : file.path;
