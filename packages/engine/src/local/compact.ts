import type { CompactResponse, WorkOptions } from '../backend.ts';
import { LhsError } from '../base/errors.ts';
import { inlineRunner, workerRunner } from '../index/merge-runners.ts';
import { compactIndex } from '../ingest/compact-index.ts';
import { liveGeneration } from '../ingest/follow-table.ts';
import { freeBytes } from '../registry/index-folder.ts';
import { openLocalDirectory } from '../storage/local-directory.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { lockedGeneration, lockForWriting, unlock } from './write-index.ts';

/** Compacts an index of this machine; see `compactIndex`. Throws index_busy, invalid_argument. */
export async function compactLocal(
  indexes: LocalIndexes,
  request: { readonly index?: string; readonly segments?: number },
  work: WorkOptions,
): Promise<CompactResponse> {
  const started = performance.now();
  const { segments = 1 } = request;
  if (!Number.isInteger(segments) || segments < 1) {
    throw new LhsError('invalid_argument', `segments: "${segments}" is not a whole number above 0`);
  }
  const known = indexes.resolve(request.index);
  const lock = await lockForWriting(indexes, known.registered, 'compact');
  try {
    const locked = lockedGeneration(indexes, known, lock);
    const { path } = liveGeneration(locked);
    const directory = locked.openDirectory(path, () => lock.assertHeld());
    const local = locked.openDirectory === openLocalDirectory;
    const runner = local ? workerRunner() : inlineRunner(directory);
    const room = { freeBytes: () => freeBytes(path) };
    const done = await compactIndex({ directory, runner, segments, ...room, ...work });
    return { ...done, took_ms: Math.round(performance.now() - started) };
  } finally {
    unlock(indexes, known.registered, lock);
  }
}
