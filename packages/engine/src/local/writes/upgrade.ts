import type { CallContext, UpgradeRequest, UpgradeResponse } from '@lakehouse-search/contract';
import { freeBytes } from '../../open/index-folder.ts';
import { planUpgrade, upgradeIndex } from '../../sync/build/upgrade-index.ts';
import { liveGeneration } from '../../sync/follow/open-session.ts';
import { accessible } from '../caller.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import { lockedGeneration, timed, withLock } from './write-index.ts';

/** What an upgrade would rewrite, without the write lock. Throws index_not_built. */
export async function upgradePlan(
  indexes: LocalIndexes,
  request: UpgradeRequest,
  call: CallContext,
): Promise<UpgradeResponse> {
  const known = accessible(indexes, request.index, call);
  return timed(async () => {
    const { path } = liveGeneration(known);
    return planUpgrade(indexes.openDirectory(path));
  });
}

/** Upgrades an index of this machine; see `upgradeIndex`. Throws index_busy, index_not_built. */
export async function upgradeLocal(
  indexes: LocalIndexes,
  { index }: UpgradeRequest,
  work: CallContext,
): Promise<UpgradeResponse> {
  const known = accessible(indexes, index, work);
  return timed(() =>
    withLock(indexes, known.registered, { what: 'upgrade', signal: work.signal }, async (lock) => {
      const locked = lockedGeneration(indexes, known, lock);
      const { path } = liveGeneration(locked);
      const directory = locked.openDirectory(path, () => lock.assertHeld());
      const { publish } = lock;
      return upgradeIndex({ directory, publish, freeBytes: () => freeBytes(path), ...work });
    }),
  );
}
