import type { ApplyResponse, CallContext, SyncResponse } from '@lakehouse-search/contract';
import type { TypedBatch } from '@lakehouse-search/contract/internal';
import type { SourceTable } from '@lakehouse-search/lake';
import type { Generation } from '../../open/index-folder.ts';
import { fromSource } from '../../source/source-errors.ts';
import { followedSnapshot, namedSnapshot } from '../../source/source-table.ts';
import { applyBatch } from '../batch/apply-batch.ts';
import { skippedPart } from '../batch/skipped-rows.ts';
import { isFileMissing } from '../file-missing.ts';
import type { LockedIndex } from '../locked-index.ts';
import type { SyncResult, SyncSession, SyncWork } from '../sync.ts';
import { FormerSessions } from './former-sessions.ts';
import { type LockedGeneration, liveGeneration, openSession } from './open-session.ts';

/**
 * Brings the live generation to the head, or to `until` (a snapshot id or ref): back too, where it
 * is behind. Throws index_not_built, source_changed, schema_changed, …
 */
export async function followTable(
  index: LockedIndex,
  until: string | undefined,
  work: SyncWork,
): Promise<Omit<SyncResponse, 'took_ms'>> {
  const live = liveGeneration(index);
  const { table, checkpoint, answer } = await followLive(index, live, until, work);
  const former = new FormerSessions(index);
  try {
    const behind = await former.follow(table, checkpoint, work.signal);
    return behind.length === 0 ? answer : { ...answer, fallen_behind: behind };
  } finally {
    await former.close();
  }
}

async function followLive(
  index: LockedIndex,
  live: Generation,
  until: string | undefined,
  work: SyncWork,
) {
  const session = openSession(index, live);
  try {
    const { done, table } = await catchUp(session, index, until, work);
    await session.settleMerges(work.signal);
    const { checkpoint } = session.commit;
    const answer: Omit<SyncResponse, 'took_ms'> = {
      doc_count: session.docs,
      snapshot: checkpoint?.snapshot_id ?? null,
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
    return { table, checkpoint, answer };
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
  work: SyncWork,
): Promise<{ readonly done: SyncResult; readonly table: SourceTable }> {
  const { ref } = definition.source;
  let table = opened;
  for (;;) {
    const target = until === undefined ? followedSnapshot(table, ref) : namedSnapshot(table, until);
    try {
      return { done: await session.catchUp(table, target, work), table };
    } catch (error) {
      if (!isFileMissing(error)) throw error;
      const newer = await fromSource(() => table.refresh(), work.signal);
      if (newer === table) throw error;
      table = newer;
    }
  }
}

/** An index whose lock is held, with its live generation open. */
export interface LiveSession {
  readonly locked: LockedGeneration;
  readonly session: SyncSession;
}

/**
 * Applies a change batch to the live generation, and then to the former ones; `again` gives its
 * parts once more (null: they cannot be read again). Throws as `applyBatch`.
 */
export async function applyToLive(
  { locked, session }: LiveSession,
  batch: TypedBatch,
  again: (() => TypedBatch['parts']) | null,
  work: CallContext,
): Promise<ApplyResponse> {
  const { dropped: _, ...answer } = await applyBatch(session.target, batch, work);
  if (again === null) return answer;
  const former = new FormerSessions(locked);
  try {
    await former.apply(batch, again, session.columns, work.signal);
    return answer;
  } finally {
    await former.close();
  }
}
