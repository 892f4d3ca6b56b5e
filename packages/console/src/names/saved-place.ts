import type { SavedQuery } from '@lakehouse-search/contract';
import { type SearchPlace, searchOf } from '../place/place.ts';
import { filtersOf } from '../text/filter.ts';

/** Fields of a request that the URL holds, or that the search screen sets itself. */
const KNOWN = new Set([
  ...['index', 'query', 'query_text', 'syntax', 'filter', 'sort', 'limit', 'highlight', 'facets'],
  'collapse',
]);

/**
 * The place of a saved query. Undefined: it has parts that the search screen cannot show, and would
 * leave out in silence.
 */
export function savedPlace({ mode = 'lexical', request }: SavedQuery): SearchPlace | undefined {
  if (Object.keys(request).some((name) => !KNOWN.has(name))) return undefined;
  const {
    index,
    filter,
    sort = [],
    syntax,
    collapse,
    query,
    query_text,
  } = {
    query: undefined,
    query_text: undefined,
    ...request,
  };
  const filters =
    filter === undefined ? [] : typeof filter === 'string' ? filtersOf(filter) : undefined;
  if (filters === undefined || sort.some(({ missing }) => missing !== undefined)) return undefined;
  const text = (mode === 'lexical' ? query : query_text) ?? '';
  return {
    ...searchOf(index, text === '*:*' ? '' : text),
    mode,
    filters,
    sort,
    ...(syntax === 'kql' ? { syntax } : {}),
    ...(collapse === undefined ? {} : { collapse }),
  };
}
