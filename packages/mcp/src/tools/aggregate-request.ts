import type { AggSpecs, JsonObject } from '@lakehouse-search/contract';

/** The flat arguments of an aggregation. */
export interface FlatAggregation {
  readonly terms?: string;
  readonly size?: number;
  readonly histogram?: string;
  readonly interval?: string;
  readonly stats?: string;
  readonly cardinality?: string;
  readonly percentiles?: string;
  readonly aggs?: JsonObject;
}

/** The intervals of `histogram`. */
export const INTERVALS = ['month', 'year', 'quarter', 'week', 'day', 'hour'] as const;

/** Values of `terms` without a `size`. */
const SIZE = 10;

/**
 * The aggregations that flat arguments describe: groups of a histogram hold groups of values, and
 * the innermost groups hold the figures and `aggs`. Without any, rows are only counted.
 */
export function aggSpecs(flat: FlatAggregation): AggSpecs {
  const { aggs, terms, size = SIZE, histogram, interval = INTERVALS[0] } = flat;
  const inner = { ...figureSpecs(flat), ...aggs };
  const values =
    terms === undefined ? inner : grouped('terms', { terms: { field: terms, size } }, inner);
  if (histogram === undefined) return values;
  const spec = { date_histogram: { field: histogram, calendar_interval: interval } };
  return grouped('histogram', spec, values);
}

function figureSpecs({ stats, cardinality, percentiles }: FlatAggregation): JsonObject {
  return {
    ...(stats === undefined ? {} : { stats: { stats: { field: stats } } }),
    ...(cardinality === undefined ? {} : { cardinality: { cardinality: { field: cardinality } } }),
    ...(percentiles === undefined ? {} : { percentiles: { percentiles: { field: percentiles } } }),
  };
}

function grouped(name: string, spec: JsonObject, inner: JsonObject): JsonObject {
  return { [name]: Object.keys(inner).length === 0 ? spec : { ...spec, aggs: inner } };
}
