import { type AggSpec, type AggSpecs, type JsonObject, LhsError } from '@lakehouse-search/contract';
import { Flags } from '@oclif/core';
import { aggsOf } from './flag-values.ts';

/** Figures with a name of their own. */
const FIGURES = ['avg', 'min', 'max', 'sum'] as const;
type FigureFlags = Readonly<Record<(typeof FIGURES)[number], typeof figureFlag>>;
const figureFlag = Flags.string({ multiple: true });

function figureFlags(): FigureFlags {
  const flags = FIGURES.map((name) => {
    const description = `${name}, also per value of --terms`;
    return [name, { ...figureFlag, description, helpValue: 'FIELD' }];
  });
  return Object.fromEntries(flags) as FigureFlags;
}

/** Flags of aggregations. */
export const aggregationFlags = {
  aggs: Flags.string({
    description: 'aggregations as JSON, or @FILE (docs/aggregations.md)',
    helpValue: 'JSON',
  }),
  terms: Flags.string({ description: 'most frequent values', helpValue: 'FIELD', multiple: true }),
  significant: Flags.string({
    description: 'values more frequent in the matches than in the index',
    helpValue: 'FIELD',
    multiple: true,
  }),
  size: Flags.integer({
    aliases: ['limit'],
    charAliases: ['n'],
    description: 'values of each --terms and --significant (10)',
    helpValue: 'N',
    min: 1,
  }),
  stats: Flags.string({
    description: 'count, min, max, sum, avg',
    helpValue: 'FIELD',
    multiple: true,
  }),
  ...figureFlags(),
  histogram: Flags.string({
    description: 'documents per interval: 7d, month, …, hour_of_day of a DATE field, or a number',
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
  readonly significant?: readonly string[];
  readonly size?: number;
  readonly stats?: readonly string[];
  readonly avg?: readonly string[];
  readonly min?: readonly string[];
  readonly max?: readonly string[];
  readonly sum?: readonly string[];
  readonly histogram?: readonly string[];
  readonly 'time-zone'?: string;
  readonly cardinality?: readonly string[];
  readonly percentiles?: readonly string[];
}

const CALENDAR = ['minute', 'hour', 'day', 'week', 'month', 'quarter', 'year', 'decade'];
const PART = /^(hour|day|month)_of_/;

/** The aggregations of flags. Throws invalid_argument if there are none or JSON is not valid. */
export async function aggregationSpecs(flags: AggregationFlags): Promise<AggSpecs> {
  const specs = flags.aggs === undefined ? {} : await aggsOf(flags.aggs);
  const add = (name: string, kind: string, spec: JsonObject, more: object = {}) => {
    specs[name in specs ? `${name} ${kind}` : name] = { [kind]: spec, ...more } as AggSpec;
  };
  const size: JsonObject = flags.size === undefined ? {} : { size: flags.size };
  const figures = figureSpecs(flags);
  const nested = Object.keys(figures).length === 0 ? {} : { aggs: figures };
  for (const field of flags.terms ?? []) add(field, 'terms', { field, ...size }, nested);
  for (const field of flags.significant ?? []) {
    add(field, 'significant_terms', { field, ...size });
  }
  for (const text of flags.histogram ?? []) {
    const { kind, field, spec } = histogram(text, flags['time-zone']);
    add(field, kind, { field, ...spec, min_doc_count: 0 });
  }
  for (const field of flags.stats ?? []) add(field, 'stats', { field });
  Object.assign(specs, figures);
  for (const field of flags.cardinality ?? []) add(field, 'cardinality', { field });
  for (const field of flags.percentiles ?? []) add(field, 'percentiles', { field });
  if (Object.keys(specs).length > 0) return specs;
  throw new LhsError('invalid_argument', 'nothing to aggregate', {
    hint: 'add --terms FIELD, --stats FIELD, --histogram FIELD:day or --aggs JSON',
  });
}

/** `--avg` and the like: of all matches, and of each value of `--terms`. */
const figureSpecs = (flags: AggregationFlags): AggSpecs =>
  Object.fromEntries(
    FIGURES.flatMap((kind) =>
      (flags[kind] ?? []).map((field) => [`${field} ${kind}`, { [kind]: { field } } as AggSpec]),
    ),
  );

interface Histogram {
  readonly kind: 'histogram' | 'date_histogram' | 'date_part';
  readonly field: string;
  readonly spec: JsonObject;
}

/** `opened_at:day`, `opened_at:7d`, `opened_at:day_of_week` or `price:100`. */
function histogram(text: string, zone: string | undefined): Histogram {
  const [, field, interval] = /^(.+):([^:]+)$/.exec(text) ?? [];
  if (field === undefined) {
    const message = `--histogram "${text}" should be like opened_at:day or price:100`;
    throw new LhsError('invalid_argument', message);
  }
  const width = Number(interval);
  if (Number.isFinite(width)) return { kind: 'histogram', field, spec: { interval: width } };
  const kind = 'date_histogram';
  if (CALENDAR.includes(interval)) {
    return { kind, field, spec: { calendar_interval: interval, time_zone: zone ?? 'UTC' } };
  }
  const more: JsonObject = zone === undefined ? {} : { time_zone: zone };
  if (!/^\d/.test(interval) && !PART.test(interval)) {
    const message = `--histogram "${text}": "${interval}" is no interval`;
    const hint = `intervals: ${CALENDAR.join(', ')}, 7d, 12h, hour_of_day, …, or a number`;
    throw new LhsError('invalid_argument', message, { hint });
  }
  if (PART.test(interval)) return { kind: 'date_part', field, spec: { part: interval, ...more } };
  return { kind, field, spec: { fixed_interval: interval, ...more } };
}
