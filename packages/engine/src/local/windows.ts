import type {
  CallContext,
  IndexRequest,
  ReindexWindowRequest,
  ReindexWindowResponse,
  WindowStatus,
} from '@lakehouse-search/contract';
import { checkIndexRequest, checkReindexWindowRequest } from '@lakehouse-search/contract';
import { requireWindows } from '../open/describe-windows.ts';
import { accessible } from './caller.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { writeIndex } from './write-index.ts';

/** The windows of an index. Throws not_found if it has none, index_not_built. */
export async function windowStatusLocal(
  indexes: LocalIndexes,
  request: IndexRequest,
  call: CallContext,
): Promise<WindowStatus> {
  const { index } = checkIndexRequest(request);
  const open = indexes.hold(accessible(indexes, index, call));
  try {
    return { index: open.mapping.definition.index, ...requireWindows(open) };
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
  const { reindexWindow } = await import('../verify/reindex-window.ts');
  return writeIndex(indexes, known, { what: 'reindex', signal: work.signal }, (locked) =>
    reindexWindow(locked, window, work),
  );
}
