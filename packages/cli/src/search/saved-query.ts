import { type Backend, LhsError, nearest, type SavedQuery } from '@lakehouse-search/contract';

/** The saved query of a name. Throws not_found with the nearest name. */
export async function savedQuery(backend: Backend, name: string): Promise<SavedQuery> {
  const all = await backend.listSavedQueries();
  const found = all.find((query) => query.name === name);
  if (found !== undefined) return found;
  const names = all.map((query) => query.name);
  const near = nearest(name, names);
  const guess = near === undefined ? '' : `; did you mean "${near}"?`;
  throw new LhsError('not_found', `there is no saved query "${name}"${guess}`, {
    hint: names.length === 0 ? 'lhs query save NAME INDEX QUERY saves one' : 'lhs query list',
  });
}
