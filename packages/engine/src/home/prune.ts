/**
 * Prune: deletes old manifests first, then chunks that no manifest names. If a backup is running,
 * the chunks remain until the next prune (docs/adr/backups.md).
 */
import type { CallContext, PruneResponse } from '@lakehouse-search/contract';
import type { Clock } from '../base/time/clock.ts';
import { refuseAborted } from '../source/source-errors.ts';
import { inStore } from '../source/store-errors.ts';
import { endDead, Lease, leasesOf } from './lease.ts';
import {
  type BackupName,
  chunkKey,
  listChunks,
  listManifests,
  type Repository,
  readManifest,
} from './repository.ts';

/** Chunks that are deleted with one request. */
const AT_ONCE = 1000;

/** What to keep. */
export interface PruneOptions extends CallContext {
  readonly keep: number;
  /** Backups of which indexes are counted; others are left alone. */
  readonly isOurs: (index: string) => boolean;
  /** Ids of backups that go whatever their age. */
  readonly also?: ReadonlySet<string>;
  readonly clock: Clock;
}

/**
 * Deletes all but the newest backups of each index, and what only they use. Throws corrupt_index if
 * a manifest that remains cannot be read: then no chunk is deleted.
 */
export async function pruneRepository(
  repository: Repository,
  { keep, isOurs, also, clock, signal }: PruneOptions,
): Promise<PruneResponse> {
  const lease = new Lease(repository, 'prune', clock);
  await lease.renew(signal);
  try {
    const all = await listManifests(repository, undefined, signal);
    const old = oldest(all, keep, isOurs, also);
    refuseAborted(signal);
    await inStore(() => repository.store.delete(old.map(({ key }) => key)));
    const done = {
      backups_removed: old.map(({ id }) => id),
      backups_kept: all.filter(({ index }) => isOurs(index)).length - old.length,
    };
    const removed = await sweep(repository, lease, clock, signal);
    if (removed === null) return { ...done, files_removed: 0, bytes_removed: 0, deferred: true };
    return { ...done, ...removed, deferred: false };
  } finally {
    await lease.release();
  }
}

/** All but the `keep` newest of each index, and those of `also`. */
function oldest(
  newestFirst: readonly BackupName[],
  keep: number,
  isOurs: (index: string) => boolean,
  also: ReadonlySet<string> = new Set(),
): readonly BackupName[] {
  const kept = new Map<string, number>();
  return newestFirst.filter(({ index, id }) => {
    const count = (kept.get(index) ?? 0) + 1;
    kept.set(index, count);
    return isOurs(index) && (count > keep || also.has(id));
  });
}

/**
 * Deletes the chunks that no manifest names, or nothing (null) if a backup is running. Dead backups
 * are ended before the manifests are read: one that stood still cannot write its manifest any more.
 */
async function sweep(
  repository: Repository,
  lease: Lease,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<{ readonly files_removed: number; readonly bytes_removed: number } | null> {
  const { store } = repository;
  const { alive, dead } = await leasesOf(repository, 'backup', clock.now(), signal);
  if (alive.length > 0) return null;
  await endDead(repository, dead, signal);
  const lengths = await listChunks(repository, signal);
  for (const name of await listManifests(repository, undefined, signal)) {
    const manifest = await readManifest(repository, name, signal);
    for (const { chunks } of manifest?.files ?? []) {
      for (const { sha256 } of chunks) lengths.delete(sha256);
    }
  }
  const unused = [...lengths];
  for (let from = 0; from < unused.length; from += AT_ONCE) {
    refuseAborted(signal);
    await lease.renew(signal);
    await lease.assertHeld(signal);
    const keys = unused.slice(from, from + AT_ONCE).map(([sha256]) => chunkKey(sha256));
    await inStore(() => store.delete(keys));
  }
  await inStore(() => store.sweep(signal));
  const bytes_removed = unused.reduce((sum, [, length]) => sum + length, 0);
  return { files_removed: unused.length, bytes_removed };
}
