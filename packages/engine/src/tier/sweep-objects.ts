/**
 * Removes objects of an index that nothing names: those of windows that are hot again, of merged or
 * dropped segments, and of interrupted transitions. An object is needed as long as a commit or a
 * pin of any generation on this disk names it. The caller holds the index's lock: nobody else
 * adds objects that a commit will name, but for copies ahead of a move, which are made again.
 */
import { rm } from 'node:fs/promises';
import { type Commit, readCommit } from '../index/commits/commit.ts';
import { pinnedCommit, pinsAmong } from '../index/commits/pins.ts';
import { generationAt, generationNumbers } from '../open/index-folder.ts';
import type { OpenDirectory } from '../open/open-index.ts';
import { inStore } from '../source/store-errors.ts';
import { unneededCachedFiles } from '../storage/cached-file.ts';
import type { Directory } from '../storage/directory.ts';
import { ioError } from '../storage/io-errors.ts';
import { coldObjects } from './cold-objects.ts';
import { type StoredObject, storeOf } from './fetch-blocks.ts';

/** An index of this machine. */
export interface SweptIndex {
  readonly folder: string;
  readonly uuid: string;
  readonly openDirectory: OpenDirectory;
  readonly now: number;
}

/** Objects of an index that nothing needs, by place, and files of such objects in the cache. */
export interface Unneeded {
  readonly objects: ReadonlyMap<string, readonly string[]>;
  /** Paths. */
  readonly cached: readonly string[];
}

/** Finds what nothing needs below `places`. Throws as `inStore`. */
export async function findUnneeded(index: SweptIndex, places: Iterable<string>): Promise<Unneeded> {
  const needed = neededObjects(index);
  const names = new Set(needed.map(({ place, key }) => `${place}\n${key}`));
  const objects = new Map<string, readonly string[]>();
  for (const place of new Set(places)) {
    const keys = await keysOf(index, place);
    const unneeded = keys.filter((key) => !names.has(`${place}\n${key}`));
    if (unneeded.length > 0) objects.set(place, unneeded);
  }
  return { objects, cached: await unneededCachedFiles(index.uuid, needed) };
}

/** Removes what nothing needs; returns the number of objects. Throws as `inStore`. */
export async function sweepObjects(index: SweptIndex, places: Iterable<string>): Promise<number> {
  const { objects, cached } = await findUnneeded(index, places);
  for (const [place, keys] of objects) await deleteObjects(place, keys);
  await removeFiles(cached);
  return [...objects.values()].reduce((sum, { length }) => sum + length, 0);
}

/** Removes all objects and cached files of an index that is dropped. Throws as `inStore`. */
export async function dropObjects(index: SweptIndex): Promise<void> {
  for (const place of placesOf(index)) await deleteObjects(place, await keysOf(index, place));
  await removeFiles(await unneededCachedFiles(index.uuid, []));
}

const keysOf = ({ uuid }: SweptIndex, place: string): Promise<readonly string[]> =>
  inStore(async () => {
    const store = await storeOf(place);
    const keys: string[] = [];
    for await (const { key } of store.list(`${uuid}/`)) keys.push(key);
    return keys;
  });

/** Deletes objects of a place by their keys. Throws as `inStore`. */
export const deleteObjects = (place: string, keys: readonly string[]): Promise<void> =>
  inStore(async () => (await storeOf(place)).delete(keys));

async function removeFiles(paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await rm(path, { force: true }).catch((error: unknown) => {
      throw ioError(error, 'remove', path);
    });
  }
}

/** The places of the cold windows of all commits of an index. */
export function placesOf(index: SweptIndex): ReadonlySet<string> {
  const entries = commitsOf(index).flatMap(({ segments }) => segments);
  return new Set(entries.flatMap(({ cold }) => (cold === undefined ? [] : [cold.place])));
}

function neededObjects(index: SweptIndex): readonly StoredObject[] {
  const entries = commitsOf(index).flatMap(({ segments }) => segments);
  return entries.flatMap((entry) => [...coldObjects(entry).values()]);
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
