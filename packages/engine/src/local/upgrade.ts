import type { CallContext, UpgradeRequest, UpgradeResponse } from '@lakehouse-search/contract';
import { checkUpgradeRequest } from '@lakehouse-search/contract';
import { freeBytes } from '../open/index-folder.ts';
import { liveGeneration } from '../sync/follow-table.ts';
import { planUpgrade, upgradeIndex } from '../sync/upgrade-index.ts';
import { accessible } from './caller.ts';
import type { LocalIndexes } from './local-indexes.ts';
import { lockedGeneration, timed, withLock } from './write-index.ts';

/**
 * Upgrades an index of this machine, or plans it; see `upgradeIndex`. Throws index_busy,
 * index_not_built, invalid_argument.
 */
export async function upgradeLocal(
  indexes: LocalIndexes,
  request: UpgradeRequest,
  work: CallContext,
): Promise<UpgradeResponse> {
  const { index, plan = false } = checkUpgradeRequest(request);
  const known = accessible(indexes, index, work);
  return timed(() =>
    withLock(indexes, known.registered, { what: 'upgrade', signal: work.signal }, async (lock) => {
      const locked = lockedGeneration(indexes, known, lock);
      const { path } = liveGeneration(locked);
      const directory = locked.openDirectory(path, () => lock.assertHeld());
      if (plan) return planUpgrade(directory);
      return upgradeIndex({ directory, freeBytes: () => freeBytes(path), ...work });
    }),
  );
}
