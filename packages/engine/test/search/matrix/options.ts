/** The options of the matrix: what each adds to a request. */
import type {
  AggSpecs,
  HybridRequest,
  SearchRequest,
  SemanticRequest,
} from '@lakehouse-search/contract';
import type { Query } from '../../../src/query/query.ts';
import { writeTree } from '../../../src/query/tree/write.ts';

export const OPTIONS = [
  ...(['filter', 'sort', 'search_after', 'collapse', 'highlight'] as const),
  ...(['facets', 'aggs', 'hydrate', 'PIT'] as const),
] as const;
export type Option = (typeof OPTIONS)[number];

/** The filter, as the model and as the request have it. */
export const FILTER: Query = {
  kind: 'bool',
  must: [{ kind: 'range', field: 'n1', lower: { value: '0', inclusive: true } }],
  should: [],
  must_not: [{ kind: 'term', field: 'k1', value: 'git' }],
  filter: [],
};
export const SORT = [{ field: 'n1', desc: true }, { field: 'k1' }] as const;
export const GROUP = 'k1';
export const PAGE = 7;

/** A question of one of the modes, without options. */
export type Question =
  | { readonly mode: 'lexical'; readonly query: Query }
  | { readonly mode: 'semantic'; readonly request: SemanticRequest }
  | { readonly mode: 'hybrid'; readonly request: HybridRequest };

/** What options add to a request. `search_after` pages from its first page on. */
export function optionsOf(
  options: ReadonlySet<Option>,
  pit_id: string,
): Omit<SearchRequest, 'query' | 'ast'> {
  const paged = options.has('search_after');
  const sort = options.has('sort') ? SORT : paged ? [{ field: '_score' }] : undefined;
  return {
    index: 't',
    limit: paged ? PAGE : 1000,
    ...(options.has('filter') ? { filter: writeTree(FILTER) } : {}),
    ...(sort === undefined ? {} : { sort }),
    ...(options.has('collapse') ? { collapse: GROUP } : {}),
    ...(options.has('highlight') ? { highlight: { fragment_size: 100_000 } } : {}),
    ...(options.has('facets') ? { facets: { fields: ['k1', 't1', 'b1'], size: 3 } } : {}),
    ...(options.has('aggs') ? { aggs: AGGS } : {}),
    ...(options.has('hydrate') ? { hydrate: true } : {}),
    ...(options.has('PIT') ? { pit_id } : {}),
  };
}

const AGGS: AggSpecs = {
  groups: {
    terms: { field: 'k1', size: 2, order: { _key: 'asc' } },
    aggs: { n: { stats: { field: 'n1' } } },
  },
  positive: { range: { field: 'n1', ranges: [{ key: 'yes', from: 1 }] } },
};
