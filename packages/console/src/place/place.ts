/**
 * What the URL says: `#/search/INDEX?q=…`. It is the part behind `#`, which browsers send to no
 * server, so queries are in no log of a proxy.
 */
import type { SearchMode, SearchRequest, SortSpec } from '@lakehouse-search/contract';
import type { Chosen } from '../text/filter.ts';
import type { KeyParts } from '../text/values.ts';

/** A search and what is open beside it. */
export interface SearchPlace {
  readonly screen: 'search';
  /** Absent: the default index. */
  readonly index?: string;
  readonly query: string;
  readonly mode: SearchMode;
  readonly syntax?: SearchRequest['syntax'];
  readonly chosen: readonly Chosen[];
  /** Absent: by relevance. */
  readonly sort?: SortSpec;
  /** From 1. */
  readonly page: number;
  /** The row that is open. */
  readonly row?: KeyParts;
}

/** A place of the console. */
export type Place =
  | SearchPlace
  | { readonly screen: 'indexes' }
  | { readonly screen: 'index'; readonly index: string }
  | { readonly screen: 'jobs'; readonly index?: string }
  | { readonly screen: 'aliases' }
  | { readonly screen: 'saved' };

/** A search for everything in an index. */
export const searchOf = (index?: string, query = ''): SearchPlace => ({
  screen: 'search',
  ...(index === undefined ? {} : { index }),
  query,
  mode: 'lexical',
  chosen: [],
  page: 1,
});

/** The place of a fragment. What it does not know is left out, so that old links still open. */
export function placeOf(hash: string): Place {
  const [path, query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  const [, screen, name] = path.split('/').map(decoded);
  switch (screen) {
    case 'indexes':
      return name ? { screen: 'index', index: name } : { screen: 'indexes' };
    case 'jobs':
      return name ? { screen: 'jobs', index: name } : { screen: 'jobs' };
    case 'aliases':
    case 'saved':
      return { screen };
    default:
      return searchPlace(name, new URLSearchParams(query));
  }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const MODES: readonly SearchMode[] = ['lexical', 'semantic', 'hybrid'];

function searchPlace(index: string | undefined, params: URLSearchParams): SearchPlace {
  const mode = MODES.find((one) => one === params.get('mode')) ?? 'lexical';
  const sort = params.get('sort');
  const row = params.get('row');
  return {
    ...searchOf(index || undefined, params.get('q') ?? ''),
    mode,
    ...(params.get('syntax') === 'kql' ? { syntax: 'kql' } : {}),
    chosen: params.getAll('f').flatMap(chosenOf),
    ...(sort ? { sort: sortOf(sort) } : {}),
    page: Math.max(1, Math.trunc(Number(params.get('page'))) || 1),
    ...(row ? { row: [...new URLSearchParams(row)] } : {}),
  };
}

function chosenOf(text: string): readonly Chosen[] {
  const at = text.indexOf(':');
  return at < 1 ? [] : [{ field: text.slice(0, at), value: text.slice(at + 1) }];
}

const sortOf = (text: string): SortSpec =>
  text.startsWith('-') ? { field: text.slice(1), desc: true } : { field: text };

/** A sort as the URL and the choices of the screen name it: `-opened_at` is descending. */
export const sortText = ({ field, desc }: SortSpec): string => `${desc ? '-' : ''}${field}`;

/** The fragment of a place. */
export function hrefOf(place: Place): string {
  switch (place.screen) {
    case 'index':
      return `#/indexes/${encodeURIComponent(place.index)}`;
    case 'jobs':
      return place.index === undefined ? '#/jobs' : `#/jobs/${encodeURIComponent(place.index)}`;
    case 'search':
      return searchHref(place);
    default:
      return `#/${place.screen}`;
  }
}

function searchHref({ index, query, mode, syntax, chosen, sort, page, row }: SearchPlace): string {
  const params = new URLSearchParams();
  if (query !== '') params.append('q', query);
  if (mode !== 'lexical') params.append('mode', mode);
  if (syntax === 'kql') params.append('syntax', syntax);
  for (const { field, value } of chosen) params.append('f', `${field}:${value}`);
  if (sort !== undefined) params.append('sort', sortText(sort));
  if (page > 1) params.append('page', String(page));
  if (row !== undefined)
    params.append('row', `${new URLSearchParams(row.map(([a, b]) => [a, b]))}`);
  const path = index === undefined ? '#/search' : `#/search/${encodeURIComponent(index)}`;
  return params.size === 0 ? path : `${path}?${params}`;
}
