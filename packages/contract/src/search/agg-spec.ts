import type { Json, JsonObject } from '../json.ts';
import type { QueryTree } from './query-tree.ts';

/** Options of an aggregation that needs nothing but a field. */
export type FieldOptions<F extends string = string> = {
  readonly field: F;
};

/** What orders buckets: `_count`, `_key`, or a figure of theirs. */
export type TermsOrder = { readonly [figure: string]: 'asc' | 'desc' };

/** Which buckets are shown, and in which order. */
type Selection = {
  readonly size?: number | undefined;
  readonly order?: TermsOrder | undefined;
  /** Bounds of figures that a bucket must have. */
  readonly having?: JsonObject | undefined;
};
type Histogram<F extends string> = FieldOptions<F> &
  Selection & { readonly min_doc_count?: number | undefined };

/** The options of each kind of aggregation (docs/aggregations.md). `F`: names of fields. */
export interface AggOptions<F extends string = string> {
  readonly terms: FieldOptions<F> &
    Selection & {
      /** The value that documents without one count under. */
      readonly missing?: Json | undefined;
    };
  readonly date_histogram: Histogram<F> & {
    readonly fixed_interval?: string | undefined;
    readonly calendar_interval?: string | undefined;
    readonly time_zone?: string | undefined;
    readonly offset?: string | undefined;
  };
  readonly histogram: Histogram<F> & { readonly interval: number };
  readonly date_part: Histogram<F> & {
    readonly part: string;
    readonly time_zone?: string | undefined;
  };
  readonly range: FieldOptions<F> & {
    readonly ranges: readonly {
      readonly key?: string | undefined;
      readonly from?: Json | undefined;
      readonly to?: Json | undefined;
    }[];
  };
  readonly filter: string | { readonly query: string } | QueryTree<F>;
  readonly missing: FieldOptions<F>;
  readonly stats: FieldOptions<F>;
  readonly avg: FieldOptions<F>;
  readonly min: FieldOptions<F>;
  readonly max: FieldOptions<F>;
  readonly sum: FieldOptions<F>;
  readonly cardinality: FieldOptions<F>;
  /** Within groups: a figure of a group over another one. */
  readonly ratio: { readonly of: string; readonly to: string };
  /** Within groups that follow each other: a figure less that of the group before. */
  readonly change: { readonly of: string; readonly relative?: boolean | undefined };
  readonly percentiles: FieldOptions<F> & { readonly percents?: readonly number[] | undefined };
}

/** Kinds that make buckets: aggregations can stand in them. */
export type BucketKind =
  | 'terms'
  | 'date_histogram'
  | 'histogram'
  | 'date_part'
  | 'range'
  | 'filter'
  | 'missing';

/** One aggregation: its kind with its options, and `aggs` of its buckets. */
export type AggSpec<F extends string = string> = {
  readonly [K in keyof AggOptions]: {
    readonly [Kind in K]: AggOptions<F>[K];
  } & (K extends BucketKind ? { readonly aggs?: AggSpecs<F> | undefined } : unknown);
}[keyof AggOptions];

/** Aggregations by name: `{name: {kind: {options}, aggs?}}`. */
export type AggSpecs<F extends string = string> = { readonly [name: string]: AggSpec<F> };
