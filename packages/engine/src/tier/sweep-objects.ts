/**
 * Removes objects of an index that nothing names: those of windows that are hot again, of merged or
 * dropped segments, and of interrupted transitions. An object is needed as long as a commit or a
 * pin of any generation on this disk names it. The caller holds the index's lock: nobody else adds
 * objects of the index.
 */
import type { Commit } from '../index/commit.ts';
import { readCommit } from '../index/commit.ts';
import { pinnedCommit, pinsAmong } from '../index/pins.ts';
import { generationAt, generationNumbers } from '../open/index-folder.ts';
import type { OpenDirectory } from '../open/open-index.ts';
import { inStore } from '../source/store-errors.ts';
import type { Directory } from '../storage/directory.ts';
import { coldObjects } from './cold-objects.ts';
import { storeOf } from './fetch-blocks.ts';

/** An index of this machine. */
export interface SweptIndex {
  readonly folder: string;
  readonly uuid: string;
  readonly openDirectory: OpenDirectory;
  readonly now: number;
}

/** Removes unneeded objects of an index below `places`; returns how many. Throws as `inStore`. */
export async function sweepObjects(index: SweptIndex, places: Iterable<string>): Promise<number> {
  const needed = neededObjects(index);
  let removed = 0;
  for (const place of new Set(places)) {
    await inStore(async () => {
      const store = await storeOf(place);
      const unneeded: string[] = [];
      for await (const { key } of store.list(`${index.uuid}/`)) {
        if (!needed.has(`${place}\n${key}`)) unneeded.push(key);
      }
      await store.delete(unneeded);
      removed += unneeded.length;
    });
  }
  return removed;
}

/** Removes all objects of an index that is dropped. Throws as `inStore`. */
export async function dropObjects(index: SweptIndex): Promise<void> {
  for (const place of placesOf(index)) {
    await inStore(async () => {
      const store = await storeOf(place);
      const keys: string[] = [];
      for await (const { key } of store.list(`${index.uuid}/`)) keys.push(key);
      await store.delete(keys);
    });
  }
}

/** The places of the cold windows of all commits of an index. */
export function placesOf(index: SweptIndex): ReadonlySet<string> {
  const entries = commitsOf(index).flatMap(({ segments }) => segments);
  return new Set(entries.flatMap(({ cold }) => (cold === undefined ? [] : [cold.place])));
}

function neededObjects(index: SweptIndex): ReadonlySet<string> {
  const entries = commitsOf(index).flatMap(({ segments }) => segments);
  const objects = entries.flatMap((entry) => [...coldObjects(entry).values()]);
  return new Set(objects.map(({ place, key }) => `${place}\n${key}`));
}

function commitsOf({ folder, openDirectory, now }: SweptIndex): readonly Commit[] {
  return generationNumbers(folder).flatMap((number) => {
    const directory = openDirectory(generationAt(folder, number).path);
    const commit = readCommit(directory);
    return [...(commit === null ? [] : [commit]), ...pinnedCommits(directory, now)];
  });
}

const pinnedCommits = (directory: Directory, now: number): readonly Commit[] =>
  pinsAmong(directory.list())
    .filter(({ expiresAt }) => expiresAt > now)
    .map(({ id }) => pinnedCommit(directory, id, now));
