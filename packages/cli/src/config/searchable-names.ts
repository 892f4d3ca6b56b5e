import type { BackendApi } from '@lakehouse-search/contract/internal';

/** The names of all indexes, then the aliases. */
export async function searchableNames(
  backend: Pick<BackendApi, 'listIndexes' | 'listAliases'>,
): Promise<string[]> {
  const [indexes, aliases] = await Promise.all([backend.listIndexes(), backend.listAliases()]);
  return [...indexes.map(({ name }) => name), ...aliases.map(({ alias }) => alias)];
}
