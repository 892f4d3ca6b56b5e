/**
 * The places in which an index is or was published: objects that its newest commit does not name,
 * and what the cache of this user has of them. The documents of the newest commit are searched with
 * the live generation.
 */
import { type ErasureRemain, LhsError } from '@lakehouse-search/contract';
import { backupFamily } from '../home/backup-index.ts';
import {
  bundleKey,
  bundlePrefix,
  commitPrefix,
  lastCommit,
  type PublishedCommit,
  replacedCommits,
} from '../home/chain.ts';
import { openHome } from '../home/repository.ts';
import { ENDED } from '../home/stored-json.ts';
import { sweepable } from '../home/sweep.ts';
import { commitsReading } from '../home/windows/former-objects.ts';
import {
  allPublications,
  changeLeft,
  leftPublications,
  type Publication,
} from '../home/writing/publication.ts';
import { removePublished } from '../home/writing/remove-published.ts';
import { generationAt } from '../open/index-folder.ts';
import { homePlace } from '../schema/parse/resolve-definition.ts';
import { inStore } from '../source/store-errors.ts';
import { formerlyPublished, openedFolders, removeClosed } from '../storage/cache-folder.ts';
import type { ErasurePlaces } from './check-erasure.ts';
import type { Findings } from './findings.ts';
import { type KeySearch, searchBundle, searchPinned } from './search-pinned.ts';

type PublishedIndex = Pick<ErasurePlaces, 'known' | 'openDirectory' | 'now'>;

/** Searches the stores and the cache. Throws unreachable, access errors, corrupt_index, io_error. */
export async function searchPublished(index: PublishedIndex, search: KeySearch): Promise<void> {
  const { findings } = search;
  for (const published of publishedOf(index)) {
    const { place } = published;
    const isLeft = place !== placeOf(index);
    const what = isLeft ? 'of the index, which is published elsewhere now' : 'of replaced commits';
    const { bundles: all, newest, cachedBut } = await findFormer(index, published);
    await searchPinned(await openHome(place), published.family, newest, search);
    const known = isLeft ? NOTHING_SEARCHED : await searchReplaced(published, all, search);
    const bundles = all.filter((key) => !known.searched.has(key));
    const add = (where: string, detail: string, end: Pick<ErasureRemain, 'goes' | 'until'>) =>
      findings.add({ place: 'published_commit', key: null, where, detail, ...end });
    const ends = isLeft ? addReaders(index, place, findings) : [];
    if (bundles.length > 0) {
      const objects = bundles.length === 1 ? '1 object' : `${bundles.length} objects`;
      const detail = `${objects} ${what}; they may hold the data`;
      add(place, detail, ends.at(-1) ?? { goes: 'erase' });
    }
    const cached = await cachedBut(known.clean);
    if (cached.length > 0) {
      const detail = `${cached.length} entries of the cache; those of open readers stay`;
      add(openedFolders(), detail, { goes: 'erase' });
    }
  }
}

/** Bundles of replaced commits that were searched, and commits of which none holds data. */
interface Searched {
  /** Keys of bundles. */
  readonly searched: ReadonlySet<string>;
  readonly clean: readonly PublishedCommit[];
}

const NOTHING_SEARCHED: Searched = { searched: new Set(), clean: [] };

/** Searches the bundles that only replaced commits name. */
async function searchReplaced(
  { place, family }: Publication,
  unneeded: readonly string[],
  search: KeySearch,
): Promise<Searched> {
  const { findings, signal } = search;
  const home = await openHome(place);
  const holding = new Set<string>();
  const searched = new Set<string>();
  const commits = await inStore(() => replacedCommits(home, family, signal));
  for (const commit of commits) {
    for (const bundle of commit.bundles) {
      const key = bundleKey(family, bundle);
      if (searched.has(key) || !unneeded.includes(key)) continue;
      const add = (found: number | null, detail: string) => {
        holding.add(key);
        const where = `${place}/${key}`;
        findings.add({ place: 'published_commit', key: found, where, detail, goes: 'erase' });
      };
      try {
        await searchBundle(home, commit, bundle, search, add);
        searched.add(key);
      } catch (error) {
        // damaged, or removed meanwhile
        if (!(error instanceof LhsError) || error.code === 'interrupted') throw error;
      }
    }
  }
  const isSound = (key: string) =>
    (searched.has(key) || !unneeded.includes(key)) && !holding.has(key);
  const isClean = ({ bundles }: PublishedCommit) =>
    bundles.every((bundle) => isSound(bundleKey(family, bundle)));
  return { searched, clean: commits.filter(isClean) };
}

