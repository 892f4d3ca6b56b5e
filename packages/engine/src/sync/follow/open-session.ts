import { bySize, inlineRunner } from '../../index/merges/merge-runners.ts';
import { mergesInThreads, runInThread } from '../../index/merges/merge-threads.ts';
import { currentGeneration, type Generation } from '../../open/index-folder.ts';
import { notBuilt } from '../../open/open-index.ts';
import { type LockedIndex, modelPlaces } from '../locked-index.ts';
import { SyncSession } from '../sync.ts';

/** An index whose lock is held; its table is not needed. */
export type LockedGeneration = Omit<LockedIndex, 'table'>;

/** The live generation. Throws index_not_built before the first reindex. */
export function liveGeneration({
  folder,
  definition,
}: Pick<LockedGeneration, 'folder' | 'definition'>): Generation {
  const live = currentGeneration(folder);
  if (live === null) throw notBuilt(definition);
  return live;
}

/** Opens a generation of a locked index for following its table. Close it before the lock. */
export function openSession(index: LockedGeneration, generation: Generation): SyncSession {
  const { definition, definitionVersion, lock, openDirectory, memoryBytes, noteMerge } = index;
  const directory = openDirectory(generation.path, () => lock.assertHeld());
  const here = inlineRunner(directory);
  const mergeRunner = mergesInThreads(openDirectory) ? bySize(here, runInThread) : here;
  const models = modelPlaces(index);
  const how = { mergeRunner, memoryBytes, noteMerge, publish: lock.publish };
  return SyncSession.open({ directory, definition, definitionVersion, models, ...how });
}
