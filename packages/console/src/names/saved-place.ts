import type { SavedQuery } from '@lakehouse-search/contract';
import { type SearchPlace, searchOf } from '../place/place.ts';
import { type Chosen, filterText } from '../text/filter.ts';

/** Fields of a request that the URL holds, or that the search screen sets itself. */
const KNOWN = new Set([
  ...['index', 'query', 'query_text', 'syntax', 'filter', 'sort', 'limit', 'highlight', 'facets'],
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
    query,
    query_text,
  } = {
    query: undefined,
    query_text: undefined,
    ...request,
  };
  const chosen = filter === undefined ? [] : chosenOf(filter, syntax);
  if (chosen === undefined || sort.length > 1 || sort[0]?.missing !== undefined) return undefined;
  const text = (mode === 'lexical' ? query : query_text) ?? '';
  return {
    ...searchOf(index, text === '*:*' ? '' : text),
    mode,
    chosen,
    ...(syntax === 'kql' ? { syntax } : {}),
    ...(sort.length === 1 ? { sort: sort[0] } : {}),
  };
}

/** The values of a filter that the console has written; undefined: another filter. */
function chosenOf(filter: unknown, syntax: SearchPlace['syntax']): readonly Chosen[] | undefined {
  if (typeof filter !== 'string') return undefined;
  const and = syntax === 'kql' ? ' and ' : ' AND ';
  const chosen = filter.split(and).flatMap((clause) => {
    const [, field, list = ''] = /^([\w.]+):(.*)$/s.exec(clause) ?? [];
    return field === undefined ? [] : values(list).map((value) => ({ field, value }));
  });
  return filterText(chosen, syntax) === filter ? chosen : undefined;
}

/** The values of `a`, `"a b"` or `(a OR "b c")`. */
function values(list: string): readonly string[] {
  const found = list.matchAll(/"((?:[^"\\]|\\.)*)"|[A-Za-z0-9_]+/gs);
  return [...found]
    .filter(([word]) => !/^(or)$/i.test(word))
    .map(([word, quoted]) => quoted?.replace(/\\(.)/gs, '$1') ?? word);
}
