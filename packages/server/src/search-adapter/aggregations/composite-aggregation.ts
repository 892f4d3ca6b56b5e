/**
 * `composite`: combinations of values in order, page by page. Each source is read as one
 * aggregation of ours per value of the sources before it, from the place that `after` names.
 */
import type { AggBucket, Json, JsonObject, QueryTree } from '@lakehouse-search/contract';
import type { ClockInterval } from '@lakehouse-search/engine/internal';
import { isoOfMicros } from '../base/date-format.ts';
import { listIn, objectIn, onlyKnown, repeatedIn, textIn, wholeIn } from '../base/read-json.ts';
import { readInstant } from '../query/date-instant.ts';
import type { TableField } from '../query/field-table.ts';
import { clipped, illegal, unserved } from '../query/refusal.ts';
import {
  type AggSource,
  type AggTranslator,
  aggField,
  bucketOf,
  bucketsOf,
  isMultiValued,
  refuseOptions,
  type ValueFormat,
  valueFormat,
  wireNumber,
  withSubs,
} from './agg-part.ts';
import { isUtc, nextStart, ourInterval, readInterval } from './date-interval.ts';
import { isTooManyRuns } from './limited-runs.ts';
import { keyHead } from './terms-aggregation.ts';

/** One source. */
interface CompositeSource {
  readonly name: string;
  readonly field: TableField;
  readonly interval: ClockInterval | undefined;
  readonly desc: boolean;
  /** The text of a start, in microseconds; undefined: keys are milliseconds. */
  readonly format: ValueFormat | undefined;
  /** The value after which the page begins; of dates, milliseconds. */
  readonly after: Json | undefined;
}

/** A combination of values and its documents. */
interface Combination {
  readonly key: JsonObject;
  readonly bucket: AggBucket;
}

const SIZE = 10;
const MOST = 10_000;
const MOST_SOURCES = 10;
const TERMS_OPTIONS = ['field', 'order', 'value_type'];
const DATE_OPTIONS = ['calendar_interval', 'fixed_interval', 'time_zone', 'format'];

/** `composite`, whose buckets are read while it is translated. */
export const compositeAggregation: AggTranslator = async (source, kind) => {
  const body = onlyKnown(objectIn(source.body, kind), kind, ['sources', 'size', 'after']);
  const size = wholeIn(body.size ?? SIZE, 'size');
  if (size < 1 || size > MOST) throw illegal(`[size] of [composite] must be from 1 to ${MOST}`);
  const sources = readSources(body, source);
  const found: Combination[] = [];
  try {
    await collect(source, { sources, size, found }, 0, [], {}, body.after !== undefined);
  } catch (error) {
    // a page may be short: the next one begins behind its last combination
    if (found.length === 0 || !isTooManyRuns(error)) throw error;
  }
  const buckets = found.map(({ key, bucket }) => bucketOf({ key }, bucket, source.subs));
  const last = found.at(-1)?.key;
  return {
    type: kind,
    specs: {},
    finish: () => ({ ...(last === undefined ? {} : { after_key: last }), buckets }),
  };
};

function readSources(body: JsonObject, { index }: AggSource): readonly CompositeSource[] {
  const list = listIn(body.sources ?? []);
  if (list.length === 0) throw illegal('Composite [sources] cannot be null or empty');
  if (list.length > MOST_SOURCES) {
    throw illegal(`[composite] has ${list.length} [sources]: at most ${MOST_SOURCES}`);
  }
  const after = body.after === undefined ? undefined : objectIn(body.after, 'after');
  return list.map((one): CompositeSource => {
    const [[name, kinds] = ['', {}]] = Object.entries(objectIn(one, 'sources'));
    const [[kind, options] = ['', {}]] = Object.entries(objectIn(kinds, 'sources'));
    repeatedIn(name, 'sources');
    if (kind !== 'terms' && kind !== 'date_histogram') {
      throw unserved(`[composite] with a source [${clipped(kind)}] is not served by this adapter`);
    }
    const json = objectIn(options, kind);
    const isTerms = kind === 'terms';
    refuseOptions(json, 'composite', ['missing_bucket', 'missing_order', 'script', 'offset']);
    const field = aggField(json.field, 'composite', index);
    if (isMultiValued(index, field.name)) {
      throw unserved(`[composite] over [${field.name}], which has several values, is not served`);
    }
    onlyKnown(json, kind, isTerms ? TERMS_OPTIONS : [...TERMS_OPTIONS, ...DATE_OPTIONS]);
    const interval = isTerms ? undefined : readInterval(json);
    if (interval !== undefined && !isUtc(interval)) {
      throw unserved('[composite] with a [time_zone] other than UTC is not served');
    }
    if (after !== undefined && !Object.hasOwn(after, name)) {
      throw illegal(`Missing value for [after.${clipped(name)}]`);
    }
    const pattern = json.format === undefined ? undefined : textIn(json.format, 'format');
    const format = pattern === undefined ? undefined : valueFormat(pattern, field);
    const value = after?.[name];
    const own = pattern === undefined ? value : startOfText(value, pattern, name);
    return { name, field, interval, format, desc: json.order === 'desc', after: own };
  });
}

