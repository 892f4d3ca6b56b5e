import type { Json } from '../json.ts';
import type { AggOptions } from '../search/agg-spec.ts';
import type {
  AggResult,
  Facet,
  Hit,
  HybridHit,
  SearchResponse,
  StatsResult,
} from '../search/response.ts';
import type { Alike, UnknownKey } from '../search/unknown-key.ts';
import type { DefinedIndex } from './define-index.ts';
import type { FieldType, FieldValues, IndexTypes } from './index-types.ts';

/** Facets of the fields `X`. Every value is a text. */
export type FacetOf<X> = Facet & { readonly field: X };

/** A hit with the fields that were requested; a field without a value is absent. */
export type HitWith<I extends IndexTypes, F> = Omit<Hit, 'fields'> &
  ([F] extends [never]
    ? unknown
    : { readonly fields: { readonly [N in keyof I['cached'] as N & F]?: I['cached'][N] } });

/** The types of a defined index, or those types themselves. */
type TypesIn<D extends DefinedIndex | IndexTypes> = D extends DefinedIndex
  ? NonNullable<D['types']>
  : Extract<D, IndexTypes>;

/** A hit of a defined index, by default with all fields: `TypedHit<typeof jobs, 'title'>`. */
export type TypedHit<
  D extends DefinedIndex | IndexTypes,
  F extends keyof TypesIn<D>['cached'] = keyof TypesIn<D>['cached'],
> = HitWith<TypesIn<D>, F>;

/** `Part` if a request `R` has the member `K`; its members are optional if `K` may be undefined. */
type IfIn<R, K, Part> = K extends keyof R
  ? undefined extends R[K]
    ? Partial<Part>
    : Part
  : unknown;

/** The part of an answer that `facets` and `aggs` of a request `R` make. */
export type TypedCounts<I extends IndexTypes, X, A, R> = IfIn<
  R,
  'facets',
  { readonly facets: readonly FacetOf<X>[] }
> &
  IfIn<R, 'aggs', { readonly aggs: AggResultsOf<A, I['fast']> }>;

/** A hit of a kind of search. */
type HitOfKind<I extends IndexTypes, F, Kind> = HitWith<I, F> &
  (Kind extends 'hybrid' ? Pick<HybridHit, 'arms'> : unknown);

/** The answer to a typed search. */
export type TypedResponse<I extends IndexTypes, F, X, A, R, Kind = 'search'> = Omit<
  SearchResponse,
  'hits' | 'facets' | 'aggs'
> & { readonly hits: readonly HitOfKind<I, F, Kind>[] } & TypedCounts<I, X, A, R>;

/** The value of a field in buckets. */
type ValueOf<V, F> = F extends keyof V ? (V[F] extends FieldType ? FieldValues[V[F]] : Json) : Json;
type Inner<S, V> = S extends { readonly aggs: infer A }
  ? { readonly aggs: AggResultsOf<A, V> }
  : unknown;
type Bucket<S, V, Key> = { readonly key: Key; readonly doc_count: number } & Inner<S, V>;
type Buckets<S, V, Key> = { readonly buckets: readonly Bucket<S, V, Key>[] };
type HasField<F> = { readonly field: F };

/** The result of one aggregation, by its kind. `V`: types of fields by name. */
export type AggResultOf<S, V> = S extends { readonly terms: HasField<infer F> }
  ? Buckets<S, V, ValueOf<V, F>> & {
      readonly sum_other_doc_count: number;
      readonly doc_count_error_upper_bound: number;
    }
  : S extends { readonly significant_terms: HasField<infer F> }
    ? { readonly doc_count: number; readonly bg_count: number } & {
        readonly buckets: readonly (Bucket<S, V, ValueOf<V, F>> & {
          readonly score: number;
          readonly bg_count: number;
        })[];
        readonly total_buckets?: number;
      }
    : S extends { readonly [K in Interval]: Record<K, unknown> }[Interval]
      ? Buckets<S, V, number | string> & { readonly total_buckets?: number }
      : S extends { readonly range: unknown }
        ? { readonly buckets: readonly (Bucket<S, V, string> & Ends)[] }
        : S extends { readonly filter: unknown } | { readonly missing: unknown }
          ? { readonly doc_count: number } & Inner<S, V>
          : FiguresOf<S, V>;

