import type { Json } from '../json.ts';
import type { QueryTree } from './query-tree.ts';

/** Options of an aggregation that needs nothing but a field. */
export type FieldOptions<F extends string = string> = {
  readonly field: F;
};

/** What orders buckets: `_count`, `_key`, or a figure of theirs. */
export type TermsOrder = { readonly [figure: string]: 'asc' | 'desc' };

/** Bounds of a figure. */
export type FigureBounds = {
  readonly gt?: number | undefined;
  readonly gte?: number | undefined;
  readonly lt?: number | undefined;
  readonly lte?: number | undefined;
};

/** Units of the calendar. */
export type CalendarUnit =
  | 'minute'
  | 'hour'
  | 'day'
  | 'week'
  | 'month'
  | 'quarter'
  | 'year'
  | 'decade';
/** A unit of the calendar by its name, or short. */
export type CalendarInterval =
  | CalendarUnit
  | '1m'
  | '1h'
  | '1d'
  | '1w'
  | '1M'
  | '1q'
  | '1y'
  | '10y';
/** Parts of a date that group dates. */
export type DatePart = 'hour_of_day' | 'day_of_week' | 'day_of_month' | 'month_of_year';

/** Which buckets are shown, and in which order. */
type Selection = {
  readonly size?: number | undefined;
  readonly order?: TermsOrder | undefined;
  /** Bounds of figures that a bucket must have. */
  readonly having?: { readonly [figure: string]: FigureBounds } | undefined;
};
type Histogram<F extends string> = FieldOptions<F> &
  Selection & { readonly min_doc_count?: number | undefined };

/** A filter: a query string, alone or in an object, or a query tree. */
type FilterSpec<F extends string> = string | { readonly query: string } | QueryTree<F>;

/**
 * The options of each kind of aggregation (docs/aggregations.md). `F`: names of fields. `N`, `D`:
 * those of numbers and dates.
 */
export interface AggOptions<F extends string = string, N extends string = F, D extends string = F> {
  readonly terms: FieldOptions<F> &
    Selection & {
      /** The values that have buckets; absent: all. */
      readonly include?: readonly Json[] | undefined;
      /** The value that documents without one count under. */
      readonly missing?: Json | undefined;
    };
  /** Values that are more frequent among the documents of the query than in the background. */
  readonly significant_terms: FieldOptions<F> & {
    readonly size?: number | undefined;
    /** Values of fewer documents are left out (3). */
    readonly min_doc_count?: number | undefined;
    /** The background; absent: all documents. */
    readonly background_filter?: FilterSpec<F> | undefined;
    readonly jlh?: { readonly [option: string]: never } | undefined;
    readonly chi_square?:
      | {
          readonly include_negatives?: boolean | undefined;
          readonly background_is_superset?: boolean | undefined;
        }
      | undefined;
  };
  readonly date_histogram: Histogram<D> & {
    readonly fixed_interval?: string | undefined;
    readonly calendar_interval?: CalendarInterval | undefined;
    readonly time_zone?: string | undefined;
    readonly offset?: string | undefined;
  };
  readonly histogram: Histogram<N> & { readonly interval: number };
  readonly date_part: Histogram<D> & {
    readonly part: DatePart;
    readonly time_zone?: string | undefined;
  };
  readonly range: FieldOptions<N | D> & {
    readonly ranges: readonly {
      readonly key?: string | undefined;
      readonly from?: Json | undefined;
      readonly to?: Json | undefined;
    }[];
  };
  readonly filter: FilterSpec<F>;
  readonly missing: FieldOptions<F>;
  readonly stats: FieldOptions<N | D>;
  readonly avg: FieldOptions<N | D>;
  readonly min: FieldOptions<N | D>;
  readonly max: FieldOptions<N | D>;
  readonly sum: FieldOptions<N | D>;
  readonly cardinality: FieldOptions<F>;
  /** Within groups: a figure of a group over another one. */
  readonly ratio: { readonly of: string; readonly to: string };
  /** Within groups that follow each other: a figure less that of the group before. */
  readonly change: { readonly of: string; readonly relative?: boolean | undefined };
  readonly percentiles: FieldOptions<N | D> & { readonly percents?: readonly number[] | undefined };
}

/** Kinds that make buckets: aggregations can stand in them. */
export type BucketKind =
  | 'terms'
  | 'significant_terms'
  | 'date_histogram'
  | 'histogram'
  | 'date_part'
  | 'range'
  | 'filter'
  | 'missing';

/** One aggregation: its kind with its options, and `aggs` of its buckets. */
export type AggSpec<F extends string = string, N extends string = F, D extends string = F> = {
  readonly [K in keyof AggOptions]: {
    readonly [Kind in K]: AggOptions<F, N, D>[K];
  } & (K extends BucketKind ? { readonly aggs?: AggSpecs<F, N, D> | undefined } : unknown);
}[keyof AggOptions];

/** Aggregations by name: `{name: {kind: {options}, aggs?}}`. */
export type AggSpecs<F extends string = string, N extends string = F, D extends string = F> = {
  readonly [name: string]: AggSpec<F, N, D>;
};
