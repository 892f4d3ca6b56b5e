import { LhsError, type ModeRequest, type SavedQuery } from '@lakehouse-search/contract';
import { type BackendApi, nearest, searchOfSaved } from '@lakehouse-search/contract/internal';
import { refuseForeign, requestPart, type SearchFlags } from './search-flags.ts';

/** The saved query of a name. Throws not_found with the nearest name. */
export async function savedQuery(backend: BackendApi, name: string): Promise<SavedQuery> {
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

/** The search of a saved query, with the parts that flags set. Throws invalid_argument. */
export async function withOverrides(saved: SavedQuery, flags: SearchFlags): Promise<ModeRequest> {
  const { mode, request } = searchOfSaved(saved);
  refuseForeign(mode, flags);
  return searchOfSaved({ ...saved, request: { ...request, ...(await requestPart(flags)) } });
}

/** What a saved query looks for, in one line: its query or text, filter and order. */
export function questionOf(saved: SavedQuery): string {
  const { filter, sort = [] } = saved.request;
  const narrows = typeof filter === 'object' ? JSON.stringify(filter) : filter;
  const orders = sort.map(({ field, desc }) => `${field}${desc ? ':desc' : ''}`).join(',');
  return [
    soughtBy(searchOfSaved(saved)),
    ...(narrows === undefined ? [] : [`filter: ${narrows}`]),
    ...(orders === '' ? [] : [`sort: ${orders}`]),
  ].join('  ');
}

function soughtBy(search: ModeRequest): string {
  if (search.mode !== 'lexical') return search.request.query_text ?? 'a vector';
  const { query, ast } = search.request;
  return query ?? (ast === undefined ? '*:*' : JSON.stringify(ast));
}
