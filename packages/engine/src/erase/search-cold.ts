/**
 * Objects of cold windows that former versions wrote and no commit names, and files of such objects
 * in the cache on disk. The documents of cold windows are searched with their generation.
 */
import { findUnneeded, formerPlaces, type LocalIndex } from '../home/windows/former-objects.ts';
import { resolvePath } from '../schema/parse/resolve-catalog.ts';
import { cacheFolder } from '../storage/cache-folder.ts';

import type { ErasurePlaces } from './check-erasure.ts';
import type { Findings } from './findings.ts';

/** An index and the places that may have its objects. */
export function coldPlaces({
  known,
  openDirectory,
  now,
}: Pick<ErasurePlaces, 'known' | 'openDirectory' | 'now'>) {
  const { definition, folder, registered } = known;
  const index: LocalIndex = { folder, uuid: registered.uuid, openDirectory, now: now() };
  const { storage } = definition;
  const own = storage === undefined ? [] : [resolvePath(storage, registered.baseDir)];
  return { index, places: new Set([...own, ...formerPlaces(index)]) };
}

/** Searches the stores. Throws unreachable, access errors, io_error. */
export async function searchCold(places: ErasurePlaces, findings: Findings): Promise<void> {
  const cold = coldPlaces(places);
  const { objects, cached } = await findUnneeded(cold.index, cold.places);
  for (const [place, keys] of objects) {
    for (const key of keys) {
      const where = `${place}/${key}`;
      const detail = 'no commit names this object; it may hold the data';
      findings.add({ place: 'cold_window', key: null, where, detail, goes: 'erase' });
    }
  }
  if (cached.length === 0) return;
  const detail = `${cached.length} files of former cold windows in the cache on disk`;
  findings.add({ place: 'cold_window', key: null, where: cacheFolder(), detail, goes: 'erase' });
}
