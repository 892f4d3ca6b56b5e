import { existsSync } from 'node:fs';
import type { OpenDirectory } from '../open/open-index.ts';
import { inStore } from '../source/store-errors.ts';
import { isDropped, lastCommit, markDropped, readHead, removeHead } from './chain.ts';
import { isPublishedLast, lastPublication } from './publication.ts';
import { openHome, overtaken } from './publish.ts';
import { sweepFamily } from './sweep.ts';

/**
 * Removes all that an index has published but pinned commits, its name first. Throws index_busy if
 * another data folder has published it since, and as `inStore`.
 */
export async function removePublished(index: {
  readonly uuid: string;
  readonly folder: string;
  readonly openDirectory: OpenDirectory;
}): Promise<void> {
  const publication = existsSync(index.folder) ? lastPublication(index) : null;
  if (publication === null) return;
  const home = await openHome(publication.place);
  await inStore(async () => {
    const { name } = publication;
    const newest = await lastCommit(home, index.uuid);
    const isOwn = newest === null || isPublishedLast(publication, newest);
    if (!isOwn && !(await isDropped(home, index.uuid))) throw overtaken(newest.index, home);
    if (name !== null && (await readHead(home, name))?.uuid === index.uuid) {
      await removeHead(home, name);
    }
    await markDropped(home, index.uuid);
    await sweepFamily(home, index.uuid, null);
  });
}
