/** Options of aggregations that hold values of a field, and percentiles. */
import type { Json } from '@lakehouse-search/contract';
import { LhsError, wrong } from '@lakehouse-search/contract';
import { LIMITS } from '../base/limits.ts';
import { orderedFromDouble } from '../base/ordered-double.ts';
import type { FieldPlan } from '../schema/field-plan.ts';
import { jsonFieldValue, VALUE_SHAPES } from '../schema/values.ts';
import type { AggRange, BucketKey } from './aggregation.ts';
import { type AggregationOptions, readAggregationOptions } from './read-options.ts';

/** `missing`: the value that documents without one count under; null: they do not count. */
export function readMissing(options: AggregationOptions, field: FieldPlan): BucketKey | null {
  const input = options.get('missing');
  return input === undefined ? null : readKey(input, `${options.path}.missing`, field);
}

/** True for a year, which `parseDate` reads as epoch microseconds. */
const isYear = (field: FieldPlan, input: Json): boolean =>
  field.type === 'DATE' && typeof input === 'string' && /^\d{4}$/.test(input);

function readKey(input: Json, path: string, field: FieldPlan): BucketKey {
  const value = jsonFieldValue(field, isYear(field, input) ? `${input}-01` : input, path);
  if (value === null) throw wrong(path, input, VALUE_SHAPES[field.type]);
  if (value.kind === 'bytes') return Buffer.from(value.value).toString('latin1');
  return value.kind === 'double' ? orderedFromDouble(value.value) : value.value;
}

/** `ranges: [{key?, from?, to?}]`: `from` belongs to the range, `to` does not. */
export function readRanges(options: AggregationOptions, field: FieldPlan): readonly AggRange[] {
  const input = options.get('ranges');
  const path = `${options.path}.ranges`;
  if (!Array.isArray(input) || input.length === 0) {
    throw wrong(path, input, 'an array of {key, from, to}');
  }
  if (input.length > LIMITS.aggRanges) {
    const most = LIMITS.aggRanges;
    const message = `"${path}" has ${input.length} ranges: at most ${most} (aggRanges)`;
    throw new LhsError('limit_exceeded', message);
  }
  return input.map((range, i): AggRange => {
    const parts = readAggregationOptions(range, `${path}[${i}]`, ['key', 'from', 'to']);
    const bound = (name: string) => {
      const value = parts.get(name);
      if (value === undefined) return null;
      return readKey(value, `${parts.path}.${name}`, field) as bigint;
    };
    const [from, to] = [bound('from'), bound('to')];
    if (from !== null && to !== null && from > to) {
      throw new LhsError('invalid_argument', `"${parts.path}": "from" is above "to"`);
    }
    return { key: parts.maybeText('key') ?? null, from, to };
  });
}

/** `percents`: numbers 0 .. 100, or undefined where they are left out. */
export function readPercents(options: AggregationOptions): readonly number[] | undefined {
  const input = options.get('percents');
  if (input === undefined) return undefined;
  const path = `${options.path}.percents`;
  if (!Array.isArray(input) || input.length === 0) throw wrong(path, input, 'an array');
  if (input.length > LIMITS.aggPercents) {
    const most = LIMITS.aggPercents;
    const message = `"${path}" has ${input.length} entries: at most ${most} (aggPercents)`;
    throw new LhsError('limit_exceeded', message);
  }
  return input.map((percent: Json, i) => {
    if (typeof percent === 'number' && percent >= 0 && percent <= 100) return percent;
    throw wrong(`${path}[${i}]`, percent, 'a number from 0 to 100');
  });
}
