/**
 * What the URL says: `#/search/INDEX?q=…`. It is the part behind `#`, which browsers send to no
 * server, so queries are in no log of a proxy.
 */
import type { SearchMode, SearchRequest, SortSpec } from '@lakehouse-search/contract';
import type { Filter } from '../text/filter.ts';
import type { KeyParts } from '../text/values.ts';

/** A search and what is open beside it. */
export interface SearchPlace {
  readonly screen: 'search';
  /** Absent: the default index. */
  readonly index?: string;
  readonly query: string;
  readonly mode: SearchMode;
  readonly syntax?: SearchRequest['syntax'];
  readonly filters: readonly Filter[];
  /** None: by relevance. */
  readonly sort: readonly SortSpec[];
  /** Hits with the same value of this field are one. */
  readonly collapse?: string;
  /** From 1. */
  readonly page: number;
  /** The `sort` of the hit before the page, as JSON: pages that an offset does not reach. */
  readonly after?: string;
  /** Columns of a table of hits; absent: a list. */
  readonly columns?: readonly string[];
  /** The field of the histogram; empty: none; absent: the first date. */
  readonly histogram?: string;
  /** The row that is open. */
  readonly row?: KeyParts;
}

/** A place of the console. */
export type Place =
  | SearchPlace
  | { readonly screen: 'indexes' }
  | { readonly screen: 'index'; readonly index: string }
  | { readonly screen: 'jobs'; readonly index?: string }
  | { readonly screen: 'job'; readonly job: string }
  | { readonly screen: 'aliases' }
  | { readonly screen: 'saved' }
  | { readonly screen: 'accounts' }
  | { readonly screen: 'requests'; readonly operation?: string };

/** A search for everything in an index. */
export const searchOf = (index?: string, query = ''): SearchPlace => ({
  screen: 'search',
  ...(index === undefined ? {} : { index }),
  query,
  mode: 'lexical',
  filters: [],
  sort: [],
  page: 1,
});

/** The same search from its first hit on, with other parts and without an open row. */
export function changed(place: SearchPlace, part: Partial<SearchPlace>): SearchPlace {
  const { after: _, row: __, ...rest } = place;
  return { ...rest, page: 1, ...part };
}

/** The place of a fragment. What it does not know is left out, so that old links still open. */
export function placeOf(hash: string): Place {
  const [path, query = ''] = hash.replace(/^#/, '').split(/\?(.*)/s);
  const [, screen, name] = path.split('/').map(decoded);
  switch (screen) {
    case 'indexes':
      return name ? { screen: 'index', index: name } : { screen: 'indexes' };
    case 'jobs':
      return name ? { screen: 'jobs', index: name } : { screen: 'jobs' };
    case 'job':
      return name ? { screen, job: name } : { screen: 'jobs' };
    case 'requests':
      return name ? { screen, operation: name } : { screen };
    case 'aliases':
    case 'saved':
    case 'accounts':
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
  const text = <N extends 'collapse' | 'after' | 'histogram'>(name: N) => {
    const value = params.get(name);
    return value === null ? {} : ({ [name]: value } as { readonly [K in N]: string });
  };
  const columns = params.get('columns');
  const row = params.get('row');
  return {
    ...searchOf(index || undefined, params.get('q') ?? ''),
    mode: MODES.find((one) => one === params.get('mode')) ?? 'lexical',
    ...(params.get('syntax') === 'kql' ? { syntax: 'kql' } : {}),
    filters: [...params].flatMap(([name, value]) => filterOf(name, value)),
    sort: listOf(params.get('sort')).map(sortOf),
    page: Math.max(1, Math.trunc(Number(params.get('page'))) || 1),
    ...text('collapse'),
    ...text('after'),
    ...text('histogram'),
    ...(columns === null ? {} : { columns: listOf(columns) }),
    ...(row ? { row: [...new URLSearchParams(row)] } : {}),
  };
}

/** Names that are joined by commas; a name may have commas itself. */
const listOf = (text: string | null): readonly string[] =>
  text === null ? [] : text.split(',').filter(Boolean).map(decoded);

const listText = (names: readonly string[]): string =>
  names.map((name) => name.replace(/[%,]/g, encodeURIComponent)).join(',');

/** Parameters of filters: `f` a value, `x` a value that is left out. */
const VALUE_FILTERS = { f: 'is', x: 'not' } as const;
const FIELD_FILTERS = { none: 'missing', some: 'present' } as const;

function filterOf(name: string, text: string): readonly Filter[] {
  if (name === 'none' || name === 'some') {
    return text === '' ? [] : [{ kind: FIELD_FILTERS[name], field: text }];
  }
  const at = text.indexOf(':');
  if (at < 1) return [];
  const [field, value] = [text.slice(0, at), text.slice(at + 1)];
  if (name === 'f' || name === 'x') return [{ kind: VALUE_FILTERS[name], field, value }];
  if (name !== 'range') return [];
  const [from, to] = value.split('..');
  return [{ kind: 'range', field, ...(from ? { from } : {}), ...(to ? { to } : {}) }];
}

function filterParam(filter: Filter): readonly [name: string, text: string] {
  const { kind, field } = filter;
  switch (kind) {
    case 'is':
      return ['f', `${field}:${filter.value}`];
    case 'not':
      return ['x', `${field}:${filter.value}`];
    case 'missing':
      return ['none', field];
    case 'present':
      return ['some', field];
    case 'range':
      return ['range', `${field}:${filter.from ?? ''}..${filter.to ?? ''}`];
  }
}

/** `-opened_at` is descending. */
export const sortOf = (text: string): SortSpec =>
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
    case 'job':
      return `#/job/${encodeURIComponent(place.job)}`;
    case 'requests':
      return place.operation === undefined
        ? '#/requests'
        : `#/requests/${encodeURIComponent(place.operation)}`;
    case 'search':
      return searchHref(place);
    default:
      return `#/${place.screen}`;
  }
}

function searchHref(place: SearchPlace): string {
  const { index, query, mode, syntax, filters, sort, page, columns, row } = place;
  const params = new URLSearchParams();
  const add = (name: string, value: string | undefined) => {
    if (value !== undefined) params.append(name, value);
  };
  add('q', query || undefined);
  if (mode !== 'lexical') add('mode', mode);
  if (syntax === 'kql') add('syntax', syntax);
  for (const filter of filters) add(...filterParam(filter));
  if (sort.length > 0) add('sort', listText(sort.map(sortText)));
  add('collapse', place.collapse);
  if (page > 1) add('page', String(page));
  add('after', place.after);
  add('histogram', place.histogram);
  if (columns !== undefined) add('columns', listText(columns));
  add('row', row && `${new URLSearchParams(row.map(([a, b]) => [a, b]))}`);
  const path = index === undefined ? '#/search' : `#/search/${encodeURIComponent(index)}`;
  return params.size === 0 ? path : `${path}?${params}`;
}
