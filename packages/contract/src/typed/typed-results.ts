import type { Json } from '../json.ts';
import type { AggOptions } from '../search/agg-spec.ts';
import type { AggResult, StatsResult } from '../search/response.ts';

type ValueOf<V, F> = F extends keyof V ? V[F] : Json;
type Inner<S, V> = S extends { readonly aggs: infer A }
  ? { readonly aggs: AggResultsOf<A, V> }
  : unknown;
type Bucket<S, V, Key> = { readonly key: Key; readonly doc_count: number } & Inner<S, V>;
type Buckets<S, V, Key> = { readonly buckets: readonly Bucket<S, V, Key>[] };
type HasField<F> = { readonly field: F };

/** The result of one aggregation, by its kind. `V`: values of fields by name. */
export type AggResultOf<S, V> = S extends { readonly terms: HasField<infer F> }
  ? Buckets<S, V, ValueOf<V, F>> & {
      readonly sum_other_doc_count: number;
      readonly doc_count_error_upper_bound: number;
    }
  : S extends { readonly [K in Interval]: Record<K, unknown> }[Interval]
    ? Buckets<S, V, number | string>
    : S extends { readonly range: unknown }
      ? { readonly buckets: readonly (Bucket<S, V, string> & Ends)[] }
      : S extends { readonly filter: unknown } | { readonly missing: unknown }
        ? { readonly doc_count: number } & Inner<S, V>
        : FiguresOf<S>;

type Ends = { readonly from?: number | string; readonly to?: number | string };

type FiguresOf<S> = S extends { readonly stats: unknown }
  ? StatsResult
  : S extends { readonly cardinality: unknown }
    ? { readonly value: number; readonly exact: boolean; readonly standard_error?: number }
    : S extends { readonly percentiles: unknown }
      ? Extract<AggResult, { readonly values: unknown }>
      : S extends { readonly [K in Single]: Record<K, unknown> }[Single]
        ? Figure
        : AggResult;

type Interval = 'date_histogram' | 'histogram' | 'date_part';
type Single = 'avg' | 'min' | 'max' | 'sum' | 'ratio' | 'change';
/** A figure; null: no document has a value, or there is nothing to compute with. */
type Figure = { readonly value: number | string | null };

/** The results of aggregations, each of its kind. */
export type AggResultsOf<A, V> = { readonly [N in keyof A]: AggResultOf<A[N], V> };

/** Refuses options that the kind of an aggregation does not have. */
export type ExactAggs<A> = {
  readonly [N in keyof A]: {
    readonly [K in keyof A[N]]: K extends 'aggs'
      ? ExactAggs<A[N][K]>
      : K extends 'filter'
        ? unknown
        : K extends keyof AggOptions
          ? { readonly [P in Exclude<keyof A[N][K], keyof AggOptions[K]>]: never }
          : never;
  };
};
