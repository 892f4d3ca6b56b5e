/** Aggregations that measure: `avg`, `min`, `max`, `sum`, `stats`, `value_count`, … */
import type { AggResults, Json, JsonObject } from '@lakehouse-search/contract';
import { dateFormat } from '../base/date-format.ts';
import { flagIn, listIn, numberIn, objectIn, onlyKnown } from '../base/read-json.ts';
import { unserved } from '../query/refusal.ts';
import {
  type AggSource,
  type AggTranslator,
  aggField,
  doubleText,
  isMultiValued,
  refuseOptions,
  requireNoSubs,
  wireNumber,
} from './agg-part.ts';

type Stat = 'avg' | 'min' | 'max' | 'sum';
const STATS: readonly Stat[] = ['avg', 'min', 'max', 'sum'];
const UNSERVED = ['missing', 'script', 'value_type'];

function optionsOf(source: AggSource, kind: string, ...more: string[]): JsonObject {
  requireNoSubs(source, kind);
  const body = objectIn(source.body, kind);
  refuseOptions(body, kind, UNSERVED);
  return onlyKnown(body, kind, ['field', 'format', ...more]);
}

/** A measured value; those of dates are milliseconds, and have a text too. */
function shown(value: Json | undefined, stat: string, type: string, format: Json | undefined) {
  const number = wireNumber(value);
  if (type !== 'DATE' || number === null || stat === 'count') return { [stat]: number };
  const text = dateFormat(typeof format === 'string' ? format : undefined)(number, 0);
  return { [stat]: number / 1000, [`${stat}_as_string`]: text };
}

const statistic: AggTranslator = (source, kind) => {
  const { name, index } = source;
  const { field, format } = optionsOf(source, kind);
  const { name: own, type } = aggField(field, kind, index);
  return {
    type: kind,
    specs: { [name]: { stats: { field: own } } },
    finish(results) {
      const found = results[name] as unknown as Readonly<Record<string, Json>>;
      const named = shown(found[kind], 'value', type, format);
      return found.count === 0 && kind !== 'sum' ? { value: null } : named;
    },
  };
};

const stats: AggTranslator = (source, kind) => {
  const { name, index } = source;
  const { field, format } = optionsOf(source, kind);
  const { name: own, type } = aggField(field, kind, index);
  return {
    type: kind,
    specs: { [name]: { stats: { field: own } } },
    finish(results) {
      const found = results[name] as unknown as Readonly<Record<string, Json>>;
      const values = STATS.map((stat) => shown(found[stat], stat, type, format));
      return Object.assign({ count: found.count }, ...values) as JsonObject;
    },
  };
};

const MEASURED: ReadonlySet<string> = new Set(['LONG', 'DOUBLE', 'DATE']);

/** Values of numbers are counted with their statistics, others by the documents that have one. */
const valueCount: AggTranslator = (source, kind) => {
  const { name, index } = source;
  const { field } = optionsOf(source, kind);
  const { name: own, type } = aggField(field, kind, index);
  const isMeasured = MEASURED.has(type);
  if (!isMeasured && isMultiValued(index, own)) {
    throw unserved(`[value_count] of [${own}], which has several values, is not served`);
  }
  const spec: JsonObject = isMeasured
    ? { stats: { field: own } }
    : { filter: { exists: { field: own } } };
  return {
    type: kind,
    specs: { [name]: spec },
    finish(results) {
      const found = results[name] as { readonly count?: number; readonly doc_count?: number };
      return { value: found.count ?? found.doc_count ?? 0 };
    },
  };
};

const cardinality: AggTranslator = (source, kind) => {
  const { name, index } = source;
  const { field } = optionsOf(source, kind, 'precision_threshold', 'execution_hint');
  return {
    type: kind,
    specs: { [name]: { cardinality: { field: aggField(field, kind, index).name } } },
    finish: (results) => ({ value: (results[name] as { readonly value: number }).value }),
  };
};

const PERCENTS = [1, 5, 25, 50, 75, 95, 99];

const percentiles: AggTranslator = (source, kind) => {
  const { name, index } = source;
  refuseOptions(objectIn(source.body, kind), kind, ['hdr']);
  const body = optionsOf(source, kind, 'percents', 'keyed', 'tdigest');
  const { name: own, type } = aggField(body.field, kind, index);
  const percents = listIn(body.percents ?? PERCENTS).map((one) => numberIn(one, 'percents'));
  const isKeyed = flagIn(body.keyed ?? true, 'keyed');
  return {
    type: 'tdigest_percentiles',
    specs: { [name]: { percentiles: { field: own, percents } } },
    finish(results) {
      const values = percentValues(results, name, type);
      if (!isKeyed) return { values: values.map(([key, value]) => ({ key, value })) };
      return { values: Object.fromEntries(values.map(([key, v]) => [doubleText(key), v])) };
    },
  };
};

function percentValues(results: AggResults, name: string, type: string) {
  const { values } = results[name] as {
    readonly values: readonly { readonly percent: number; readonly value: Json }[];
  };
  return values.map(({ percent, value }) => {
    const number = wireNumber(value);
    return [percent, number !== null && type === 'DATE' ? number / 1000 : number] as const;
  });
}

/** The translators by kind. */
export const METRIC_AGGREGATIONS: ReadonlyMap<string, AggTranslator> = new Map([
  ...STATS.map((kind) => [kind, statistic] as const),
  ['stats', stats],
  ['value_count', valueCount],
  ['cardinality', cardinality],
  ['percentiles', percentiles],
]);
