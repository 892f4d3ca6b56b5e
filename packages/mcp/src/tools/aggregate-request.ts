import { type AggSpecs, type JsonObject, LhsError } from '@lakehouse-search/contract';

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
 * the innermost groups hold the figures. Throws invalid_argument if they describe none.
 */
export function aggSpecs(flat: FlatAggregation): AggSpecs {
  const { aggs, terms, size = SIZE, histogram, interval = INTERVALS[0] } = flat;
  const figures = figureSpecs(flat);
  const values =
    terms === undefined ? figures : grouped('terms', { terms: { field: terms, size } }, figures);
  const spec = { date_histogram: { field: histogram ?? '', calendar_interval: interval } };
  const all = histogram === undefined ? values : grouped('histogram', spec, values);
  const both = { ...all, ...aggs };
  if (Object.keys(both).length > 0) return both;
  throw new LhsError('invalid_argument', 'no aggregation is named', {
    hint: 'name a field: terms, histogram, stats, cardinality or percentiles; or write aggs',
  });
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
