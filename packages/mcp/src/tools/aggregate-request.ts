import {
  type AggSpec,
  type AggSpecs,
  type DatePart,
  LhsError,
  type TermsOrder,
} from '@lakehouse-search/contract';
import { isPlain } from '@lakehouse-search/contract/internal';

/** The flat arguments of an aggregation. */
export interface FlatAggregation {
  readonly terms?: string;
  readonly size?: number;
  /** `stats.avg:desc`. */
  readonly order?: string;
  readonly histogram?: string;
  readonly interval?: (typeof INTERVALS)[number];
  readonly time_zone?: string;
  readonly stats?: string;
  readonly cardinality?: string;
  readonly percentiles?: string;
  readonly aggs?: AggSpecs;
}

/** The intervals of `histogram`. */
export const INTERVALS = [
  ...['month', 'year', 'quarter', 'week', 'day', 'hour', 'decade'],
  ...['hour_of_day', 'day_of_week', 'day_of_month', 'month_of_year'],
] as const;

/** True for an interval that groups by a part of dates. */
export const isDatePart = (interval: unknown): interval is DatePart =>
  `${interval}`.includes('_of_');

/** Values of `terms` without a `size`. */
export const SIZE = 10;

/** `10d`: an interval of a fixed length. */
const FIXED = /^\d+ ?(?:us|ms|s|m|h|d|w)$/;

/**
 * The aggregations that flat arguments describe: groups of a histogram hold groups of values, and
 * the innermost groups hold the figures and `aggs`. Without any, rows are only counted.
 */
export function aggSpecs(flat: FlatAggregation): AggSpecs {
  const { aggs, terms, size = SIZE, histogram, interval = INTERVALS[0], time_zone } = flat;
  const inner = { ...figureSpecs(flat), ...withIntervals(aggs ?? {}) };
  const order = orderOf(flat);
  const values =
    terms === undefined
      ? inner
      : grouped('terms', { terms: { field: terms, size, ...order } }, inner);
  if (histogram === undefined) return values;
  const own = {
    field: histogram,
    ...(time_zone === undefined ? {} : { time_zone }),
    ...(terms !== undefined ? {} : { ...(flat.size && { size: flat.size }), ...order }),
  };
  return grouped('histogram', periodsOf({ ...own, interval }), values);
}

type Periods = { readonly field: string; readonly interval: string };

/** Groups by the periods of an interval: parts of dates, fixed lengths, units of the calendar. */
function periodsOf({ interval, ...own }: Periods): AggSpec {
  if (isDatePart(interval)) return { date_part: { ...own, part: interval } };
  const kind = FIXED.test(interval) ? 'fixed_interval' : 'calendar_interval';
  return { date_histogram: { ...own, [kind]: interval } };
}

/** Aggregations in which `interval` of a date histogram is what it is called in the engine. */
function withIntervals(specs: AggSpecs): AggSpecs {
  const entries = Object.entries(specs).map(([name, spec]): [string, AggSpec] => {
    if (!isPlain(spec)) return [name, spec];
    const { date_histogram, aggs, ...kinds } = spec as AggSpec & Grouped;
    const periods = date_histogram && { ...firstOf(date_histogram), ...date_histogram };
    const isNamed = typeof periods?.interval === 'string';
    const own = isNamed ? periodsOf(periods as Periods) : periods && { date_histogram: periods };
    return [name, { ...own, ...kinds, ...(aggs && { aggs: withIntervals(aggs) }) } as AggSpec];
  });
  return Object.fromEntries(entries);
}

/** Periods of nested groups in the order of a figure, of which a model reads the first. */
const FIRST_PERIODS = 24;

const firstOf = ({ order }: { readonly order?: unknown }) =>
  isPlain(order) && !Object.hasOwn(order as object, '_key') ? { size: FIRST_PERIODS } : {};

interface Grouped {
  readonly date_histogram?: { readonly interval?: unknown; readonly order?: unknown };
  readonly aggs?: AggSpecs;
}

/** `stats.avg:desc` as an order of groups, falling by default. */
function orderOf({
  order,
  terms,
  histogram,
}: FlatAggregation): { readonly order: TermsOrder } | undefined {
  if (order === undefined || order === '') return undefined;
  if (terms === undefined && histogram === undefined) {
    throw new LhsError('invalid_argument', '"order" is an order of groups: add terms or histogram');
  }
  const [, figure = order, direction = 'desc'] = /^(.+?)(?::(asc|desc))?$/.exec(order) ?? [];
  return { order: { [figure]: direction as 'asc' | 'desc' } };
}

function figureSpecs({ stats, cardinality, percentiles }: FlatAggregation): AggSpecs {
  return {
    ...(stats === undefined ? {} : { stats: { stats: { field: stats } } }),
    ...(cardinality === undefined ? {} : { cardinality: { cardinality: { field: cardinality } } }),
    ...(percentiles === undefined ? {} : { percentiles: { percentiles: { field: percentiles } } }),
  };
}

function grouped(name: string, spec: AggSpecs[string], inner: AggSpecs): AggSpecs {
  return { [name]: Object.keys(inner).length === 0 ? spec : { ...spec, aggs: inner } };
}
