/** Aggregations of a request, bound to the fields of an index. */
import type { AggResult, Json, QueryTree } from '@lakehouse-search/contract';
import type { Clause } from '../query/bind/clause.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import type { BucketKey } from './bucket-key.ts';
import type { AggPartial, PartialBucket } from './partial.ts';
import type { AggregationOptions } from './read/read-options.ts';
import type { SegmentPart } from './segment-collector.ts';
import type { AggregationRun, AggregationTask } from './task.ts';

/** An order of buckets by their documents or keys; equal counts by rising key. */
export interface CountOrder {
  readonly by: 'count' | 'key';
  readonly desc: boolean;
}

/** The same, or by a figure: buckets without it are last, equal ones by rising key. */
export type BucketOrder =
  | CountOrder
  | { readonly by: 'figure'; readonly figure: BucketFigure; readonly desc: boolean };

/** A figure's value; null: the bucket has none. */
export type FigureValue = number | bigint | null;

/** A bucket with the values of its steps. */
export interface StepBucket<Key = unknown> {
  readonly key: Key;
  readonly bucket: PartialBucket;
  readonly steps: readonly FigureValue[];
}

/** A number that is known of each bucket. */
export type BucketFigure = (bucket: Pick<StepBucket, 'bucket' | 'steps'>) => FigureValue;

/** A number that an aggregation finds, under the text that names it in a request. */
export interface AggregationFigure<Partial extends AggPartial = AggPartial> {
  readonly text: string;
  value(partial: Partial): FigureValue;
}

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

/** An aggregation by name, with its nested and pipeline aggregations. */
export interface Nested {
  readonly name: string;
  readonly subs: readonly Aggregation[];
  readonly steps: readonly BucketStep[];
}

/** All documents of an index that a user may read, or those of them that a filter matches. */
export interface Background {
  readonly field: FieldPlan;
  readonly filter: string | QueryTree | null;
}

/** The documents of a background, and how many of them have a value. */
export interface BackgroundCounts {
  readonly docs: number;
  count(key: BucketKey): number;
}

/** The response while it is made: it counts the buckets that it shows. */
export interface AggregationAnswer {
  /** The text of a value of a field as it is shown. */
  show(field: FieldPlan, value: string): string;
  /** Counts of keys in a background; null: they are read, then the response is made again. */
  background(of: Background, keys: Iterable<BucketKey>): BackgroundCounts | null;
  /** A bucket with the results of its nested aggregations. Throws limit_exceeded for too many. */
  bucket<Head extends object>(
    of: Nested,
    head: Head,
    bucket: StepBucket,
  ): Head & { readonly doc_count: number; readonly aggs?: Readonly<Record<string, AggResult>> };
}

/** One aggregation of one kind (`kinds/`). `Partial`: what it knows of some documents. */
export interface Aggregation<Partial extends AggPartial = AggPartial> {
  readonly name: string;
  /** Figures that order and select the buckets around it. */
  readonly figures: readonly AggregationFigure<Partial>[];
  /** Starts a pass over the documents of some segments, each in one of `owners` buckets. */
  collect(run: AggregationRun, parts: readonly SegmentPart[], owners: number): AggregationTask;
  /** What it knows of no document. */
  empty(): Partial;
  /** Merges `other` into `into`; `other` is not used afterwards. */
  merge(into: Partial, other: Partial): void;
  /** The result of a partial that holds all documents. */
  finish(partial: Partial, answer: AggregationAnswer): AggResult;
}

/** What a kind reads of a request. */
export interface KindRequest {
  readonly nested: Nested;
  /** The options as the request has them, and their path for messages. */
  readonly body: Json;
  readonly path: string;
  /** The options, all of known names. */
  options(known: readonly string[]): AggregationOptions;
  /** The fast field that `field` names. `types`: those that the kind takes. */
  field(options: AggregationOptions, types?: readonly string[]): FieldPlan;
  /** Binds a filter: a query string or a tree. */
  bindFilter(filter: string | QueryTree): Clause;
}

/** A kind of aggregations of requests. */
export interface AggregationKind {
  /** `line`: buckets that follow each other; `none`: nothing can be nested in it. */
  readonly buckets: 'line' | 'some' | 'none';
  /** Throws invalid_argument for wrong options. */
  read(request: KindRequest): Aggregation;
}
