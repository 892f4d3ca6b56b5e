import { normalizeRecorded } from '../base/files/table-files.ts';
import type { DeleteFile, FileScan, FileSet } from '../metadata/file-set.ts';

/** A data file that is in both sets, under another set of deletes. */
export interface ChangedScan {
  readonly before: FileScan;
  readonly after: FileScan;
  /** Delete files that apply after and did not before, and the other way round. */
  readonly addedDeletes: readonly DeleteFile[];
  readonly removedDeletes: readonly DeleteFile[];
}

/** The difference of two file sets. Untouched files are in none of the lists. */
export interface FileSetDiff {
  readonly added: readonly FileScan[];
  readonly removed: readonly FileScan[];
  readonly changed: readonly ChangedScan[];
}

/** One text for each delete: a Puffin file holds many vectors, so the path alone is not enough. */
export function deleteKey(file: DeleteFile): string {
  const path = normalizeRecorded(file.path);
  if (file.kind !== 'vector') return path;
  return `${path}#${file.contentOffset}#${normalizeRecorded(file.referencedDataFile)}`;
}

/**
 * The difference of two file sets. Data files are the same when their paths are; a path listed
 * twice counts twice.
 */
export function diffFileSets(before: FileSet, after: FileSet): FileSetDiff {
  const old = byPath(before);
  const added: FileScan[] = [];
  const changed: ChangedScan[] = [];
  for (const [key, scan] of byPath(after)) {
    const earlier = old.get(key);
    old.delete(key);
    if (earlier === undefined) added.push(scan);
    else {
      const change = compareDeletes(earlier, scan);
      if (change !== null) changed.push(change);
    }
  }
  return { added, removed: [...old.values()], changed };
}

function byPath(set: FileSet): Map<string, FileScan> {
  const map = new Map<string, FileScan>();
  for (const scan of set.files) {
    let key = normalizeRecorded(scan.data.path);
    while (map.has(key)) key += '\0';
    map.set(key, scan);
  }
  return map;
}

function compareDeletes(before: FileScan, after: FileScan): ChangedScan | null {
  const old = new Set(before.deletes.map(deleteKey));
  const now = new Set(after.deletes.map(deleteKey));
  const addedDeletes = after.deletes.filter((file) => !old.has(deleteKey(file)));
  const removedDeletes = before.deletes.filter((file) => !now.has(deleteKey(file)));
  if (addedDeletes.length + removedDeletes.length === 0) return null;
  return { before, after, addedDeletes, removedDeletes };
}
