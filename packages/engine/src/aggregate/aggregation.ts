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

/** How a terms aggregation is ordered; equal counts by rising key. */
export interface TermsOrder {
  readonly by: 'count' | 'key';
  readonly desc: boolean;
}

/**
 * How values fall into buckets. `fixed`: whole numbers (LONG; DATE in microseconds). `numbers`:
 * DOUBLE, whose buckets are numbered from the one that begins at 0 (number-buckets.ts).
 */
export type HistogramInterval =
  | { readonly kind: 'fixed'; readonly width: bigint }
  | { readonly kind: 'numbers'; readonly width: number }
  | ({ readonly kind: 'calendar' } & ClockInterval);

/** A figure of stats. */
export type Figure = 'min' | 'max' | 'sum' | 'avg';

/** One aggregation; `subs` are made of the documents of each bucket. */
export type Aggregation = { readonly name: string } & (
  | {
      readonly kind: 'terms';
      readonly field: FieldPlan;
      readonly size: number;
      readonly order: TermsOrder;
      /** The key under which documents without a value count; null: they do not. */
      readonly missing: BucketKey | null;
      /** How the request writes that key; absent: it does not, or the field is not folded. */
      readonly missingText?: string;
      readonly subs: readonly Aggregation[];
    }
  | {
      readonly kind: 'histogram';
      readonly field: FieldPlan;
      readonly interval: HistogramInterval;
      /** Buckets with fewer documents are left out; 0: empty ones between others are shown. */
      readonly least: number;
      readonly subs: readonly Aggregation[];
    }
  | {
      readonly kind: 'range';
      readonly field: FieldPlan;
      readonly ranges: readonly AggRange[];
      readonly subs: readonly Aggregation[];
    }
  | { readonly kind: 'filter'; readonly clause: Clause; readonly subs: readonly Aggregation[] }
  | { readonly kind: 'missing'; readonly field: FieldPlan; readonly subs: readonly Aggregation[] }
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
export type BucketAggregation = Extract<Aggregation, { readonly subs: readonly Aggregation[] }>;
