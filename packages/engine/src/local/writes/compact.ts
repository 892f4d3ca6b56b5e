import type { CallContext, CompactRequest, CompactResponse } from '@lakehouse-search/contract';
import { checkCompactRequest } from '@lakehouse-search/contract/internal';
import { inlineRunner } from '../../index/merges/merge-runners.ts';
import { mergesInThreads, runInThread } from '../../index/merges/merge-threads.ts';
import { freeBytes } from '../../open/index-folder.ts';
import { type Orphan, removeOrphans } from '../../open/orphans.ts';
import { compactIndex } from '../../sync/build/compact-index.ts';
import { liveGeneration } from '../../sync/follow/open-session.ts';
import { accessible } from '../caller.ts';
import { orphansOf } from '../diagnose/diagnose-files.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { lockedGeneration, noteEnd, timed, withLock } from './write-index.ts';

/** Compacts an index of this machine; see `compactIndex`. Throws index_busy, invalid_argument. */
export async function compactLocal(
  indexes: LocalIndexes,
  request: CompactRequest,
  work: CallContext,
): Promise<CompactResponse> {
  const { index, segments = 1 } = checkCompactRequest(request);
  const known = accessible(indexes, index, work);
  const { registered } = known;
  return timed(() =>
    withLock(indexes, registered, { what: 'compact', signal: work.signal }, async (lock) => {
      const locked = lockedGeneration(indexes, known, lock);
      const orphans = orphansOf(indexes, known);
      removeOrphans(orphans);
      const { path } = liveGeneration(locked);
      const directory = locked.openDirectory(path, () => lock.assertHeld());
      const beside = mergesInThreads(locked.openDirectory);
      const runner = beside ? runInThread : inlineRunner(directory);
      const room = { publish: lock.publish, freeBytes: () => freeBytes(path) };
      const done = await compactIndex({ directory, runner, segments, ...room, ...work });
      noteEnd(indexes, known, 'mergeFaults', null);
      return { ...done, ...orphansPart(orphans) };
    }),
  );
}

function orphansPart(orphans: readonly Orphan[]): Pick<CompactResponse, 'orphans'> {
  if (orphans.length === 0) return {};
  return {
    orphans: {
      removed: orphans.length,
      bytes: orphans.reduce((sum, { bytes }) => sum + bytes, 0),
    },
  };
}
