import type {
  ApplyResponse,
  ChangeBatch,
  CheckpointState,
  ReindexResponse,
  SyncResponse,
  WorkOptions,
} from '../backend.ts';
import { buildGeneration } from '../ingest/build-generation.ts';
import { checkpointState } from '../ingest/checkpoint-state.ts';
import { applyToLive, followTable } from '../ingest/follow-table.ts';
import { currentGeneration } from '../registry/index-folder.ts';
import { notBuilt } from '../registry/open-index.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { lockedGeneration, withLock, writeIndex } from './write-index.ts';

/** Builds a generation and makes it the live one. Throws as `lockForWriting` and `buildGeneration`. */
export async function reindexLocal(
  indexes: LocalIndexes,
  request: { readonly index?: string; readonly as_of?: string },
  work: WorkOptions,
): Promise<ReindexResponse> {
  const known = indexes.resolve(request.index);
  return writeIndex(indexes, known, 'reindex', work.signal, async (locked) => {
    const answer = await buildGeneration(locked, request.as_of, indexes.bytes(known), work);
    indexes.forget(known.registered.uuid);
    return answer;
  });
}

/** Brings an index to its table's head. Throws index_not_built, and as `followTable`. */
export async function syncLocal(
  indexes: LocalIndexes,
  request: { readonly index?: string; readonly until?: string },
  work: WorkOptions,
): Promise<SyncResponse> {
  const known = indexes.resolve(request.index);
  if (currentGeneration(known.folder) === null) throw notBuilt(known.definition.index);
  return writeIndex(indexes, known, 'sync', work.signal, (locked) =>
    followTable(locked, request.until, work),
  );
}

/** Applies a change batch. Throws as `lockForWriting` and `applyToLive`. */
export async function applyLocal(
  indexes: LocalIndexes,
  request: { readonly index?: string; readonly batch: ChangeBatch },
  work: WorkOptions,
): Promise<ApplyResponse> {
  const known = indexes.resolve(request.index);
  return withLock(indexes, known.registered, 'write', (lock) =>
    applyToLive(lockedGeneration(indexes, known, lock), request.batch, work),
  );
}

/** Where an index stands. Throws index_not_built. */
export function checkpointLocal(indexes: LocalIndexes, index: string | undefined): CheckpointState {
  const open = indexes.hold(indexes.resolve(index));
  try {
    return checkpointState(open);
  } finally {
    open.snapshot.release();
  }
}
