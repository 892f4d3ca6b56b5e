import { LhsError } from '@lakehouse-search/contract';
import { inStore } from '../../source/store-errors.ts';
import { isDropped, lastCommit, markDropped, readHead, removeHead } from '../chain.ts';
import { openHome, unmarkEmpty } from '../repository.ts';
import type { Home } from '../stored-json.ts';
import { sweepFamily } from '../sweep.ts';
import type { Publication } from './publication.ts';

/**
 * Removes the name under which an index was published: readers do not find it any more, its commits
 * stay. `movedTo`: where it is from now on. Throws as `removePublished`.
 */
export async function removeName(publication: Publication, movedTo?: string): Promise<void> {
  const home = await openHome(publication.place);
  await inStore(async () => {
    await requireOwn(home, publication);
    await removeOwnHead(home, publication, movedTo);
  });
}

/**
 * Removes all that an index has published but pinned commits, its name before its commits.
 * `movedTo`: as above. Throws index_busy if another data folder has written its newest commit, and
 * as `inStore`.
 */
export async function removePublished(publication: Publication, movedTo?: string): Promise<void> {
  const home = await openHome(publication.place);
  await inStore(async () => {
    const { family } = publication;
    await requireOwn(home, publication);
    // from here on no writer that finds no name sends it again
    await markDropped(home, family);
    await removeOwnHead(home, publication, movedTo);
    await sweepFamily(home, family, null);
    await unmarkEmpty(home);
  });
}

/** Throws index_busy if another data folder has written the newest commit. */
async function requireOwn(home: Home, { family, newest: own, isOwn }: Publication): Promise<void> {
  const newest = await lastCommit(home, family);
  const isSame = own === null ? newest?.number === 1 : newest?.attempt === own.attempt;
  const isLast = newest === null || (isOwn && isSame);
  if (!isLast && !(await isDropped(home, family))) throw writtenElsewhere(newest.index, home);
}

async function removeOwnHead(home: Home, { name, family }: Publication, movedTo?: string) {
  if (name === null || (await readHead(home, name))?.uuid !== family) return;
  await removeHead(home, name, movedTo);
}

const writtenElsewhere = (index: string, { place }: Home): LhsError =>
  new LhsError('index_busy', `another data folder has published "${index}" in "${place}"`, {
    hint: 'the one that has written its newest commit removes it there',
    details: { place },
  });
