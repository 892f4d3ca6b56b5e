import type { AggResults, Json, JsonObject } from '@lakehouse-search/contract';

type Options = Readonly<Record<string, Json>>;

/** The results of our aggregations over no document. */
export function emptyResults(specs: JsonObject): AggResults {
  const entries = Object.entries(specs).map(([name, spec]) => {
    const { aggs, ...kinds } = spec as JsonObject;
    const [[kind, options]] = Object.entries(kinds);
    return [name, emptyResult(kind, options as Options, aggs as JsonObject | undefined)] as const;
  });
  return Object.fromEntries(entries) as AggResults;
}

function emptyResult(kind: string, options: Options, aggs: JsonObject | undefined): JsonObject {
  const inner: JsonObject =
    aggs === undefined ? {} : { aggs: { ...emptyResults(aggs) } as JsonObject };
  switch (kind) {
    case 'stats':
      return { count: 0, min: null, max: null, sum: 0, avg: null };
    case 'cardinality':
      return { value: 0, exact: true };
    case 'percentiles': {
      const percents = options.percents as readonly number[];
      return { values: percents.map((percent) => ({ percent, value: null })), exact: true };
    }
    case 'terms':
      return { buckets: [], sum_other_doc_count: 0, doc_count_error_upper_bound: 0 };
    case 'significant_terms':
      return { doc_count: 0, bg_count: 0, buckets: [] };
    case 'histogram':
    case 'date_histogram':
      return { buckets: [] };
    case 'range': {
      const ranges = options.ranges as readonly Json[];
      return { buckets: ranges.map(() => ({ key: '', doc_count: 0, ...inner })) };
    }
    default:
      return { doc_count: 0, ...inner };
  }
}
