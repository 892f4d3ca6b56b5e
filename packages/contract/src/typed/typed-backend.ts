import type { FacetsRequest } from '../aggregations/request.ts';
import type { AggregateResponse, FacetsResponse } from '../aggregations/response.ts';
import type { SearchApi } from '../backend.ts';
import type { CallContext } from '../call.ts';
import type { DiffRequest } from '../diff/request.ts';
import type { ExplainRequest } from '../explain/request.ts';
import type { ExportRequest } from '../indexes/request.ts';
import type { KeysRequest } from '../keys/request.ts';
import type { SuggestRequest } from '../query-text/request.ts';
import type { MatchRequest } from '../search/request.ts';
import type { DefinedIndex } from './define-index.ts';
import type { IndexTypes } from './index-types.ts';
import type {
  AggsOf,
  CachedOf,
  FastOf,
  IndexedOf,
  NoAggs,
  Seen,
  TypedMatch,
  TypedSearches,
  TypedSort,
  TypedWords,
  With,
} from './typed-request.ts';
import type { AggResultsOf, ExactAggs, FacetOf, HitWith, TypedResponse } from './typed-results.ts';
import { withNumbers } from './typed-values.ts';

type Named<I extends IndexTypes, N> = Extract<I, { readonly name: N }>;

/** A search of a kind. */
type TypedSearch<I extends IndexTypes, Kind extends 'search' | 'semantic' | 'hybrid'> = <
  const N extends I['name'],
  const F extends CachedOf<Named<I, N>> = CachedOf<Named<I, N>>,
  const X extends FastOf<Named<I, N>> = never,
  const A extends AggsOf<Named<I, N>> = NoAggs,
  R = unknown,
>(
  request: TypedSearches<Named<I, N>, F, X, A>[Kind] & { readonly index: N } & Seen<
      R,
      TypedSearches<Named<I, N>, F, X, A>[Kind]
    >,
  call?: CallContext,
) => Promise<TypedResponse<Named<I, N>, F, X, A, R, Kind>>;

/** Requests that name fields, and whose answers have the same type for every index. */
interface Requests<I extends IndexTypes> {
  readonly suggest: With<SuggestRequest, { readonly field: IndexedOf<I, 'TEXT' | 'KEYWORD'> }>;
  readonly explain: With<ExplainRequest, TypedMatch<I> & TypedSort<I> & TypedWords<I>>;
  readonly diffHits: With<DiffRequest, TypedMatch<I>>;
  readonly getKeys: KeysRequest;
  readonly exportDocuments: ExportRequest;
}
type TypedRead<I extends IndexTypes, Kind extends keyof Requests<I>> = <const N extends I['name']>(
  request: Requests<Named<I, N>>[Kind] & { readonly index: N },
  call?: CallContext,
) => ReturnType<SearchApi[Kind]>;

/** The reads of an index whose fields the compiler knows. */
export interface TypedReads<I extends IndexTypes> {
  /** The best hits of a query. */
  search: TypedSearch<I, 'search'>;
  /** The nearest documents of a text's meaning, or of a vector. */
  semantic: TypedSearch<I, 'semantic'>;
  /** The documents of a text's words and of its meaning, fused. */
  hybrid: TypedSearch<I, 'hybrid'>;
  /** The hits of a search at one state of the index, one after another. */
  hits<const N extends I['name'], const F extends CachedOf<Named<I, N>> = CachedOf<Named<I, N>>>(
    request: TypedSearches<Named<I, N>, F, never, NoAggs>['hits'] & { readonly index: N },
    call?: CallContext,
  ): AsyncGenerator<HitWith<Named<I, N>, F>>;
  /** Aggregations over the documents of a query. */
  aggregate<const N extends I['name'], const A extends AggsOf<Named<I, N>>>(
    request: With<MatchRequest, TypedMatch<Named<I, N>>> & {
      readonly index: N;
      readonly aggs: A & ExactAggs<A>;
    },
    call?: CallContext,
  ): Promise<With<AggregateResponse, { readonly results: AggResultsOf<A, Named<I, N>['fast']> }>>;
  /** The most frequent values of some fields among the documents of a query. */
  facets<const N extends I['name'], const X extends FastOf<Named<I, N>>>(
    request: With<
      FacetsRequest,
      TypedMatch<Named<I, N>> & { readonly index: N; readonly fields: readonly X[] }
    >,
    call?: CallContext,
  ): Promise<With<FacetsResponse, { readonly facets: readonly FacetOf<X>[] }>>;
  /** Terms of a field that begin with a text, or are a few edits away from it. */
  suggest: TypedRead<I, 'suggest'>;
  /** Why the row of a key is, or is not, among the hits of a search. */
  explain: TypedRead<I, 'explain'>;
  /** The hits of one search at two moments of an index, and why they differ. */
  diffHits: TypedRead<I, 'diffHits'>;
  /** Rows of the table by key. */
  getKeys: TypedRead<I, 'getKeys'>;
  /** The cached fields of all documents of a query. */
  exportDocuments: TypedRead<I, 'exportDocuments'>;
}

/** A backend whose reads are typed. */
export type TypedBackend<I extends IndexTypes, B> = Omit<B, keyof TypedReads<I>> &
  Pick<TypedReads<I>, keyof TypedReads<I> & keyof B>;

/**
 * A copy of a backend, local or remote, whose reads are typed by definitions:
 * `typed(await openLocal('data'), commits)`.
 */
export function typed<B extends SearchApi, const D extends readonly DefinedIndex[]>(
  backend: B,
  ...indexes: D
): TypedBackend<NonNullable<D[number]['types']>, B>;
/** Values of DOUBLE fields and figures are numbers, as the types say. */
export function typed(
  backend: Parameters<typeof withNumbers>[0],
  ...indexes: DefinedIndex[]
): unknown {
  return withNumbers(backend, indexes);
}
