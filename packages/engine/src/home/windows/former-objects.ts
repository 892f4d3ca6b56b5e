/**
 * Objects of cold windows as former versions wrote them: `<uuid>/<generation>/<file>`. They are
 * read as long as a commit or a pin on this disk names them. Once the index is published, its
 * bundles take their place.
 */
import { LhsError } from '@lakehouse-search/contract';
import { heldPins, type Pin } from '../../base/pin-names.ts';
import { type Commit, readCommit } from '../../index/commits/commit.ts';
import { pinnedCommit } from '../../index/commits/pins.ts';
import { generationAt, generationNumbers } from '../../open/index-folder.ts';
import type { OpenDirectory } from '../../open/open-index.ts';
import { hotName } from '../../segment/cool.ts';
import type { Component, SegmentEntry } from '../../segment/entry.ts';
import { inStore } from '../../source/store-errors.ts';
import { removeEntry } from '../../storage/cache-folder.ts';
import { unneededCachedFiles } from '../../storage/cached-file.ts';
import { storeOf } from './fetch-blocks.ts';

/** An index of this machine. */
export interface LocalIndex {
  readonly folder: string;
  readonly uuid: string;
  readonly openDirectory: OpenDirectory;
  readonly now: number;
}

/** A commit of a generation; `pin` null: its newest one. */
interface CommitHere {
  readonly generation: number;
  readonly commit: Commit;
  readonly pin: Pin | null;
}

/** The commits of an index that are here: the newest of each generation, and those of pins. */
export function commitsHere({
  folder,
  openDirectory,
  now,
}: Omit<LocalIndex, 'uuid'>): readonly CommitHere[] {
  return generationNumbers(folder).flatMap((generation) => {
    const directory = openDirectory(generationAt(folder, generation).path);
    const pins = heldPins(directory.list(), now);
    const newest = readCommit(directory);
    const pinned = pins.flatMap((pin) => {
      try {
        return [{ generation, commit: pinnedCommit(directory, pin.id, now), pin }];
      } catch (error) {
        // it was released meanwhile
        if (error instanceof LhsError) return [];
        throw error;
      }
    });
    return newest === null ? pinned : [{ generation, commit: newest, pin: null }, ...pinned];
  });
}

/** The commits here that have cold windows in a place. */
export const commitsReading = (
  index: Omit<LocalIndex, 'uuid'>,
  place: string,
): readonly CommitHere[] =>
  commitsHere(index).filter(({ commit }) =>
    commit.segments.some(({ cold }) => cold?.place === place),
  );

/** The segments whose cold files are objects of their own. */
const formerSegments = (index: LocalIndex): readonly SegmentEntry[] =>
  commitsHere(index)
    .flatMap(({ commit }) => commit.segments)
    .filter(({ cold }) => cold !== undefined && cold.objects === undefined);

/** The places of such segments. */
export const formerPlaces = (index: LocalIndex): ReadonlySet<string> =>
  new Set(formerSegments(index).map(({ cold }) => cold!.place));

/** Objects that nothing needs, by place, and files of such objects in the cache. */
interface Unneeded {
  readonly objects: ReadonlyMap<string, readonly string[]>;
  /** Paths. */
  readonly cached: readonly string[];
}

/** Finds what no commit here needs; `isDropped`: none is needed. Throws as `inStore`. */
export async function findUnneeded(
  index: LocalIndex,
  places: Iterable<string>,
  isDropped = false,
): Promise<Unneeded> {
  const needed = isDropped ? [] : formerSegments(index).flatMap(objectsOf);
  const names = new Set(needed.map(({ place, key }) => `${place}\n${key}`));
  const objects = new Map<string, readonly string[]>();
  for (const place of new Set(places)) {
    const keys = await inStore(async () => {
      const listed = (await storeOf(place)).list(`${index.uuid}/`);
      return Array.fromAsync(listed, ({ key }) => key);
    });
    const unneeded = keys.filter((key) => !names.has(`${place}\n${key}`));
    if (unneeded.length > 0) objects.set(place, unneeded);
  }
  return { objects, cached: await unneededCachedFiles(index.uuid, needed) };
}

function objectsOf({ cold, components }: SegmentEntry) {
  const { place, prefix } = cold!;
  const isCold = ({ resident }: Component) => resident !== undefined;
  return components.filter(isCold).map((one) => ({ place, key: prefix + hotName(one) }));
}

/** Removes what `findUnneeded` finds; returns the number of objects. Throws as `inStore`. */
export async function sweepFormer(...of: Parameters<typeof findUnneeded>): Promise<number> {
  const { objects, cached } = await findUnneeded(...of);
  for (const [place, keys] of objects) {
    await inStore(async () => (await storeOf(place)).delete(keys));
  }
  for (const path of cached) await removeEntry(path);
  return [...objects.values()].reduce((sum, { length }) => sum + length, 0);
}
