/** Cold windows of which the store has lost objects: only the table has their rows. */
import type { CallContext } from '@lakehouse-search/contract';
import { type Commit, readCommit } from '../../index/commits/commit.ts';
import { currentGeneration } from '../../open/index-folder.ts';
import { windowName } from '../../schema/windows.ts';
import type { SegmentEntry } from '../../segment/entry.ts';
import type { LockedIndex } from '../../sync/locked-index.ts';
import { reindexWindow } from '../../verify/reindex-window.ts';

/** Whether the bytes of a segment are in one of some objects alone. */
export const needsOneOf = ({ cold }: SegmentEntry, keys: ReadonlySet<string>): boolean =>
  cold?.objects?.some((key) => keys.has(key)) === true;

/** Names of the windows whose bytes are in one of some objects alone. */
export function windowsNeeding(
  { segments, windows }: Pick<Commit, 'segments' | 'windows'>,
  keys: ReadonlySet<string>,
): readonly string[] {
  const starts = segments.filter((entry) => needsOneOf(entry, keys)).map(({ window }) => window);
  return [...new Set(starts)].map((start = null) => windowName(start, windows?.every ?? 'day'));
}

/**
 * Builds the cold windows again of which the store has lost objects. They are hot then. Throws as
 * `reindexWindow`, and as `inStore`.
 */
export async function rebuildLost(index: LockedIndex, work: CallContext): Promise<void> {
  const { folder, openDirectory, lock } = index;
  const live = currentGeneration(folder);
  const commit = live === null ? null : readCommit(openDirectory(live.path));
  if (lock.lost === undefined || !commit?.segments.some(({ cold }) => cold !== undefined)) return;
  for (const window of windowsNeeding(commit, await lock.lost())) {
    await reindexWindow(index, window, work);
  }
}
