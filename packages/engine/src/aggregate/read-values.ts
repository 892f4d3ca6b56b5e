/** Options of aggregations that hold values of a field, orders and percentiles. */
import type { Json, JsonObject } from '@lakehouse-search/contract';
import { LhsError, wrong } from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';
import { orderedFromDouble } from '../base/ordered-double.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { parseFieldValue, VALUE_SHAPES } from '../schema/values.ts';
import type { AggRange, BucketKey, TermsOrder } from './aggregation.ts';
import { type AggregationOptions, readAggregationOptions } from './read-options.ts';

/** `order: {_count | _key: asc | desc}`; the most documents first when left out. */
export function readOrder(options: AggregationOptions): TermsOrder {
  const given = options.get('order');
  if (given === undefined) return { by: 'count', desc: true };
  const place = `${options.place}.order`;
  readAggregationOptions(given, place, ['_count', '_key']);
  const entries = Object.entries(given as JsonObject);
  const [key, direction] = entries[0] ?? [];
  if (entries.length === 1 && (direction === 'asc' || direction === 'desc')) {
    return { by: key === '_key' ? 'key' : 'count', desc: direction === 'desc' };
  }
  throw wrong(place, given, '{"_count" or "_key": "asc" or "desc"}');
}

/** `missing`: the value that documents without one count under; null: they do not count. */
export function readMissing(options: AggregationOptions, field: FieldPlan): BucketKey | null {
  const given = options.get('missing');
  return given === undefined ? null : readKey(given, `${options.place}.missing`, field);
}

function readKey(given: Json, place: string, field: FieldPlan): BucketKey {
  const value =
    typeof given === 'object' || given === null ? null : parseFieldValue(field.type, String(given));
  if (value === null) throw wrong(place, given, VALUE_SHAPES[field.type]);
  if (value.kind === 'bytes') return Buffer.from(value.value).toString('latin1');
  return value.kind === 'double' ? orderedFromDouble(value.value) : value.value;
}

/** `ranges: [{key?, from?, to?}]`: `from` belongs to the range, `to` does not. */
export function readRanges(options: AggregationOptions, field: FieldPlan): readonly AggRange[] {
  const given = options.get('ranges');
  const place = `${options.place}.ranges`;
  if (!Array.isArray(given) || given.length === 0) {
    throw wrong(place, given, 'an array of {key, from, to}');
  }
  if (given.length > LIMITS.aggRanges) {
    const most = LIMITS.aggRanges;
    const message = `"${place}" has ${given.length} ranges: at most ${most} (aggRanges)`;
    throw new LhsError('limit_exceeded', message);
  }
  return given.map((range, i): AggRange => {
    const parts = readAggregationOptions(range, `${place}[${i}]`, ['key', 'from', 'to']);
    const bound = (name: string) => {
      const value = parts.get(name);
      if (value === undefined) return null;
      return readKey(value, `${parts.place}.${name}`, field) as bigint;
    };
    const [from, to] = [bound('from'), bound('to')];
    if (from !== null && to !== null && from > to) {
      throw new LhsError('invalid_argument', `"${parts.place}": "from" is above "to"`);
    }
    return { key: parts.maybeText('key') ?? null, from, to };
  });
}

/** `percents`: numbers 0 .. 100, or undefined where they are left out. */
export function readPercents(options: AggregationOptions): readonly number[] | undefined {
  const given = options.get('percents');
  if (given === undefined) return undefined;
  const place = `${options.place}.percents`;
  if (!Array.isArray(given) || given.length === 0) throw wrong(place, given, 'an array');
  if (given.length > LIMITS.aggPercents) {
    const most = LIMITS.aggPercents;
    const message = `"${place}" has ${given.length} entries: at most ${most} (aggPercents)`;
    throw new LhsError('limit_exceeded', message);
  }
  return given.map((percent: Json, i) => {
    if (typeof percent === 'number' && percent >= 0 && percent <= 100) return percent;
    throw wrong(`${place}[${i}]`, percent, 'a number from 0 to 100');
  });
}