type Ends = { readonly from?: number | string; readonly to?: number | string };

type FiguresOf<S, V> = S extends { readonly stats: HasField<infer F> }
  ? {
      readonly count: number;
      readonly min: FigureOfField<V, F> | null;
      readonly max: FigureOfField<V, F> | null;
      readonly sum: FigureOfField<V, F>;
      readonly avg: number | null;
    }
  : S extends { readonly cardinality: unknown }
    ? { readonly value: number; readonly exact: boolean; readonly standard_error?: number }
    : S extends { readonly percentiles: unknown }
      ? Percentiles
      : S extends { readonly sum: HasField<infer F> }
        ? { readonly value: FigureOfField<V, F> }
        : S extends { readonly min: HasField<infer F> } | { readonly max: HasField<infer F> }
          ? { readonly value: FigureOfField<V, F> | null }
          : S extends { readonly avg: unknown } | { readonly ratio: unknown }
            ? { readonly value: number | null }
            : S extends { readonly change: unknown }
              ? { readonly value: number | string | null }
              : AggResult;
/** Of whole numbers and dates beyond 2^53 it is a text. */
type FigureOfField<V, F> = F extends keyof V
  ? V[F] extends 'DOUBLE'
    ? number
    : number | string
  : number | string;
type Percentiles = {
  readonly values: readonly { readonly percent: number; readonly value: number | null }[];
  readonly exact: boolean;
  readonly nan_count?: number;
};

type Interval = 'date_histogram' | 'histogram' | 'date_part';

/** The results of aggregations, each of its kind. */
export type AggResultsOf<A, V> = {
  readonly [N in keyof A]: AggResultOf<Exclude<A[N], undefined>, V>;
};

/** Names of the figures of buckets with the aggregations `A`. */
type FigureOf<A> =
  | '_count'
  | {
      [N in keyof A & string]: A[N] extends { readonly stats: unknown }
        ? `${N}.${keyof StatsResult}`
        : A[N] extends { readonly percentiles: unknown }
          ? `${N}.${number}`
          : A[N] extends { readonly [K in Grouping]: Record<K, unknown> }[Grouping]
            ? never
            : N;
    }[keyof A & string];
type FiguresWithin<S> = S extends { readonly aggs: infer A } ? FigureOf<A> : '_count';
type Grouping = Interval | 'terms' | 'significant_terms' | 'range';

/** Refuses options that the kind of an aggregation does not have, and figures that do not exist. */
export type ExactAggs<A> = {
  readonly [N in keyof A]: {
    readonly [K in keyof A[N]]: K extends 'aggs'
      ? ExactAggs<A[N][K]>
      : K extends 'filter'
        ? unknown
        : K extends keyof AggOptions
          ? ExactOptions<A[N][K], keyof AggOptions[K], FiguresWithin<A[N]>, FigureOf<A>>
          : UnknownKey<K, Alike<K, keyof AggOptions | 'aggs'>>;
  };
};
type ExactOptions<O, Known, Within, Beside> = {
  readonly [P in keyof O]: P extends 'of' | 'to'
    ? Beside
    : P extends 'order'
      ? OnlyKeys<O[P], Within | '_key'>
      : P extends 'having'
        ? OnlyKeys<O[P], Within>
        : P extends Known
          ? unknown
          : UnknownKey<P, Alike<P, Known>>;
};
type OnlyKeys<O, Known> = {
  readonly [P in keyof O]: P extends Known ? unknown : UnknownKey<P, Alike<P, Known>>;
};
