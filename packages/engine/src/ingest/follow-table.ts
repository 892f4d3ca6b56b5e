import type { SyncResponse, WorkOptions } from '../backend.ts';
import { currentGeneration } from '../registry/index-folder.ts';
import { notBuilt } from '../registry/open-index.ts';
import { type LockedIndex, mappingOver } from './build-generation.ts';
import { followedSnapshot, namedSnapshot } from './source-table.ts';
import { syncIndex } from './sync.ts';

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
    ...(done.droppedDuplicates > 0 ? { dropped_duplicates: done.droppedDuplicates } : {}),
  };
}
