/** Figures of buckets: what orders and selects them, and what is computed of several figures. */
import type { Json } from '@lakehouse-search/contract';
import { doubleToJson, longToJson } from '../schema/values/values.ts';
import type {
  BucketFigure,
  BucketOrder,
  BucketStep,
  FigureBound,
  FigureValue,
  Having,
  SelectedBuckets,
  StepBucket,
} from './aggregation.ts';
import type { PartialBucket } from './partial.ts';

/** Buckets, in the order in which one follows another, with the values of their steps. */
export function withSteps<Key>(
  buckets: readonly (readonly [Key, PartialBucket])[],
  steps: readonly BucketStep[],
): readonly StepBucket<Key>[] {
  let before: StepBucket<Key> | undefined;
  return buckets.map(([key, bucket]) => {
    const values: FigureValue[] = [];
    const own = { key, bucket, steps: values };
    for (const step of steps) values.push(stepValue(step, own, before));
    before = own;
    return own;
  });
}

/** The first `size` buckets in an order that are within all bounds. */
export function selectBuckets<Key extends string | bigint>(
  buckets: readonly StepBucket<Key>[],
  { having, order, size }: SelectedBuckets,
): readonly StepBucket<Key>[] {
  const within = buckets.filter((bucket) => having.every((own) => isWithin(own, bucket)));
  return within.sort(byOrder(order)).slice(0, size);
}

/** A figure's value as JSON. */
export const figureToJson = (value: FigureValue): Json =>
  typeof value === 'bigint' ? longToJson(value) : value === null ? null : doubleToJson(value);

type Valued = Parameters<BucketFigure>[0];

function stepValue(step: BucketStep, own: Valued, before: Valued | undefined): FigureValue {
  const value = step.of(own);
  if (step.kind === 'ratio') return quotient(value, step.to(own));
  const old = before === undefined ? null : step.of(before);
  if (value === null || old === null) return null;
  const isWhole = typeof value === 'bigint' || typeof old === 'bigint';
  const change = isWhole ? BigInt(value) - BigInt(old) : value - old;
  return step.relative ? quotient(change, old < 0 ? -old : old) : change;
}

function quotient(value: FigureValue, by: FigureValue): FigureValue {
  return value === null || by === null || Number(by) === 0 ? null : Number(value) / Number(by);
}

const HOLDS: Readonly<Record<FigureBound, (value: number | bigint, bound: number) => boolean>> = {
  gt: (value, bound) => value > bound,
  gte: (value, bound) => value >= bound,
  lt: (value, bound) => value < bound,
  lte: (value, bound) => value <= bound,
};

function isWithin({ figure, bounds }: Having, bucket: Valued): boolean {
  const value = figure(bucket);
  return value !== null && bounds.every(([bound, limit]) => HOLDS[bound](value, limit));
}

/** A bucket's documents. */
export const COUNT: BucketFigure = ({ bucket }) => bucket.count;

function byOrder<Key extends string | bigint>(order: BucketOrder) {
  type Bucket = StepBucket<Key>;
  const { by, desc } = order;
  const byKey = (a: Bucket, b: Bucket) => rising(a.key, b.key);
  if (by === 'key') return desc ? (a: Bucket, b: Bucket) => byKey(b, a) : byKey;
  const figure: BucketFigure = by === 'figure' ? order.figure : COUNT;
  return (a: Bucket, b: Bucket) => {
    const [x, y] = [figure(a), figure(b)];
    if (x === null || y === null) return Number(x === null) - Number(y === null) || byKey(a, b);
    return (desc ? rising(y, x) : rising(x, y)) || byKey(a, b);
  };
}

/** Compares values for a rising order. */
export const rising = <Value extends string | number | bigint>(a: Value, b: Value): number =>
  a < b ? -1 : a > b ? 1 : 0;
