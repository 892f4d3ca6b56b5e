/** Aggregations that measure: `avg`, `min`, `max`, `sum`, `stats`, `value_count`, … */
import type { AggResults, Json, JsonObject, StatsResult } from '@lakehouse-search/contract';
import {
  flagIn,
  listIn,
  numberIn,
  objectIn,
  onlyKnown,
  textIn,
  wholeIn,
} from '../base/read-json.ts';
import { readInstant } from '../query/date-instant.ts';
import type { TableField } from '../query/field-table.ts';
import { unserved } from '../query/refusal.ts';
import {
  type AggPart,
  type AggSource,
  type AggTranslator,
  aggField,
  bucketsOf,
  doubleText,
  isMultiValued,
  MOST_VALUES,
  refuseOptions,
  requireNoSubs,
  type ValueFormat,
  valueFormat,
  wireNumber,
} from './agg-part.ts';
import { mergeStats } from './merge-stats.ts';

type Stat = 'avg' | 'min' | 'max' | 'sum';
const STATS: readonly Stat[] = ['avg', 'min', 'max', 'sum'];
const UNSERVED = ['script', 'value_type'];

function optionsOf(source: AggSource, kind: string, ...more: string[]): JsonObject {
  requireNoSubs(source, kind);
  const body = objectIn(source.body, kind);
  refuseOptions(body, kind, more.includes('missing') ? UNSERVED : [...UNSERVED, 'missing']);
  return onlyKnown(body, kind, ['field', 'format', ...more]);
}

/** The figures of a field, and the documents without it if they count as `missing`. */
function figuresOf(source: AggSource, field: TableField, missing: Json | undefined) {
  const { name, index } = source;
  const { name: own, type } = field;
  const value = missing === undefined ? undefined : missingValue(missing, type, index.table.now);
  const stats = { stats: { field: own } };
  return {
    specs: {
      [name]: stats,
      ...(value === undefined ? {} : { [`${name}.m`]: { missing: { field: own } } }),
    },
    figures(results: AggResults): StatsResult {
      const found = results[name] as StatsResult;
      if (value === undefined) return found;
      const { doc_count: count } = results[`${name}.m`] as { readonly doc_count: number };
      const sum = type === 'DOUBLE' ? Number(value) * count : String(BigInt(value) * BigInt(count));
      return mergeStats([found, { count, min: value, max: value, sum, avg: value }], type);
    },
  };
}

/** The value of documents without one, as our engine has values of the field. */
function missingValue(json: Json, type: string, now: number): number {
  if (type !== 'DATE')
    return type === 'LONG' ? wholeIn(json, 'missing') : numberIn(json, 'missing');
  if (typeof json === 'number') return json * 1000;
  return Number(readInstant(textIn(json, 'missing'), { format: undefined, now }, 'missing').first);
}

type Found = Readonly<Record<string, Json>>;
/** Writes a statistic under a name. */
type Show = (stat: string, name: string) => JsonObject;

/** A measured value, and its text if the field or the request has a format. */
function shown(
  value: Json | undefined,
  stat: string,
  isDate: boolean,
  format: ValueFormat | undefined,
): JsonObject {
  const number = wireNumber(value);
  if (number === null) return { [stat]: null };
  const text: JsonObject = format === undefined ? {} : { [`${stat}_as_string`]: format(number) };
  return { [stat]: isDate ? number / 1000 : number, ...text };
}

/** Translates an aggregation whose answer is made of the statistics of one field. */
const byStatistics =
  (answer: (found: Found, show: Show, kind: string) => JsonObject): AggTranslator =>
  (source, kind) => {
    const { field, format, missing } = optionsOf(source, kind, 'missing');
    const known = aggField(field, kind, source.index);
    const { specs, figures } = figuresOf(source, known, missing);
    const written = valueFormat(format, known);
    const isDate = known.type === 'DATE';
    return {
      type: kind,
      specs,
      finish(results) {
        const found: Found = { ...figures(results) };
        return answer(found, (stat, name) => shown(found[stat], name, isDate, written), kind);
      },
    };
  };

const statistic = byStatistics((found, show, kind) =>
  found.count === 0 && kind !== 'sum' ? { value: null } : show(kind, 'value'),
);

const stats = byStatistics((found, show) =>
  Object.assign({ count: found.count }, ...STATS.map((stat) => show(stat, stat))),
);

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

/** Distinct values; those of several indexes are listed, so that common ones count once. */
const cardinality: AggTranslator = (source, kind) => {
  const { name, index } = source;
  const options = optionsOf(source, kind, 'precision_threshold', 'execution_hint');
  const { name: field } = aggField(options.field, kind, index);
  if (index.isSeveral === true) return distinctOfSeveral(name, kind, field);
  return {
    type: kind,
    specs: { [name]: { cardinality: { field } } },
    finish: (results) => ({ value: (results[name] as { readonly value: number }).value }),
  };
};

function distinctOfSeveral(name: string, kind: string, field: string): AggPart {
  return {
    type: kind,
    specs: { [name]: { terms: { field, size: MOST_VALUES } } },
    finish(results) {
      const found = results[name] as { readonly sum_other_doc_count: number };
      if (found.sum_other_doc_count === 0) return { value: bucketsOf(results, name).length };
      throw unserved(
        `[${kind}] over several indexes is served up to ${MOST_VALUES} values of [${field}]`,
      );
    },
  };
}

const PERCENTS = [1, 5, 25, 50, 75, 95, 99];

const percentiles: AggTranslator = (source, kind) => {
  const { name, index } = source;
  if (index.isSeveral === true) {
    throw unserved('[percentiles] over several indexes is not served: they cannot be merged');
  }
  refuseOptions(objectIn(source.body, kind), kind, ['hdr']);
  const body = optionsOf(source, kind, 'percents', 'keyed', 'tdigest');
  const known = aggField(body.field, kind, index);
  const percents = listIn(body.percents ?? PERCENTS).map((one) => numberIn(one, 'percents'));
  const isKeyed = flagIn(body.keyed ?? true, 'keyed');
  const format = valueFormat(body.format, known);
  const isDate = known.type === 'DATE';
  return {
    type: 'tdigest_percentiles',
    specs: { [name]: { percentiles: { field: known.name, percents } } },
    finish(results) {
      const { values } = results[name] as {
        readonly values: readonly { readonly percent: number; readonly value: Json }[];
      };
      if (isKeyed) {
        const named = values.map(({ percent, value }) =>
          shown(value, doubleText(percent), isDate, format),
        );
        return { values: Object.assign({}, ...named) as JsonObject };
      }
      return {
        values: values.map(({ percent, value }) => ({
          key: percent,
          ...shown(value, 'value', isDate, format),
        })),
      };
    },
  };
};

/** The translators by kind. */
export const METRIC_AGGREGATIONS: ReadonlyMap<string, AggTranslator> = new Map([
  ...STATS.map((kind) => [kind, statistic] as const),
  ['stats', stats],
  ['value_count', valueCount],
  ['cardinality', cardinality],
  ['percentiles', percentiles],
]);
