import type { FacetsRequest } from '../aggregations/request.ts';
import type { AggregateResponse, FacetsResponse } from '../aggregations/response.ts';
import type { SearchApi } from '../backend.ts';
import type { CallContext } from '../call.ts';
import type { AggSpecs } from '../search/agg-spec.ts';
import type { QueryTree } from '../search/query-tree.ts';
import type {
  HighlightSpec,
  HybridRequest,
  MatchRequest,
  SearchRequest,
  SemanticRequest,
  SortSpec,
} from '../search/request.ts';
import type { Facet, Hit, SearchResponse } from '../search/response.ts';
import type { DefinedIndex } from './define-index.ts';
import type { IndexTypes } from './index-types.ts';
import type { AggResultsOf, ExactAggs } from './typed-results.ts';

type Named<I extends IndexTypes, N> = Extract<I, { readonly name: N }>;
type PathsOf<I extends IndexTypes> = `${I['paths']}.${string}`;
type CachedOf<I extends IndexTypes> = keyof I['cached'] & string;
type FastOf<I extends IndexTypes> = (keyof I['fast'] & string) | PathsOf<I>;
type IndexedOf<I extends IndexTypes> = I['indexed'] | PathsOf<I>;
type TreeOf<I extends IndexTypes> = QueryTree<IndexedOf<I> | FastOf<I> | I['vectors']>;

/** Request fields that name fields of the index. */
interface TypedMatch<I extends IndexTypes> {
  readonly index: I['name'];
  readonly ast?: TreeOf<I> | undefined;
  readonly filter?: string | TreeOf<I> | undefined;
}

interface TypedPage<I extends IndexTypes, F, X, A> extends TypedMatch<I> {
  readonly fields?: readonly F[] | undefined;
  readonly sort?:
    | readonly (Omit<SortSpec, 'field'> & { readonly field: FastOf<I> | '_score' | '_key' })[]
    | undefined;
  readonly collapse?: FastOf<I> | undefined;
  readonly highlight?:
    | (Omit<HighlightSpec, 'fields'> & {
        readonly fields?: readonly IndexedOf<I>[] | undefined;
      })
    | undefined;
  readonly facets?:
    | { readonly fields: readonly X[]; readonly size?: number | undefined }
    | undefined;
  readonly aggs?: (A & ExactAggs<A>) | undefined;
}

interface TypedNear<I extends IndexTypes> {
  readonly vector_field?: I['vectors'] | undefined;
}
interface TypedWords<I extends IndexTypes> extends TypedNear<I> {
  readonly lexical_fields?: readonly I['indexed'][] | undefined;
}

/** `T` with the members of `U` in place of its own. */
type With<T, U> = Omit<T, keyof U> & U;

/** A hit with the fields that were requested; a field without a value is absent. */
export type TypedHit<I extends IndexTypes, F> = Omit<Hit, 'fields'> &
  ([F] extends [never]
    ? unknown
    : { readonly fields: { readonly [N in keyof I['cached'] as N & F]?: I['cached'][N] } });

/** The answer to a typed search. */
export type TypedResponse<I extends IndexTypes, F, X, A> = Omit<
  SearchResponse,
  'hits' | 'facets' | 'aggs'
> & { readonly hits: readonly TypedHit<I, F>[] } & ([X] extends [never]
    ? unknown
    : { readonly facets: readonly (Facet & { readonly field: X })[] }) &
  ([keyof A] extends [never] ? unknown : { readonly aggs: AggResultsOf<A, I['fast']> });

/** No aggregations. */
type None = Readonly<Record<never, never>>;

/** A search of a kind whose request is `R`, with the members `More`. */
type TypedSearch<I extends IndexTypes, Kind extends 'search' | 'semantic' | 'hybrid'> = <
  const N extends I['name'],
  const F extends CachedOf<Named<I, N>> = CachedOf<Named<I, N>>,
  const X extends FastOf<Named<I, N>> = never,
  const A extends AggSpecs<FastOf<Named<I, N>>> = None,
>(
  request: RequestOf<Named<I, N>, F, X, A>[Kind] & { readonly index: N },
  call?: CallContext,
) => Promise<TypedResponse<Named<I, N>, F, X, A>>;

interface RequestOf<I extends IndexTypes, F, X, A> {
  readonly search: With<SearchRequest, TypedPage<I, F, X, A>>;
  readonly semantic: With<SemanticRequest, Omit<TypedPage<I, F, X, A>, 'ast'> & TypedNear<I>>;
  readonly hybrid: With<HybridRequest, Omit<TypedPage<I, F, X, A>, 'ast'> & TypedWords<I>>;
}

/** The reads of an index whose fields the compiler knows. */
export interface TypedReads<I extends IndexTypes> {
  search: TypedSearch<I, 'search'>;
  semantic: TypedSearch<I, 'semantic'>;
  hybrid: TypedSearch<I, 'hybrid'>;
  aggregate<const N extends I['name'], const A extends AggSpecs<FastOf<Named<I, N>>>>(
    request: With<MatchRequest, TypedMatch<Named<I, N>>> & {
      readonly index: N;
      readonly aggs: A & ExactAggs<A>;
    },
    call?: CallContext,
  ): Promise<
    Omit<AggregateResponse, 'results'> & {
      readonly results: AggResultsOf<A, Named<I, N>['fast']>;
    }
  >;
  facets<const N extends I['name'], const X extends FastOf<Named<I, N>>>(
    request: With<
      FacetsRequest,
      TypedMatch<Named<I, N>> & { readonly index: N; readonly fields: readonly X[] }
    >,
    call?: CallContext,
  ): Promise<
    Omit<FacetsResponse, 'facets'> & {
      readonly facets: readonly (Facet & { readonly field: X })[];
    }
  >;
}

/** A backend whose searches are typed. */
export type TypedBackend<I extends IndexTypes, B> = Omit<B, keyof TypedReads<I>> & TypedReads<I>;

/**
 * The same backend, whose searches are typed by definitions:
 * `typed(await openLocal('data'), commits)`. A backend of any kind, local or remote.
 */
export function typed<B extends SearchApi, const D extends readonly DefinedIndex<IndexTypes>[]>(
  backend: B,
  ...indexes: D
): TypedBackend<NonNullable<D[number]['types']>, B>;
/** The same backend: only the compiler sees a difference. */
export function typed(backend: unknown): unknown {
  return backend;
}
