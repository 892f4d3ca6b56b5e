import { LhsError } from '@lakehouse-search/contract';
import { currentGeneration, indexFolder } from '../../open/index-folder.ts';
import type { RegisteredIndex } from '../../registry/registry.ts';
import type { LocalIndexes } from '../local-indexes.ts';
import type { Turn } from './write-index.ts';

/**
 * Publishes the newest commit of an index whose definition has `storage` and no windows. The commit
 * is in force here whatever it throws: as `publishIndex`.
 */
export async function publishNewest(
  indexes: LocalIndexes,
  { uuid }: Pick<RegisteredIndex, 'uuid'>,
  { signal, afresh = false }: Pick<Turn, 'signal' | 'afresh'> = {},
): Promise<void> {
  const row = indexes.registry.at(uuid);
  // most definitions have no storage, and are not parsed for that
  if (row === undefined || !row.definition.includes('storage')) return;
  const known = indexes.known(row.name);
  const { storage, windows } = known.definition;
  if (storage === undefined || windows !== undefined) return;
  if (currentGeneration(known.folder) === null) return;
  const { indexToBackUp } = await import('./index-to-back-up.ts');
  const { openHome, publishIndex } = await import('../../home/publish.ts');
  const home = await openHome(storage);
  await publishIndex(indexToBackUp(indexes, known), home, { signal, afresh });
}

/** Removes what a dropped index has published; what cannot be removed stays in its store. */
export async function dropPublished(
  { dataDir, openDirectory }: LocalIndexes,
  { uuid }: Pick<RegisteredIndex, 'uuid'>,
): Promise<void> {
  const { removePublished } = await import('../../home/remove-published.ts');
  try {
    await removePublished({ uuid, folder: indexFolder(dataDir, uuid), openDirectory });
  } catch (error) {
    if (!(error instanceof LhsError)) throw error;
    const what = `a dropped index stays in its store: ${error.message}`;
    process.emitWarning(what, 'LhsWarning');
  }
}

/** Throws unsupported if the index is a published one that is opened by its location. */
export function requireWritable({ location }: LocalIndexes, what: string): void {
  if (location === undefined) return;
  const message = `cannot ${what} "${location}": an index that is opened by its location is read`;
  throw new LhsError('unsupported', message, {
    hint: 'the data folder that publishes it writes it',
  });
}
