/** Aggregations of a request as ours, and their results as the imitated engine writes them. */
import type { AggResults, Json, JsonObject } from '@lakehouse-search/contract';
import { objectIn, repeatedIn } from '../base/read-json.ts';
import type { ServedIndex } from '../base/served-index.ts';
import { clipped, illegal, malformed, unserved } from '../query/refusal.ts';
import type { AggLevel, AggPart, AggSource, AggTranslator } from './agg-part.ts';
import { compositeAggregation } from './composite-aggregation.ts';
import { FILTER_AGGREGATIONS } from './filter-aggregations.ts';
import { HISTOGRAM_AGGREGATIONS } from './histogram-aggregations.ts';
import { METRIC_AGGREGATIONS } from './metric-aggregations.ts';
import { significantTerms } from './significant-terms.ts';
import { termsAggregation } from './terms-aggregation.ts';
import { unmappedPart } from './unmapped-field.ts';

const KINDS: ReadonlyMap<string, AggTranslator> = new Map([
  ...METRIC_AGGREGATIONS,
  ...FILTER_AGGREGATIONS,
  ...HISTOGRAM_AGGREGATIONS,
  ['terms', termsAggregation],
  ['significant_terms', significantTerms],
  ['composite', compositeAggregation],
]);
/** Kinds of the imitated engine that our engine does not have. */
const UNSERVED: ReadonlySet<string> = new Set([
  ...[
    'adjacency_matrix',
    'auto_date_histogram',
    'categorize_text',
    'children',
    'diversified_sampler',
  ],
  ...[
    'geo_distance',
    'geohash_grid',
    'geotile_grid',
    'geohex_grid',
    'global',
    'ip_prefix',
    'ip_range',
  ],
  ...[
    'multi_terms',
    'nested',
    'parent',
    'random_sampler',
    'rare_terms',
    'reverse_nested',
    'sampler',
  ],
  ...['significant_text', 'time_series', 'variable_width_histogram', 'boxplot'],
  ...[
    'extended_stats',
    'geo_bounds',
    'geo_centroid',
    'geo_line',
    'matrix_stats',
    'rate',
    'top_hits',
  ],
  ...['median_absolute_deviation', 'percentile_ranks', 'scripted_metric', 'string_stats', 't_test'],
  ...[
    'top_metrics',
    'weighted_avg',
    'avg_bucket',
    'bucket_script',
    'bucket_selector',
    'bucket_sort',
  ],
  ...['bucket_count_ks_test', 'bucket_correlation', 'change_point', 'cumulative_cardinality'],
  ...['cumulative_sum', 'derivative', 'extended_stats_bucket', 'inference', 'max_bucket'],
  ...['min_bucket', 'moving_fn', 'moving_avg', 'moving_percentiles', 'normalize', 'serial_diff'],
  ...['percentiles_bucket', 'stats_bucket', 'sum_bucket', 'frequent_item_sets'],
]);

/** What planning needs. */
export interface AggPlanning {
  readonly index: ServedIndex;
  /** Names of results begin with their type. */
  readonly hasTypedKeys: boolean;
  readonly run: AggSource['run'];
  readonly runOverAll: AggSource['runOverAll'];
}

/** Levels of aggregations that a request may have. */
const DEPTH = 5;

/** Plans `{name: {kind: options, aggs}}`. Throws RefusedDsl. */
export async function planAggregations(
  json: Json | undefined,
  planning: AggPlanning,
  depth = 1,
): Promise<AggLevel> {
  if (json === undefined) return { specs: {}, finish: () => ({}) };
  if (depth > DEPTH) throw illegal(`aggregations are nested deeper than ${DEPTH} levels`);
  const entries = Object.entries(objectIn(json, 'aggregations'));
  const parts: { readonly key: string; readonly part: AggPart; readonly meta: JsonObject }[] = [];
  for (const [at, [key, spec]] of entries.entries()) {
    const { kind, body, inner, meta } = readSpec(key, objectIn(spec, key));
    if (kind === 'composite' && depth > 1) {
      throw illegal('[composite] aggregation cannot be used with a parent aggregation');
    }
    const subs = await planAggregations(inner, planning, depth + 1);
    const { hasTypedKeys: _, ...shared } = planning;
    const source: AggSource = { name: `a${at}`, body, subs, ...shared };
    const part = unmappedPart(source, kind) ?? (await KINDS.get(kind)!(source, kind));
    const name = planning.hasTypedKeys ? `${part.type}#${key}` : key;
    parts.push({ key: name, part, meta });
  }
  return {
    specs: Object.assign({}, ...parts.map(({ part }) => part.specs)) as JsonObject,
    finish: (results: AggResults) =>
      Object.fromEntries(
        parts.map(({ key, part, meta }) => [key, { ...meta, ...part.finish(results) }] as const),
      ),
  };
}

function readSpec(name: string, spec: JsonObject) {
  const { aggs, aggregations, meta, ...kinds } = spec;
  repeatedIn(name, 'aggregation name');
  if (/[[\]>]/.test(name)) {
    throw malformed(
      `Invalid aggregation name [${clipped(name)}]. Aggregation names can contain any character ` +
        "except '[', ']', and '>'",
    );
  }
  const [first, second] = Object.entries(kinds);
  if (first === undefined) {
    throw malformed(`Missing definition for aggregation [${clipped(name)}]`);
  }
  if (second !== undefined) {
    throw malformed(
      `Found two aggregation type definitions in [${clipped(name)}]: [${clipped(first[0])}] and ` +
        `[${clipped(second[0])}]`,
    );
  }
  const [kind, body] = first;
  if (UNSERVED.has(kind)) throw unserved(`[${kind}] aggregation is not served by this adapter`);
  if (!KINDS.has(kind)) throw malformed(`Unknown aggregation type [${clipped(kind)}]`);
  const inner = aggs ?? aggregations;
  const shown: JsonObject = meta === undefined ? {} : { meta: objectIn(meta, 'meta') };
  repeatedIn(JSON.stringify(shown), 'meta');
  return { kind, body, inner, meta: shown };
}
