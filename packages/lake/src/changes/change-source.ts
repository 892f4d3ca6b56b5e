import type { FileSet } from '../metadata/file-set.ts';
import { ancestryOf, type TableMetadata } from '../metadata/table-metadata.ts';
import { diffFileSets } from '../plan/diff-file-sets.ts';
import { PositionSet } from '../puffin/position-set.ts';
import type { DeadRows } from '../scan/deletes.ts';
import type { ReadContext } from '../scan/read-context.ts';
import type { ScanPart } from '../scan/scan.ts';

/** The table between whose snapshots changes are sought. */
export interface ChangeSource {
  readonly metadata: TableMetadata;
  readonly context: ReadContext;
  readonly dead: DeadRows;
  files(snapshotId: bigint | null): Promise<FileSet>;
}

/**
 * What must be read to find the changes: rows that were live before and may be gone, rows that live
 * now and may be new.
 */
export interface ChangedParts {
  readonly before: readonly ScanPart[];
  readonly after: readonly ScanPart[];
}

/**
 * The parts of two snapshots that differ, ancestors of one another or not:
 *
 * - a data file that was removed: its rows that were live before;
 * - a data file that was added: its rows that live after;
 * - a data file that is in both under other delete files: the positions that died, and those that
 *   came back.
 *
 * Rows of files that are in both under the same deletes are the same rows and are not looked at.
 */
export async function changedParts(
  source: ChangeSource,
  from: bigint | null,
  to: bigint,
): Promise<ChangedParts> {
  const diff = diffFileSets(await source.files(from), await source.files(to));
  const before: ScanPart[] = diff.removed.map((scan) => ({ scan, only: null }));
  const after: ScanPart[] = diff.added.map((scan) => ({ scan, only: null }));
  for (const change of diff.changed) {
    const deadBefore = await source.dead.of(change.before, null);
    const deadAfter = await source.dead.of(change.after, null);
    const died = difference(deadAfter, deadBefore);
    const revived = difference(deadBefore, deadAfter);
    if (died.size > 0) before.push({ scan: change.before, only: died });
    if (revived.size > 0) after.push({ scan: change.after, only: revived });
  }
  return { before, after };
}

function difference(from: PositionSet, without: PositionSet): PositionSet {
  return new PositionSet(from.positions.filter((position) => !without.has(position)));
}

/**
 * Whether only compactions (`replace`) are between two snapshots, one of which descends from the
 * other. Then no row differs, and no file needs to be read.
 */
export function onlyReplaced(metadata: TableMetadata, from: bigint | null, to: bigint): boolean {
  if (from === null) return false;
  return descends(metadata, to, from) || descends(metadata, from, to);
}

function descends(metadata: TableMetadata, newer: bigint, older: bigint): boolean {
  for (const snapshot of ancestryOf(metadata, newer)) {
    if (snapshot.id === older) return true;
    if (snapshot.operation !== 'replace') return false;
  }
  return false;
}
