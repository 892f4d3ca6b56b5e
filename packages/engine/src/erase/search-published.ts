/**
 * The places in which an index is or was published: objects that its newest commit does not name,
 * and what the cache of this user has of them. The documents of the newest commit are searched with
 * the live generation.
 */
import type { ErasureRemain } from '@lakehouse-search/contract';
import { backupFamily } from '../home/backup-index.ts';
import { bundlePrefix, commitPrefix, lastCommit } from '../home/chain.ts';
import { openHome } from '../home/repository.ts';
import { ENDED } from '../home/stored-json.ts';
import { sweepable } from '../home/sweep.ts';
import { commitsReading } from '../home/windows/former-objects.ts';
import {
  allPublications,
  forgetLeft,
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

type PublishedIndex = Pick<ErasurePlaces, 'known' | 'openDirectory' | 'now'>;

/** Searches the stores and the cache. Throws unreachable, access errors, corrupt_index, io_error. */
export async function searchPublished(index: PublishedIndex, findings: Findings): Promise<void> {
  for (const published of publishedOf(index)) {
    const { keys, cached } = await findFormer(index, published);
    const isLeft = published.place !== placeOf(index);
    const what = isLeft ? 'of the index, which is published elsewhere now' : 'of replaced commits';
    const add = (where: string, detail: string, end: Pick<ErasureRemain, 'goes' | 'until'>) =>
      findings.add({ place: 'published_commit', key: null, where, detail, ...end });
    const ends = isLeft ? addReaders(index, published.place, findings) : [];
    if (keys.length > 0) {
      const detail = `${keys.length} objects ${what}; they may hold the data`;
      add(published.place, detail, ends.at(-1) ?? { goes: 'erase' });
    }
    if (cached.length > 0) {
      const detail = `${cached.length} entries of the cache; those of open readers stay`;
      add(openedFolders(), detail, { goes: 'erase' });
    }
  }
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
      forgetLeft(folderOf(index), published);
    }
    await removeClosed((await findFormer(index, published)).cached);
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

/** The objects of an index in a store. */
export type ObjectFamily = Pick<Publication, 'place' | 'family'>;

/** Where an index is published, and where its backups are. */
export const familiesOf = (index: PublishedIndex & Pick<ErasurePlaces, 'backups'>) => [
  ...publishedOf(index),
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

/** Objects in a place and paths in the cache that the newest commit does not need. */
async function findFormer(index: PublishedIndex, { place, family }: Publication) {
  const home = await openHome(place);
  return inStore(async () => {
    const last = place === placeOf(index) ? await lastCommit(home, family) : null;
    const newest = last === null ? null : { ...last, former: [] };
    const { unneeded: keys } = await sweepable(home, family, newest);
    return { keys, cached: await formerlyPublished(family, last) };
  });
}
