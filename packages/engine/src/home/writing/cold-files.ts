/** Cold windows of an index, whose files are in the bundles of its commits. */
import { eachOf } from '@lakehouse-search/lake/internal';
import type { Commit } from '../../index/commits/commit.ts';
import { currentGeneration, generationNumbers } from '../../open/index-folder.ts';
import type { FilesInStore, FindStored } from '../../segment/cool.ts';
import { damagedHome } from '../../source/store-errors.ts';
import type { IndexToBackUp } from '../backup-index.ts';
import { BUNDLE_BLOCK } from '../bundle.ts';
import { bundleKey } from '../chain.ts';
import { CommitFiles } from '../commit-files.ts';
import type { CommitToCopy, IndexFiles } from '../pinned-commit.ts';
import { REQUESTS_AT_ONCE } from '../read-bundle.ts';
import type { Home } from '../stored-json.ts';
import { commitsHere, sweepFormer } from '../windows/former-objects.ts';
import { coolSegments } from '../windows/move-window.ts';
import type { Publication } from './publication.ts';

/** Where the newest commit has files. Throws corrupt_index, and as `inStore`. */
export async function findFiles(
  home: Home,
  { newest }: Publication,
  names: readonly string[],
): Promise<FilesInStore> {
  if (newest === null) throw damagedHome(home.place, 'lacks files that are in force here');
  const stored = new CommitFiles(home, newest);
  const found = await eachOf(names, REQUESTS_AT_ONCE, async (name) => {
    return [name, (await stored.find(name)).blocks] as const;
  });
  return { place: home.place, block: BUNDLE_BLOCK, files: new Map(found) };
}

/**
 * Cold segments of a commit that are read from other objects than those of the newest commit are
 * read from these from now on; objects of former versions are removed. False if there were none.
 */
export async function takeOver(
  { folder, uuid, openDirectory, clock }: IndexToBackUp,
  { segments }: Commit,
  { place, family, newest }: Publication,
  find: FindStored,
): Promise<boolean> {
  const keys = new Set(newest?.bundles.map((bundle) => bundleKey(family, bundle)));
  const astray = segments.filter(
    ({ cold }) =>
      cold !== undefined &&
      (cold.place !== place || cold.objects?.every((key) => keys.has(key)) !== true),
  );
  const live = currentGeneration(folder);
  if (astray.length === 0 || live === null) return false;
  await coolSegments(openDirectory(live.path), astray, find);
  const former = astray.flatMap(({ cold }) => (cold?.objects === undefined ? [cold!.place] : []));
  await sweepFormer({ folder, uuid, openDirectory, now: clock.now() }, former);
  return true;
}

/**
 * Keys of bundles that cold windows of other commits of a data folder need: of points in time and
 * kept generations. The commit that is published says itself which it needs.
 */
export function heldBundles(
  { folder, openDirectory, clock }: IndexFiles,
  { commit: own, generation: live }: Pick<CommitToCopy, 'commit' | 'generation'>,
): ReadonlySet<string> {
  if (own.windows === undefined && generationNumbers(folder).length < 2) return new Set();
  const others = commitsHere({ folder, openDirectory, now: clock.now() }).filter(
    ({ generation, pin }) => pin !== null || generation !== live,
  );
  const segments = others.flatMap(({ commit }) => commit.segments);
  return new Set(segments.flatMap(({ cold }) => cold?.objects ?? []));
}
