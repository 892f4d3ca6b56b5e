/**
 * Aggregations as they come over the wire, bound to the fields of an index: every option is checked
 * by name, type and range; nothing is ignored. A specification is `{kind: {options}, aggs?}`; the
 * kinds of the interface are accepted in capitals too (`Terms`, `DateHistogram`).
 */
import type { Json, JsonObject, QueryTree } from '@lakehouse-search/contract';
import { didYouMean, LhsError, wrong } from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';
import type { Clause } from '../query/bind/clause.ts';
import type { QueryFields } from '../query/bind/fields.ts';
import type {
  Aggregation,
  BucketOrder,
  BucketStep,
  Nested,
  SelectedBuckets,
} from './aggregation.ts';
import { aggregationField } from './aggregation-field.ts';
import { isStep, readHaving, readOrder, readStep, STEP_KINDS } from './read-figures.ts';
import { readDatePart, readInterval, readWidth } from './read-interval.ts';
import { type AggregationOptions, readAggregationOptions } from './read-options.ts';
import { readMissing, readPercents, readRanges } from './read-values.ts';

/** What reading needs of an index. */
export interface AggregationScope {
  readonly fields: QueryFields;
  /** Binds a filter: a query string or a tree. */
  readonly bindFilter: (filter: string | QueryTree) => Clause;
}

const FIGURES = ['avg', 'min', 'max', 'sum'] as const;
const KINDS = [
  'terms',
  'stats',
  ...FIGURES,
  'histogram',
  'date_histogram',
  'date_part',
  'range',
  'filter',
  'missing',
  'cardinality',
  'percentiles',
  ...STEP_KINDS,
] as const;
type Kind = (typeof KINDS)[number];

const NUMBERS = ['LONG', 'DOUBLE', 'DATE'] as const;
const SELECTION = ['size', 'order', 'having'];
const HISTOGRAM = ['field', 'min_doc_count', ...SELECTION];
const MOST_FREQUENT = { by: 'count', desc: true } as const;
const RISING = { by: 'key', desc: false } as const;
const DEFAULT_SIZE = 10;
const DEFAULT_PERCENTS = [1, 5, 25, 50, 75, 95, 99];

/** Reads `{name: specification}`. Throws invalid_argument, limit_exceeded, invalid_query. */
export function readAggregations(aggs: unknown, scope: AggregationScope): readonly Aggregation[] {
  const counted = { nodes: 0 };
  return readNamed(objectOf(aggs, 'aggs'), 'aggs', 1, scope, counted);
}

function readNamed(
  aggs: JsonObject,
  path: string,
  depth: number,
  scope: AggregationScope,
  counted: { nodes: number },
): readonly Aggregation[] {
  const entries = Object.entries(aggs);
  if (depth > LIMITS.aggDepth && entries.length > 0) {
    const message = `"${path}" is nested deeper than ${LIMITS.aggDepth} levels (aggDepth)`;
    throw new LhsError('limit_exceeded', message);
  }
  return entries.map(([name, spec]) => {
    countNode(counted);
    if (name === '') throw new LhsError('invalid_argument', `"${path}" has an empty name`);
    return readOne(name, objectOf(spec, `${path}.${name}`), path, depth, scope, counted);
  });
}

function countNode(counted: { nodes: number }): void {
  if (++counted.nodes <= LIMITS.aggNodes) return;
  const message = `more than ${LIMITS.aggNodes} aggregations in one request (aggNodes)`;
  throw new LhsError('limit_exceeded', message);
}

function readOne(
  name: string,
  spec: JsonObject,
  within: string,
  depth: number,
  scope: AggregationScope,
  counted: { nodes: number },
): Aggregation {
  const path = `${within}.${name}`;
  const tags = Object.keys(spec).filter((key) => key !== 'aggs');
  if (tags.length !== 1) {
    const shown = tags.length === 0 ? 'no kind' : `kinds ${tags.map((t) => `"${t}"`).join(', ')}`;
    const message = `"${path}" has ${shown}: expected one of ${KINDS.join(', ')}`;
    throw new LhsError('invalid_argument', message);
  }
  const kind = kindOf(tags[0], path);
  const nested = readNested(spec, kind, path, depth, scope, counted);
  const aggregation = readKind(kind, name, spec[tags[0]], `${path}.${tags[0]}`, nested, scope);
  if (nested.subs.length + nested.steps.length > 0 && !('subs' in aggregation)) {
    const message = `"${path}" (${kind}) makes no buckets: "aggs" cannot stand in it`;
    throw new LhsError('invalid_argument', message, {
      hint: 'nest in terms, histogram, date_histogram, date_part, range, filter or missing',
    });
  }
  return aggregation;
}

const IN_ORDER: readonly Kind[] = ['histogram', 'date_histogram', 'date_part', 'range'];

/** What stands in `aggs` beside a kind: aggregations, and then what is computed of them. */
function readNested(
  { aggs }: JsonObject,
  kind: Kind,
  within: string,
  depth: number,
  scope: AggregationScope,
  counted: { nodes: number },
): Nested {
  if (aggs === undefined) return { subs: [], steps: [] };
  const path = `${within}.aggs`;
  const entries = Object.entries(objectOf(aggs, path));
  const own = entries.filter(([, spec]) => !isStep(spec));
  const subs = readNamed(Object.fromEntries(own), path, depth + 1, scope, counted);
  const steps: BucketStep[] = [];
  for (const [name, spec] of entries) {
    if (!isStep(spec)) continue;
    countNode(counted);
    const known = { subs, steps };
    steps.push(readStep(name, spec as JsonObject, path, known, IN_ORDER.includes(kind)));
  }
  return { subs, steps };
}

