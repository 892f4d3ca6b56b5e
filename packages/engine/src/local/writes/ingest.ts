import type {
  ApplyBatchRequest,
  ApplyResponse,
  CallContext,
  CheckpointState,
  IndexRequest,
  SyncRequest,
  SyncResponse,
} from '@lakehouse-search/contract';
import {
  checkApplyBatchRequest,
  checkIndexRequest,
  checkSyncRequest,
  decodeParts,
} from '@lakehouse-search/contract/internal';
import { readWireValue } from '../../documents/wire-value.ts';
import { lastPublication } from '../../home/writing/publication.ts';
import { currentGeneration } from '../../open/index-folder.ts';
import { notBuilt } from '../../open/open-index.ts';
import { homePlace } from '../../schema/parse/resolve-definition.ts';
import { applyToLive, followTable } from '../../sync/follow/follow-table.ts';
import type { LockedIndex } from '../../sync/locked-index.ts';
import { checkpointState } from '../../sync/source-state.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { refuseForeignFiles } from './batch-files.ts';
import { withBatchWriter } from './batch-writer.ts';
import { notedSync, writeIndex } from './write-index.ts';

/** Brings an index to its table's head. Throws index_not_built, and as `followTable`. */
export async function syncLocal(
  indexes: LocalIndexes,
  request: SyncRequest,
  work: CallContext,
): Promise<SyncResponse> {
  const { index, until, net, wait_ms } = checkSyncRequest(request);
  const known = accessible(indexes, index, work);
  const { folder, definition, registered } = known;
  const isPublished = homePlace(definition, registered.baseDir) !== null;
  if (!isPublished && currentGeneration(folder) === null) throw notBuilt(definition);
  const turn = { what: 'sync', signal: work.signal, waitMs: wait_ms };
  const sync = (locked: LockedIndex) => followTable(locked, until, { ...work, net });
  const run = () => notedSync(indexes, known, () => writeIndex(indexes, known, turn, sync));
  if (!isPublished) return run();
  const { openDirectory } = indexes;
  const newest = () => lastPublication({ folder, openDirectory });
  const before = newest()?.newest?.attempt;
  const done = await run();
  const after = newest();
  const isNew = after?.isOwn === true && after.newest?.attempt !== before;
  return isNew ? { ...done, published_commit: after.newest!.number } : done;
}

/** Applies a change batch. Throws as `lockForWriting`, `refuseForeignFiles` and `applyToLive`. */
export async function applyLocal(
  indexes: LocalIndexes,
  request: ApplyBatchRequest,
  work: CallContext,
): Promise<ApplyResponse> {
  const { index, batch: wire } = checkApplyBatchRequest(request);
  const { parts } = wire;
  const decoded = () => decodeParts(parts, readWireValue);
  const batch = { ...wire, parts: decoded() };
  const known = accessible(indexes, index, work);
  const again = Array.isArray(parts) ? decoded : null;
  return withBatchWriter(indexes, known, work, async (writer) => {
    await refuseForeignFiles(indexes, known, writer.session.commit, batch, work);
    return applyToLive(writer, batch, again, work);
  });
}

/** The checkpoint of an index. Throws index_not_built. */
export function checkpointLocal(
  indexes: LocalIndexes,
  request: IndexRequest,
  work: CallContext,
): CheckpointState {
  const { index } = checkIndexRequest(request);
  const open = indexes.hold(accessible(indexes, index, work));
  try {
    return checkpointState(open);
  } finally {
    open.snapshot.release();
  }
}
