import type { AggOptions } from '@lakehouse-search/contract';
import type { AggregationKind } from '../aggregation.ts';
import type { STEP_KINDS } from '../read/read-figures.ts';
import { CARDINALITY_KIND } from './cardinality.ts';
import { FILTER_KIND, MISSING_KIND } from './filter.ts';
import { DATE_HISTOGRAM_KIND, DATE_PART_KIND, HISTOGRAM_KIND } from './histogram.ts';
import { PERCENTILES_KIND } from './percentiles.ts';
import { RANGE_KIND } from './range.ts';
import { SIGNIFICANT_TERMS_KIND } from './significant-terms.ts';
import { statsKind } from './stats.ts';
import { TERMS_KIND } from './terms.ts';

type Step = (typeof STEP_KINDS)[number];

/** Kinds of aggregations by the names in requests. */
export const AGGREGATION_KINDS: Readonly<Record<Exclude<keyof AggOptions, Step>, AggregationKind>> =
  {
    terms: TERMS_KIND,
    significant_terms: SIGNIFICANT_TERMS_KIND,
    stats: statsKind(null),
    avg: statsKind('avg'),
    min: statsKind('min'),
    max: statsKind('max'),
    sum: statsKind('sum'),
    histogram: HISTOGRAM_KIND,
    date_histogram: DATE_HISTOGRAM_KIND,
    date_part: DATE_PART_KIND,
    range: RANGE_KIND,
    filter: FILTER_KIND,
    missing: MISSING_KIND,
    cardinality: CARDINALITY_KIND,
    percentiles: PERCENTILES_KIND,
  };