/** `DateHistogram` and `date_histogram` are one kind. */
function kindOf(tag: string, path: string): Kind {
  const lower = tag.replace(/[A-Z]/g, (c, at) => (at === 0 ? '' : '_') + c.toLowerCase());
  const kind = KINDS.find((known) => known === lower);
  if (kind !== undefined) return kind;
  const message = `"${path}" has unknown kind "${tag}"${didYouMean(lower, KINDS)}`;
  throw new LhsError('invalid_argument', message, { hint: `kinds: ${KINDS.join(', ')}` });
}

function readKind(
  kind: Kind,
  name: string,
  body: Json,
  path: string,
  nested: Nested,
  scope: AggregationScope,
): Aggregation {
  if (kind === 'filter') return { name, kind, clause: readFilter(body, path, scope), ...nested };
  const field = (options: AggregationOptions, types?: readonly string[]) =>
    aggregationField(options.text('field'), kind, options.path, scope.fields, types);
  switch (kind) {
    case 'terms': {
      const options = readAggregationOptions(body, path, ['field', 'missing', ...SELECTION]);
      const plan = field(options);
      const missing = readMissing(options, plan);
      const selection = readSelection(options, nested, MOST_FREQUENT, DEFAULT_SIZE);
      const own = { name, kind, field: plan, missing, ...selection, ...nested };
      if (plan.folded === undefined || missing === null) return own;
      return { ...own, missingText: String(options.get('missing')) };
    }
    case 'date_histogram': {
      const intervals = ['fixed_interval', 'calendar_interval', 'time_zone', 'offset'];
      const options = readAggregationOptions(body, path, [...intervals, ...HISTOGRAM]);
      const plan = field(options, ['DATE']);
      return { name, field: plan, interval: readInterval(options), ...line(options, nested) };
    }
    case 'date_part': {
      const options = readAggregationOptions(body, path, ['part', 'time_zone', ...HISTOGRAM]);
      const plan = field(options, ['DATE']);
      return { name, field: plan, interval: readDatePart(options), ...line(options, nested) };
    }
    case 'histogram': {
      const options = readAggregationOptions(body, path, ['interval', ...HISTOGRAM]);
      const plan = field(options, ['LONG', 'DOUBLE']);
      return { name, field: plan, interval: readWidth(options, plan), ...line(options, nested) };
    }
    case 'range': {
      const options = readAggregationOptions(body, path, ['field', 'ranges']);
      const plan = field(options, NUMBERS);
      return { name, kind, field: plan, ranges: readRanges(options, plan), ...nested };
    }
    case 'missing': {
      const plan = field(readAggregationOptions(body, path, ['field']));
      return { name, kind, field: plan, ...nested };
    }
    case 'stats':
    case 'avg':
    case 'min':
    case 'max':
    case 'sum': {
      const plan = field(readAggregationOptions(body, path, ['field']), NUMBERS);
      return { name, kind: 'stats', field: plan, only: kind === 'stats' ? null : kind };
    }
    case 'cardinality':
      return { name, kind, field: field(readAggregationOptions(body, path, ['field'])) };
    case 'percentiles': {
      const options = readAggregationOptions(body, path, ['field', 'percents']);
      const percents = readPercents(options) ?? DEFAULT_PERCENTS;
      return { name, kind, field: field(options, NUMBERS), percents };
    }
    case 'ratio':
    case 'change': {
      const message = `"${path}" is computed of the figures of groups`;
      const hint = 'write it alone, in the "aggs" of a kind of groups such as terms';
      throw new LhsError('invalid_argument', message, { hint });
    }
  }
}

/** What the kinds of histograms share. Changes are between neighbours, so gaps are filled. */
function line(options: AggregationOptions, nested: Nested) {
  const isFilled = nested.steps.some(({ kind }) => kind === 'change');
  const least = options.whole('min_doc_count', 0, 2 ** 31 - 1) ?? (isFilled ? 0 : 1);
  const selection = readSelection(options, nested, RISING, LIMITS.aggBuckets);
  return { kind: 'histogram' as const, least, ...selection, ...nested };
}

function readSelection(
  options: AggregationOptions,
  nested: Nested,
  order: BucketOrder,
  size: number,
): SelectedBuckets {
  return {
    size: options.whole('size', 1, LIMITS.aggBuckets) ?? size,
    order: readOrder(options, nested) ?? order,
    having: readHaving(options, nested),
  };
}

/** A filter: `"query"`, `{query: "…"}` or a query tree. */
function readFilter(body: Json, path: string, scope: AggregationScope): Clause {
  if (typeof body === 'string') return scope.bindFilter(body);
  const tree = objectOf(body, path);
  const keys = Object.keys(tree);
  if (keys.length === 1 && typeof tree.query === 'string') return scope.bindFilter(tree.query);
  return scope.bindFilter(tree as QueryTree);
}

function objectOf(value: unknown, path: string): JsonObject {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as JsonObject;
  }
  throw wrong(path, value, 'an object');
}
