import type {
  CallContext,
  IndexRequest,
  MoveWindowsRequest,
  MoveWindowsResponse,
  ReindexWindowRequest,
  ReindexWindowResponse,
  WindowStatus,
} from '@lakehouse-search/contract';
import {
  checkIndexRequest,
  checkMoveWindowsRequest,
  checkReindexWindowRequest,
} from '@lakehouse-search/contract/internal';
import { requireWindows } from '../../open/describe-windows.ts';
import { coldCacheFigures } from '../../storage/cold-cache.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { lockedGeneration, timed, withLock, writeIndex } from './write-index.ts';

/** The windows of an index. Throws not_found if it has none, index_not_built. */
export async function windowStatusLocal(
  indexes: LocalIndexes,
  request: IndexRequest,
  call: CallContext,
): Promise<WindowStatus> {
  const { index } = checkIndexRequest(request);
  const open = indexes.hold(accessible(indexes, index, call));
  try {
    const windows = requireWindows(open);
    const threads = (await indexes.searchThreads?.())?.coldFigures;
    return { index: open.mapping.definition.index, ...windows, cache: coldCacheFigures(threads) };
  } finally {
    open.snapshot.release();
  }
}

/** Builds a window of an index again; see `reindexWindow`. Throws index_busy. */
export async function reindexWindowLocal(
  indexes: LocalIndexes,
  request: ReindexWindowRequest,
  work: CallContext,
): Promise<ReindexWindowResponse> {
  const { index, window } = checkReindexWindowRequest(request);
  const known = accessible(indexes, index, work);
  const { reindexWindow } = await import('../../verify/reindex-window.ts');
  return writeIndex(indexes, known, { what: 'reindex', signal: work.signal }, (locked) =>
    reindexWindow(locked, window, work),
  );
}

/** Moves windows between the tiers; see `moveWindows`. Throws index_busy, not_found. */
export async function moveWindowsLocal(
  indexes: LocalIndexes,
  request: MoveWindowsRequest,
  work: CallContext,
): Promise<MoveWindowsResponse> {
  const { index, ...moves } = checkMoveWindowsRequest(request);
  const known = accessible(indexes, index, work);
  const { registered, definition } = known;
  const turn = { what: 'move', signal: work.signal };
  const { moveWindows } = await import('../../home/windows/move-windows.ts');
  return timed(() =>
    withLock(indexes, registered, turn, async (lock) => {
      await lock.home?.settle();
      const locked = { ...lockedGeneration(indexes, known, lock), uuid: registered.uuid };
      const moved = await moveWindows(locked, moves, indexes.clock.now(), work);
      return { index: definition.index, ...moved };
    }),
  );
}
