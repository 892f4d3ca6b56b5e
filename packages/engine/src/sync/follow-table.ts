import type {
  ApplyResponse,
  CallContext,
  SyncResponse,
  TypedBatch,
} from '@lakehouse-search/contract';
import { bySize, inlineRunner, workerRunner } from '../index/merge-runners.ts';
import { currentGeneration, type Generation } from '../open/index-folder.ts';
import { notBuilt } from '../open/open-index.ts';
import { fromSource } from '../source/source-errors.ts';
import { followedSnapshot, namedSnapshot } from '../source/source-table.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import { applyBatch } from './apply-batch.ts';
import { isFileMissing } from './file-missing.ts';
import { type LockedIndex, modelPlaces } from './locked-index.ts';
import { skippedPart } from './skipped-rows.ts';
import { type SyncResult, SyncSession } from './sync.ts';

/**
 * Brings the live generation to the head, or to `until` (a snapshot id or ref): back too, where it
 * is behind. Throws index_not_built, source_changed, schema_changed, …
 */
export async function followTable(
  index: LockedIndex,
  until: string | undefined,
  work: CallContext,
): Promise<Omit<SyncResponse, 'took_ms'>> {
  const live = liveGeneration(index);
  const session = openSession(index, live);
  try {
    const done = await catchUp(session, index, until, work);
    await session.settleMerges(work.signal);
    return {
      doc_count: session.docs,
      snapshot: session.commit.checkpoint?.snapshot_id ?? null,
      index_generation: live.number,
      snapshots_applied: done.snapshotsApplied,
      inserted: done.inserted,
      updated: done.updated,
      deleted: done.deleted,
      skipped_replace: done.skippedReplace,
      ...(done.droppedDuplicates > 0 ? { dropped_duplicates: done.droppedDuplicates } : {}),
      ...(done.healed === undefined ? {} : { healed: done.healed }),
      ...skippedPart(session.commit),
      ...done.vectors,
    };
  } finally {
    await session.close();
  }
}

/**
 * Catches up; where files of the head are gone because the table has moved on meanwhile (compacted,
 * its old snapshots forgotten), with the table as it is then.
 */
async function catchUp(
  session: SyncSession,
  { definition, table: opened }: LockedIndex,
  until: string | undefined,
  work: CallContext,
): Promise<SyncResult> {
  const { ref } = definition.source;
  let table = opened;
  for (;;) {
    const target = until === undefined ? followedSnapshot(table, ref) : namedSnapshot(table, until);
    try {
      return await session.catchUp(table, target, work);
    } catch (error) {
      if (!isFileMissing(error)) throw error;
      const newer = await fromSource(() => table.refresh(), work.signal);
      if (newer === table) throw error;
      table = newer;
    }
  }
}

/** An index whose lock is held; its table is not needed. */
export type LockedGeneration = Omit<LockedIndex, 'table'>;

/** Applies a change batch to the live generation. Throws index_not_built and as `applyBatch`. */
export async function applyToLive(
  index: LockedGeneration,
  batch: TypedBatch,
  work: CallContext,
): Promise<ApplyResponse> {
  const session = openSession(index, liveGeneration(index));
  try {
    const { dropped: _, ...answer } = await applyBatch(session.target, batch, work);
    await session.settleMerges(work.signal);
    return answer;
  } finally {
    await session.close();
  }
}

/** The live generation. Throws index_not_built before the first reindex. */
export function liveGeneration({ folder, definition }: LockedGeneration): Generation {
  const live = currentGeneration(folder);
  if (live === null) throw notBuilt(definition.index);
  return live;
}

/** Opens a generation of a locked index for following its table. Close it before the lock. */
export function openSession(index: LockedGeneration, generation: Generation): SyncSession {
  const { definition, definitionVersion, lock, openDirectory, memoryBytes } = index;
  const directory = openDirectory(generation.path, () => lock.assertHeld());
  const here = inlineRunner(directory);
  const mergeRunner = openDirectory === openLocalDirectory ? bySize(here, workerRunner()) : here;
  const models = modelPlaces(index);
  const how = { mergeRunner, memoryBytes };
  return SyncSession.open({ directory, definition, definitionVersion, models, ...how });
}
