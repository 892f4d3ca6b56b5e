import { type JsonObject, LhsError } from '@lakehouse-search/contract';
import { Flags } from '@oclif/core';
import { aggsOf } from './flag-values.ts';

/** Flags of aggregations. */
export const aggregationFlags = {
  aggs: Flags.string({
    description: 'aggregations as JSON, or @FILE (docs/aggregations.md)',
    helpValue: 'JSON',
  }),
  terms: Flags.string({ description: 'most frequent values', helpValue: 'FIELD', multiple: true }),
  size: Flags.integer({ description: 'values of each --terms (10)', helpValue: 'N', min: 1 }),
  stats: Flags.string({
    description: 'count, min, max, sum, avg',
    helpValue: 'FIELD',
    multiple: true,
  }),
  histogram: Flags.string({
    description: 'documents per interval: 1h, 7d, or day, month, …',
    helpValue: 'FIELD:INTERVAL',
    multiple: true,
  }),
  'time-zone': Flags.string({
    description: 'time zone of calendar intervals (UTC)',
    helpValue: 'ZONE',
    dependsOn: ['histogram'],
  }),
  cardinality: Flags.string({
    description: 'number of distinct values',
    helpValue: 'FIELD',
    multiple: true,
  }),
  percentiles: Flags.string({
    description: 'p1 to p99',
    helpValue: 'FIELD',
    multiple: true,
  }),
};

/** Those flags as oclif has read them. */
export interface AggregationFlags {
  readonly aggs?: string;
  readonly terms?: readonly string[];
  readonly size?: number;
  readonly stats?: readonly string[];
  readonly histogram?: readonly string[];
  readonly 'time-zone'?: string;
  readonly cardinality?: readonly string[];
  readonly percentiles?: readonly string[];
}

const CALENDAR = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'];

/** The aggregations of flags. Throws invalid_argument if there are none or JSON is not valid. */
export async function aggregationSpecs(flags: AggregationFlags): Promise<JsonObject> {
  const specs = flags.aggs === undefined ? {} : await aggsOf(flags.aggs);
  const add = (field: string, kind: string, spec: JsonObject) => {
    specs[field in specs ? `${field} ${kind}` : field] = { [kind]: spec };
  };
  const size: JsonObject = flags.size === undefined ? {} : { size: flags.size };
  for (const field of flags.terms ?? []) add(field, 'terms', { field, ...size });
  for (const text of flags.histogram ?? []) {
    const spec = histogram(text, flags['time-zone']);
    add(spec.field as string, 'date_histogram', spec);
  }
  for (const field of flags.stats ?? []) add(field, 'stats', { field });
  for (const field of flags.cardinality ?? []) add(field, 'cardinality', { field });
  for (const field of flags.percentiles ?? []) add(field, 'percentiles', { field });
  if (Object.keys(specs).length > 0) return specs;
  throw new LhsError('invalid_argument', 'nothing to aggregate', {
    hint: 'add --terms FIELD, --stats FIELD, --histogram FIELD:day or --aggs JSON',
  });
}

function histogram(text: string, zone: string | undefined): JsonObject {
  const [, field, interval] = /^(.+):([^:]+)$/.exec(text) ?? [];
  if (field === undefined) {
    throw new LhsError('invalid_argument', `--histogram "${text}" should be like opened_at:day`);
  }
  if (!CALENDAR.includes(interval)) {
    const more: JsonObject = zone === undefined ? {} : { time_zone: zone };
    return { field, fixed_interval: interval, min_doc_count: 0, ...more };
  }
  const time_zone = zone ?? 'UTC';
  return { field, calendar_interval: interval, time_zone, min_doc_count: 0 };
}
