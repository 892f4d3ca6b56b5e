import type { AggSpecs } from '../search/agg-spec.ts';
import type { QueryTree } from '../search/query-tree.ts';
import type {
  FacetSpec,
  HighlightSpec,
  HitsRequest,
  HybridRequest,
  SearchRequest,
  SemanticRequest,
  SortSpec,
} from '../search/request.ts';
import type { Alike, UnknownKey } from '../search/unknown-key.ts';
import type { DefinedIndex } from './define-index.ts';
import type { FieldType, IndexTypes } from './index-types.ts';
import type { ExactAggs } from './typed-results.ts';

type PathsOf<I extends IndexTypes> = `${I['paths']}.${string}`;
type NamesOf<Fields, T> = {
  readonly [N in keyof Fields & string]: Fields[N] extends T ? N : never;
}[keyof Fields & string];

/** Names of fields that hits have. */
export type CachedOf<I extends IndexTypes> = keyof I['cached'] & string;
/** Names of fast fields of the types `T`, and paths of variants. */
export type FastOf<I extends IndexTypes, T extends FieldType = FieldType> =
  | NamesOf<I['fast'], T>
  | PathsOf<I>;
/** Names of fields of the types `T` that queries search, and paths of variants. */
export type IndexedOf<I extends IndexTypes, T extends FieldType = FieldType> =
  | NamesOf<I['indexed'], T>
  | PathsOf<I>;
/** Aggregations over the fields of an index. */
export type AggsOf<I extends IndexTypes> = AggSpecs<
  FastOf<I>,
  FastOf<I, 'LONG' | 'DOUBLE'>,
  FastOf<I, 'DATE'>
>;
/** No aggregations. */
export type NoAggs = Readonly<Record<never, never>>;

type TreeOf<I extends IndexTypes> = QueryTree<IndexedOf<I> | FastOf<I> | I['vectors']>;
/** Query trees over the fields of a defined index: `const parts: QueryTreeOf<typeof jobs>[] = []`. */
export type QueryTreeOf<D extends DefinedIndex> = TreeOf<NonNullable<D['types']>>;

/** `T`, in which members of `U` replace those of the same name. */
export type With<T, U> = Omit<T, keyof U> & U;

/** Members of requests that select documents of an index. */
export interface TypedMatch<I extends IndexTypes> {
  readonly ast?: TreeOf<I> | undefined;
  readonly filter?: string | TreeOf<I> | undefined;
}

/** The order of hits. */
export interface TypedSort<I extends IndexTypes> {
  readonly sort?:
    | readonly With<SortSpec, { readonly field: FastOf<I> | '_score' | '_key' }>[]
    | undefined;
}

/** Members of searches that name fields of an index. */
export interface TypedPage<I extends IndexTypes, F, X, A> extends TypedMatch<I>, TypedSort<I> {
  readonly fields?: readonly F[] | undefined;
  readonly collapse?: FastOf<I> | undefined;
  readonly highlight?:
    | With<
        HighlightSpec,
        { readonly fields?: readonly IndexedOf<I, 'TEXT' | 'KEYWORD'>[] | undefined }
      >
    | undefined;
  readonly facets?: With<FacetSpec, { readonly fields: readonly X[] }> | undefined;
  readonly aggs?: (A & ExactAggs<A>) | undefined;
}

/** Members of searches by meaning. */
export interface TypedNear<I extends IndexTypes> {
  readonly vector_field?: I['vectors'] | undefined;
}
/** Members of searches by words and meaning. */
export interface TypedWords<I extends IndexTypes> extends TypedNear<I> {
  readonly lexical_fields?: readonly IndexedOf<I, 'TEXT'>[] | undefined;
}

/** The requests of each way to search. */
export interface TypedSearches<I extends IndexTypes, F, X, A> {
  readonly search: With<SearchRequest, TypedPage<I, F, X, A>>;
  readonly hits: With<HitsRequest, Omit<TypedPage<I, F, X, A>, 'facets' | 'aggs'>>;
  readonly semantic: With<SemanticRequest, Omit<TypedPage<I, F, X, A>, 'ast'> & TypedNear<I>>;
  readonly hybrid: With<HybridRequest, Omit<TypedPage<I, F, X, A>, 'ast'> & TypedWords<I>>;
}

/** Infers `T`, and accepts what the rest of a request's type accepts. */
type Inferred<T> = T extends never ? T : unknown;
/**
 * Infers the type of a whole request `R`, which says what may be undefined. Refuses members that
 * `Request` does not have.
 */
export type Seen<R, Request> = {
  readonly [K in keyof R]: K extends keyof Request
    ? Inferred<R[K]>
    : UnknownKey<K, Alike<K, keyof Request>>;
};
