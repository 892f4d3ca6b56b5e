/** Aggregations of a request, bound to the fields of an index. */
import type { Clause } from '../query/bind/clause.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { ClockInterval } from './calendar.ts';

/**
 * A bucket's key: bytes of a KEYWORD or IP value as Latin-1 text (its order is the bytes'), ordered
 * integers of all other types, microseconds, or the number of a range.
 */
export type BucketKey = string | bigint;

/** A range of an aggregation in the column's ordered space: `from` in, `to` out; null: open. */
export interface AggRange {
  /** How the request named it; null: made of its bounds. */
  readonly key: string | null;
  readonly from: bigint | null;
  readonly to: bigint | null;
}

/** An order of buckets by their documents or keys; equal counts by rising key. */
export interface CountOrder {
  readonly by: 'count' | 'key';
  readonly desc: boolean;
}

/** The same, or by a figure: buckets without it are last, equal ones by rising key. */
export type BucketOrder =
  | CountOrder
  | { readonly by: 'figure'; readonly figure: BucketFigure; readonly desc: boolean };

/**
 * How values fall into buckets. `fixed`: whole numbers (LONG; DATE in microseconds). `numbers`:
 * DOUBLE, whose buckets are numbered from the one that begins at 0 (number-buckets.ts).
 */
export type HistogramInterval =
  | { readonly kind: 'fixed'; readonly width: bigint }
  | { readonly kind: 'numbers'; readonly width: number }
  | ({ readonly kind: 'calendar' } & ClockInterval)
  /** Buckets are numbered as the part is: 0 to 23, 1 to 7, and so on. */
  | { readonly kind: 'part'; readonly part: DatePart; readonly zone: string };

/** A part of a date. */
export type DatePart = 'hour_of_day' | 'day_of_week' | 'day_of_month' | 'month_of_year';

/** A figure of stats. */
export type Figure = 'min' | 'max' | 'sum' | 'avg';

/** A number that is known of each bucket. */
export type BucketFigure =
  /** Its documents. */
  | { readonly kind: 'count' }
  /** What a nested aggregation finds: a figure of stats, or a percentile. */
  | {
      readonly kind: 'nested';
      /** Its number among those of the bucket. */
      readonly at: number;
      readonly nested: Aggregation;
      readonly part: 'count' | 'min' | 'max' | 'sum' | 'avg' | number | null;
    }
  /** What a step computes. */
  | { readonly kind: 'step'; readonly at: number };

/** What is computed of figures of a bucket and of the one before it. */
export type BucketStep = { readonly name: string } & (
  | { readonly kind: 'ratio'; readonly of: BucketFigure; readonly to: BucketFigure }
  /** `relative`: as a share of the figure before. */
  | { readonly kind: 'change'; readonly of: BucketFigure; readonly relative: boolean }
);

/** Bounds of a figure; a bucket without the figure is outside of all bounds. */
export interface Having {
  readonly figure: BucketFigure;
  readonly bounds: readonly (readonly [FigureBound, number])[];
}
/** A bound of a figure. */
export type FigureBound = 'gt' | 'gte' | 'lt' | 'lte';

/** Which buckets a response shows. */
export interface SelectedBuckets {
  readonly having: readonly Having[];
  readonly order: BucketOrder;
  readonly size: number;
}

/** What the documents of each bucket make, and what is computed of the figures of buckets. */
export interface Nested {
  readonly subs: readonly Aggregation[];
  readonly steps: readonly BucketStep[];
}

/** One aggregation. */
export type Aggregation = { readonly name: string } & (
  | ({
      readonly kind: 'terms';
      readonly field: FieldPlan;
      readonly size: number;
      readonly order: BucketOrder;
      readonly having: readonly Having[];
      /** The key under which documents without a value count; null: they do not. */
      readonly missing: BucketKey | null;
      /** How the request writes that key; absent: it does not, or the field is not folded. */
      readonly missingText?: string;
    } & Nested)
  | ({
      readonly kind: 'histogram';
      readonly field: FieldPlan;
      readonly interval: HistogramInterval;
      /** Buckets with fewer documents are left out; 0: empty ones between others are shown. */
      readonly least: number;
      readonly size: number;
      readonly order: BucketOrder;
      readonly having: readonly Having[];
    } & Nested)
  | ({
      readonly kind: 'range';
      readonly field: FieldPlan;
      readonly ranges: readonly AggRange[];
    } & Nested)
  | ({ readonly kind: 'filter'; readonly clause: Clause } & Nested)
  | ({ readonly kind: 'missing'; readonly field: FieldPlan } & Nested)
  /** `only`: the figure that the answer holds alone; null: all. */
  | { readonly kind: 'stats'; readonly field: FieldPlan; readonly only: Figure | null }
  | { readonly kind: 'cardinality'; readonly field: FieldPlan }
  | {
      readonly kind: 'percentiles';
      readonly field: FieldPlan;
      readonly percents: readonly number[];
    }
);

/** Aggregations that make buckets. */
export type BucketAggregation = Extract<Aggregation, Nested>;