/** The milliseconds of a start that a page has shown in a format. */
function startOfText(value: Json | undefined, format: string, name: string): Json | undefined {
  if (typeof value !== 'string') return value;
  return Number(readInstant(value, { format, now: 0 }, name).first / 1000n);
}

interface Collecting {
  readonly sources: readonly CompositeSource[];
  readonly size: number;
  readonly found: Combination[];
}

/** Reads the values of source `at` below the values of the sources before it. */
async function collect(
  source: AggSource,
  page: Collecting,
  at: number,
  clauses: readonly QueryTree[],
  key: JsonObject,
  isAfter: boolean,
): Promise<void> {
  const { sources, size, found } = page;
  const own = sources[at];
  const isLast = at === sources.length - 1;
  const from = isAfter ? [fromClause(own, isLast)] : [];
  const spec = specOf(own, size - found.length);
  const named = { v: isLast ? withSubs(spec, source.subs) : spec };
  const results = await source.run(named, { bool: { filter: [...clauses, ...from] } });
  const buckets = bucketsOf(results, 'v');
  for (const bucket of own.desc && own.interval !== undefined ? [...buckets].reverse() : buckets) {
    if (found.length === size) return;
    const value = sourceValue(bucket, own);
    const next = { ...key, [own.name]: shownValue(value, own) };
    if (isLast) {
      found.push({ key: next, bucket });
      continue;
    }
    const isSame = isAfter && value === own.after;
    await collect(source, page, at + 1, [...clauses, equalClause(own, bucket)], next, isSame);
  }
}

function specOf({ field, interval, desc }: CompositeSource, size: number): JsonObject {
  if (interval !== undefined) {
    return { date_histogram: { field: field.name, ...ourInterval(interval), min_doc_count: 1 } };
  }
  return { terms: { field: field.name, size, order: { _key: desc ? 'desc' : 'asc' } } };
}

function sourceValue(bucket: AggBucket, { field, interval }: CompositeSource): Json {
  if (interval !== undefined) return wireNumber(bucket.key)! / 1000;
  if (field.type === 'BOOL') return bucket.key;
  return keyHead(bucket, field, undefined).key as Json;
}

const shownValue = (value: Json, { format }: CompositeSource): Json =>
  format === undefined ? value : format(Number(value) * 1000);

/** The documents from the value of `after`, or behind it for the last source. */
function fromClause({ field, interval, desc, after }: CompositeSource, isLast: boolean): QueryTree {
  const { name } = field;
  if (interval !== undefined) {
    const start = Number(after);
    const bound = (millis: number) => isoOfMicros(millis * 1000);
    const [begin, end] = [bound(start), bound(nextStart(interval, start))];
    if (desc) return { range: { field: name, lt: isLast ? begin : end } };
    return { range: { field: name, gte: isLast ? end : begin } };
  }
  const value = field.type === 'DATE' ? isoOfMicros(Number(after) * 1000) : (after as Json);
  const comparison = `${desc ? 'lt' : 'gt'}${isLast ? '' : 'e'}`;
  return { range: { field: name, [comparison]: value } };
}

function equalClause({ field, interval }: CompositeSource, { key }: AggBucket): QueryTree {
  const { name } = field;
  if (interval === undefined) return { terms: { field: name, values: [key as string] } };
  const start = wireNumber(key)! / 1000;
  const gte = isoOfMicros(start * 1000);
  return { range: { field: name, gte, lt: isoOfMicros(nextStart(interval, start) * 1000) } };
}
