import type { SourceTable } from '@lakehouse-search/lake';
import type { SyncResponse, WorkOptions } from '../backend.ts';
import { LhsError } from '../base/errors.ts';
import { currentGeneration } from '../registry/index-folder.ts';
import { notBuilt } from '../registry/open-index.ts';
import type { SearchContext } from '../search/context.ts';
import { type LockedIndex, mappingOver } from './build-generation.ts';
import { followedSnapshot, namedSnapshot } from './source-table.ts';
import { missingSnapshots, syncIndex } from './sync.ts';

/**
 * Brings the live generation up to the head, or to `until` (a snapshot id or ref). Throws
 * index_not_built, checkpoint_gap, …
 */
export async function followTable(
  index: LockedIndex,
  until: string | undefined,
  work: WorkOptions,
): Promise<Omit<SyncResponse, 'took_ms'>> {
  const { folder, definition, definitionVersion, table, lock, openDirectory } = index;
  const live = currentGeneration(folder);
  if (live === null) throw notBuilt(definition.index);
  const { ref } = definition.source;
  const target =
    until === undefined ? followedSnapshot(table, ref) : namedSnapshot(table, until, '--until');
  const mapping = mappingOver(definition, table);
  const directory = openDirectory(live.path, () => lock.assertHeld());
  const request = { table, mapping, directory, target, definitionVersion, ...work };
  const done = await syncIndex(request);
  return {
    doc_count: done.docs,
    snapshot: done.commit.checkpoint?.snapshot_id ?? null,
    index_generation: live.number,
    snapshots_applied: done.snapshotsApplied,
    inserted: done.inserted,
    updated: done.updated,
    deleted: done.deleted,
    skipped_replace: done.skippedReplace,
  };
}

/**
 * How many snapshots the table is ahead; undefined where that cannot be told (table gone, history
 * expired).
 */
export async function snapshotsBehind(
  { snapshot, mapping }: Pick<SearchContext, 'snapshot' | 'mapping'>,
  open: () => Promise<SourceTable>,
): Promise<number | undefined> {
  try {
    const table = await open();
    const head = followedSnapshot(table, mapping.definition.source.ref);
    return missingSnapshots(snapshot.commit, table, head, mapping).length;
  } catch (error) {
    if (error instanceof LhsError) return undefined;
    throw error;
  }
}

/** Whether a source snapshot is the index's own, or one of its ancestors. */
export function reaches(
  table: SourceTable,
  checkpoint: { readonly snapshot_id: string | null } | null,
  id: string,
): boolean {
  if (checkpoint?.snapshot_id == null) return false;
  if (checkpoint.snapshot_id === id) return true;
  const own = BigInt(checkpoint.snapshot_id);
  if (!table.snapshots.some((snapshot) => snapshot.id === own)) return false;
  return table.ancestry(own).some((snapshot) => String(snapshot.id) === id);
}
