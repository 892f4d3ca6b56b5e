import { LhsError } from '@lakehouse-search/contract';
import { inStore } from '../../source/store-errors.ts';
import { isDropped, lastCommit, markDropped, readHead, removeHead } from '../chain.ts';
import { openHome } from '../repository.ts';
import type { Home } from '../stored-json.ts';
import { sweepFamily } from '../sweep.ts';
import type { Publication } from './publication.ts';

/**
 * Removes all that an index has published but pinned commits, its name before its commits. Throws
 * index_busy if another data folder has written its newest commit, and as `inStore`.
 */
export async function removePublished(publication: Publication): Promise<void> {
  const home = await openHome(publication.place);
  await inStore(async () => {
    const { name, family, newest: own, isOwn } = publication;
    const newest = await lastCommit(home, family);
    const isLast = newest === null || (isOwn && newest.attempt === own?.attempt);
    if (!isLast && !(await isDropped(home, family))) throw writtenElsewhere(newest.index, home);
    // from here on no writer that finds no name sends it again
    await markDropped(home, family);
    if (name !== null && (await readHead(home, name))?.uuid === family) {
      await removeHead(home, name);
    }
    await sweepFamily(home, family, null);
  });
}

const writtenElsewhere = (index: string, { place }: Home): LhsError =>
  new LhsError('index_busy', `another data folder has published "${index}" in "${place}"`, {
    hint: 'the one that has written its newest commit removes it there',
    details: { place },
  });
