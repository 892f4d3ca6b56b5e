import { type AggSpecs, LhsError, type TermsOrder } from '@lakehouse-search/contract';

/** The flat arguments of an aggregation. */
export interface FlatAggregation {
  readonly terms?: string;
  readonly size?: number;
  /** `stats.avg:desc`. */
  readonly order?: string;
  readonly histogram?: string;
  readonly interval?: string;
  readonly stats?: string;
  readonly cardinality?: string;
  readonly percentiles?: string;
  readonly aggs?: AggSpecs;
}

/** The intervals of `histogram`. */
export const INTERVALS = [
  ...['month', 'year', 'quarter', 'week', 'day', 'hour'],
  ...['hour_of_day', 'day_of_week', 'day_of_month', 'month_of_year'],
] as const;

/** Values of `terms` without a `size`. */
const SIZE = 10;

/**
 * The aggregations that flat arguments describe: groups of a histogram hold groups of values, and
 * the innermost groups hold the figures and `aggs`. Without any, rows are only counted.
 */
export function aggSpecs(flat: FlatAggregation): AggSpecs {
  const { aggs, terms, size = SIZE, histogram, interval = INTERVALS[0] } = flat;
  const inner = { ...figureSpecs(flat), ...aggs };
  const order = orderOf(flat);
  const values =
    terms === undefined
      ? inner
      : grouped('terms', { terms: { field: terms, size, ...order } }, inner);
  if (histogram === undefined) return values;
  const own = {
    field: histogram,
    ...(terms === undefined && order !== undefined ? { size, ...order } : {}),
  };
  const spec: AggSpecs[string] = interval.includes('_of_')
    ? { date_part: { ...own, part: interval } }
    : { date_histogram: { ...own, calendar_interval: interval } };
  return grouped('histogram', spec, values);
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