/** Adds points in time that read a place which was left; returns their ends, the latest last. */
function addReaders(index: PublishedIndex, place: string, findings: Findings) {
  const { folder } = index.known;
  const pins = pinsReading(index, place).sort((a, b) => a.pin.expiresAt - b.pin.expiresAt);
  return pins.map(({ generation, pin }) => {
    const end = { goes: 'expiry', until: new Date(pin.expiresAt).toISOString() } as const;
    const where = findings.shown(generationAt(folder, generation).path, pin.file);
    const detail = `a point in time that reads cold windows in "${place}"`;
    findings.add({ place: 'pinned_commit', key: null, where, detail, ...end });
    return end;
  });
}

const pinsReading = (index: PublishedIndex, place: string) =>
  commitsReading({ ...folderOf(index), now: index.now() }, place).flatMap(({ generation, pin }) =>
    pin === null ? [] : [{ generation, pin }],
  );

/**
 * Removes what the index has published in places that it has left and no point in time reads, and
 * what the cache has of its former commits. Throws index_busy if another data folder writes there,
 * and as `searchPublished`.
 */
export async function removeLeftPlaces(index: PublishedIndex): Promise<void> {
  for (const published of publishedOf(index)) {
    const { place } = published;
    if (place !== placeOf(index) && pinsReading(index, place).length === 0) {
      await removePublished(published);
      changeLeft(folderOf(index), published, []);
    }
    await removeClosed(await (await findFormer(index, published)).cachedBut([]));
  }
}

/** The places that the index has left. */
export const leftPlaces = (index: PublishedIndex): ReadonlySet<string> =>
  new Set(leftPublications(folderOf(index)).map(({ place }) => place));

const folderOf = ({ known: { folder }, openDirectory }: PublishedIndex) => ({
  folder,
  openDirectory,
});

const publishedOf = (index: PublishedIndex) => allPublications(folderOf(index));

const placeOf = ({ known: { definition, registered } }: PublishedIndex): string | null =>
  homePlace(definition, registered.baseDir);

/** The indexes of which a branch has objects. */
function originsOf({ place, newest }: Publication): readonly ObjectFamily[] {
  const of = newest?.bundles.flatMap(({ family }) => family ?? []) ?? [];
  const families = new Set([
    ...of,
    ...(newest?.branch_of === undefined ? [] : [newest.branch_of.uuid]),
  ]);
  return [...families].map((family) => ({ place, family }));
}

/** The objects of an index in a store. */
export type ObjectFamily = Pick<Publication, 'place' | 'family'>;

/** Where an index is published, that of which it is a branch too, and where its backups are. */
export const familiesOf = (index: PublishedIndex & Pick<ErasurePlaces, 'backups'>) => [
  ...publishedOf(index).flatMap((published) => [published, ...originsOf(published)]),
  ...index.backups.map((place) => ({ place, family: backupFamily(index.known.registered.uuid) })),
];

/** Locations of all commits and bundles. Lists each family once. Throws as `inStore`. */
export async function objectsOf(families: readonly ObjectFamily[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const distinct = new Map(families.map((one) => [`${one.place}/${one.family}`, one]));
  for (const { place, family } of distinct.values()) {
    await inStore(async () => {
      const { store } = await openHome(place);
      for (const prefix of [commitPrefix(family), bundlePrefix(family)]) {
        for await (const { key, size } of store.list(prefix)) {
          if (size !== ENDED.length) found.add(`${place}/${key}`);
        }
      }
    });
  }
  return found;
}

/** Bundles in a place and paths in the cache that the newest commit does not need. */
async function findFormer(index: PublishedIndex, { place, family }: Publication) {
  const home = await openHome(place);
  return inStore(async () => {
    const last = place === placeOf(index) ? await lastCommit(home, family) : null;
    const only = last === null ? null : { ...last, former: [] };
    const { unneeded } = await sweepable(home, family, only);
    // commits have names of files alone
    const bundles = unneeded
      .map(({ key }) => key)
      .filter((key) => key.startsWith(bundlePrefix(family)));
    const own = last === null ? [] : [last];
    const cachedBut = (clean: readonly PublishedCommit[]) =>
      formerlyPublished(family, [...own, ...clean]);
    return { bundles, newest: last, cachedBut };
  });
}
